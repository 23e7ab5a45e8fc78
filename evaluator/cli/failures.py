"""What a person is told when a command cannot do its work, and which exit code that is."""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING

import click

from evaluator import errors
from evaluator.cli import console, problems

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.cli.session import Session

INTERNAL = 4
TRACEBACK_FILE = "internal-error.txt"


def explain(error: BaseException, session: Session) -> int:
    """Say what is wrong and what to do, and return the exit code, which is never 0."""
    if session.debug and error.__traceback__:
        session.console.block("".join(traceback.format_exception(error)).splitlines())
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        session.console.block([error.format_message()])
        return errors.UsageError.exit_code
    if isinstance(error, BrokenPipeError) and session.out is None:
        console.abandon(sys.stdout)
        return INTERNAL
    ours = _as_ours(error, session)
    return _tell(ours, session) if ours else _internal(error, session)


def _as_ours(error: BaseException, session: Session) -> errors.AssayError | None:
    """The error as one of our own tree, or None for a fault of the program."""
    if isinstance(error, errors.AssayError):
        return error
    if isinstance(error, click.ClickException):
        return errors.UsageError(_sentence(error))
    if isinstance(error, KeyboardInterrupt):
        return errors.Interrupted(_kept(session))
    if isinstance(error, OSError) and isinstance(error.filename, str):
        return errors.FileProblem(f"cannot use {error.filename}: {error.strerror}")
    return None


def _tell(error: errors.AssayError, session: Session) -> int:
    if isinstance(error, errors.InputError):
        found = problems.lines(error.problems, home=session.console.home)
        session.console.say(*found, *problems.see(error.problems))
    else:
        session.console.say(*str(error).splitlines(), *_hint(error))
    return error.exit_code


def _hint(error: errors.AssayError) -> tuple[str, ...]:
    # The sentence about a code that does not exist says all; that of its own class would be read as the answer.
    return () if isinstance(error, errors.NoSuchCode) else (problems.how(error.slug),)


def _sentence(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    command = f"{context.command_path}: " if context else ""
    text = error.format_message().rstrip(".")
    return f"{command}{text[:1].lower()}{text[1:]}"


def _kept(session: Session) -> str:
    where = f"; what was done is kept in {session.out} and the same command goes on from there" if session.out else ""
    return f"interrupted{where}"


def _internal(error: BaseException, session: Session) -> int:
    what = f"{type(error).__name__}: {error}"
    session.console.say(f"internal error: {what}; this is a fault of RAG Assay, please report it")
    if session.out is not None and not session.debug:
        session.console.say(_write_traceback(error, session.out))
    session.console.say(problems.how("internal-error"))
    return INTERNAL


def _write_traceback(error: BaseException, out: Path) -> str:
    file = out / TRACEBACK_FILE
    try:
        out.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(traceback.format_exception(error)), encoding="utf-8", errors="backslashreplace")
    except OSError as problem:
        return f"the traceback could not be written to {file} ({problem.strerror}); --debug prints it"
    return f"the traceback is in {file}; --debug prints it"
