"""Problems of input files as people and programs are shown them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator import errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evaluator.errors import Problem

FIELDS = ("code", "severity", "file", "line", "column", "message")
URGENT = ("error", "warning")
"""The severities of what somebody has to do something about, the worst first."""
MAX_SHOWN = 100
MESSAGES = "docs/messages.md"
_PACKAGED = Path(__file__).parents[1] / "_data" / MESSAGES


def nearer(text: str, home: Path) -> str:
    """A text in which every path below a folder is named from there."""
    return re.sub(rf"(?<![^\s'\"(]){re.escape(str(home))}/", "", text)


def near(problem: Problem, home: Path | None = None) -> Problem:
    """The same problem, its paths named from a folder, or else from the working directory, where they are below it."""
    folder = home or Path.cwd()
    return problem._replace(file=nearer(problem.file, folder), message=nearer(problem.message, folder))


def lines(problems: Sequence[Problem], *, severity: bool = False, home: Path | None = None) -> list[str]:
    """A line for each problem, up to as many as a person would read."""
    nearest = [near(each, home) for each in problems[:MAX_SHOWN]]
    shown = [f"{each.severity}: {each}" if severity else str(each) for each in nearest]
    return [*shown, *([f"and {len(problems) - MAX_SHOWN} more"] if len(problems) > MAX_SHOWN else [])]


def as_json(problem: Problem) -> dict[str, str | int]:
    """A problem as ``check --format json`` lists it."""
    return {field: getattr(near(problem), field) for field in FIELDS}


def see(found: Iterable[Problem]) -> tuple[str, ...]:
    """How to read what to do about problems: errors first, and nothing where nobody has to do anything."""
    severities: dict[str, int] = {}
    for each in found:
        if each.severity in URGENT:
            severities[each.code] = min(URGENT.index(each.severity), severities.get(each.code, len(URGENT)))
    return (how(*sorted(severities, key=lambda code: (severities[code], code))),) if severities else ()


def how(first: str, *more: str) -> str:
    """How to read what to do about these codes, wherever the command was installed."""
    return f"rag-assay --explain {first} says what to do" + (f"; also {', '.join(more)}" if more else "")


def explained(code: str) -> str:
    """What the page of messages says about a code, without its links.

    Raises:
        NoSuchCode: it says nothing about such a one; the nearest one is named.
    """
    code = code.strip().removeprefix("[").removesuffix("]")
    known = {name: text for name, text in explanations().items() if re.fullmatch(r"[a-z-]+", name)}
    if code not in known:
        near = errors.nearest(code, known)
        hint = f"did you mean {near}?" if near else f"every message ends with one, and {MESSAGES} lists them"
        raise errors.NoSuchCode(f"there is no code {code!r}; {hint}")
    return re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", known[code])


def explanations() -> dict[str, str]:
    """What the page of messages says about each code; empty where the page was not installed."""
    page = next((page for page in (_PACKAGED, Path(__file__).parents[2] / MESSAGES) if page.is_file()), None)
    text = page.read_text(encoding="utf-8") if page is not None else ""
    sections = re.split(r"^#+ (.+)\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(sections[::2], map(str.strip, sections[1::2]), strict=True))
