"""What sways a judge: the length of an answer, and the place it is shown at."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

from evaluator.human import agreement
from evaluator.model.judgement import is_first

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evaluator.human.joining import Pair
    from evaluator.human.verdicts import Case
    from evaluator.model.judgement import Preference

PARTS = 3
MIN_CASES = 9
"""Of fewer cases nothing is said of length: three of a part say something, one says nothing."""

_VALUES = {"win": 1.0, "tie": 0.5, "loss": 0.0}


class LengthPart(NamedTuple):
    """The cases whose answers are of about a length.

    ``shortest`` and ``longest`` are in characters; ``errors`` are labels of the ``n`` that the judge contradicts.
    """

    shortest: int
    longest: int
    n: int
    errors: int


class Length(NamedTuple):
    """How the judge's errors go with the length of the answer.

    ``parts`` are a third of the cases each, shortest first; none where cases are few. ``correlation`` is Spearman's, of
    length and share of errors over cases; None where cases are few or one of the two is the same everywhere.
    """

    parts: tuple[LengthPart, ...]
    correlation: float | None


class Position(NamedTuple):
    """What the place of an answer did, over pairs of answers that were judged in both orders.

    ``first`` and ``second`` count pairs in which the answer at that place fared better for standing there; ``p`` is of
    a two-sided sign test of the two.
    """

    pairs: int
    first: int
    second: int
    p: float


def of_length(pairs: Sequence[Pair]) -> Length:
    """Errors by the length of the answer; nothing of so few cases that any order of them looks like a rule."""
    cases: dict[str, list[Pair]] = {}
    for pair in pairs:
        cases.setdefault(pair.case.id, []).append(pair)
    if len(cases) < MIN_CASES:
        return Length((), None)
    in_order = sorted(cases.values(), key=lambda those: (those[0].case.length, those[0].case.id))
    lengths = [float(those[0].case.length) for those in in_order]
    shares = [sum(pair.is_error for pair in those) / len(those) for those in in_order]
    return Length(tuple(_parts(in_order)), agreement.ranks_together(lengths, shares))


def _parts(in_order: Sequence[Sequence[Pair]]) -> Iterator[LengthPart]:
    edges = [round(len(in_order) * part / PARTS) for part in range(PARTS + 1)]
    for start, end in itertools.pairwise(edges):
        those = [pair for case in in_order[start:end] for pair in case]
        errors = sum(pair.is_error for pair in those)
        yield LengthPart(those[0].case.length, those[-1].case.length, len(those), errors)


def of_position(cases: Iterable[Case], seed: int) -> Position | None:
    """What place did in a run's comparisons; None where there are none.

    ``seed`` is that of the run: with the id it says which answer stood first.
    """
    leanings = [_leaning(case.preference, seed, case.id) for case in cases if case.preference is not None]
    if not leanings:
        return None
    first, second = sum(each > 0 for each in leanings), sum(each < 0 for each in leanings)
    return Position(len(leanings), first, second, sign_test(first, second))


def _leaning(preference: Preference, seed: int, case: str) -> float:
    """How much better this answer fared where it stood first."""
    leading, trailing = _VALUES[preference.first], _VALUES[preference.second]
    return leading - trailing if is_first(seed, case) else trailing - leading


def sign_test(first: int, second: int) -> float:
    """Two-sided p of so uneven a split of coins; 1 of none."""
    flips, fewer = first + second, min(first, second)
    as_uneven = 2 * sum(math.comb(flips, count) for count in range(fewer + 1))
    return min(1.0, as_uneven / (1 << flips))
