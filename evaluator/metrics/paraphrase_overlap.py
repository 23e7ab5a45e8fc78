"""Paraphrase overlap: whether questions that ask the same in other words retrieve the same."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import TYPE_CHECKING

from evaluator.model.score import Metric, NotApplicable, Score, Scored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evaluator.model.view import CaseView

PERSISTENCE = 0.9
"""Chance that a reader goes on to the next rank; the first ten ranks then carry 86 % of the weight."""


def score(view: CaseView, k: int | None) -> Score:
    """Mean overlap of the pairs of a group, each ranking cut at k; a pair with a failed member has none."""
    if not view.paraphrases:
        return NotApplicable("not the root of a group of paraphrases")
    others = [None if other is None else other.ranking[:k] for other in view.paraphrases]
    rankings = [None if view.failed else view.ranking[:k], *others]
    pairs = [
        0.0 if first is None or second is None else overlap(first, second)
        for first, second in itertools.combinations(rankings, 2)
    ]
    return Scored(math.fsum(pairs) / len(pairs))


def overlap(first: Sequence[str], second: Sequence[str], p: float = PERSISTENCE) -> float:
    """Rank-biased overlap of two rankings, extrapolated: Webber et al. 2010, equation 32; 1 if they are the same.

    An id that comes again is another item, so that it meets only a repetition. Two empty rankings have nothing in
    common.
    """
    short, long = sorted((list(_items(first)), list(_items(second))), key=len)
    if not short:
        return 0.0
    if short == long:
        return 1.0
    common = list(_in_common(short, long))
    s, l = len(short), len(long)  # noqa: E741 - as in the paper
    at_s, at_l = common[s - 1], common[l - 1]
    agreement = [x / d * p**d if d <= s else (x / d + at_s * (d - s) / (s * d)) * p**d for d, x in enumerate(common, 1)]
    value = (1 - p) / p * math.fsum(agreement) + ((at_l - at_s) / l + at_s / s) * p**l
    # Only rounding takes it beyond 1, where one ranking is the beginning of the other.
    return min(value, 1.0)


def _items(ranking: Iterable[str]) -> Iterator[tuple[str, int]]:
    seen: Counter[str] = Counter()
    for chunk in ranking:
        seen[chunk] += 1
        yield chunk, seen[chunk]


def _in_common(short: Sequence[tuple[str, int]], long: Sequence[tuple[str, int]]) -> Iterator[int]:
    """How many items the first d of both have in common, for each d up to the longer one's end."""
    seen: set[tuple[str, int]] = set()
    count = 0
    for pair in itertools.zip_longest(short, long):
        for item in filter(None, pair):
            count += item in seen
            seen.add(item)
        yield count


METRIC = Metric(
    name="paraphrase_overlap",
    title="how alike the rankings of questions that ask the same are",
    formula="mean over the pairs of a group of rank-biased overlap at the top k, extrapolated, with p = 0.9; 1 for the "
    "same ranking, 0 for a pair with a failed case or an empty ranking; stored on the root",
    source="Webber, Moffat and Zobel 2010, equation 32",
    score=score,
    reads="ranking",
    counts="other",
    group=True,
)
