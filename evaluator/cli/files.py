"""The command about the files that people write: ``check``."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Unpack

import click

from evaluator import errors
from evaluator.cli import console, edges, problems
from evaluator.cli.options import Given, add, examples
from evaluator.model.counting import counted

if TYPE_CHECKING:
    from evaluator.cli.session import Session


@click.command(epilog=examples("rag-assay check", "rag-assay check --format json"))
@add("config", "format")
@click.pass_obj
def check(session: Session, **given: Unpack[Given]) -> int:
    """Check configuration, golden set and fixture, and name every problem with file, line and column.

    Exits 2 where there is an error, 0 where there are only warnings.
    """
    edges.prepare(session, given)
    config_file = edges.config_path(given["config"])
    from evaluator.stages.check import check as stage  # noqa: PLC0415 - a stage is imported when it runs

    found = stage(config_file, today=edges.clock().today(), out=config_file.parent / edges.DEFAULT_OUT)
    if given["format"] == "json":
        console.emit(sys.stdout, json.dumps(list(map(problems.as_json, found)), ensure_ascii=False, indent=1) + "\n")
    mistakes = sum(problem.severity == "error" for problem in found)
    session.console.say(*problems.lines(found, severity=True))
    total = f"{counted(mistakes, 'error')}, {counted(len(found) - mistakes, 'warning')}"
    session.console.say(f"{total} in {config_file}", *([problems.see(each.code for each in found)] if found else []))
    return errors.InputError.exit_code if mistakes else 0
