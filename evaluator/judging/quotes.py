"""Whether a quote stands in a text as whole words, where white space, case, typography and layout do not count."""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST, LEAST_UNSPACED = 3, 2
"""Characters of the shortest quote that shows anything, and of one that is a whole run of a script without spaces."""

UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
"""A character of a script that puts no spaces between words."""

_KEPT = re.compile(
    r"[^\W_]+|(?<=\d)[.,:/-](?=\d)|(?<!\w)[-+](?=\d)|[%‰°=<>≤≥≠±×÷$€£¥§](?=\s*\w)|(?<=\w)\s*[%‰°$€£¥]|[=<>≤≥≠±×÷]"
)
_WHITE = re.compile(r"\s+")
_IN_NUMBERS = frozenset(".,:/-+")
_HYPHENS = frozenset("-\u2010_")
_APOSTROPHES = frozenset("'\u2019\u02bc")


class _Flat(NamedTuple):
    """A text without what typesetting changes, and the places in it where words part.

    Attributes:
        text: its letters and digits, and the signs that belong to a number.
        parts: where something stood between two of them, even within a word.
        starts: where a quote may begin.
        ends: where one may end.
    """

    text: str
    parts: frozenset[int]
    starts: frozenset[int]
    ends: frozenset[int]


def is_too_short(quote: str) -> bool:
    """Whether a quote is one that stands in almost any text, or holds no letter and no digit."""
    flat = common(quote)
    least = LEAST_UNSPACED if len(UNSPACED.findall(flat)) == len(flat) else LEAST
    return len(flat) < least or not any(map(str.isalnum, flat))


def occurs(quote: str, text: str) -> bool:
    """Whether the words, numbers and signs of a quote stand in a row in a text, none of them cut.

    A quote that is too short does so only where it is all of the text.
    """
    wanted, shown = _flat(quote), _flat(text)
    if not any(map(str.isalnum, wanted.text)):
        return False
    whole = wanted.text == shown.text
    return any(
        start in shown.starts
        and start + len(wanted.text) in shown.ends
        and _parts_alike(wanted, shown, start)
        and (whole or len(wanted.text) >= LEAST or _is_run(wanted.text, shown, start))
        for start in _places(wanted.text, shown.text)
    )


def common(text: str) -> str:
    """A text without what typesetting changes: its letters and digits, and the signs that belong to a number."""
    return _flat(text).text


@functools.lru_cache(maxsize=256)
def _flat(text: str) -> _Flat:
    plain = unicodedata.normalize("NFKC", text).casefold().replace("\u2212", "-")
    words: list[str] = []
    parts: set[int] = set()
    starts, ends = {0}, set[int]()
    last = place = 0
    for found in _KEPT.finditer(plain):
        word = _WHITE.sub("", found[0])
        if words:
            parts.add(place)
            gap = plain[last : found.start()] or found[0][: -len(word)]
            may_start, may_end = _parted(words[-1], gap, word)
            starts.update([place] if may_start else ())
            ends.update([place] if may_end else ())
        words.append(word)
        place += len(word)
        last = found.end()
    flat = "".join(words)
    unspaced = {each for found in UNSPACED.finditer(flat) for each in found.span()}
    return _Flat(flat, frozenset(parts), frozenset(starts | unspaced), frozenset({*ends, *unspaced, place}))


def _parted(before: str, gap: str, after: str) -> tuple[bool, bool]:
    """Whether a quote may start, and whether one may end, between two words with a gap between them."""
    if not gap:
        apart = before not in _IN_NUMBERS and after not in _IN_NUMBERS
        return apart, apart
    if gap in _APOSTROPHES:
        # "can't" is not "can", but "l'article" holds "article".
        return True, False
    apart = gap not in _HYPHENS and not all(map(_is_invisible, gap))
    return apart, apart


def _is_invisible(char: str) -> bool:
    """Whether it stands within words: a mark on a letter, a soft hyphen, a joiner."""
    return unicodedata.category(char) in {"Mn", "Mc", "Me", "Cf"}


def _places(wanted: str, text: str) -> Iterator[int]:
    place = text.find(wanted)
    while place >= 0:
        yield place
        place = text.find(wanted, place + 1)


def _parts_alike(wanted: _Flat, shown: _Flat, start: int) -> bool:
    """Whether two words of the quote are never one of the text ("not able", "notable"), nor a number another."""
    for place in range(1, len(wanted.text)):
        before, after = wanted.text[place - 1], wanted.text[place]
        is_part = start + place in shown.parts
        if before.isdecimal() and after.isdecimal():
            if is_part != (place in wanted.parts):
                return False
        elif before.isalpha() and after.isalpha() and not is_part:
            parted = place in wanted.parts and place in wanted.starts & wanted.ends
            if parted and not UNSPACED.match(before) and not UNSPACED.match(after):
                return False
    return True


def _is_run(wanted: str, shown: _Flat, start: int) -> bool:
    """Whether a short quote is a whole run of a script without spaces."""
    end = start + len(wanted)
    goes_on = [place for place in (start, end) if place not in shown.parts]
    around = (shown.text[max(place - 1, 0) : place + 1] for place in goes_on)
    run = len(UNSPACED.findall(wanted)) == len(wanted) >= LEAST_UNSPACED
    return run and not any(len(UNSPACED.findall(each)) > 1 for each in around)
