"""What is done with a judge apart from a run: judging a stored run again, and what judging would cost."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from evaluator import errors
from evaluator.cli import console, edges, outputs
from evaluator.cli.options import FILE, Given, add, examples
from evaluator.stores import alone

if TYPE_CHECKING:
    from evaluator.cli.session import Session

RESCORED = Path(".rag-assay/rescored")


@click.command(
    epilog=examples(
        "rag-assay rescore .rag-assay/main/run.json",
        "rag-assay rescore eval/baseline.json --out /tmp/rescored --config eval/rag-assay.yml",
        "rag-assay run --tier full --baseline .rag-assay/rescored/run.json",
    )
)
@click.argument("run", type=FILE, metavar="RUN")
@add("config", "rescored")
@click.pass_obj
def rescore(session: Session, run: Path, **given: Unpack[Given]) -> int:
    """Judge the answers of a stored run again, by the judge of the configuration.

    RUN is a run.json. Nothing is collected again: the run holds all that a judge needs. The result, run.json in DIR, is
    the same run with today's judgements, so that another judge's runs can be compared with it.
    """
    edges.prepare(session, given)
    out = given["out"] or edges.config_path(given["config"]).parent / RESCORED
    workspace = edges.workspace(session, {**given, "out": out, "tier": "full"})
    path = Path.cwd() / run
    edges.refuse_own(workspace.out, path, "run")
    if (workspace.out / "collect.json").exists():
        raise errors.UsageError(f"{workspace.out} holds what another run collected; give another --out")
    with alone.alone(workspace.out):
        outputs.clear_after("score", workspace.out)
        from evaluator.stages.rescoring import rescore_run  # noqa: PLC0415 - a stage is imported when it runs

        target = rescore_run(workspace, path)
    session.console.say(f"wrote {target}")
    return 0


@click.command(
    epilog=examples(
        "rag-assay estimate", "rag-assay estimate --format json", "rag-assay estimate --out .rag-assay/main"
    )
)
@add("config", "out", "format")
@click.pass_obj
def estimate(session: Session, **given: Unpack[Given]) -> int:
    """Say what judging will take before it is done: calls, tokens and money.

    Reads the answers in DIR if they were collected from this golden set, and leaves out what the judge's cache holds;
    without answers it supposes some as long as the references. Tokens are estimated. No call is made.
    """
    workspace = edges.workspace(session, {**given, "tier": "retrieval"})
    from evaluator.stages.estimating import estimate_run as stage  # noqa: PLC0415 - as above

    found = stage(workspace)
    session.console.block(found.lines())
    if given["format"] == "json":
        console.emit(sys.stdout, found.text())
    return 0
