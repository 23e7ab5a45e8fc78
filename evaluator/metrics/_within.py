"""Looks for a phrase in a text whose words may stand apart: all of it in so many consecutive tokens, in any order.

A text is a list of keys, one a token; what stands for the same thing (two forms of a word, say) has the same key. The
places of a key are the bits of one integer, so that a step of the search is one operation over the whole text: looking
for a phrase takes time in proportion to the length of the text, whatever is in it.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics._lexicon import HALVES as HALF_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NUMBER, ONE, NEGATION = "#", "?", "!"
"""What the key of a number, of an article that can be the number one, and of a negation begins with."""

PERCENT = "%"
"""The key of the sign that makes another number of the one before it."""

PARTICLE = "!ne"
"""The key of the French particle: it denies together with another word, so beside a negation it says nothing more."""

FAR = 16
"""How many tokens before and after a phrase another number with one of the phrase's own units rules it out."""

HALVES = frozenset(NUMBER + word for word in HALF_WORDS)
"""The keys of a half, which makes less or more of the unit that has only an article."""

NEAR_HALF = 3
"""How many tokens after it a half belongs to a unit: a year and a half."""

MOST_PLACES = 50
"""Places that are looked at one by one for a second negation, and for keys that the phrase has more than once."""

Gram = tuple[str, ...]
"""Keys that must follow one another directly."""


class Phrase(NamedTuple):
    """What is looked for.

    Attributes:
        wanted: everything that must be there, each as the grams that will do.
        length: tokens it has itself.
        reach: consecutive tokens that it must stand in.
        numbers: the keys of its numbers.
        units: what its numbers count.
        negations: the keys of its negations.
        near: how many tokens before and after it a negation or another number rules it out.
        in_clause: whether it must stand between two commas rather than in one sentence.
        repeated: keys that it has more than once, and how often.
        hints: what a text that holds it has somewhere as it is written here.
    """

    wanted: tuple[tuple[Gram, ...], ...]
    length: int
    reach: int
    numbers: frozenset[str]
    units: frozenset[str]
    negations: tuple[str, ...]
    near: int
    in_clause: bool
    repeated: tuple[tuple[str, int], ...]
    hints: tuple[str, ...]

    def is_hinted_at(self, text: str) -> bool:
        """Whether a text could hold the phrase, by a look at its letters: most texts need not be cut into words."""
        return all(hint in text for hint in self.hints)

    def may_stand_in(self, *parts: Tokens) -> bool:
        """Whether what is looked for is in one of the parts of a text at all; numbers may run from one to the next."""
        return all(
            any(all(key[:1] == NUMBER or any(key in part.by_key for part in parts) for key in gram) for gram in grams)
            for grams in self.wanted
        )


