"""Regular expressions that people write: of bounded size, and searched for with a time limit."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import regex

LONGEST = 1000
"""Characters a pattern may have."""

LARGEST = 20_000
"""Parts a pattern may have once its counted repeats are written out, which is what compiling one does."""

TIME_LIMIT = 0.25
"""Seconds one search may take: golden text is not trusted, and a pattern can take for ever."""


def regex_problem(pattern: str) -> str | None:
    """Why a pattern cannot be used, as the end of a sentence; None if it can."""
    import regex  # noqa: PLC0415 - costs 20 ms, which only golden sets with patterns need pay

    if len(pattern) > LONGEST:
        return f"is longer than {LONGEST} characters"
    foreign = _FLAGS.search(pattern)
    if foreign:
        return f"uses {foreign[0]}, which is not supported"
    if _written_out(pattern) > LARGEST:
        return "repeats too much"
    try:
        always = match(pattern, "") is not None
    except TimeoutError:
        return "takes too long"
    except (regex.error, RecursionError, OverflowError, ValueError) as error:
        return f"is not a valid regular expression: {error}"
    return "matches the empty text, so it would always be found" if always else None


def match(pattern: str, text: str) -> tuple[int, int] | None:
    """Where a pattern occurs in a text, upper and lower case being the same; None where it does not.

    Raises:
        TimeoutError: the search took longer than a quarter of a second.
    """
    found = _compiled(pattern).search(text, timeout=TIME_LIMIT)
    return found.span() if found is not None else None


def group_problem(pattern: str, group: str) -> str | None:
    """Why a pattern that has to name a part of what it finds cannot be used, as the end of a sentence."""
    problem = regex_problem(pattern)
    if problem is None and group not in _compiled(pattern).groupindex:
        return f"has no group named {group}, as in (?P<{group}>...)"
    return problem


class Occurrence(NamedTuple):
    """Where a pattern was found, from ``start`` up to ``end``, and what its group holds, if it took part."""

    start: int
    end: int
    held: str | None


def occurrences(pattern: str, text: str, group: str) -> list[Occurrence]:
    """Every place of a text where a pattern is found, in order, upper and lower case being the same.

    Raises:
        TimeoutError: the search took longer than a quarter of a second.
    """
    found = _compiled(pattern).finditer(text, timeout=TIME_LIMIT)
    return [Occurrence(*each.span(), each[group]) for each in found]


_FLAGS = re.compile(r"\(\?(?![aimsu-]+[:)])[-\w]+[:)]|\(\?#", re.ASCII)
"""Comments, recursion, and flags that would let a pattern be read in another way than :func:`_written_out` reads it."""

_PART = re.compile(
    r"\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\{(?P<least>\d*),?(?P<most>\d*)\}|.", re.DOTALL | re.ASCII
)


def _written_out(pattern: str) -> int:
    """How many parts a pattern has with counted repeats written out; at least, for what is no valid pattern."""
    groups = [0]
    last = 0
    for part in _PART.finditer(pattern):
        if part[0] == "(":
            groups.append(0)
            last = 0
        elif part[0] == ")" and len(groups) > 1:
            last = groups.pop() + 1
            groups[-1] += last
        elif part[0].startswith("{") and len(part[0]) > 1:
            repeated = last * max(int(part["least"] or 1), int(part["most"] or 1))
            groups[-1] += repeated - last
            last = repeated
        elif part[0] not in "*+?":
            last = 1
            groups[-1] += 1
    return sum(groups)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> regex.Pattern[str]:
    import regex  # noqa: PLC0415 - as above

    return regex.compile(pattern, regex.IGNORECASE)
