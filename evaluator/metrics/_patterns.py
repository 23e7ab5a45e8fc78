"""Regular expressions that people write as ``/pattern/`` among a fact's alternatives."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

LONGEST = 1000
"""Characters a pattern may have."""

TIME_LIMIT = 0.25
"""Seconds one search may take: golden text is not trusted, and a pattern can take for ever."""


def pattern_of(alternative: str) -> str | None:
    """The pattern of ``/pattern/``; None where the alternative is plain text."""
    is_pattern = len(alternative) > 2 and alternative.startswith("/") and alternative.endswith("/")  # noqa: PLR2004
    return alternative[1:-1] if is_pattern else None


def regex_problem(pattern: str) -> str | None:
    """Why a pattern cannot be used, as the end of a sentence; None if it can."""
    import regex  # noqa: PLC0415 - costs 20 ms, which only golden sets with patterns need pay

    if len(pattern) > LONGEST:
        return f"is longer than {LONGEST} characters"
    try:
        if _compiled(pattern).search("", timeout=TIME_LIMIT):
            return "matches the empty text, so it would always be found"
    except (regex.error, RecursionError, OverflowError, MemoryError, ValueError) as error:
        return f"is not a valid regular expression: {error}"
    except TimeoutError:
        return "takes too long"
    return None


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern occurs in a text, upper and lower case being the same.

    Raises:
        TimeoutError: the search took longer than a quarter of a second.
    """
    return _compiled(pattern).search(text, timeout=TIME_LIMIT) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> regex.Pattern[str]:
    import regex  # noqa: PLC0415 - as above

    return regex.compile(pattern, regex.IGNORECASE)
