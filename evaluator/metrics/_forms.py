"""One text a passage is looked for in, and how several of them go on from one to the next."""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics._scripts import is_unspaced
from evaluator.model.quoting import GAP, dense, folded, spaced

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MIN_OVERLAP = 3
"""Fewest bytes two chunks repeat on purpose; fewer are a coincidence."""

MAX_TRIES = 32
"""So often the beginning of a text is looked for in the end of another before all of both is read."""

MAX_CHAINS = 64
"""Ways across chunks that one place of a passage gives, at most: chunks that overlap heavily make thousands."""

_CONTINUES = b"-.,:'/"
"""What stands between the parts of one number, or before it."""


class Form:
    """A text in its dense form, with the places at which a word may begin or end."""

    def __init__(self, text: bytes, whole: bytes) -> None:
        self._spaced = text
        self.dense = whole

    @cached_property
    def _gaps(self) -> frozenset[int]:
        """Offsets before which something was left out."""
        found = [0]
        at = 0
        for before, after in pairwise(self._spaced.split(b" ")):
            at += len(before)
            found.append(at)
            if before[-1:].isdigit() and after[:1].isdigit():
                at += len(GAP)
                found.append(at)
        return frozenset(found)

    def cuts(self, at: int) -> bool:
        """Whether a passage that begins or ends at an offset would cut a word or a number in two."""
        text = self.dense
        if not 0 < at < len(text):
            return False
        if at in self._gaps:
            return False
        before, after = text[at - 1 : at], text[at : at + 1]
        if after in _CONTINUES and before.isdigit():
            return at + 1 not in self._gaps and _is_alphanumeric(text[at + 1 : at + 2])
        if before in _CONTINUES and after.isdigit():
            return before == b"-" or _is_alphanumeric(text[at - 2 : at - 1])
        left = text[max(0, at - 4) : at].decode("utf-8", "ignore")[-1:]
        right = text[at : at + 4].decode("utf-8", "ignore")[:1]
        return _is_of_word(left) and _is_of_word(right)


def _is_alphanumeric(byte: bytes) -> bool:
    return byte.isalnum() or byte >= b"\x80"


def _is_of_word(character: str) -> bool:
    return character.isalnum() and not is_unspaced(character)


@lru_cache(maxsize=8192)
def form_of(text: str) -> Form:
    """The form of one text."""
    words = spaced(folded(text))
    return Form(words, dense(words))


def overlap(first: bytes, second: bytes) -> int:
    """How many bytes at the end of a text are the beginning of another, as many as there can be; 0 for a few."""
    start = second[:MIN_OVERLAP]
    if len(start) < MIN_OVERLAP:
        return 0
    at = first.find(start, max(0, len(first) - len(second)))
    for _ in range(MAX_TRIES):
        if at < 0:
            return 0
        if second.startswith(first[at:]):
            return len(first) - at
        at = first.find(start, at + 1)
    found = _border(second, first[-len(second) :])
    return found if found >= MIN_OVERLAP else 0


def _border(second: bytes, first: bytes) -> int:
    """The same by Knuth, Morris and Pratt: slower for real texts, and linear for those that repeat themselves."""
    reach = [0]
    for byte in second[1:]:
        reach.append(_longer(second, reach, reach[-1], byte))
    length = 0
    for byte in first:
        length = _longer(second, reach, length, byte)
    return length


def _longer(text: bytes, reach: Sequence[int], length: int, byte: int) -> int:
    """The longest beginning of a text that one more byte ends, after one of a given length."""
    while length and (length == len(text) or text[length] != byte):
        length = reach[length - 1]
    return length + 1 if text[length] == byte else 0


class Span(NamedTuple):
    """Where one chunk stands in a longer text."""

    start: int
    end: int
    chunk: int


_Chain = tuple[tuple[int, ...], int, int]
"""Places of spans, the offset behind which the next has to begin for none to be needless, and how far these reach."""


def chains(spans: Sequence[Span], start: int, end: int) -> Iterator[tuple[int, ...]]:
    """Chunks that together hold a stretch of text, none of them needlessly, :data:`MAX_CHAINS` of them at most.

    ``spans`` ascend by start. Each chunk begins where the one before ends, or earlier.
    """
    steps = found = 0
    first: Iterator[_Chain] = (
        ((place,), start, span.end) for place, span in enumerate(spans) if span.start <= start < span.end
    )
    waiting = list(first)[::-1]
    while waiting and found < MAX_CHAINS and steps < MAX_CHAINS * (len(spans) + MAX_CHAINS):
        chain, floor, reach = waiting.pop()
        steps += 1
        if reach >= end:
            found += 1
            yield tuple(spans[place].chunk for place in chain)
            continue
        following: list[_Chain] = []
        for place in range(chain[-1] + 1, len(spans)):
            span = spans[place]
            if span.start > reach:
                break
            if span.end > reach and span.start > floor:
                following.append(((*chain, place), reach, span.end))
        waiting += following[::-1]


def everywhere(text: bytes, passage: bytes) -> Iterator[int]:
    """Every offset at which a dense passage stands, whether or not it cuts words there."""
    at = text.find(passage)
    while at >= 0:
        yield at
        at = text.find(passage, at + 1)


def holds(text: str, passage: bytes) -> bool:
    """Whether a text holds a dense passage, as whole words and numbers."""
    form = form_of(text)
    return any(not (form.cuts(at) or form.cuts(at + len(passage))) for at in everywhere(form.dense, passage))


def joined(texts: Sequence[str], passage: bytes) -> Iterator[tuple[int, ...]]:
    """Texts, as numbers, that together hold a dense passage: one ends with its beginning, another goes on there."""
    spans = sorted(span for number, text in enumerate(texts) for span in _parts(form_of(text), passage, number))
    return (chain for chain in chains(spans, 0, len(passage)) if len(set(chain)) == len(chain))


def _parts(form: Form, passage: bytes, number: int) -> Iterator[Span]:
    """The parts of a passage that a text without the whole of it holds at its beginning or end, or is."""
    text, whole = form.dense, len(passage)
    ends_with, begins_with = overlap(text, passage), overlap(passage, text)
    if ends_with and not form.cuts(len(text) - ends_with):
        yield Span(0, ends_with, number)
    if begins_with and not form.cuts(begins_with):
        yield Span(whole - begins_with, whole, number)
    if MIN_OVERLAP <= len(text) < whole:
        yield from (Span(at, at + len(text), number) for at in everywhere(passage, text))
