"""Discounted cumulative gain of a ranking, and of the ideal one (design section 7, "Ranking")."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics._ranking import NO_NEEDS, within
from evaluator.model.score import Score, Scored

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evaluator.model.view import CaseView, ResolvedNeed


class _Way(NamedTuple):
    """One way of satisfying a need, chunks numbered."""

    need: int
    chunks: tuple[int, ...]


def normalised(view: CaseView, k: int | None, weights: Sequence[int]) -> Score:
    """The ranking's gain over the ideal's, or over itself where the greedy ideal is smaller: never above 1.

    ``weights`` holds the gain of each need. An ideal of 0 (nothing fits in k) gives 0.
    """
    if not view.needs:
        return NO_NEEDS
    found = view.gains
    ranks = found.ranks[: within(found.ranks, k)]
    if found.plain:
        actual = math.fsum(
            [weights[need] / math.log2(rank + 1) for rank, (need,) in zip(ranks, found.newly, strict=False)]
        )
        best = _descending(tuple(weights), k)
    else:
        worth = [sum([weights[need] for need in needs]) for needs in found.newly]
        actual = _discounted(zip(ranks, worth, strict=False))
        best = _discounted(ideal_gains(view.needs, weights, k))
    return Scored(actual / max(best, actual) if best else 0.0)


def _discounted(gains: Iterable[tuple[int, int]]) -> float:
    return math.fsum([gain / math.log2(rank + 1) for rank, gain in gains])


@lru_cache(maxsize=4096)
def _descending(weights: tuple[int, ...], k: int | None) -> float:
    """The ideal of needs that each take one place; many cases share it."""
    return _discounted(enumerate(sorted(weights, reverse=True)[:k], 1))


def ideal_gains(needs: Sequence[ResolvedNeed], weights: Sequence[int], k: int | None) -> list[tuple[int, int]]:
    """Ranks and gains of the ideal ranking.

    Greedy: among the ways of still unsatisfied needs that fit in the places left of k, the one with the largest gain
    per chunk not yet placed; ties by fewer such chunks, then golden order. A need that no known chunk satisfies takes
    one place of its own: missing it must cost what missing any other need does.
    """
    return _Ideal(needs, weights).rank(k)


class _Ideal:
    """The ideal ranking while it is being made."""

    def __init__(self, needs: Sequence[ResolvedNeed], weights: Sequence[int]) -> None:
        self.weights = weights
        self.ways = _numbered(needs)
        self.of_chunk: dict[int, list[_Way]] = {}
        for way in self.ways:
            for chunk in way.chunks:
                self.of_chunk.setdefault(chunk, []).append(way)
        self.placed: set[int] = set()
        self.satisfied: set[int] = set()

    def rank(self, k: int | None) -> list[tuple[int, int]]:
        """Place chunks until nothing more fits or every need is satisfied."""
        places = len(self.of_chunk) if k is None else k
        found = []
        while best := self._best(places - len(self.placed)):
            for chunk in best:
                completed = self._completed((chunk,))
                self.placed.add(chunk)
                self.satisfied |= completed
                if completed:
                    found.append((len(self.placed), self._gain(completed)))
        return found

    def _best(self, room: int) -> tuple[int, ...]:
        """The new chunks of the best way that fits; empty if none does."""
        best: tuple[int, ...] = ()
        best_gain = 0
        for need, chunks in self.ways:
            new = tuple(chunk for chunk in chunks if chunk not in self.placed)
            if need in self.satisfied or len(new) > room:
                continue
            gain = self._gain(self._completed(new))
            ahead = gain * len(best) - best_gain * len(new)
            if not best or ahead > 0 or (ahead == 0 and len(new) < len(best)):
                best, best_gain = new, gain
        return best

    def _completed(self, new: tuple[int, ...]) -> set[int]:
        """Unsatisfied needs that placing these chunks would satisfy."""
        return {
            way.need
            for chunk in new
            for way in self.of_chunk[chunk]
            if way.need not in self.satisfied and all(part in self.placed or part in new for part in way.chunks)
        }

    def _gain(self, needs: set[int]) -> int:
        return sum(self.weights[need] for need in needs)


def _numbered(needs: Sequence[ResolvedNeed]) -> list[_Way]:
    """All ways in golden order, chunks as numbers; a need without ways gets one of a chunk that is nobody else's."""
    numbers: dict[str, int] = {}
    ways: list[_Way] = []
    for index, need in enumerate(needs):
        known = [tuple(dict.fromkeys(numbers.setdefault(chunk, len(numbers)) for chunk in way)) for way in need.ways]
        ways += [_Way(index, chunks) for chunks in known or [(-1 - index,)]]
    return ways
