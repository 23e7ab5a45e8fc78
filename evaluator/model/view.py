"""One case as the metrics see it: labels, resolved needs and what the pipeline did, with one shared gain vector."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress, count
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evaluator.model.golden import Labels

Way = tuple[str, ...]
"""Chunk ids that together satisfy a need."""


class ResolvedNeed(NamedTuple):
    """A need and every way of satisfying it, in golden (for documents and quotes: fixture) order.

    ``digest`` is over the texts of all its chunks, None where not every one of them is known. Without ways it is a
    need that no known chunk satisfies.
    """

    ways: tuple[Way, ...]
    grade: int = 1
    digest: str | None = None


class Passage(NamedTuple):
    """A retrieved result's document and text, each None where unknown; ``place`` is its index within its document."""

    doc: str | None
    text: str | None
    place: int | None = None


UNDESCRIBED = Passage(None, None)


@dataclass(frozen=True)
class CaseView:
    """What a metric may read of one case in one run.

    ``ranking`` is ``retrieved`` as the pipeline gave it, repeated ids included; ``context`` the ids the model got.
    ``passages`` holds what is known of the ids of both. ``language`` is the case's own or the configuration's
    default; ``case`` its id, for messages. ``shared`` is where metrics leave what they worked out of the case for one
    another, each under a key of its own.
    """

    labels: Labels
    needs: Sequence[ResolvedNeed]
    ranking: Sequence[str]
    context: Sequence[str]
    passages: Mapping[str, Passage]
    language: str = "en"
    answer: str | None = None
    abstained: bool | None = None
    usage: Mapping[str, object] | None = None
    latency_ms: float | None = None
    failed: bool = False
    case: str = ""
    shared: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def gains(self) -> Gains:
        """The gain vector over ``ranking``."""
        return gains(self.ranking, self.needs)

    @cached_property
    def context_gains(self) -> Gains:
        """The gain vector over ``context``."""
        return gains(self.context, self.needs)

    def described(self, chunks: Iterable[str]) -> list[tuple[str, Passage]]:
        """Results with what is known of them."""
        return [(chunk, self.passages.get(chunk, UNDESCRIBED)) for chunk in chunks]


Satisfaction: TypeAlias = tuple[int, tuple[int, ...]]
"""A rank (from 1) at which needs are newly satisfied, with their indexes in golden order."""


class Gains(NamedTuple):
    """Everything the ranking metrics read, computed once a case; all ranks count from 1 and ascend.

    Attributes:
        length: results in the ranking, repeated ids included.
        relevant: ranks whose chunk belongs to any way of any need, at its first occurrence.
        satisfactions: ranks that newly satisfy needs.
        credited: ranks whose chunk takes part in a first satisfaction, as (rank, rank of that satisfaction).
        needs: the needs the vector was made for.
        plain: every way is one chunk and no chunk serves two needs.
        alone: every need is one chunk of its own, as with plain ids: each relevant rank satisfies one need.
    """

    length: int
    relevant: Sequence[int]
    satisfactions: Sequence[Satisfaction]
    credited: Sequence[tuple[int, int]]
    needs: Sequence[ResolvedNeed]
    plain: bool
    alone: bool


def gains(ranking: Sequence[str], needs: Sequence[ResolvedNeed]) -> Gains:
    """Compute the gain vector (design section 7, "Ranking"); a repeated id keeps its slot and counts for nothing."""
    own = {ways[0][0]: (index,) for index, (ways, _, _) in enumerate(needs) if len(ways) == 1 == len(ways[0])}
    if len(own) == len(needs):
        first = _first_ranks(ranking, own)
        ranks = tuple(first.values())
        satisfied = [(rank, own[chunk]) for chunk, rank in first.items()]
        return Gains(len(ranking), ranks, satisfied, list(zip(ranks, ranks, strict=True)), needs, True, True)
    wanted, single, plain = _wanted(needs)
    first = _first_ranks(ranking, wanted)
    satisfactions, credited = _by_chunk(wanted, first) if single else _by_way(needs, first)
    return Gains(len(ranking), tuple(first.values()), satisfactions, credited, needs, single and plain, False)


def _first_ranks(ranking: Sequence[str], wanted: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """Rank of the first occurrence of every wanted chunk that is there, ascending."""
    first: dict[str, int] = {}
    # Most of a ranking is irrelevant: the loop over it stays in C.
    for rank in compress(count(1), map(wanted.__contains__, ranking)):
        first.setdefault(ranking[rank - 1], rank)
        if len(first) == len(wanted):
            break
    return first


def _wanted(needs: Sequence[ResolvedNeed]) -> tuple[dict[str, tuple[int, ...]], bool, bool]:
    """Indexes of the needs each chunk serves; whether all ways are one chunk; whether no chunk serves two needs."""
    wanted: dict[str, tuple[int, ...]] = {}
    single = plain = True
    for index, (ways, _, _) in enumerate(needs):
        here = (index,)
        for way in ways:
            single = single and len(way) == 1
            for chunk in way:
                before = wanted.setdefault(chunk, here)
                if before[-1] != index:
                    plain = False
                    wanted[chunk] = (*before, index)
    return wanted, single, plain


def _by_chunk(
    wanted: Mapping[str, tuple[int, ...]], first: Mapping[str, int]
) -> tuple[list[Satisfaction], list[tuple[int, int]]]:
    """Satisfactions and (rank, rank of the satisfaction) of every credited rank, where every way is one chunk."""
    satisfied: set[int] = set()
    satisfactions = []
    for chunk, rank in first.items():
        served = wanted[chunk]
        newly = served if satisfied.isdisjoint(served) else tuple(need for need in served if need not in satisfied)
        if newly:
            satisfied.update(newly)
            satisfactions.append((rank, newly))
    return satisfactions, [(rank, rank) for rank, _ in satisfactions]


def _by_way(
    needs: Sequence[ResolvedNeed], first: Mapping[str, int]
) -> tuple[list[Satisfaction], list[tuple[int, int]]]:
    """The same in general: a way counts at its last chunk; of two that end there the shorter, then the earlier."""
    by_rank: dict[int, list[int]] = {}
    credit: dict[int, int] = {}
    for index, need in enumerate(needs):
        complete = [
            (max(first[chunk] for chunk in way), len(way), order, way)
            for order, way in enumerate(need.ways)
            if all(chunk in first for chunk in way)
        ]
        if not complete:
            continue
        rank, _, _, way = min(complete)
        by_rank.setdefault(rank, []).append(index)
        for chunk in way:
            credit[first[chunk]] = min(credit.get(first[chunk], rank), rank)
    return [(rank, tuple(by_rank[rank])) for rank in sorted(by_rank)], sorted(credit.items())
