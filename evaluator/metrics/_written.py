"""Where an alternative of a fact stands in a text as it is written, and nothing there denies it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics._apart import LARGE
from evaluator.metrics._denials import is_denied_outright
from evaluator.metrics._edges import is_whole, starts_word
from evaluator.metrics._negation import REACH, has_few_words, holds_negation, is_negated
from evaluator.metrics._normal import has_decimal_comma, normal
from evaluator.metrics._scripts import is_unspaced

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluator.metrics._normal import Normal

_ASCII = re.compile("[a-z0-9]+")
_NO_LETTER = re.compile("[^a-z]|$")

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
    """A plain alternative in its common form; ``guarded`` if it is so short that a negation nearby rules it out."""

    text: str
    guarded: bool


def needle_of(text: str, language: str) -> Needle:
    """An alternative in its common form as it is looked for in texts of a language."""
    return Needle(text, has_few_words(text) and not holds_negation(text, language))


def place_of(needle: Needle, window: Window, form: Normal, language: str) -> Place | None:
    """Where the needle stands in the text as whole words, somewhere without a negation if it is guarded."""
    text = form.flat
    if len(text) > LARGE and needle.text.isascii() and not _words_of(text).issuperset(_ASCII.findall(needle.text)):
        return None
    start = text.find(needle.text) if needle.text else -1
    while start >= 0:
        end = start + len(needle.text)
        if not starts_word(text, start):
            # Nor does it start at any later place in the same word.
            start = text.find(needle.text, _next_start(text, start))
            continue
        if is_whole(text, start, end, language) and not _is_denied(needle, window, form, (start, end), language):
            return start, end
        start = text.find(needle.text, start + 1)
    return None


def is_denied_beside(needles: Sequence[Needle], window: Window, lines: str, place: Place, language: str) -> bool:
    """Whether an adjacent chunk denies one of some needles, which was found in this one by stems or characters."""
    read, shift = _with_neighbours(window, lines, place, language)
    if len(read) == len(lines) or not is_negated(read, place[0] + shift, place[1] + shift, language):
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
