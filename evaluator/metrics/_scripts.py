"""Scripts that are written without spaces between words (and Korean, whose particles join on to words)."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache

_RANGES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1100, 0x11FF),  # Hangul Jamo
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FDF),  # radicals
    (0x3001, 0x9FFF),  # Chinese and Japanese punctuation, kana, Bopomofo, Hangul compatibility Jamo, Han
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),  # Han compatibility
    (0xFF01, 0xFFEF),  # full and half width forms
    (0x20000, 0x3FFFF),  # Han extensions
)
_FIRST = chr(_RANGES[0][0])
_BOUNDS = [bound for first, last in _RANGES for bound in (first, last + 1)]


def is_unspaced(character: str) -> bool:
    """Whether a character may stand next to another word without a space."""
    return bisect_right(_BOUNDS, ord(character)) % 2 == 1


def count_unspaced(text: str) -> int:
    """How many such characters a text has."""
    return 0 if text.isascii() or max(text) < _FIRST else sum(map(len, _runs().findall(text)))


@cache
def _runs() -> re.Pattern[str]:
    # Compiled when it is first needed: a class of this size takes milliseconds.
    return re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in _RANGES) + "]+")
