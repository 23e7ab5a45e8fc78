"""The stages, one command each: every one reads files and writes files, so that any can be run alone."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Unpack

import click

from evaluator.cli import console, edges, outputs
from evaluator.cli.options import Given, add, examples
from evaluator.stores import alone

if TYPE_CHECKING:
    from evaluator.cli.session import Session


@click.command(epilog=examples("rag-assay collect", "rag-assay collect --only q17 --only q18 --out /tmp/two"))
@add("config", "out", "commit", "only", "allow_stale", "shard")
@click.pass_obj
def collect(session: Session, **given: Unpack[Given]) -> int:
    """Ask the pipeline every golden question and record what it retrieved.

    Writes collect.json and records.jsonl. A run that is interrupted goes on from where it was.
    """
    workspace = edges.workspace(session, given)
    with alone.alone(workspace.out):
        outputs.clear_after("collect", workspace.out)
        from evaluator.stages.collect import collect as stage  # noqa: PLC0415 - a stage is imported when it runs

        stage(workspace)
    return 0


@click.command(
    epilog=examples(
        "rag-assay score", "rag-assay score --out .rag-assay/main",
        "rag-assay score --tier full --against .rag-assay/main/run.json",
    )
)  # fmt: skip
@add("config", "out", "tier", "against")
@click.pass_obj
def score(session: Session, **given: Unpack[Given]) -> int:
    """Compute the metrics of what collect recorded.

    Reads collect.json and records.jsonl, writes run.json. In tier full a judge is asked; with a run to compare with, it
    also says which answer is better, and judges twice more what is unsupported in critical cases and was not there.
    """
    workspace = edges.workspace(session, given)
    against = edges.baseline(workspace, given["against"])
    outputs.require_before("score", workspace.out)
    outputs.clear_after("score", workspace.out)
    from evaluator.stages.score import score as stage  # noqa: PLC0415 - as in collect

    stage(workspace, against)
    return 0


@click.command(epilog=examples("rag-assay compare --baseline .rag-assay/main/run.json"))
@add("config", "out", "baseline")
@click.pass_obj
def compare(session: Session, **given: Unpack[Given]) -> int:
    """Compare a scored run with a baseline, case by case and row by row.

    Reads run.json and the baseline, writes comparison.json and exam.json.
    """
    workspace = edges.workspace(session, given)
    outputs.require_before("compare", workspace.out)
    outputs.clear_after("compare", workspace.out)
    from evaluator.stages.compare import compare as stage  # noqa: PLC0415 - as in collect

    stage(workspace, edges.baseline(workspace, given["baseline"]))
    outputs.warn(workspace)
    return 0


@click.command(epilog=examples("rag-assay gate", "rag-assay gate --format json"))
@add("config", "out", "format")
@click.pass_obj
def gate(session: Session, **given: Unpack[Given]) -> int:
    """Decide by the rules of the configuration; the exit code is the decision.

    Reads run.json and comparison.json, writes decision.json. Exits 0 passed, 1 failed, 3 inconclusive.
    """
    workspace = edges.workspace(session, given)
    outputs.require_before("gate", workspace.out)
    outputs.clear_after("gate", workspace.out)
    from evaluator.stages.gate import gate as stage  # noqa: PLC0415 - as in collect

    decision = stage(workspace)
    session.console.say(*outputs.verdict(decision))
    if given["format"] == "json":
        console.emit(sys.stdout, outputs.decision_text(workspace.out))
    return decision.exit_code


@click.command(epilog=examples("rag-assay report"))
@add("config", "out")
@click.pass_obj
def report(session: Session, **given: Unpack[Given]) -> int:
    """Write the pull-request comment and the summary, and print a table.

    Reads run.json, comparison.json and decision.json, writes comment.md and summary.md.
    """
    workspace = edges.workspace(session, given)
    outputs.require_before("report", workspace.out)
    outputs.clear_after("report", workspace.out)
    from evaluator.stages.report import report as stage  # noqa: PLC0415 - as in collect

    session.console.block([stage(workspace)])
    return 0
