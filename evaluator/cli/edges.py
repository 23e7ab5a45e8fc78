"""Builds what the stages are handed: configuration, output folder, clock, commit, and where people read."""

from __future__ import annotations

import datetime
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evaluator import errors
from evaluator.cli import outputs
from evaluator.stages.workspace import Clock, Workspace

if TYPE_CHECKING:
    from evaluator.cli.options import Given
    from evaluator.cli.session import Session
    from evaluator.config import Tier
    from evaluator.model.config import Config

DEFAULT_OUT = Path(".rag-assay/out")
GIT_SECONDS = 10


def workspace(session: Session, given: Given, tier: Tier | None = None) -> Workspace:
    """One configuration and one output folder, as a command was given them.

    A ``tier`` is one that was chosen elsewhere: whether there is a key for it is not asked here.

    Raises:
        AssayError: the configuration cannot be read, or the command line cannot be obeyed with it.
    """
    prepare(session, given)
    config_file = config_path(given["config"])
    session.out = out_folder(given)
    # The configuration brings pydantic: --help and mistakes of the command line never need it.
    from evaluator import config  # noqa: PLC0415 - as above

    read = config.load_config(config_file)
    commit = _commit(given.get("commit"), config_file.parent)
    return Workspace(
        config=read, config_file=config_file, out=session.out,
        commit=commit.name, uncommitted=commit.changed,
        tier=tier or _tier(session, given, read, config_file),
        only=given.get("only", ()), allow_stale=given.get("allow_stale", False),
        environment=session.environment, clock=clock(), log=session.console.log, progress=session.console.progress,
    )  # fmt: skip


def prepare(session: Session, given: Given) -> None:
    """Take over what a command was told about how to speak."""
    session.debug |= given["debug"]
    session.console.quiet = given["quiet"]


def config_path(written: Path | None) -> Path:
    """The configuration that was named, or the one found upwards from the working directory."""
    from evaluator import config  # noqa: PLC0415 - as in workspace

    return Path.cwd() / written if written is not None else config.find_config(Path.cwd())


def root(session: Session) -> Path:
    """The folder that paths in a report for GitHub are relative to: the checkout, or else the working directory."""
    return Path(session.environment.get("GITHUB_WORKSPACE") or Path.cwd())


def baseline(workspace: Workspace, written: Path | None) -> Path | None:
    """The run to compare with: the one of the command line, else the configuration's, else None.

    The path stays as it was written, for the report says where the baseline came from.

    Raises:
        BaselineError: it is not there.
        UsageError: it is the file that this command replaces.
    """
    configured = workspace.config.baseline.file
    if written is None and configured is None:
        return None
    file = written if written is not None else workspace.path(configured or "")
    if not file.is_file():
        named = "" if written is not None else ", which baseline.file names"
        inside = file / "run.json"
        hint = f"name {inside}" if inside.is_file() else "name a run.json of an earlier run, or none at all"
        raise errors.BaselineError(f"there is no baseline {file}{named}; {hint}")
    refuse_own(workspace.out, file, "baseline")
    return file


def refuse_own(out: Path, file: Path, what: str) -> None:
    """Make sure that a file to read is none of those that a command replaces in its output folder.

    Raises:
        UsageError: it is.
    """
    if file.resolve() in {(out / name).resolve() for name in outputs.ALL}:
        raise errors.UsageError(f"the {what} {file} would be replaced by this run; give another --out")


def clock() -> Clock:
    """The real time, in UTC."""
    return Clock(
        now=lambda: datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
        today=lambda: datetime.datetime.now(datetime.UTC).date().isoformat(),
        seconds=time.monotonic,
    )


def out_folder(given: Given) -> Path:
    """The folder that a command writes to: the one that was named, or the one beside the configuration.

    Raises:
        UsageError: it is a file, or there is no configuration.
    """
    written = given["out"]
    out = Path.cwd() / written if written is not None else config_path(given["config"]).parent / DEFAULT_OUT
    if out.exists() and not out.is_dir():
        raise errors.UsageError(f"--out {out} is a file; name a folder")
    return out


def _tier(session: Session, given: Given, config: Config, config_file: Path) -> Tier:
    """The tier that was asked for or that ``auto`` is here.

    Raises:
        UsageError: tier full has no judge or no key, or a change takes the judge away that would be asked about it.
    """
    asked = given.get("tier", "retrieval")
    in_ci = bool(session.environment.get("CI"))
    if asked == "retrieval" or (asked == "auto" and config.judge is None and not in_ci):
        return "retrieval"
    from evaluator.cli import occasions  # noqa: PLC0415 - only where there is a judge, or may have been, it is needed

    choice = occasions.choose(asked, config, config_file, session.environment)
    if choice.tier == "full" and config.judge is not None and in_ci:
        from evaluator.judging.cache import refuse_tracked  # noqa: PLC0415 - as above

        file = config_file.parent / config.judge.cache
        refuse_tracked(file, tracked=is_tracked(file))
    if asked == "auto" and config.judge is not None:
        session.console.log(f"tier {choice.tier}: {choice.why}")
    return choice.tier


class _Commit(NamedTuple):
    """A commit, None outside a repository, and whether files that git tracks are other than it has them."""

    name: str | None
    changed: bool = False


def _commit(written: str | None, folder: Path) -> _Commit:
    """The commit that was named, which is taken at its word, or the one git has checked out in a folder.

    Raises:
        UsageError: the named commit is empty or holds white space or control characters.
    """
    if written is None:
        return _head(folder)
    if not written.isprintable() or not re.fullmatch(r"\S+", written):
        raise errors.UsageError(f"--commit {written!r} is no name of a commit")
    return _Commit(written)


def _head(folder: Path) -> _Commit:
    # One call says both; fsmonitor could be a program of the repository's.
    status = ("-c", "core.fsmonitor=false", "--no-optional-locks", "status", "--porcelain=v2", "--branch")
    said = git(folder, *status, "--untracked-files=no") or ""
    head = re.search(r"^# branch\.oid ([0-9a-f]+)$", said, re.MULTILINE)
    if head is None:
        return _Commit((git(folder, "rev-parse", "HEAD") or "").strip() or None)
    return _Commit(head[1], any(not line.startswith("#") for line in said.splitlines()))


def is_tracked(file: Path) -> bool:
    """Whether git tracks a file, under the path it was named by or the one that links lead to.

    False where there is no repository or no git: then nobody can have brought the file by a commit.
    """
    # A checkout that belongs to somebody else is usual in containers, and reading its index is harmless.
    reading = (
        "--literal-pathspecs",
        "-c",
        "safe.directory=*",
        "-c",
        "core.fsmonitor=false",
        "ls-files",
        "--error-unmatch",
        "--",
    )
    places = {file.absolute(), file.resolve()}
    return any(place.parent.is_dir() and git(place.parent, *reading, place.name) is not None for place in places)


def git(folder: Path, *arguments: str) -> str | None:
    """What git says, None where it is not there, fails or takes too long."""
    git = shutil.which("git")
    if git is None:
        return None
    try:
        found = subprocess.run(
            [git, *arguments], cwd=folder, capture_output=True, text=True, errors="replace", timeout=GIT_SECONDS,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout if found.returncode == 0 else None
