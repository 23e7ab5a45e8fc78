"""One case as the metrics see it: labels, resolved needs and what the pipeline did, with one shared gain vector."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from evaluator.model.golden import Labels
    from evaluator.model.judgement import Claim, Judgement

Way = tuple[str, ...]
"""Chunk ids that together satisfy a need."""


class Replied(NamedTuple):
    """What another case of a group of paraphrases retrieved and, where a judge was asked, said.

    The other fields are as in :class:`CaseView`; without a judge nothing but the ranking is known.
    """

    ranking: Sequence[str]
    labels: Labels | None = None
    answer: str | None = None
    abstained: bool | None = None
    judgement: Judgement | None = None


Paraphrases = tuple["Replied | None", ...]
"""Several cases that ask the same; None for one that failed."""


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


class _Once:
    """A gain vector made when it is first asked for: ``cached_property`` takes a lock for it before Python 3.12."""

    def __init__(self, make: Callable[[CaseView], Gains]) -> None:
        self._make = make
        self._name = make.__name__

    def __get__(self, view: CaseView, _: type[CaseView]) -> Gains:
        made = view.__dict__[self._name] = self._make(view)
        return made


@dataclass(frozen=True, eq=False, repr=False)
class CaseView:
    """What a metric may read of one case in one run.

    ``ranking`` is ``retrieved`` as the pipeline gave it, repeated ids included; ``context`` the ids the model got.
    ``passages`` holds what is known of the ids of both. ``language`` is the case's own or the configuration's
    default; ``case`` its id, for messages. ``shared`` is where metrics leave what they worked out of the case for one
    another, each under a key of its own. ``citations`` is the configured pattern of a citation, if there is one.
    ``paraphrases`` are the cases that ask the same in other words, None for one that failed; they are known on the root
    of the group only. ``asked`` is false where there was no time for the case; it has ``failed`` then. ``judgement`` is
    what a judge said, None where none was asked (tier retrieval); ``claims`` are the answer's, None where they were not
    asked for or could not be had.
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
    asked: bool = True
    case: str = ""
    citations: str | None = None
    paraphrases: Paraphrases = ()
    judgement: Judgement | None = None
    claims: Sequence[Claim] | None = None
    shared: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    @_Once
    def gains(self) -> Gains:
        """The gain vector over ``ranking``."""
        return gains(self.ranking, self.needs)

    @_Once
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
        ranks: ranks that newly satisfy needs.
        newly: indexes, in golden order, of the needs that each of ``ranks`` newly satisfies.
        credits: ranks whose chunk takes part in a first satisfaction, as (rank, rank of that satisfaction); None where
            those are ``ranks`` themselves, as where every way is one chunk.
        needs: the needs the vector was made for.
        plain: every way is one chunk and no chunk serves two needs, as with plain chunk ids: each of ``ranks`` then
            satisfies one need.
    """

    length: int
    relevant: Sequence[int]
    ranks: Sequence[int]
    newly: Sequence[tuple[int, ...]]
    credits: Sequence[tuple[int, int]] | None
    needs: Sequence[ResolvedNeed]
    plain: bool

    @property
    def satisfactions(self) -> list[Satisfaction]:
        """The ranks that newly satisfy needs, each with those needs."""
        return list(zip(self.ranks, self.newly, strict=True))

    @property
    def credited(self) -> Sequence[tuple[int, int]]:
        """The ranks that take part in a first satisfaction, each with the rank of that."""
        return self.credits if self.credits is not None else [(rank, rank) for rank in self.ranks]


def gains(ranking: Sequence[str], needs: Sequence[ResolvedNeed]) -> Gains:
    """Compute the gain vector (design section 7, "Ranking"); a repeated id keeps its slot and counts for nothing."""
    wanted, single, plain = _wanted(needs)
    # Most of a ranking is irrelevant: the loop over it stays in C.
    relevant = [*compress(range(1, len(ranking) + 1), map(wanted.__contains__, ranking))]
    newly = [wanted[ranking[rank - 1]] for rank in relevant]
    if plain and len(set(newly)) == len(newly):
        # No chunk is there twice and no need is met twice: nearly every case.
        return Gains(len(ranking), relevant, relevant, newly, None, needs, plain)
    first = {ranking[rank - 1]: rank for rank in reversed(relevant)}
    relevant = sorted(first.values())
    if not single:
        ranks, newly, credited = _by_way(needs, first)
        return Gains(len(ranking), relevant, ranks, newly, credited, needs, plain)
    ranks, newly = _newly(relevant, [wanted[ranking[rank - 1]] for rank in relevant])
    return Gains(len(ranking), relevant, ranks, newly, None, needs, plain)


def _wanted(needs: Sequence[ResolvedNeed]) -> tuple[dict[str, tuple[int, ...]], bool, bool]:
    """Indexes of the needs each chunk serves; whether all ways are one chunk; whether no chunk serves two needs."""
    wanted: dict[str, tuple[int, ...]]
    try:
        wanted = {chunk: (index,) for index, (((chunk,),), _, _) in enumerate(needs)}
    except ValueError:
        # Some need has other than one way of one chunk.
        return _wanted_by_ways(needs)
    return (wanted, True, True) if len(wanted) == len(needs) else _wanted_by_ways(needs)


def _wanted_by_ways(needs: Sequence[ResolvedNeed]) -> tuple[dict[str, tuple[int, ...]], bool, bool]:
    """The same in general."""
    wanted: dict[str, tuple[int, ...]] = {}
    single = plain = True
    for index, (ways, _, _) in enumerate(needs):
        for way in ways:
            single = single and len(way) == 1
            for chunk in way:
                before = wanted.setdefault(chunk, (index,))
                if before[-1] != index:
                    plain = False
                    wanted[chunk] = (*before, index)
    return wanted, single, single and plain


def _newly(relevant: Sequence[int], served: Sequence[tuple[int, ...]]) -> tuple[list[int], list[tuple[int, ...]]]:
    """Ranks that newly satisfy needs, and those needs, where every way is one chunk."""
    satisfied: set[int] = set()
    ranks, newly = [], []
    for rank, here in zip(relevant, served, strict=True):
        new = here if satisfied.isdisjoint(here) else tuple(need for need in here if need not in satisfied)
        if new:
            satisfied.update(new)
            ranks.append(rank)
            newly.append(new)
    return ranks, newly


def _by_way(
    needs: Sequence[ResolvedNeed], first: Mapping[str, int]
) -> tuple[list[int], list[tuple[int, ...]], list[tuple[int, int]]]:
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
    ranks = sorted(by_rank)
    return ranks, [tuple(by_rank[rank]) for rank in ranks], sorted(credit.items())
