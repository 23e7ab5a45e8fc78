"""``demo``: the bundled example, and the comment of a change that made it worse."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from evaluator import errors
from evaluator.cli import console, edges, outputs
from evaluator.cli.options import FILE, Given, add, examples
from evaluator.cli.run import all_stages
from evaluator.stores import alone

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.cli.session import Session
    from evaluator.model.decision import Decision

EXAMPLE = "examples/handbook"
PACKAGE = Path(__file__).parents[1]
MAIN, CANDIDATE = "rag-assay.yml", "rag-assay.candidate.yml"


@click.command(epilog=examples("rag-assay demo", "rag-assay demo --out demo"))
@click.option(
    "--out",
    type=FILE,
    metavar="DIR",
    help="A new folder for the example. [default: a temporary one, used anew each time]",
)
@add()
@click.pass_obj
def demo(session: Session, **given: Unpack[Given]) -> int:
    """Run the bundled example before and after a change, and print the comment the change would get.

    The change makes retrieval worse: the gate would exit 1. The demo itself exits 0.
    """
    edges.prepare(session, given)
    with _folder(given["out"]) as folder:
        session.out = folder
        _show(session, folder)
    if given["out"] is None:
        session.console.log("the next demo replaces these files; --out DIR makes a folder that stays")
    return 0


def _show(session: Session, folder: Path) -> None:
    packaged, checkout = PACKAGE / "_data" / EXAMPLE, PACKAGE.parent / EXAMPLE
    shutil.copytree(packaged if packaged.is_dir() else checkout, folder, dirs_exist_ok=True)
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


@contextlib.contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    """An empty folder for the example: the one that was named, or a temporary one that the demo before used too.

    Raises:
        UsageError: the folder that was named is not empty.
    """
    if out is not None:
        if out.exists() and not (out.is_dir() and not any(out.iterdir())):
            raise errors.UsageError(f"--out {out} is there already and not an empty folder; name a new one")
        yield Path.cwd() / out
        return
    with contextlib.ExitStack() as held:
        yield _emptied(held) or Path(tempfile.mkdtemp(prefix="rag-assay-demo-"))


def _emptied(held: contextlib.ExitStack) -> Path | None:
    """This user's own folder, emptied and held; None where it is not ours alone, or another demo is at work in it."""
    folder = Path(tempfile.gettempdir()) / f"rag-assay-demo-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
            return None
        held.enter_context(alone.alone(folder))
        for entry in folder.iterdir():
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    except (OSError, errors.AssayError):
        return None
    return folder


def _run(session: Session, config: Path, out: Path, baseline: Path | None) -> Decision:
    given = Given(config=config, out=out, quiet=session.console.quiet, debug=session.debug)
    return all_stages(edges.workspace(session, given), baseline)[0]
