"""What is done with a judge apart from a run: judging a stored run again, and what judging would cost."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from evaluator.cli import console, edges
from evaluator.cli.options import FILE, Given, add, examples

if TYPE_CHECKING:
    from evaluator.cli.session import Session


@click.command(
    epilog=examples(
        "rag-assay rescore .rag-assay/main/run.json --out .rag-assay/rescored",
        "rag-assay rescore eval/baseline.json --out .rag-assay/rescored --config eval/rag-assay.yml",
    )
)
@click.argument("run", type=FILE, metavar="RUN")
@add("config", "out")
@click.pass_obj
def rescore(session: Session, run: Path, **given: Unpack[Given]) -> int:
    """Judge the answers of a stored run again, by the judge of the configuration.

    RUN is a run.json. Nothing is collected again: the run holds all that a judge needs. The result, run.json in DIR, is
    the same run with today's judgements, so that another judge's runs can be compared with it.
    """
    workspace = edges.workspace(session, {**given, "tier": "full"})
    from evaluator.stages.rescoring import rescore_run  # noqa: PLC0415 - a stage is imported when it runs

    target = rescore_run(workspace, Path.cwd() / run)
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
