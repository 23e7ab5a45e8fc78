"""Problems of input files as people and programs are shown them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evaluator.errors import Problem

FIELDS = ("code", "severity", "file", "line", "column", "message")
MAX_SHOWN = 100
MESSAGES = "docs/messages.md"
_PACKAGED = Path(__file__).parents[1] / "_data" / MESSAGES


def near(problem: Problem) -> Problem:
    """The same problem, its file relative to the working directory where it is below that."""
    file = Path(problem.file)
    return problem._replace(file=str(file.relative_to(Path.cwd()))) if file.is_relative_to(Path.cwd()) else problem


def lines(problems: Sequence[Problem], *, severity: bool = False) -> list[str]:
    """A line for each problem, up to as many as a person would read."""
    shown = [f"{each.severity}: {near(each)}" if severity else str(near(each)) for each in problems[:MAX_SHOWN]]
    return [*shown, *([f"and {len(problems) - MAX_SHOWN} more"] if len(problems) > MAX_SHOWN else [])]


def as_json(problem: Problem) -> dict[str, str | int]:
    """A problem as ``check --format json`` lists it."""
    return {field: getattr(near(problem), field) for field in FIELDS}


def see(codes: Iterable[str]) -> str:
    """Where to read what to do about these codes: the page that was installed, or the repository's own."""
    page = _PACKAGED if _PACKAGED.is_file() else MESSAGES
    return f"see {page}" + ", ".join(f"#{code}" for code in sorted(set(codes)))
