"""Which results of the context an answer names (docs/metrics.md, "Citations")."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from evaluator.model.patterns import occurrences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evaluator.model.view import CaseView, ResolvedNeed

WIDEST = 100
"""Most positions that one citation such as ``[3-7]`` stands for; a wider one is no such range."""


class Citation(NamedTuple):
    """One thing an answer names.

    Attributes:
        start, end: the mark it stands in, which may name several things.
        name: what is named: the chunk's id, else the words as they are written.
        known: whether that is a result of the context.
    """

    start: int
    end: int
    name: str
    known: bool


def find_citations(view: CaseView) -> list[Citation]:
    """Every citation of the answer, in its order.

    The pattern is the configuration's. Without one a mark is what stands in square brackets, if all of it names results
    of the context or positions: brackets have other uses.

    Raises:
        TimeoutError: the configured pattern took too long.
    """
    names = _Names(view.context)
    return [
        Citation(start, end, name, known)
        for start, end, held in _marks_of(view, names)
        for name, known in names.of(held)
    ]


def marks_in(view: CaseView) -> list[tuple[int, int]]:
    """Where citations stand in the answer, from and to: by the configured pattern, and in brackets as without one.

    Raises:
        TimeoutError: the configured pattern took too long.
    """
    names, answer = _Names(view.context), view.answer or ""
    others = [found.span() for found in _tool_marks().finditer(answer)]
    return [*((start, end) for start, end, _ in _marks_of(view, names)), *_bracketed_spans(answer, names), *others]


def _marks_of(view: CaseView, names: _Names) -> Iterator[tuple[int, int, str]]:
    answer = view.answer or ""
    if view.citations is None:
        yield from _bracketed(answer, names)
        return
    for start, end, held in occurrences(view.citations, answer, "id"):
        yield start, end, (held or "").strip()


def _bracketed(answer: str, names: _Names) -> Iterator[tuple[int, int, str]]:
    for found in _brackets().finditer(answer):
        if names.are_marks(found["id"]):
            yield *found.span(), found["id"]


def _bracketed_spans(answer: str, names: _Names) -> Iterator[tuple[int, int]]:
    return ((start, end) for start, end, _ in _bracketed(answer, names))


def relevant_chunks(needs: Iterable[ResolvedNeed]) -> set[str]:
    """Chunks that belong to any way of any need."""
    return {chunk for need in needs for way in need.ways for chunk in way}


class _Names:
    """What the words of a citation can mean."""

    def __init__(self, context: Sequence[str]) -> None:
        self._context = context
        self._ids = frozenset(context)
        # Where ids are numbers, a number is an id: nobody can tell it from a position.
        self._numbered = not any(chunk.isdecimal() for chunk in self._ids)

    def of(self, held: str) -> Iterator[tuple[str, bool]]:
        """What is named, each with whether the context holds it: one id, or several things with commas between."""
        for part in self._parts(held):
            if part in self._ids:
                yield part, True
            else:
                yield from self._positions(part)

    def are_marks(self, held: str) -> bool:
        """Whether every part is an id of the context or looks like a position."""
        return all(part in self._ids or _position().fullmatch(part) for part in self._parts(held))

    def _parts(self, held: str) -> list[str]:
        return [held] if held in self._ids else [part.strip() for part in re.split("[,;，；、]", held)]

    def _positions(self, part: str) -> Iterator[tuple[str, bool]]:
        found = _position().fullmatch(part) if self._numbered else None
        first = int(found["first"]) if found else 1
        last = int(found["last"] or first) if found else 0
        if not 0 <= last - first < WIDEST:
            yield part, False
            return
        for number in range(first, last + 1):
            known = 1 <= number <= len(self._context)
            yield (self._context[number - 1], True) if known else (str(number), False)


@cache
def _brackets() -> re.Pattern[str]:
    return re.compile(r"[\[\uff3b](?P<id>[^\[\]\uff3b\uff3d\n]{1,400})[\]\uff3d]")


@cache
def _tool_marks() -> re.Pattern[str]:
    """Marks such as ``\u30103\u2020source\u3011``, which name nothing that can be looked up."""
    return re.compile("\u3010[^\u3010\u3011\\n]{0,80}\u2020[^\u3010\u3011\\n]{0,80}\u3011")


@cache
def _position() -> re.Pattern[str]:
    """A number of at most three digits (four are a year), or two with a dash between; footnotes put ``^`` before it."""
    return re.compile(r"\^?(?P<first>\d{1,3})(?:\s*[-\u2010-\u2015]\s*\^?(?P<last>\d{1,3}))?")
