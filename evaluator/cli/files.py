"""The command about the files that people write: ``check``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Unpack

import click

from evaluator import errors
from evaluator.cli import console, edges, problems
from evaluator.cli.options import Given, add, examples
from evaluator.model.counting import counted

if TYPE_CHECKING:
    from evaluator.cli.session import Session


@click.command(epilog=examples("rag-assay check", "rag-assay check --format github"))
@add("config", "problem_format")
@click.pass_obj
def check(session: Session, **given: Unpack[Given]) -> int:
    """Check configuration, golden set and fixture, and name every problem with file, line and column.

    Exits 2 where there is an error, 0 where there are only warnings.
    """
    edges.prepare(session, given)
    config_file = edges.config_path(given["config"])
    from evaluator.stages.check import check as stage  # noqa: PLC0415 - a stage is imported when it runs

    found = stage(config_file, today=edges.clock().today(), out=config_file.parent / edges.DEFAULT_OUT)
    if given["format"] != "text":
        from evaluator.cli import formats  # noqa: PLC0415 - only programs ask for one

        console.emit(sys.stdout, formats.FORMATS[given["format"]](found, edges.root(session)))
    mistakes, warnings = (sum(each.severity == severity for each in found) for severity in ("error", "warning"))
    remarks = [each for each in found if each.severity == "info"]
    doubtful = [each for each in found if each.severity != "info"]
    session.console.say(*problems.lines(doubtful, severity=True))
    if not session.console.quiet:
        session.console.say(*problems.lines(remarks, severity=True))
    total = f"{counted(mistakes, 'error')}, {counted(warnings, 'warning')}"
    session.console.say(f"{total} in {config_file}", *problems.see(found))
    return errors.InputError.exit_code if mistakes else 0
