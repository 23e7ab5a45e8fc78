"""Holds docs/metrics.md to what the metrics declare and do."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from evaluator import metrics
from evaluator.metrics._values import stated, values_of
from evaluator.metrics.scoring import score_case
from evaluator.model.golden import Fact, Labels, Need
from evaluator.model.judgement import Claim
from evaluator.model.score import Metric, MetricId, NotApplicable, Scored
from evaluator.model.view import CaseView, Passage, Replied, ResolvedNeed
from tests import documents, judgements
from tests.views import outcome

SECTIONS = documents.sections("metrics.md")
DECLARED, BEHAVIOUR = documents.tables(SECTIONS["What all of them share"])
METRICS = metrics.load()
LABELS = Labels(relevant=(Need(chunk="c1"),), facts=(Fact(id="f", text="30 days"),), reference="Within 30 days.")
NEEDS = (ResolvedNeed((("c1",),)),)
EACH = pytest.mark.parametrize("metric", METRICS.values(), ids=lambda metric: metric.name)


ANSWER = "30 days [1]"
SAID = judgements.judgement(
    sufficiency=True, statements=("present",), attributable=(True,), facts={"f": True}, useful={"c1": True, "x": False},
    similarities=(0.75,), sentences=(ANSWER,),
)  # fmt: skip
COMPARED = SAID.but(preference=judgements.judgement(preference="win win").preference)
OTHERWISE_SAID = judgements.judgement(
    abstained=True, relevance=False, sufficiency=False, attributable=(False,), useful={"c1": False, "x": False},
    preference="loss loss", sentences=(ANSWER,),
)  # fmt: skip
CLAIM = Claim(id="s1.1", text="30 days", sentence=1, verdict="supported", chunks=("c1",), reference="in_reference")


def view(**fields: Any) -> CaseView:
    """A case that was answered from one relevant result, and reports what it used."""
    base: dict[str, Any] = {
        "labels": LABELS, "needs": NEEDS, "ranking": ["c1"], "context": ["c1"], "answer": ANSWER,
        "passages": {"c1": Passage("d", "within 30 days", 0)}, "abstained": False, "latency_ms": 5.0,
        "usage": {"cost_usd": 0.1, "total_tokens": 7}, "judgement": COMPARED,
        "claims": (CLAIM,), "paraphrases": (Replied(("c1",), LABELS, ANSWER, judgement=SAID),),
    }  # fmt: skip
    return CaseView(**{**base, **fields})


UNLABELLED = {"labels": Labels(), "needs": (), "paraphrases": (), "judgement": SAID}
EMPTY = {"ranking": [], "context": [], "claims": (CLAIM.but(verdict="unsupported", chunks=()),)}
FAILED = {**EMPTY, "failed": True, "answer": None, "abstained": None, "usage": None, "latency_ms": None}
CASES = (
    view(**UNLABELLED), view(**EMPTY), view(**FAILED, paraphrases=(None,)), view(**{**FAILED, **UNLABELLED}),
)  # fmt: skip
"""One for each column of the second table."""


def worded(found: CaseView, metric: Metric, k: int | None) -> str:
    """What the table says of a case's value."""
    name = MetricId(metric.name, k)
    score = score_case(found, [name], METRICS)[name]
    if isinstance(score, NotApplicable):
        return "n/a"
    assert isinstance(score, Scored)
    return "1" if found.failed and score.value == 1 else "value" if score.value else "0"


@EACH
def test_a_metric_is_declared_as_the_table_says(metric: Metric) -> None:
    """Name, meaning, direction, range and cut-off in the document are those of the code."""
    rows = {documents.bare(row[0]): row[1:5] for row in DECLARED}
    better, reach = ("higher" if metric.higher_is_better else "lower"), ("0 to 1" if metric.bounded else "0 or more")

    assert rows[metric.name] == [metric.title, better, reach, "yes" if metric.cutoff == "optional" else "no"]


OTHERWISE: dict[str, list[dict[str, Any]]] = {
    "ranking": [{"ranking": ["x", "x", "c1", "x"]}, {"ranking": ["x"]}],
    "context": [{"context": ["x", "c1", "x"]}, {"context": ["x"]}],
    "answer": [{"answer": ""}],
    "clock": [{"latency_ms": 9.0}],
    "usage": [{"usage": {"cost_usd": 2.0, "total_tokens": 2}}],
    "judge": [{"judgement": OTHERWISE_SAID}, {"claims": (CLAIM, CLAIM.but(verdict="unclear", chunks=()))}],
}
"""What a metric may read, and other things that could stand there."""


