"""Main's own run did not measure main: what the pipeline failed at there, nobody knows that it had lost."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest

from evaluator.cli import edges
from evaluator.cli.console import Console
from evaluator.cli.session import Session
from evaluator.model.baseline import Found, Source
from evaluator.stages.compare import compare
from evaluator.stages.gate import gate
from evaluator.stages.held_to import Standard
from tests.recorded import Done, Recorded

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.model.decision import Decision

LOST = {"retrieved": [{"id": "x"}]}
FAILED = {"failure": {"kind": "error", "message": "connection refused"}}
RULES = [{"metric": "recall@5", "per": "all", "max_drop": 0.02}]


def suite(folder: Path, gate: dict[str, Any], *, critical: bool = False) -> Recorded:
    """Twenty cases, of which the first may be critical."""
    cases: list[dict[str, Any]] = [
        {"id": f"q{n}", "question": f"Of {n}?", "relevant": ["k"], "category": "c"} for n in range(20)
    ]
    cases[0]["critical"] = critical
    return Recorded(folder, cases, config={"gate": gate})


def held(made: Recorded, candidate: Done, accepted: Done, base: Done) -> Decision:
    """The decision on a run whose base was measured and not accepted."""
    session = Session(environment={"PATH": "/usr/bin:/bin"}, console=Console(io.StringIO()))
    given = {"config": made.folder / "rag-assay.yml", "out": candidate.out, "debug": False, "quiet": True}
    workspace = edges.workspace(session, given)  # type: ignore[arg-type]
    good, bad = (
        Source(folder="f", tier="retrieval", commit=letter * 40, how="a run", accepted=letter == "a") for letter in "ab"
    )
    found = Found(suite="s", base="b" * 40, deterministic=good, inherited=bad)
    compare(workspace, None, Standard(found, accepted.run, base.run, "a run"))
    return gate(workspace, "n")


@pytest.mark.parametrize(("kept", "outcome"), [(FAILED, "failed"), (LOST, "passed")], ids=["failed", "lost"])
def test_a_base_that_could_not_be_measured_excuses_nothing(tmp_path: Path, kept: dict[str, Any], outcome: str) -> None:
    """A provider was away while main was measured; a change that really loses as much is not held to that."""
    made = suite(tmp_path, {"rules": RULES})
    accepted = made.run("accepted", {})
    base = made.run("base", {f"q{n}": kept for n in range(10)}, baseline=accepted.run)
    change = made.run("change", {f"q{n}": LOST for n in range(10)}, baseline=accepted.run)
    assert base.outcome == "failed"

    assert held(made, change, accepted, base).outcome == outcome


@pytest.mark.parametrize(("kept", "outcome"), [(FAILED, "failed"), (LOST, "passed")], ids=["failed", "lost"])
def test_a_critical_case_that_failed_at_the_base_was_not_lost_there(
    tmp_path: Path, kept: dict[str, Any], outcome: str
) -> None:
    """One answer of twenty came to nothing, which a run may; that case is not inherited."""
    made = suite(tmp_path, {"rules": [{**RULES[0], "max_drop": 0.5}]}, critical=True)
    accepted = made.run("accepted", {})
    base = made.run("base", {"q0": kept}, baseline=accepted.run)
    change = made.run("change", {"q0": LOST}, baseline=accepted.run)
    assert base.outcome == "failed"

    assert held(made, change, accepted, base).outcome == outcome


@pytest.mark.parametrize(("failed", "accepted"), [(1, True), (2, False), (20, False)])
def test_a_run_that_could_not_be_measured_is_no_baseline(tmp_path: Path, failed: int, *, accepted: bool) -> None:
    """Nor where every run is to be one: beside it nothing would fall. One failure of twenty is within max_failures."""
    made = suite(tmp_path, {"rules": RULES})
    made.config["baseline"] = {"accept": "always"}

    done = made.run("main", {f"q{n}": FAILED for n in range(failed)})

    assert done.file("decision.json")["accepted"] is accepted
