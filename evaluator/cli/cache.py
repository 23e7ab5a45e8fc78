"""``cache``: what the judge's cache holds, and making it smaller."""

from __future__ import annotations

import datetime
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from evaluator import errors
from evaluator.cli import console, edges
from evaluator.cli.options import FILE, OPTIONS, add, examples
from evaluator.model.counting import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.cli.session import Session
    from evaluator.judging.cache_file import Stats

DAY = 86_400
MEGABYTE = 1_000_000


class Given(TypedDict, total=False):
    """What the commands were given."""

    file: Path | None
    config: Path | None
    older_than: int | None
    max_mb: int | None
    everything: bool
    format: str
    quiet: bool
    debug: bool


CACHE = click.option(
    "--file", type=FILE, metavar="FILE", help="The cache. [default: judge.cache of the configuration, or its default]"
)


@click.group(
    epilog=examples(
        "rag-assay cache stats", "rag-assay cache prune --older-than 90", "rag-assay cache prune --max-mb 200",
    )
)  # fmt: skip
def cache() -> None:
    """Look at the judge's replies that are kept, or remove some.

    Unchanged input is judged from there and costs nothing. What is removed is asked again when it is needed.
    """


@cache.command(
    short_help="Say what the cache holds.",
    epilog=examples("rag-assay cache stats", "rag-assay cache stats --format json"),
)
@CACHE
@add("config", "format")
@click.pass_obj
def stats(session: Session, **given: Unpack[Given]) -> int:
    """Say how large the cache is, what it holds by part and model, and how often that was used again."""
    file = _file(session, given)
    from evaluator.judging import cache_file  # noqa: PLC0415 - --help needs none of it

    found = cache_file.stats(file)
    if given["format"] == "json":
        value = {"file": str(file), **found._asdict(), "parts": [part._asdict() for part in found.parts]}
        console.emit(sys.stdout, json.dumps(value, indent=1) + "\n")
    session.console.say(*_words(file, found))
    return 0


@cache.command(
    short_help="Remove replies from the cache.",
    epilog=examples(
        "rag-assay cache prune --older-than 90", "rag-assay cache prune --max-mb 200", "rag-assay cache prune --all"
    ),
)
@CACHE
@click.option("--older-than", type=click.IntRange(min=0), metavar="DAYS", help="Remove what was not used for so long.")
@click.option("--max-mb", type=click.IntRange(min=1), metavar="MB", help="Then what was not used longest, above MB.")
@click.option("--all", "everything", is_flag=True, help="Remove every reply.")
@OPTIONS["config"]
@add()
@click.pass_obj
def prune(session: Session, **given: Unpack[Given]) -> int:
    """Remove replies from the cache; each is asked again when it is needed."""
    days, megabytes = given["older_than"], given["max_mb"]
    if days is None and megabytes is None and not given["everything"]:
        raise errors.UsageError("say what to remove: --older-than DAYS, --max-mb MB or --all")
    file = _file(session, given)
    from evaluator.judging import cache_file  # noqa: PLC0415 - as above

    found = cache_file.prune_file(
        file, everything=given["everything"],
        before=None if days is None else time.time() - days * DAY,
        limit=None if megabytes is None else megabytes * MEGABYTE,
    )  # fmt: skip
    session.console.say(f"removed {_replies(found.removed)} from {file}, which has {_size(found.size)} now")
    return 0


def _file(session: Session, given: Given) -> Path:
    """The cache that was named, or the configuration's.

    Raises:
        AssayError: the configuration is needed and cannot be read, or has no judge.
    """
    session.debug |= given["debug"]
    session.console.quiet = given["quiet"]
    written = given["file"]
    if written is not None:
        return Path.cwd() / written
    config_file = edges.config_path(given["config"])
    from evaluator import config  # noqa: PLC0415 - as above

    judge = config.load_config(config_file).judge
    if judge is None:
        raise errors.UsageError(f"{config_file} has no judge, and so no cache; name a file with --file")
    return config_file.parent / judge.cache


def _words(file: Path, stats: Stats) -> Iterator[str]:
    yield f"{file}: {_size(stats.size)}, {_replies(stats.entries)}, used again {counted(stats.hits, 'time')}"
    if stats.oldest is not None:
        oldest = datetime.datetime.fromtimestamp(stats.oldest, datetime.UTC)
        yield f"  the oldest is of {oldest.date().isoformat()}"
    for part in stats.parts:
        yield f"  {part.part} by {part.model}: {_replies(part.entries)}, used again {counted(part.hits, 'time')}"


def _replies(number: int) -> str:
    return f"{number:,} {'reply' if number == 1 else 'replies'}"


def _size(size: int) -> str:
    return f"{size / MEGABYTE:,.1f} MB"
