"""Text as facts are compared: one form for what only looks different (design section 7, "Facts")."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from evaluator.metrics._markup import unmarked
from evaluator.metrics._numbers import DECIMAL_COMMA, join_fixed_groups, unify

CACHED_TEXTS = 8192
"""A chunk is read for many cases and for two runs, so its form is kept; so many at most."""

_BETWEEN_NUMBERS = re.compile("(?<=[0-9])\uff0c(?=[0-9])")
"""A full-width comma that parts two numbers; NFKC would make it look like part of one."""

_TYPED = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u00ad\u200b\u2060\ufeff", ""),
}
_TYPOGRAPHY = re.compile(f"[{''.join(_TYPED)}]")


_RAISED = re.compile("[\u207a\u207b]?[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+(?!\u2044)")
_SIGNS = str.maketrans("\u207a\u207b", "+-")
_BEFORE = re.compile(r"(?:[a-z\u00b5\u03bc]+|\d+|[^\W\d_])$", re.IGNORECASE)
_FAR = 24
_POWERED = frozenset(["cm", "mm", "km", "dm", "nm", "um", "\u00b5m", "\u03bcm", "ft", "in", "yd", "mi", "px", "\u7c73"])
"""Units that are raised to a power; behind another word small digits are the number of a footnote."""
_BASES = frozenset({"2", "10"})


class Normal(NamedTuple):
    """A text in its common form; in ``lines`` the line ends that end a sentence are kept, else the two are equal."""

    flat: str
    lines: str


@lru_cache(maxsize=1024)
def subtag(language: str) -> str:
    """The language itself of a BCP 47 tag: ``zh`` of ``zh-Hant-TW``."""
    return language.replace("_", "-").partition("-")[0].lower()


def has_decimal_comma(language: str) -> bool:
    """Whether numbers are written with a decimal comma in a language."""
    return subtag(language) in DECIMAL_COMMA


@lru_cache(maxsize=CACHED_TEXTS)
def plain(text: str) -> str:
    """NFKC with white space collapsed: what a regular expression is matched against."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


@lru_cache(maxsize=CACHED_TEXTS)
def normal(text: str, decimal_comma: bool) -> Normal:  # noqa: FBT001 - a positional argument makes the cheaper cache key
    """The common form of a text.

    Without its markup, NFKC, typographic quotes, apostrophes and dashes as typewriters have them, soft hyphens and zero
    width spaces gone, case folded, white space collapsed, numbers unified.
    """
    return common(unmarked(text), decimal_comma=decimal_comma)


def common(text: str, *, decimal_comma: bool, keeps_zeros: bool = False) -> Normal:
    """The common form of a text without markup; ``keeps_zeros`` leaves those at the end of decimals."""
    if not text.isascii():
        text = _RAISED.sub(_raised, text)
        text = _BETWEEN_NUMBERS.sub(", ", _TYPOGRAPHY.sub(lambda found: _TYPED[found[0]], text))
        text = unicodedata.normalize("NFKC", text if decimal_comma else join_fixed_groups(text))
    lines = unify(_fold(_collapse(text)), decimal_comma=decimal_comma, keeps_zeros=keeps_zeros)
    return Normal(lines.replace("\n", " "), lines)


def _raised(found: re.Match[str]) -> str:
    """What stands for small digits behind something: a power keeps them, the number of a footnote goes.

    NFKC would join both to the number before them.
    """
    text, start = found.string, found.start()
    before = _BEFORE.search(text, max(0, start - _FAR), start)
    if before is None:
        return "" if text[:start][-1:].strip() else found[0]
    if found[0] == "\u00b9":
        return ""
    word, signs = before[0].lower(), found[0].translate(_SIGNS)
    if word.isdigit():
        # Other bases hardly ever have a power in prose.
        return f"^{unicodedata.normalize('NFKC', signs)}" if word in _BASES or signs[0] in "+-" else ""
    return found[0] if word in _POWERED or (len(word) == 1 and word.isascii()) else ""


def _fold(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text.casefold())


def _collapse(text: str) -> str:
    """Single spaces, and a line end only where the next line does not go on in lower case: that one is just wrapped."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    lines = [" ".join(line.split()) for line in text.splitlines()]
    filled = [line for line in lines if line]
    if len(filled) < 2:  # noqa: PLR2004 - there is nothing to join
        return "".join(filled)
    return filled[0] + "".join((" " if line[0].islower() else "\n") + line for line in filled[1:])


def normal_pair(first: str, second: str, *, decimal_comma: bool) -> Normal:
    """The common form of two texts one after the other; a number may go on from the one to the other."""
    before, after = normal(first, decimal_comma), normal(second, decimal_comma)
    if before.flat[-1:].isdigit() and (after.flat[:1].isdigit() or after.flat[:1] in "%‰°"):
        return normal(f"{first} {second}", decimal_comma)
    return Normal(f"{before.flat} {after.flat}", f"{before.lines} {after.lines}")
