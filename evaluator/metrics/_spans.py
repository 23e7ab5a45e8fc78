"""Where something that was found in the common form of a text stands in the text itself."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING

from evaluator.metrics._markup import read_unmarked
from evaluator.metrics._normal import common, has_decimal_comma, normal, normal_pair, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evaluator.metrics.facts import FoundFact

MOST_SHIFTS = 40
"""Places after the one in the form that are tried before one is searched for: most texts only lost a few spaces."""


def span(found: FoundFact, texts: Sequence[str], language: str) -> tuple[int, int] | None:
    """Where a fact starts in the first of its texts and ends in the last, counting characters from 0, the end excluded.

    ``texts`` are those of ``found.chunks``. None where the place cannot be told: what is there reads otherwise without
    the rest of the text.
    """
    if found.place is None:
        return None
    whole, comma = " ".join(texts), has_decimal_comma(language)
    if found.how == "regex":
        place = _original(whole, plain.__wrapped__, plain(whole), found.place)
    else:
        read = normal(whole, comma) if len(texts) == 1 else normal_pair(*texts, decimal_comma=comma)
        bare = read_unmarked(whole)
        place = _original(bare.text, lambda text: common(text, decimal_comma=comma).flat, read.flat, found.place)
        place = bare.original(*place) if place is not None else None
    if place is None or len(texts) == 1:
        return place
    first = len(texts[0])
    return min(place[0], first), max(0, place[1] - first - 1)


def _original(text: str, form: Callable[[str], str], whole: str, place: tuple[int, int]) -> tuple[int, int] | None:
    """The part of a text whose form is what stands at a place in the form of the whole."""
    start, end = place
    shorter = len(text) - len(whole)
    if shorter == 0 and text.isascii():
        return place  # with nothing added in ASCII, nothing was taken away
    wanted = whole[start:end]
    for shift in range(min(MOST_SHIFTS, max(0, shorter) + 1)):
        here = text[start + shift : end + shift]
        read = here.lower()
        if read == wanted or (read[:1] == wanted[0] and read[-1] == wanted[-1] and form(here) == wanted):
            return start + shift, end + shift
    # Nearly always the form only lost characters: the place then is at most so many further on.
    for shifts in ((0, max(0, shorter)), (-start, len(text))):
        first, last = _searched(text, form, place, shifts)
        here = text[first:last]
        if form(here) == wanted:
            return first + len(here) - len(here.lstrip()), first + len(here.rstrip())
    return None


def _searched(
    text: str, form: Callable[[str], str], place: tuple[int, int], shifts: tuple[int, int]
) -> tuple[int, int]:
    """Where the part starts and ends by how long the form of what is before it is, between two shifts of the place."""
    start, end = place
    lengths = range(len(text) + 1)

    def size(length: int) -> int:
        return len(form(text[:length]))

    most = max(0, min(len(text), end + shifts[1]))
    first = bisect.bisect_right(lengths, start, start + shifts[0], min(len(text), start + shifts[1]) + 1, key=size) - 1
    last = bisect.bisect_left(lengths, end, max(first, end + shifts[0]), most, key=size)
    while text[last - 1 : last + 1].isdigit() and last < len(text):
        last += 1
    return max(0, first), last
