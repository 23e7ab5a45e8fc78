"""``run``: all stages, one after the other."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Unpack

import click

from evaluator.cli import console, edges, outputs
from evaluator.cli.options import Given, add, examples
from evaluator.stores import alone

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.cli.session import Session
    from evaluator.model.decision import Decision
    from evaluator.stages.workspace import Workspace


@click.command(
    epilog=examples(
        "rag-assay run --out .rag-assay/main",
        "rag-assay run --baseline .rag-assay/main/run.json",
        "rag-assay run --only q17 --only q18",
        "rag-assay run --format json > decision.json",
    )
)
@add("config", "out", "baseline", "tier", "commit", "only", "allow_stale", "format", "shard")
@click.pass_obj
def run(session: Session, **given: Unpack[Given]) -> int:
    """Do collect, score, compare, gate and report; the exit code is the decision.

    Exits 0 passed, 1 failed, 2 mistake, 3 inconclusive or interrupted, 4 internal error.
    """
    _forget(edges.out_folder(given))
    workspace = edges.workspace(session, given)
    decision, table = all_stages(workspace, edges.baseline(workspace, given["baseline"]))
    if given["quiet"]:
        session.console.say(*outputs.verdict(decision))
    else:
        # The table ends with the files of the report.
        session.console.block([table])
        others = (file for file in outputs.written(workspace.out) if file.name not in outputs.WRITES["report"])
        session.console.say(*(f"wrote {file}" for file in others))
        session.console.say(f"{decision.outcome}: exit code {decision.exit_code}")
    if given["format"] == "json":
        console.emit(sys.stdout, outputs.decision_text(workspace.out))
    return decision.exit_code


def _forget(out: Path) -> None:
    """Remove what an earlier run decided: whatever this one is refused for, nobody may be told of that instead."""
    if out.is_dir():
        with alone.alone(out):
            outputs.clear_after("gate", out)


def all_stages(workspace: Workspace, baseline: Path | None) -> tuple[Decision, str]:
    """Every stage in turn: the decision, and the table for people.

    Nothing that an earlier run decided is left when the first stage begins.

    Raises:
        UsageError: another run is at work in the output folder.
    """
    with alone.alone(workspace.out):
        return _in_turn(workspace, baseline)


def _in_turn(workspace: Workspace, baseline: Path | None) -> tuple[Decision, str]:
    outputs.clear_after("collect", workspace.out)
    # Each stage is imported when its turn comes: a run that stops early does not pay for what it never reached.
    from evaluator.stages.against import refuse_early  # noqa: PLC0415 - as above

    refuse_early(workspace, baseline)
    from evaluator.stages.collect import collect  # noqa: PLC0415 - as above

    # Answers that were paid for must outlast an interrupt, or a judge that fails: other answers would be judged anew.
    collect(workspace, keeps=workspace.tier == "full")
    from evaluator.stages.score import score  # noqa: PLC0415 - as above

    score(workspace, baseline)
    from evaluator.stages import resuming  # noqa: PLC0415 - as above

    resuming.discard(workspace.out)
    from evaluator.stages.compare import compare  # noqa: PLC0415 - as above

    known = len(workspace.warnings)
    compare(workspace, baseline)
    outputs.warn(workspace, known)
    from evaluator.stages.gate import gate  # noqa: PLC0415 - as above

    decision = gate(workspace)
    from evaluator.stages.report import report  # noqa: PLC0415 - as above

    return decision, report(workspace)