def repeated(keys: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Keys that are there more than once, and how often."""
    return tuple((key, times) for key, times in Counter(keys).items() if times > 1 and key)


class Tokens:
    """A text as keys.

    Args:
        keys: one a token; the empty key is of a token that nobody looks for.
        places: where the tokens start and where they end in the text.
        sentences: the tokens that begin a sentence, the first one aside.
        clauses: those that begin a clause within one.
        apart: those that something else than a space or a hyphen parts from the one before.
    """

    def __init__(
        self,
        keys: Sequence[str],
        places: tuple[Sequence[int], Sequence[int]],
        *,
        sentences: Sequence[int],
        clauses: Sequence[int],
        apart: Sequence[int],
    ) -> None:
        self.keys = keys
        self.starts, self.ends = places
        self._sentences, self._clauses, self._apart = sentences, clauses, apart
        self._masks: dict[str, int] = {}

    @cached_property
    def by_key(self) -> dict[str, list[int]]:
        """The places of every key."""
        found: dict[str, list[int]] = {}
        for place, key in enumerate(self.keys):
            found.setdefault(key, []).append(place)
        return found

    def mask(self, key: str) -> int:
        """The places of a key as bits."""
        if key not in self._masks:
            self._masks[key] = self.bits(self.by_key.get(key, ()))
        return self._masks[key]

    def bits(self, places: Iterable[int]) -> int:
        """Places as bits."""
        found = bytearray(len(self.keys) // 8 + 1)
        for place in places:
            found[place >> 3] |= 1 << (place & 7)
        return int.from_bytes(found, "little")

    def all_of(self, kind: str) -> int:
        """The places of all keys of a kind."""
        if kind not in self._masks:
            self._masks[kind] = self.bits(
                place for key, places in self.by_key.items() if key.startswith(kind) for place in places
            )
        return self._masks[kind]

    @cached_property
    def joined(self) -> int:
        """The places whose token the next one follows directly."""
        return self.sentence.together(1) & ~(self.bits(self._apart) >> 1)

    @cached_property
    def sentence(self) -> _Fences:
        """What the ends of sentences part."""
        return _Fences(self.bits(self._sentences), len(self.keys))

    @cached_property
    def clause(self) -> _Fences:
        """What the ends of sentences and commas part."""
        return _Fences(self.bits((*self._sentences, *self._clauses)), len(self.keys))


class _Fences:
    """Steps over a text that never go from one part of it to another; ``starts`` are the places that begin a part."""

    def __init__(self, starts: int, length: int) -> None:
        self._together = {0: (1 << length) - 1, 1: ((1 << length) - 1 >> 1) & ~(starts >> 1)}

    def together(self, distance: int) -> int:
        """The places for which the place so far ahead is in the same part."""
        if distance not in self._together:
            half = distance // 2
            self._together[distance] = self.together(half) & (self.together(distance - half) >> half)
        return self._together[distance]

    def ahead(self, mask: int, width: int) -> int:
        """The places that have one of the mask at them or within the next ``width - 1`` of their part."""
        done = 1
        while done < width:
            step = min(done, width - done)
            mask |= (mask >> step) & self.together(step)
            done += step
        return mask

    def behind(self, mask: int, width: int) -> int:
        """The same, looking back."""
        done = 1
        while done < width:
            step = min(done, width - done)
            mask |= (mask & self.together(step)) << step
            done += step
        return mask


def find(phrase: Phrase, tokens: Tokens) -> tuple[int, int] | None:
    """Where a phrase starts and ends in the text of the tokens, in the fewest tokens; None where it is not."""
    if not phrase.may_stand_in(tokens):
        return None
    wanted = [(len(grams[0]), _either(grams, tokens)) for grams in phrase.wanted]
    parts = tokens.clause if phrase.in_clause else tokens.sentence
    if not _within(wanted, phrase.reach, parts):
        return None
    for width in range(max(size for size, _ in wanted), phrase.reach + 1):
        places = _within(wanted, width, parts)
        if places and (places := places & ~_ruled_out(phrase, tokens, width)):
            first = _first(places, width, phrase, tokens)
            if first is not None:
                return tokens.starts[first], tokens.ends[first + width - 1]
    return None


def _either(grams: Sequence[Gram], tokens: Tokens) -> int:
    """The places where one of the grams starts."""
    found = 0
    for gram in grams:
        here = tokens.mask(gram[0])
        joined = tokens.joined
        for step, key in enumerate(gram[1:], 1):
            here &= (tokens.mask(key) >> step) & (joined >> (step - 1))
        found |= here
    return found


def _within(wanted: Sequence[tuple[int, int]], width: int, parts: _Fences) -> int:
    """The places from which everything stands within so many tokens."""
    places = -1
    for size, mask in wanted:
        places &= parts.ahead(mask, width - size + 1) if size <= width else 0
        if not places:
            break
    # A gram that starts within its own width of the end of a part never runs over it: its tokens are joined.
    return places


def _ruled_out(phrase: Phrase, tokens: Tokens, width: int) -> int:
    """The places from which the next ``width`` tokens, or those near them, say something else than the phrase."""
    parts = tokens.sentence
    negations = tokens.all_of(NEGATION)
    around = parts.behind(negations, phrase.near + 1) | parts.ahead(negations, width + phrase.near)
    if phrase.negations and negations:
        around = _foreign_negations(phrase, tokens, width)
    if not phrase.numbers:
        return around
    own = _any(phrase.numbers, tokens)
    others = tokens.all_of(NUMBER) & ~own
    if any(key.startswith(NUMBER) for key in phrase.numbers):
        around |= parts.behind(others, phrase.near + 1) | parts.ahead(others, width + phrase.near)
    elif halves := _any(HALVES, tokens):
        around |= parts.behind(halves & tokens.joined, 2) | parts.ahead(halves, width + NEAR_HALF)
    if PERCENT not in phrase.units:
        around |= parts.ahead(own & (tokens.mask(PERCENT) >> 1) & tokens.joined, width)
    counted = (others | tokens.all_of(ONE) & ~own) & (_any(phrase.units, tokens) >> 1) & tokens.joined
    return around | parts.behind(counted, FAR + 1) | parts.ahead(counted, width + FAR)


def _foreign_negations(phrase: Phrase, tokens: Tokens, width: int) -> int:
    """The places with a negation near them, or among them one that the phrase does not have."""
    parts, negations = tokens.sentence, tokens.all_of(NEGATION) & ~tokens.mask(PARTICLE)
    foreign = negations & ~_any(phrase.negations, tokens)
    before = (parts.behind(negations, phrase.near) & parts.together(1)) << 1
    after = (parts.ahead(negations, phrase.near) >> width) & parts.together(width)
    return before | after | parts.ahead(foreign, width)


def _any(keys: Iterable[str], tokens: Tokens) -> int:
    found = 0
    for key in keys:
        found |= tokens.mask(key)
    return found


def _first(places: int, width: int, phrase: Phrase, tokens: Tokens) -> int | None:
    """The first place with no more negations than the phrase has, and all that it has more than once."""
    for _ in range(MOST_PLACES):
        place = (places & -places).bit_length() - 1
        here = tokens.keys[place : place + width]
        denied = sum(key.startswith(NEGATION) and key != PARTICLE for key in here)
        if denied <= len(phrase.negations) and all(here.count(key) >= times for key, times in phrase.repeated):
            return place
        places &= places - 1
        if not places:
            break
    return None
