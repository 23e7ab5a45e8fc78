"""The options that commands share, spelt and explained once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

import click

from evaluator import errors

Decorator = Callable[[Any], Any]
Wrapped = Callable[..., Any]

FILE = click.Path(path_type=Path)


class Given(TypedDict, total=False):
    """What a command was given; a command without an option has no key of it."""

    config: Path | None
    out: Path | None
    baseline: Path | None
    against: Path | None
    tier: str
    commit: str | None
    only: tuple[str, ...]
    allow_stale: bool
    format: str
    quiet: bool
    debug: bool


def _refuse(_: click.Context, option: click.Parameter, value: object) -> None:
    if value is not None:
        raise errors.NotYetSupported(f"{option.opts[0]} is not yet supported; leave it out")


def _later(name: str) -> Decorator:
    """An option of the contract whose work comes later: refused, and in no help."""
    return click.option(name, hidden=True, expose_value=False, is_eager=True, callback=_refuse)


OPTIONS: dict[str, Decorator] = {
    "config": click.option(
        "--config", "-c", type=FILE, metavar="FILE",
        help="The configuration. [default: rag-assay.yml here or in the nearest folder above]",
    ),
    "out": click.option(
        "--out", type=FILE, metavar="DIR",
        help="Where files are read from and written to. [default: .rag-assay/out beside the configuration]",
    ),
    "rescored": click.option(
        "--out", type=FILE, metavar="DIR",
        help="Where run.json is written, apart from the files of other runs. "
        "[default: .rag-assay/rescored beside the configuration]",
    ),
    "baseline": click.option(
        "--baseline", type=FILE, metavar="FILE",
        help="The run.json to compare with; goes before baseline.file of the configuration.",
    ),
    "tier": click.option(
        "--tier", type=click.Choice(["retrieval", "full", "auto"]), default="auto", show_default=True,
        help="What is measured. auto is full on schedule, on dispatch and where a file of judge.when changed.",
    ),
    "commit": click.option("--commit", metavar="SHA", help="The commit that is measured. [default: HEAD, if any]"),
    "only": click.option("--only", multiple=True, metavar="ID", help="Run this case alone; may be repeated."),
    "allow_stale": click.option(
        "--allow-stale", is_flag=True, help="Golden ids that the fixture does not hold are warnings, not errors."
    ),
    "format": click.option(
        "--format", type=click.Choice(["text", "json"]), default="text", show_default=True,
        help="json prints the result on standard output.",
    ),
    "problem_format": click.option(
        "--format", type=click.Choice(["text", "json", "github", "sarif"]), default="text", show_default=True,
        help="How problems are printed on standard output: a JSON list, workflow commands of GitHub, or SARIF 2.1.0.",
    ),
    "shard": _later("--shard"),
    "against": click.option(
        "--against", type=FILE, metavar="FILE",
        help="The run.json to compare with, in tier full: what critical cases may have lost is judged again. "
        "[default: baseline.file of the configuration]",
    ),
    "quiet": click.option("--quiet", "-q", is_flag=True, help="Print problems and the outcome only."),
    "debug": click.option("--debug", is_flag=True, help="Print a traceback with every error (also RAG_ASSAY_DEBUG=1)."),
}  # fmt: skip


def add(*names: str) -> Decorator:
    """Give a command the named options, in that order, and then ``--quiet`` and ``--debug``."""

    def decorate(command: Wrapped) -> Wrapped:
        for name in reversed((*names, "quiet", "debug")):
            command = OPTIONS[name](command)
        return command

    return decorate


def examples(*lines: str) -> str:
    """The end of a command's help: command lines to copy."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
