"""What is said of why cases fail; hostile text is in what the files hold."""

from __future__ import annotations

from typing import Any

import pytest

from evaluator import report
from evaluator.model.exam import Regressed
from evaluator.model.run import RunCase, RunSummary, SummaryValue
from evaluator.report import causes
from evaluator.report.causes import Causes
from evaluator.report.view import build_view
from tests.builders import (
    build_change,
    build_comparison,
    build_decision,
    build_head,
    build_inputs,
    build_row,
    build_rule,
)
from tests.unit.report.test_steps import case as run_case


def case(name: str, diagnosis: str | None, category: str = "billing", **fields: Any) -> RunCase:
    """A case with a diagnosis."""
    return run_case(name=name, diagnosis=diagnosis, category=category, **fields)


def taken(*cases: RunCase, **fields: Any) -> Causes:
    """What is known after some cases."""
    found = Causes(**fields)
    for each in cases:
        found.take(each)
    return found


def said(known: Causes, name: str = "a", lost: Regressed | None = None) -> list[str]:
    """The lines beside a question."""
    return [": ".join([note.text, *note.names.items]) for note in causes.lines(known, name, lost)]


def means(**values: float) -> dict[str, SummaryValue]:
    """Means by metric; ``recall_5`` stands for ``recall@5``."""
    return {name.replace("_", "@"): SummaryValue(mean=mean, n=10, of=10) for name, mean in values.items()}


class TestBesideAQuestion:
    """One line for the cause and its lever, then what was lost."""

    def test_the_cause_and_what_to_change_first(self) -> None:
        """A case that does not fail has no line."""
        known = taken(case("a", "ranking"), case("b", None))

        assert said(known) == [
            "diagnosis: ranking; change first: re-ranking, or how much of what was found is handed on"
        ]
        assert said(known, "b") == []

    @pytest.mark.parametrize(
        ("before", "words"), [("retrieval", " (before: retrieval)"), ("ranking", ""), (None, ""), ("<b>x", "")]
    )
    def test_the_diagnosis_before_where_it_was_another_of_ours(self, before: str | None, words: str) -> None:
        """A baseline may hold any text."""
        [line] = said(taken(case("a", "ranking")), lost=Regressed(id="a", before=before))

        assert line.startswith(f"diagnosis: ranking{words};")

    def test_a_text_that_is_no_diagnosis_is_none(self) -> None:
        """A run file may hold any text."""
        known = taken(case("a", "](https://example.org) content gap"))

        assert (said(known), known.counts) == ([], {})

    def test_the_chunk_that_conflicts_is_named(self) -> None:
        """Chunks of supported claims that contradict the reference, each once; other claims say nothing of them."""
        of = [("supported", "contradicts", ["x", "y"]), ("supported", "contradicts", ["x"]),
              ("supported", "in_reference", ["z"]), ("unsupported", "contradicts", ["w"])]  # fmt: skip
        claims = [{"verdict": verdict, "reference": held, "chunks": chunks} for verdict, held, chunks in of]
        known = taken(case("a", "retrieval: outdated or conflicting chunk", claims=claims))

        assert said(known)[1:] == ["supports what contradicts the reference: x: y"]

    def test_without_a_fixture_the_documents_come_first(self) -> None:
        """Nobody knows whether they hold what was not found."""
        assert "whether the documents hold it" in said(taken(case("a", "retrieval"), has_fixture=False))[0]
        assert "documents" not in said(taken(case("a", "retrieval")))[0]

    def test_lost_facts_and_lengths_that_changed_much(self) -> None:
        """A quarter of the longer text is much: 100 to 75 is told, 100 to 76 is not, and 0 to 0 is no change."""
        lost = Regressed(id="a", facts=("f", "g"), answer_facts=("h",), answer=(100, 75), context=(100, 76))

        assert said(taken(), lost=lost) == [
            "required facts that the model no longer got: f: g", "required facts that the answer no longer has: h",
            "the answer: 100 → 75 characters",
        ]  # fmt: skip
        assert said(taken(), lost=Regressed(id="a", answer=(0, 0))) == []


class TestHalves:
    """Which half broke."""

    def test_counts_the_questions_behind_what_failed(self) -> None:
        """The half that broke most often comes first; what has no cause is counted last."""
        known = taken(
            case("a", "retrieval"), case("b", "ranking"), case("c", "ranking"), case("d", "generation: incomplete"),
            case("e", "content gap"), case("z", "abstention"),
        )  # fmt: skip
        [note] = causes.halves(known, ["a", "b", "c", "d", "f"])

        assert note.text == (
            "Retrieval broke in 3 of 5 questions behind it (retrieval 1, ranking 2); generation in 1 "
            "(generation: incomplete 1); nothing that is known to be needed is missing or wrong in 1."
        )

    def test_without_questions_counts_all_that_fail(self) -> None:
        """A floor may fail without a baseline."""
        [note] = causes.halves(taken(case("a", "abstention")), [])

        assert note.text == "Generation broke in 1 of 1 failing question (abstention 1)."

    def test_says_nothing_where_nothing_is_known(self) -> None:
        """A run of a version that gave no diagnoses."""
        assert list(causes.halves(taken(case("a", None)), ["a"])) == []


