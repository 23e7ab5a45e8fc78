"""A minus in words before a number, and what says behind it that it is below zero."""

from __future__ import annotations

import re

_LONGEST = 24
"""Characters that such words take at most."""

MINUS = r"(?:(?<![^\W_])(?i:minus|negative|mínusz|moins|menos) |(?:零下|[负負]|マイナス) ?)"
_MINUS = re.compile(f"{MINUS}$")
_LAST = frozenset("sez下负負ス")
"""How these words end."""
_NO_MINUS = re.compile(r"(?:[0-9]|(?<![^\W_])(?i:au|du|al|lo|or|oder|eller|ou|o|vagy|lub|a)) $")
"""What a minus behind it makes a difference, "at least" or "plus or minus"."""
_BELOW = " (?i:below (?:zero|freezing)|under noll|unter null|sous zéro|bajo cero|poniżej zera)(?![^\\W_])"
_BELOW_ZERO = re.compile(_BELOW)
_UNIT_BELOW_ZERO = re.compile(f"(?:°[cf]?| [^\\W\\d_]{{1,12}})?{_BELOW}")


def has_minus(text: str, start: int) -> bool:
    """Whether a minus in words stands right before a number, which is at ``start``."""
    if text[max(0, start - 2) : start].rstrip()[-1:].lower() not in _LAST:
        return False
    word = _MINUS.search(text, max(0, start - _LONGEST), start)
    return word is not None and not _NO_MINUS.search(text, max(0, word.start() - _LONGEST), word.start())


def is_negative(text: str, start: int, end: int) -> bool:
    """Whether words before a number, or behind it and its unit, make a negative one of it."""
    return has_minus(text, start) or _UNIT_BELOW_ZERO.match(text, end) is not None


def is_below_zero(text: str, end: int) -> bool:
    """Whether what ends at a place is a temperature below zero in words."""
    return _BELOW_ZERO.match(text, end) is not None
