"""An alternative of a fact as a phrase that is looked for by stems (design section 7, "Facts").

All its stems must be there; a number together with what it counts, a negation together with what it denies.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from evaluator.metrics._lexicon import CURRENCIES, lexicon
from evaluator.metrics._normal import CACHED_TEXTS
from evaluator.metrics._stems import Reading, hints
from evaluator.metrics._within import NEGATION, NUMBER, ONE, PARTICLE, Gram, Phrase, repeated

MOST_WORDS = 8
"""Words an alternative may have."""

_MOST_SPACES = 16
"""More are never between so many words, whatever signs stand among them; a longer text need not be read."""

SPREAD = 5
"""How many words more than it has it may stand among."""

NEAR_WORDS = 3
"""How many words before and after it a negation or another number rules it out."""

CLAUSE_WORDS = 4
"""An alternative of so many words must stand between two commas: across one they are too often of two statements."""

ALONE = frozenset({"hu", "pl", "sv"})
"""Languages in which one word alone is found by its stem: their stemmers take away little but endings."""

SHORTEST_ALONE = 4
"""Letters that the stem of such a word has at least."""

_COUNTING = frozenset((NUMBER, ONE))


@lru_cache(maxsize=CACHED_TEXTS)
def phrase(text: str, language: str) -> Phrase | None:
    """What an alternative in its common form is looked for by; None where it has too few or too many words."""
    if text.count(" ") > _MOST_SPACES or _is_foreign(text):
        return None
    read = Reading(text, language)
    words = len(set(read.starts)) - len(read.symbols)
    wanted = [place for place, key in enumerate(read.keys) if key]
    alone = words == 1 or len(wanted) == 1
    if not wanted or words > MOST_WORDS or (alone and not _may_stand_alone(read.keys[wanted[0]], language)):
        return None
    if alone and len(wanted) > 1:
        return None
    numbers = [place for place in wanted if read.keys[place][0] in _COUNTING]
    bound = _Bound(read, language)
    return Phrase(
        wanted=bound.grams(wanted),
        length=words,
        reach=1 if alone else words + SPREAD,
        numbers=frozenset(read.keys[place] for place in numbers),
        units=frozenset(filter(None, map(bound.unit, numbers))),
        negations=tuple(key for key in read.keys if key.startswith(NEGATION)),
        near=NEAR_WORDS,
        in_clause=words <= CLAUSE_WORDS,
        repeated=repeated(read.keys),
        hints=hints([read.keys[place] for place in wanted], language),
    )


def _is_foreign(text: str) -> bool:
    """Whether a text has letters or marks of other scripts than the Latin one: a stemmer would cut their words."""
    return not text.isascii() and any(
        each >= "\u0300" and not ("\u1e00" <= each < "\u1f00" or "\u2000" <= each < "\u2c00") for each in text
    )


def _may_stand_alone(key: str, language: str) -> bool:
    return language in ALONE and len(key) >= SHORTEST_ALONE and key.isalpha()


class _Bound(NamedTuple):
    """What belongs together in an alternative."""

    read: Reading
    language: str

    def grams(self, wanted: list[int]) -> tuple[tuple[Gram, ...], ...]:
        """Everything that must be there; what a number or a negation is bound to is not asked for once more."""
        keys = self.read.keys
        denied = any(key.startswith(NEGATION) and key != PARTICLE for key in keys)
        found, covered = [], set[int]()
        for place in wanted:
            if keys[place][0] in _COUNTING:
                groups = self._number(place)
            elif (rate := self._rate(place)) is not None:
                groups = (rate,)
            elif keys[place][0] == NEGATION:
                groups = () if denied and keys[place] == PARTICLE else self._negation(place)
                covered.add(place)
            else:
                continue
            if groups:
                covered.update(*groups)
                found.append(tuple(tuple(keys[each] for each in group) for group in groups))
        return (*found, *(((keys[place],),) for place in wanted if place not in covered))

    def _number(self, place: int) -> tuple[tuple[int, ...], ...]:
        """A number with its unit after it, its money before or after it, or what it is the number of before it."""
        after, before = self._next(place), self._previous(place)
        for money in (after, before):
            if money is not None and self._is_money(money):
                return (place, money), (money, place)
        if before is not None and self.read.word(before) in lexicon(self.language).months:
            return ((before, place),)
        if after is None:
            return ((place,),) if before is None else ((before, place),)
        further = self._next(after)
        if further is not None and self.read.keys[after] in {"\u00b0", "de"}:
            return ((place, after, further),)
        return ((place, after),)

    def _negation(self, place: int) -> tuple[tuple[int, ...], ...]:
        """A negation with the two words after it; with one word before or after it where there are no two."""
        after = self._next(place)
        further = self._next(after) if after is not None else None
        if after is not None and further is not None:
            return ((place, after, further),)
        other = after if after is not None else self._previous(place)
        return ((place,),) if other is None else ((place, other), (other, place))

    def _rate(self, place: int) -> tuple[int, ...] | None:
        """What something is paid by: "per month" is not in "per year, by month"."""
        after, rate = self._next(place), lexicon(self.language).rate
        if after is None or rate is None:
            return None
        return (place, after) if rate.fullmatch(f"{self.read.word(place)} {self.read.word(after)}") else None

    def unit(self, place: int) -> str | None:
        """What a number counts, None where that is not said."""
        after = self._next(place)
        return None if after is None or self.read.keys[after][:1] == NUMBER else self.read.keys[after]

    def _is_money(self, place: int) -> bool:
        return self.read.word(place) in CURRENCIES or (
            place in self.read.symbols and self.read.keys[place] not in "%‰°"
        )

    def _next(self, place: int) -> int | None:
        return self._joined(place + 1) if place + 1 < len(self.read.keys) else None

    def _previous(self, place: int) -> int | None:
        return place - 1 if place > 0 and self._joined(place) is not None else None

    def _joined(self, place: int) -> int | None:
        """A place, unless something parts its token from the one before."""
        return None if place in self.read.apart or place in self.read.sentences else place
