"""``demo``: the bundled example, and the comment of a change that made it worse."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from evaluator import errors
from evaluator.cli import console, edges, outputs
from evaluator.cli.options import FILE, Given, add, examples
from evaluator.cli.run import all_stages

if TYPE_CHECKING:
    from evaluator.cli.session import Session
    from evaluator.model.decision import Decision

EXAMPLE = "examples/handbook"
PACKAGE = Path(__file__).parents[1]
MAIN, CANDIDATE = "rag-assay.yml", "rag-assay.candidate.yml"


@click.command(epilog=examples("rag-assay demo", "rag-assay demo --out demo"))
@click.option("--out", type=FILE, metavar="DIR", help="A new folder for the example. [default: a temporary one]")
@add()
@click.pass_obj
def demo(session: Session, **given: Unpack[Given]) -> int:
    """Run the bundled example before and after a change, and print the comment the change would get.

    The change makes retrieval worse: the gate would exit 1. The demo itself exits 0.
    """
    edges.prepare(session, given)
    folder = _copy(given["out"])
    session.out = folder
    main, candidate = folder / "out" / "main", folder / "out" / "candidate"
    before = _run(session, folder / MAIN, main, None)
    after = _run(session, folder / CANDIDATE, candidate, main / "run.json")
    if (before.outcome, after.outcome) != ("passed", "failed"):
        raise RuntimeError(f"the example {before.outcome} before the change and {after.outcome} after it")
    console.emit(sys.stdout, (candidate / "comment.md").read_text(encoding="utf-8"))
    session.console.say(
        f"This is the comment of {CANDIDATE} compared with {MAIN}: the gate would exit {after.exit_code}.",
        *(f"wrote {file}" for out in (main, candidate) for file in outputs.written(out)),
    )
    return 0


def _copy(out: Path | None) -> Path:
    """The example in a folder of its own.

    Raises:
        UsageError: the folder is not empty.
    """
    packaged, checkout = PACKAGE / "_data" / EXAMPLE, PACKAGE.parent / EXAMPLE
    if out is not None and out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise errors.UsageError(f"--out {out} is there already and not an empty folder; name a new one")
    folder = Path.cwd() / out if out is not None else Path(tempfile.mkdtemp(prefix="rag-assay-demo-"))
    shutil.copytree(packaged if packaged.is_dir() else checkout, folder, dirs_exist_ok=True)
    return folder


def _run(session: Session, config: Path, out: Path, baseline: Path | None) -> Decision:
    given = Given(config=config, out=out, quiet=session.console.quiet, debug=session.debug)
    return all_stages(edges.workspace(session, given), baseline)[0]
