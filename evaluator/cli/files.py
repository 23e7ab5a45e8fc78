"""Commands about the files that people write: ``check`` and ``freeze``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from evaluator import errors
from evaluator.cli import console, edges, problems
from evaluator.cli.options import FILE, Given, add, examples
from evaluator.model.counting import counted

if TYPE_CHECKING:
    from evaluator.cli.session import Session
    from evaluator.model.fixture import Manifest


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


@click.command(
    epilog=examples("rag-assay freeze eval/fixture", "rag-assay freeze --chunks chunks.jsonl --out eval/fixture")
)
@click.argument("folder", type=FILE, required=False)
@click.option("--chunks", type=FILE, metavar="FILE", help="Make a fixture from this chunks.jsonl.")
@click.option("--out", type=FILE, metavar="DIR", help="Where the new fixture goes.")
@add()
@click.pass_obj
def freeze(session: Session, folder: Path | None, chunks: Path | None, **given: Unpack[Given]) -> int:
    """Freeze an index, so that every run searches the same chunks and a change of them is seen.

    With FOLDER, writes its manifest.json. With --chunks and --out, makes a new fixture.
    """
    edges.prepare(session, given)
    out = given["out"]
    from evaluator.stores import fixtures  # noqa: PLC0415 - a store is imported when it is used

    if folder is not None and chunks is None and out is None:
        manifest, place = fixtures.write_manifest(Path.cwd() / folder), folder
    elif folder is None and chunks is not None and out is not None:
        manifest, place = fixtures.make_fixture(Path.cwd() / chunks, Path.cwd() / out), out
    else:
        raise errors.UsageError("freeze takes either FOLDER, or --chunks FILE and --out DIR")
    session.console.say(*_frozen(place, manifest))
    return 0


def _frozen(place: Path, manifest: Manifest) -> list[str]:
    documents = "no documents named" if manifest.documents is None else f"{manifest.documents} documents"
    digests = [f"  {name}: {value}" for name, value in manifest.digests.model_dump().items() if value is not None]
    return [f"frozen {place}: {manifest.chunks} chunks, {documents}", *digests]
