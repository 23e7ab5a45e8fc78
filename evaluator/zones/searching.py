"""Finds what each half of a comparison is held to: the nearest accepted run in the history of the base."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from evaluator import errors
from evaluator.github import candidates
from evaluator.github.candidates import Candidate, Rejected, Terms
from evaluator.model.baseline import Source
from evaluator.model.counting import counted
from evaluator.zones.opening import Opener, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from evaluator.github.repository import Ancestry, Repository
    from evaluator.model.baseline import Half, Manifest, Tier
    from evaluator.zones.opening import Expected

PATIENCE = 4
"""Runs that were not accepted, after which the search goes on at the one that they were themselves compared with."""

SERVES: dict[Tier, tuple[Half, ...]] = {"full": ("judged", "deterministic"), "retrieval": ("deterministic",)}
"""What a run of a tier can be compared with by."""

READ_ACTIONS = "the job needs the permission actions: read"


class Opened(NamedTuple):
    """An artifact that can be used, and how far before the base its commit is."""

    distance: int
    artifact: int
    folder: Path
    said: Manifest


class Waiting(NamedTuple):
    """What is tried next: ``opened`` where that was done before it was known how far away it is."""

    rank: tuple[int, int]
    tier: Tier
    candidate: Candidate
    opened: Opened | None = None


@dataclass
class Search:
    """One search.

    Attributes:
        found: what each half is compared with.
        base: the run of the base itself, where it was not accepted.
        lost: halves that had a baseline once, with the reason that there is none now.
        notes: what a reader has to know besides.
    """

    repository: Repository
    expected: Expected
    ancestry: Ancestry
    root: Path
    log: Callable[[str], None]
    own: int = 0
    found: dict[Half, Opened] = field(default_factory=dict)
    base: Opened | None = None
    lost: dict[Half, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._places = candidates.places(self.ancestry.commits)
        self._evidence: dict[Half, list[str]] = {"deterministic": [], "judged": []}
        self._queue: list[Waiting] = []
        self._opener = Opener(self.repository, self.expected, self.root)
        self._unaccepted = 0

    def run(self, tier: Tier) -> None:
        """Look for what a run of a tier is compared with."""
        wanted: set[Half] = set(SERVES[tier])
        for each in SERVES:
            self._list(each)
        try:
            while wanted - self.found.keys() and self._queue:
                self._try(heapq.heappop(self._queue), tier, wanted)
        except errors.RateLimited as error:
            self._suspect(SERVES["full"], f"the search was not finished: {error}")
        for half in sorted(wanted - self.found.keys()):
            if self._evidence[half]:
                self.lost[half] = self._why_lost(half)

    def _list(self, tier: Tier) -> None:
        try:
            listing = self.repository.artifacts(self.expected.name(tier))
        except errors.GitHubError as error:
            hint = f" ({READ_ACTIONS})" if isinstance(error, errors.Forbidden) else ""
            self._suspect(SERVES[tier], f"the list of artifacts cannot be read: {error}{hint}")
            return
        if not listing.complete:
            self._suspect(SERVES[tier], "there are more artifacts of that name than were read")
        terms = Terms(self.expected.repository, self.expected.branch, self._places, self.own)
        sifted = candidates.sift(listing.items, terms)
        for each in sifted.rejected:
            self._reject(tier, each)
        for candidate in sifted.candidates:
            heapq.heappush(self._queue, Waiting(candidate.rank, tier, candidate))

    def _try(self, waiting: Waiting, asked: Tier, wanted: set[Half]) -> None:
        open_halves = [half for half in SERVES[waiting.tier] if half in wanted - self.found.keys()]
        if not open_halves:
            return
        opened = waiting.opened or self._open(waiting)
        if opened is None:
            return
        if (opened.distance, -opened.artifact) > waiting.rank:
            # A copy is as old as what it was made of: nearer ones come first.
            heapq.heappush(self._queue, waiting._replace(rank=(opened.distance, -opened.artifact), opened=opened))
        elif opened.said.accepted:
            self.found |= dict.fromkeys(open_halves, opened)
        else:
            self._pass_by(opened, asked)

    def _open(self, waiting: Waiting) -> Opened | None:
        candidate = waiting.candidate
        try:
            folder, said = self._opener.open(candidate, waiting.tier)
        except Refused as refused:
            self._reject(waiting.tier, Rejected(candidate.artifact.id, str(refused)))
            return None
        return Opened(self._places.get(said.commit, candidates.FAR), candidate.artifact.id, folder, said)

    def _pass_by(self, opened: Opened, asked: Tier) -> None:
        """What was not accepted says what the base had lost, and no more."""
        said = opened.said
        self.log(f"artifact {opened.artifact} is no baseline: it was not accepted ({said.reason or 'no reason given'})")
        if opened.distance == 0 and (self.base is None or (said.tier == asked and self.base.said.tier != asked)):
            self.base = opened
        if not said.chain:
            return
        self._suspect(SERVES[said.tier], f"the run of {said.commit[:12]} was not accepted")
        self._unaccepted += 1
        nearest = self._places.get(said.chain[-1])
        if self._unaccepted >= PATIENCE and nearest is not None:
            self._queue = [each for each in self._queue if each.tier != said.tier or each.rank[0] >= nearest]
            heapq.heapify(self._queue)

    def _reject(self, tier: Tier, rejected: Rejected) -> None:
        self.log(f"artifact {rejected.artifact} is no baseline: {rejected.reason}")
        if rejected.ours:
            self._suspect(SERVES[tier], rejected.reason)

    def _suspect(self, halves: tuple[Half, ...], reason: str) -> None:
        for half in halves:
            self._evidence[half].append(reason)

    def _why_lost(self, half: Half) -> str:
        first, *others = self._evidence[half]
        more = f" (and {counted(len(others), 'more reason')})" if others else ""
        return f"the {half} half had a baseline, and none can be used: {first}{more}"

    def sources(self) -> Iterator[tuple[str, Source]]:
        """What was found, by its name in found.json."""
        for half, opened in self.found.items():
            yield half, _source(opened, self.ancestry.commits[0])
        at_base = [half for half, opened in self.found.items() if opened.distance > 0]
        if self.base is not None and at_base:
            yield "inherited", _source(self.base, self.ancestry.commits[0])


def _source(opened: Opened, base: str) -> Source:
    said = opened.said
    where = {0: f"the base commit {base[:12]}", candidates.FAR: f"a commit long before the base {base[:12]}"}
    back = f"{counted(opened.distance, 'commit')} before the base {base[:12]}"
    how = f"the run {said.run_id} of {where.get(opened.distance, back)}"
    by = f", accepted by {said.accepted_by}" if said.accepted_by not in {None, "gate"} else ""
    return Source(
        folder=opened.folder.name, tier=said.tier, commit=said.commit, how=f"{how}{by}", accepted=said.accepted
    )  # fmt: skip