@EACH
def test_a_metric_reads_what_the_table_says(metric: Metric) -> None:
    """Without a cut-off, what the table names changes the value, and nothing else does."""
    documented = {documents.bare(row[0]): row[6] for row in DECLARED}[metric.name]
    name = MetricId(metric.name)
    base = view(passages={"c1": Passage("d", "within 30 days", 0), "x": Passage("d", "nothing", 7)})

    def value(**fields: Any) -> object:
        return score_case(dataclasses.replace(base, **fields), [name], METRICS)[name]

    changing = {part for part, others in OTHERWISE.items() if any(value(**other) != value() for other in others)}
    assert changing == set(documented.split(", "))
    assert metric.reads in changing


@EACH
def test_a_metric_does_without_labels_results_and_replies_what_the_table_says(metric: Metric) -> None:
    """Not applicable, the worst value or a value: each column of the second table, with a cut-off and without."""
    documented = {row[0]: row[1:] for row in BEHAVIOUR}[metric.name]
    for k in (None, 5) if metric.cutoff == "optional" else (None,):
        assert [worded(case, metric, k) for case in CASES] == documented


@pytest.mark.parametrize("row", documents.tables(SECTIONS["grounded_values"])[0], ids=lambda row: row[0])
def test_a_value_is_grounded_where_the_table_says(row: list[str]) -> None:
    """The examples of the document hold: the one value of the answer is stated by the context, or is not."""
    answer, context, language, found = (cell.strip("`") for cell in row)
    [value] = values_of(answer, language)

    assert stated(context, language).holds(value) == (found == "yes")


BEHAVIOURS, JUDGED_EXAMPLES = documents.tables(SECTIONS["Judged metrics"])


@pytest.mark.parametrize("row", BEHAVIOURS, ids=lambda row: " ".join(row[:2]))
def test_answering_and_abstaining_are_worth_what_the_table_says(row: list[str]) -> None:
    """By abstention, each of the answer metrics, and faithfulness (S8)."""
    expect, did = row[0], row[1]
    said = SAID.but(abstained=judgements.judgement(abstained=did == "abstained").abstained)
    case = view(labels=LABELS.but(expect=expect), judgement=said)
    answers = ("answer_relevance", "answer_completeness", "correctness", "answer_relevance_embedding")

    assert outcome("abstention", case) == float(row[2])
    assert {worded(case, METRICS[name], None) for name in answers} == {row[3]}
    assert worded(case, METRICS["faithfulness"], None) == row[4]


@pytest.mark.parametrize("row", JUDGED_EXAMPLES, ids=lambda row: row[0])
def test_a_judged_example_comes_to_what_the_table_says(row: list[str]) -> None:
    """Five metrics by hand."""
    case = judgements.view(
        "AB",
        "A",
        claimed=row[1],
        labels=Labels(reference="r"),
        said=judgements.judgement(statements=row[2].split(", ")),
    )
    names = ("faithfulness", "context_utilisation", "noise_sensitivity", "answer_completeness", "correctness")

    assert [f"{outcome(name, case):.3f}" for name in names] == row[3:]


@EACH
def test_definition_and_source_are_those_of_the_code(metric: Metric) -> None:
    """The section of a metric repeats what the metric says of itself, word for word."""
    text = " ".join(SECTIONS[metric.name].split())

    assert f"**Definition.** {metric.formula}" in text
    assert f"**Source.** {metric.source}" in text


def test_no_metric_is_documented_that_does_not_exist() -> None:
    """Both tables and the sections name the metrics there are, in one order."""
    first, second = ([documents.bare(row[0]) for row in table] for table in (DECLARED, BEHAVIOUR))

    assert first == second == [name for name in SECTIONS if name in first]
    assert sorted(first) == sorted(METRICS)


def test_what_counts_chunks_is_named() -> None:
    """The metrics that a re-chunking makes advisory, and those that want labels, are the ones the text names."""
    text = " ".join(SECTIONS["What all of them share"].split())
    [chunks] = [part for part in text.split("**") if part.lstrip().startswith("What `precision`")]
    [labelled] = [part for part in text.split("**") if part.lstrip().startswith("A chunk nobody has labelled")]
    counting = {name for name, metric in METRICS.items() if metric.counts == "chunks"}

    assert {name for name in METRICS if f"`{name}`" in chunks.partition(" count are chunks")[0]} == counting
    assert {name for name in METRICS if f"`{name}`" in labelled} == {
        name for name, metric in METRICS.items() if metric.precision_like
    }
