"""Where an alternative of a fact stands in a text as it is written, and nothing there denies it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics._apart import LARGE
from evaluator.metrics._denials import is_denied_outright
from evaluator.metrics._edges import is_whole, starts_word
from evaluator.metrics._markup import unmarked
from evaluator.metrics._negation import REACH, has_few_words, holds_negation, is_negated
from evaluator.metrics._normal import common, has_decimal_comma, normal
from evaluator.metrics._scripts import is_unspaced

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluator.metrics._normal import Normal

_ASCII = re.compile("[a-z0-9]+")
_NO_LETTER = re.compile("[^a-z]|$")
_BOTH_WAYS = re.compile(r"\d \([^\W\d_]|\([0-9]{1,2}\)")
"""What a text has that writes a number in words and in digits: ``30 (thirty)``, ``thirty (30)``."""

Place = tuple[int, int]
"""Start and end in the form a text was searched in."""


class Window(NamedTuple):
    """A text facts are looked for in: a chunk, or two adjacent ones.

    Attributes:
        rank: the rank from 1 that completes it.
        chunks: their ids.
        texts: their texts.
        where: of a single chunk, its document and its place in it, as far as they are known.
        placed: the id and text of every chunk that is there, by document and place.
    """

    rank: int
    chunks: tuple[str, ...]
    texts: tuple[str, ...]
    where: tuple[str, int] | None = None
    placed: Mapping[tuple[str, int], tuple[str, str]] = {}

    def beside(self, step: int) -> str:
        """The text of the chunk before (-1) or after (1) a single one; empty where it is not there."""
        if self.where is None:
            return ""
        doc, place = self.where
        return self.placed.get((doc, place + step), ("", ""))[1]


class Needle(NamedTuple):
    """A plain alternative in its common form; ``guarded`` if it is so short that a negation nearby rules it out.

    ``exact`` is the same with the zeros at the end of its decimals, where it has any: 3.10 is also a version.
    """

    text: str
    guarded: bool
    exact: str = ""


def needle_of(alternative: str, language: str) -> Needle:
    """An alternative as it is looked for in texts of a language."""
    comma = has_decimal_comma(language)
    text = normal(alternative, comma).flat
    exact = common(unmarked(alternative), decimal_comma=comma, keeps_zeros=True).flat if "0" in alternative else text
    return Needle(text, has_few_words(text) and not holds_negation(text, language), "" if exact == text else exact)


def place_of(needle: Needle, window: Window, form: Normal, language: str) -> Place | None:
    """Where the needle stands in the text as whole words, somewhere without a negation if it is guarded."""
    place = _place_of(needle, needle.text, window, form, language)
    if place is None and (needle.exact or ("(" in form.flat and _BOTH_WAYS.search(form.flat))):
        places = (_place_of(needle, each, window, form, language) for each in other_forms(needle, language))
        place = next((each for each in places if each is not None), None)
    return place


@lru_cache(maxsize=8192)
def other_forms(needle: Needle, language: str) -> tuple[str, ...]:
    """What says the same as the needle and is written otherwise; asked for again with every text."""
    from evaluator.metrics._spelled import both_ways  # noqa: PLC0415 - many texts have no brackets

    return (*filter(None, (needle.exact,)), *both_ways(needle.text, language))


def _place_of(needle: Needle, written: str, window: Window, form: Normal, language: str) -> Place | None:
    text = form.flat
    if len(text) > LARGE and written.isascii() and not _words_of(text).issuperset(_ASCII.findall(written)):
        return None
    start = text.find(written) if written else -1
    while start >= 0:
        end = start + len(written)
        if not starts_word(text, start):
            # Nor does it start at any later place in the same word.
            start = text.find(written, _next_start(text, start))
            continue
        if is_whole(text, start, end, language) and not _is_denied(needle, window, form, (start, end), language):
            return start, end
        start = text.find(written, start + 1)
    return None


def is_denied_around(needles: Sequence[Needle], window: Window, lines: str, place: Place, language: str) -> bool:
    """Whether what was found by stems or characters for one of some needles is denied there as a whole or next door."""
    read, shift = _with_neighbours(window, lines, place, language)
    beside = len(read) > len(lines) and is_negated(read, place[0] + shift, place[1] + shift, language)
    if not (beside or is_denied_outright(lines, *place, language)):
        return False
    return not any(holds_negation(needle.text, language) for needle in needles)


def _is_denied(needle: Needle, window: Window, form: Normal, place: Place, language: str) -> bool:
    if needle.guarded:
        lines, shift = _with_neighbours(window, form.lines, place, language)
        if is_negated(lines, place[0] + shift, place[1] + shift, language):
            return True
    return is_denied_outright(form.lines, *place, language) and not holds_negation(needle.text, language)


def _with_neighbours(window: Window, lines: str, place: Place, language: str) -> tuple[str, int]:
    """The lines with what stands beside them in the adjacent chunks, and how many characters that is before them.

    Only where a sentence runs over the edge, and a place is near it.
    """
    comma, head, tail = has_decimal_comma(language), "", ""
    before = window.beside(-1) if place[0] < REACH else ""
    if before and _runs_on(before, window.texts[0]):
        head = normal(before, comma).lines[-REACH:] + " "
    after = window.beside(1) if len(lines) - place[1] < REACH else ""
    if after and _runs_on(window.texts[-1], after):
        tail = " " + normal(after, comma).lines[:REACH]
    return head + lines + tail if head or tail else lines, len(head)


def _runs_on(first: str, second: str) -> bool:
    """Whether a chunk ends within a sentence that the next one goes on with: it does not begin as a heading would."""
    last, then = first[-1:], second[:1]
    return (last.isalnum() or last == ",") and (then.islower() or then.isdigit() or is_unspaced(then or "."))


@lru_cache(maxsize=16)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(_ASCII.findall(text))


def _next_start(text: str, start: int) -> int:
    """The next place where a word could start, after one within a word or a number."""
    found = _NO_LETTER.search(text, start + 1) if text[start].isalpha() and text[start].isascii() else None
    return found.start() if found is not None else start + 1
