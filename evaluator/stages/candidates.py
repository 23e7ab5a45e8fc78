"""Which chunks could state a fact, by the parts of words that it cannot do without: all others need not be read.

Looking for every fact in every chunk takes the product of both. Here each part of a word is looked up once among the
words of the fixture, and what a fact needs is an intersection of bit sets with a bit for each chunk. No chunk that
states a fact is left out; most that do not are.
"""

from __future__ import annotations

import collections
import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from evaluator.metrics import facts
from evaluator.metrics._normal import has_decimal_comma, normal, normal_pair
from evaluator.metrics._scripts import is_unspaced
from evaluator.model.view import Passage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from evaluator.model.fixture import Fixture

AT_ONCE = 1_000_000
"""Pairs of a fact and a place that are sorted by place together, at least."""

_WORD = re.compile(r"\w+")

Passages: TypeAlias = "list[tuple[str, Passage]]"
Key = TypeVar("Key")


class Mask(NamedTuple):
    """Chunks as bits, the first the lowest: what could state a fact by itself, and what could with the next chunk."""

    alone: int
    with_next: int


class Candidates:
    """Chunks with their places in their documents; those of one document stand together, in order."""

    def __init__(self, passages: Passages) -> None:
        self.passages = passages
        self._indexes: dict[bool, _Index] = {}

    def mask(self, alternatives: tuple[str, ...], language: str) -> Mask | None:
        """What could state a fact; None where only reading everything tells."""
        signs = facts.signs(alternatives, language)
        if signs is None:
            return None
        comma = has_decimal_comma(language)
        if comma not in self._indexes:
            self._indexes[comma] = _Index(self.passages, decimal_comma=comma)
        return self._indexes[comma].mask(signs)


def by_place(masks: Mapping[Key, int]) -> Iterator[tuple[int, list[Key]]]:
    """Places, each with those whose mask has it; a place comes again where there is much to sort."""
    sorted_in: dict[int, list[Key]] = {}
    count = 0
    for key, mask in masks.items():
        for place in _numbers(mask):
            sorted_in.setdefault(place, []).append(key)
            count += 1
        if count > AT_ONCE:
            yield from sorted(sorted_in.items(), key=lambda each: each[0])
            sorted_in, count = {}, 0
    yield from sorted(sorted_in.items(), key=lambda each: each[0])


def passages_of(fixture: Fixture) -> Passages:
    """The chunks, those of one document after one another, each document where its first chunk stands."""
    first: dict[str, int] = {}
    order = [
        (number if chunk.doc is None else first.setdefault(chunk.doc, number), number)
        for number, chunk in enumerate(fixture.chunks)
    ]
    places: collections.Counter[str] = collections.Counter()
    found = []
    for _, number in sorted(order):
        chunk = fixture.chunks[number]
        place = None if chunk.doc is None else places[chunk.doc]
        places.update(() if chunk.doc is None else (chunk.doc,))
        found.append((chunk.id, Passage(chunk.doc, chunk.text, place)))
    return found


def _numbers(mask: int) -> list[int]:
    digits = f"{mask:b}"[::-1]
    return [found.start() for found in re.finditer("1", digits)]


class _Index:
    """Chunks by the words of their common form, and words by two letters that follow one another in them."""

    def __init__(self, passages: Passages, *, decimal_comma: bool) -> None:
        self._everything = (1 << len(passages)) - 1
        self._size = len(passages) // 8 + 1
        words = [set(_parts(normal(passage.text or "", decimal_comma).flat)) for _, passage in passages]
        follows = []
        for number, ((_, one), (_, two)) in enumerate(pairwise(passages)):
            if one.doc is not None and one.doc == two.doc:
                follows.append(number)
                across = _across(one.text or "", two.text or "", decimal_comma=decimal_comma)
                across -= words[number] | words[number + 1]
                words[number] |= across
                words[number + 1] |= across
        self._follows = self._bits(follows)
        self._chunks: dict[str, list[int]] = {}
        for number, each in enumerate(words):
            for word in each:
                self._chunks.setdefault(word, []).append(number)
        self._words: dict[str, list[str]] = {}
        for word in self._chunks:
            for two_letters in {word[at : at + 2] for at in range(len(word) - 1)}:
                self._words.setdefault(two_letters, []).append(word)
        self._masks: dict[str, int] = {}

    def mask(self, signs: Iterable[Iterable[str]]) -> Mask:
        """The chunks that hold all of one of these."""
        alone = with_next = 0
        for needed in signs:
            one, both = self._everything, self._follows
            for part in {part for text in needed for part in _parts(text)}:
                here = self._holding(part)
                one &= here
                both &= here | here >> 1
            alone |= one
            with_next |= both
        return Mask(alone, with_next)

    def _holding(self, part: str) -> int:
        """The chunks with a word that a part is in; all of them where it is too short to tell."""
        if part not in self._masks:
            if len(part) > 1:
                words = min((self._words.get(part[at : at + 2], []) for at in range(len(part) - 1)), key=len)
                found = self._bits(number for word in words if part in word for number in self._chunks[word])
            else:
                found = self._bits(self._chunks.get(part, ())) if is_unspaced(part) else self._everything
            self._masks[part] = found
        return self._masks[part]

    def _bits(self, numbers: Iterable[int]) -> int:
        found = bytearray(self._size)
        for number in numbers:
            found[number >> 3] |= 1 << (number & 7)
        return int.from_bytes(found, "little")


def _parts(text: str) -> Iterator[str]:
    """Words, and single characters of scripts that put no space between words."""
    for word in _WORD.findall(text):
        if word.isascii():
            yield word
        else:
            yield from "".join(f" {each} " if is_unspaced(each) else each for each in word).split()


def _across(one: str, two: str, *, decimal_comma: bool) -> set[str]:
    """The words of two texts one after the other, where a number may go on from the one to the other."""
    if not normal(one, decimal_comma).flat[-1:].isdigit():
        return set()
    return set(_parts(normal_pair(one, two, decimal_comma=decimal_comma).flat))
