"""Holds docs/files.md to the values that are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import pytest

from evaluator.cli import outputs
from evaluator.cli.failures import INTERNAL, TRACEBACK_FILE
from evaluator.errors import InputError, Interrupted
from evaluator.human.labels import LabelLine
from evaluator.model import baseline, calibration, comparison, decision, exam, exhibits, judgement, noise, record, run
from tests import documents

if TYPE_CHECKING:
    from evaluator.model.base import Value

SECTIONS = documents.sections("files.md")
MODELS: dict[str, type[Value]] = {
    "collect.json": record.Collection,
    "records.jsonl": record.Record,
    "run.json: a case": run.RunCase,
    "run.json: a need": run.RunNeed,
    "run.json: a fact": run.RunFact,
    "run.json: a claim": judgement.Claim,
    "run.json: a judgement": judgement.Judgement,
    "run.json: a mean": run.SummaryValue,
    "run.json: the history": run.History,
    "comparison.json": comparison.Comparison,
    "comparison.json: a row": comparison.Row,
    "comparison.json: a changed value": comparison.CaseChange,
    "comparison.json: something loosened": comparison.Loosened,
    "exam.json": exam.ExamFile,
    "exam.json: the exam": comparison.Exam,
    "exam.json: a gated row": comparison.GatedRow,
    "exam.json: a spread": exam.SpreadRow,
    "exam.json: what people look at": exhibits.Exhibits,
    "calibration.json": calibration.Calibration,
    "labels.jsonl": LabelLine,
    "noise.json": noise.Noise,
    "decision.json": decision.Decision,
    "baseline.json": baseline.Manifest,
    "decision.json: a rule": decision.RuleOutcome,
    "decision.json: a case": decision.CaseOutcome,
}
INSIDE: list[tuple[str, str, type[Value]]] = [
    ("collect.json", "pipeline", record.PipelineInfo),
    ("records.jsonl", "retrieved", record.Hit),
    ("records.jsonl", "steps", record.Step),
    ("records.jsonl", "failure", record.Failure),
    ("run.json", "records", run.RecordsFile),
    ("run.json: a case", "retrieved", run.RunHit),
    ("run.json: a case", "steps", run.RunStep),
    ("run.json: a case", "gathered", run.Gathered),
    ("run.json: a need", "found", run.FoundInStep),
    ("run.json", "judge", run.JudgeInfo),
    ("run.json: a judgement", "abstained", judgement.Opinion),
    ("run.json: a judgement", "relevance", judgement.Opinion),
    ("run.json: a judgement", "sufficiency", judgement.Opinion),
    ("run.json: a judgement", "silent", judgement.Silent),
    ("run.json: a judgement", "statements", judgement.Statement),
    ("run.json: a judgement", "facts", judgement.JudgedFact),
    ("run.json: a judgement", "useful", judgement.JudgedChunk),
    ("run.json: a judgement", "preference", judgement.Preference),
    ("comparison.json", "baseline", comparison.BaselineInfo),
    ("comparison.json", "configuration", comparison.ConfigurationChange),
    ("comparison.json: a changed value", "lost", comparison.Lost),
    ("exam.json: the exam", "critical", comparison.CriticalOutcome),
    ("exam.json: a spread", "baseline", exam.Spread),
    ("noise.json", "metrics", noise.MetricNoise),
    ("decision.json", "reasons", decision.Reason),
]
"""Values that are described in one cell, with the key they are under."""
WORDS: list[tuple[str, Any]] = [
    ("records.jsonl", record.FailureKind),
    ("run.json: a fact", run.How),
    ("comparison.json: a row", comparison.Status),
    ("decision.json: a rule", decision.RuleOutcome.model_fields["outcome"].annotation),
    ("decision.json: a case", decision.CaseStatus),
]
"""Where the second table explains words, and the words there are."""


def keys(section: str, table: int = 0) -> list[str]:
    """The first column of a table."""
    return [documents.bare(row[0]) for row in documents.tables(SECTIONS[section])[table]]


@pytest.mark.parametrize("section", MODELS)
def test_every_key_of_a_file_is_described_in_its_order(section: str) -> None:
    """A reader of a file finds each of its keys in the document, and no other."""
    assert keys(section) == list(MODELS[section].model_fields)


def test_every_key_of_a_run_is_described() -> None:
    """run.json holds its head and, apart from it, the cases, their texts and the chunks' places."""
    assert sorted(keys("run.json")) == sorted({*run.RunHead.model_fields, "cases", "texts", "places"})


@pytest.mark.parametrize(("section", "key", "model"), INSIDE)
def test_keys_of_a_value_inside_are_named_beside_it(section: str, key: str, model: type[Value]) -> None:
    """What stands in braces in a cell is all that the value holds."""
    [text] = [row[1] for row in documents.tables(SECTIONS[section])[0] if documents.bare(row[0]) == key]
    named = text[text.index("{") + 1 : text.index("}")].replace('"', "").split(", ")

    assert named == list(model.model_fields)


@pytest.mark.parametrize(("section", "words"), WORDS)
def test_every_status_is_explained(section: str, words: Any) -> None:
    """Statuses, outcomes and kinds of failure are those that the code can write."""
    assert sorted(keys(section, table=1)) == sorted(get_args(words))


def test_every_key_of_a_calibrated_language_is_described() -> None:
    """The second table of calibration.json is what is known of a metric in a language."""
    assert keys("calibration.json", table=1) == list(calibration.Calibrated.model_fields)


def test_scopes_and_kinds_of_loosening_are_explained() -> None:
    """Words without a table of their own stand in the cell of their key."""
    cells = {row[0]: row[1] for row in documents.tables(SECTIONS["comparison.json: something loosened"])[0]}
    scopes = {row[0]: row[1] for row in documents.tables(SECTIONS["comparison.json: a row"])[0]}

    assert [
        each
        for each in get_args(comparison.Loosened.model_fields["kind"].annotation)
        if f"`{each}`" not in cells["`kind`"]
    ] == []
    assert [each for each in get_args(comparison.Scope) if f"`{each}`" not in scopes["`scope`"]] == []


def test_exit_codes_are_those_of_the_code() -> None:
    """Outcomes, mistakes, interruptions and internal errors leave with the code that the table gives them."""
    codes = {row[1].split()[0].strip(";,"): int(row[0]) for row in documents.tables(SECTIONS["decision.json"])[1]}

    assert {name: codes[name] for name in decision.EXIT_CODES} == decision.EXIT_CODES
    assert (codes["a"], codes["an"]) == (InputError.exit_code, INTERNAL)
    assert Interrupted.exit_code == codes["inconclusive"]


def test_every_file_of_a_stage_is_described() -> None:
    """The first table names what each stage writes, as the command line clears it away."""
    stages = {documents.bare(row[0]): row[2] for row in documents.tables(SECTIONS["Files"])[0]}

    assert list(stages) == list(outputs.WRITES)
    assert [name for stage, names in outputs.WRITES.items() for name in names if name not in stages[stage]] == []
    assert TRACEBACK_FILE in SECTIONS


def test_the_size_above_which_rankings_are_apart_is_the_codes() -> None:
    """A reader who counts cases knows where to look for rankings."""
    assert f"above {run.MAX_INLINE_CASES:,} cases" in SECTIONS["run.json"]
