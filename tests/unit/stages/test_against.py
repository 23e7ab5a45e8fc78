from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.stages import against
from evaluator.stages.score import score
from tests.workbench import Bench, recorded

if TYPE_CHECKING:
    from pathlib import Path


def bench(folder: Path, **config: Any) -> Bench:
    """A suite of one case that is answered from a file."""
    pipeline = recorded(folder, [{"id": "q1", "retrieved": [{"id": "a"}]}])
    return Bench(folder, [{"id": "q1", "question": "?", "relevant": ["a"]}], pipeline, config=config)


@pytest.fixture
def baseline(tmp_path: Path) -> Path:
    """A run of the suite."""
    work = bench(tmp_path)
    work.collect()
    score(work.workspace())
    return work.out / "run.json"


def test_a_baseline_and_no_accepted_entries_are_fine(tmp_path: Path, baseline: Path) -> None:
    """The one that is named goes before the configuration's; with neither there is nothing to refuse."""
    against.refuse_early(bench(tmp_path).workspace(), None)
    against.refuse_early(bench(tmp_path, baseline={"file": "gone.json"}).workspace(), baseline)
    against.refuse_early(bench(tmp_path, baseline={"file": "out/run.json"}).workspace(), None)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"suite": "other"}, "is of suite 'other', this run is of 'bench'"),
        ({"config": {}}, "the baseline's configuration is of another version of this tool; run the baseline again"),
        (
            {"config": {"suite": "bench", "golden": ["g"], "fixture": "f", "metrics": ["recal@5"]}},
            "another version of this tool: metrics\\[0\\]: 'recal@5' is no metric; did you mean 'recall'\\?; run the",
        ),
    ],
)
def test_a_baseline_that_cannot_be_used_is_refused(
    tmp_path: Path, baseline: Path, change: dict[str, Any], said: str
) -> None:
    """Of another suite, or made with what this version does not know."""
    baseline.write_text(json.dumps(json.loads(baseline.read_text()) | change))

    with pytest.raises(errors.BaselineError, match=said):
        against.refuse_early(bench(tmp_path).workspace(), baseline)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"history": {"anchor": {"recall@5": {"q1": 1e308}}}}, "'recall@5' in history.anchor is not between 0 and 1;"),
        ({"history": {"anchor": {"recall@5": {"q1": -0.5}}}}, "'recall@5' in history.anchor is not between 0 and 1;"),
        ({"history": {"anchor": {"tokens": {"q1": 1e308}}}}, "'tokens' in history.anchor is not between 0 and 1e\\+12"),
        ({"timing": {"latency_ms": [1]}}, "timing.latency_ms is not milliseconds by case"),
        ({"timing": {"latency_ms": {"q1": True}}}, "timing.latency_ms is not milliseconds by case"),
        ({"timing": {"latency_ms": {"q1": 1e308}}}, "timing.latency_ms is not between 0 and"),
        ({"timing": {"started_at": 1}}, "timing.started_at is not a text"),
    ],
)
def test_a_baseline_that_somebody_edited_is_refused(
    tmp_path: Path, baseline: Path, change: dict[str, Any], said: str
) -> None:
    """Values that no run writes are told in one sentence before anything is asked."""
    baseline.write_text(json.dumps(json.loads(baseline.read_text()) | change))

    with pytest.raises(errors.BaselineError, match=said):
        against.refuse_early(bench(tmp_path).workspace(), baseline)


def test_one_that_is_not_there_or_no_run_is_refused(tmp_path: Path) -> None:
    """The sentence names the file."""
    work = bench(tmp_path).workspace()
    for file, said in (("gone.json", "does not exist"), ("golden.jsonl", "the baseline cannot be used")):
        with pytest.raises(errors.BaselineError, match=said):
            against.refuse_early(work, tmp_path / file)


def test_mistakes_of_accepted_yml_are_refused(tmp_path: Path) -> None:
    """Every mistake has its place."""
    (tmp_path / "accepted.yml").write_text("- {case: q1, reason: r, until: 2020-01-01}\n- {case: q1}\n")

    with pytest.raises(errors.InputError) as caught:
        against.refuse_early(bench(tmp_path, accepted="accepted.yml").workspace(), None)
    assert [problem.line for problem in caught.value.problems] == [1, 2, 2]