class TestAdvice:
    """What recall beside the order says."""

    @pytest.mark.parametrize(
        ("values", "words"),
        [
            ({"recall_5": 0.79, "mrr_10": 0.2}, "Recall is low over all cases (recall@5 0.790): look at chunking,"),
            (
                {"recall_5": 0.8, "mrr_10": 0.6},
                "Recall is high and the order is not over all cases (recall@5 0.800, mrr",
            ),
            ({"recall_5": 0.9, "ndcg_10": 0.65}, "Recall is high and the order is not"),
            ({"recall_5": 0.9, "mrr_10": 0.71, "ndcg_10": 0.8}, None),
            ({"mrr_10": 0.1}, None),
        ],
    )
    def test_low_recall_is_search_and_a_low_order_is_ranking(self, values: dict[str, float], words: str | None) -> None:
        """Low is below 0.8; the order lags where it is 0.2 below recall."""
        head = build_head(summary=RunSummary(all=means(**values), categories={}, holdout={}))
        notes = [note.text for note in causes.advice(head, Causes(), [None])]

        assert len(notes) == (words is not None)
        assert not notes or notes[0].startswith(words or "")

    @pytest.mark.parametrize(
        ("deeper", "words"), [(2, "mostly for chunks that were found further down"), (1, "look at chunking")]
    )
    def test_what_was_found_further_down_calls_for_ranking(self, deeper: int, words: str) -> None:
        """Recall at a cut-off is low as well where most of what is needed stands below it."""
        known = taken(case("z", "retrieval"), *(case(f"d{number}", "ranking") for number in range(deeper)))
        head = build_head(summary=RunSummary(all=means(recall_5=0.5), categories={}, holdout={}))
        [note] = causes.advice(head, known, [None])

        assert words in note.text

    def test_places_that_say_the_same_share_a_sentence(self) -> None:
        """At most three are named."""
        low = {f"c{number}": means(recall_5=0.5) for number in range(5)}
        head = build_head(summary=RunSummary(all=means(recall_5=0.9), categories=low, holdout={}))
        [note] = causes.advice(head, Causes(), [None, *low, "c0"])

        assert note.text.count("recall@5 0.500") == 3
        assert "and 2 more:" in note.text


class TestTable:
    """Causes by category."""

    def test_counts_every_case_once_and_leaves_held_out_ones_out(self) -> None:
        """Columns are the causes there are, in the order of the questions."""
        known = taken(
            case("a", "ranking"), case("b", "content gap"), case("c", "ranking", "legal"), case("d", None, "legal"),
            case("e", "abstention", split="holdout"),
        )  # fmt: skip
        part = causes.part(known, build_head({"recall@5": 0.9}))

        assert part.table is not None
        assert part.title == "Why cases fail: 3 cases"
        assert part.table.head == ("Category", "Failing", "content gap", "ranking")
        assert [row.cells for row in part.table.rows.items] == [("billing", "2", "1", "1"), ("legal", "1", "", "1")]

    def test_is_not_there_where_nothing_fails(self) -> None:
        """An empty part is left out."""
        assert not causes.part(taken(case("a", None)), build_head())

    def test_the_order_of_cases_changes_nothing(self) -> None:
        """Categories are sorted by name."""
        cases = [case("a", "ranking", "b"), case("b", "retrieval", "a"), case("c", "ranking", "c")]

        assert causes.part(taken(*cases), build_head()) == causes.part(taken(*cases[::-1]), build_head())


@pytest.mark.parametrize("name", ["comment", "summary", "terminal"])
def test_every_format_says_which_half_broke_and_why_each_question_fails(name: str) -> None:
    """Near the verdict, and beside the question; what a file names is made harmless."""
    row = build_row("billing", 0.9, 0.5, reason="fell")
    lost = Regressed(id="a", before="retrieval", facts=("[f](x)",))
    inputs = build_inputs(
        build_comparison((row,), (build_change("a"),)), build_decision("failed", (build_rule(row),)),
        causes=taken(case("a", "generation: unsupported")), regressed={"a": lost},
    )  # fmt: skip
    text = report.load()[name].render(build_view(inputs))

    assert "Generation broke in 1 of 1 question behind it" in text
    assert text.index("Generation broke") < text.index("recall@5  billing" if name == "terminal" else "| recall@5 |")
    assert "diagnosis: generation: unsupported (before: retrieval); change first: the prompt" in text
    assert "\n  - [f](x)" not in text
