"""Groups of cases that ask the same in other words: a root, the cases that name it, and what those retrieved."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison.sheet import Paraphrases as Counts
from evaluator.model.golden import Labels
from evaluator.model.record import Record
from evaluator.model.view import Replied
from evaluator.stages import judgements
from evaluator.stages.held import HeldCase
from evaluator.stores import records
from evaluator.stores.values import decode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from evaluator.model.golden import Case
    from evaluator.model.judgement import Judgement
    from evaluator.model.score import Metric, MetricId
    from evaluator.model.view import Paraphrases
    from evaluator.stages.held import Run
    from evaluator.stores.runs import RunReader, StoredCase


class Group(NamedTuple):
    """What a root needs of the cases that name it: their ids, and what they retrieved where a metric reads that."""

    ids: tuple[str, ...] = ()
    rankings: Paraphrases = ()


ALONE = Group()
NOT_JUDGED: Mapping[str, Judgement] = MappingProxyType({})


class Sides(NamedTuple):
    """The rankings of a root's group in both runs; empty where a side has no group to compare."""

    before: Paraphrases = ()
    after: Paraphrases = ()


NO_SIDES = Sides()


def are_read(metrics: Iterable[MetricId], declared: Mapping[str, Metric]) -> bool:
    """Whether any of the metrics reads groups."""
    return any(declared[metric.name].group for metric in metrics)


class Groups:
    """The groups of a golden set. A member that is held out where its root is not, or the reverse, is in none.

    ``path`` is the records file, None where no metric reads groups: then there are ids only. ``judgements`` are what a
    judge said of cases, by id.
    """

    def __init__(
        self, cases: Sequence[Case], path: Path | None, handed: Sequence[Record] | None,
        judgements: Mapping[str, Judgement] = NOT_JUDGED,
    ) -> None:  # fmt: skip
        naming = [(case.paraphrase_of, case) for case in cases if case.paraphrase_of is not None]
        split = {case.id: case.split for case in cases} if naming else {}
        self._members: dict[str, list[str]] = {}
        for root, case in naming:
            if split[root] == case.split:
                self._members.setdefault(root, []).append(case.id)
        self._path = path if self._members else None
        self._handed = handed
        self._judgements = judgements
        self._labels = {case.id: case.labels for _, case in naming if case.id in judgements}

    def of(self, root: str) -> Group:
        """The group of a case; empty where no case names it."""
        ids = tuple(self._members.get(root, ()))
        if not ids or self._path is None:
            return Group(ids) if ids else ALONE
        found = [self._record(case, self._path) for case in ids]
        return Group(ids, tuple(self._replied(record) for record in found if record is not None and _was_asked(record)))

    def _replied(self, record: Record) -> Replied | None:
        if record.failure is not None:
            return None
        ranking, judgement = tuple(hit.id for hit in record.retrieved), self._judgements.get(record.id)
        if judgement is None:
            return Replied(ranking)
        return Replied(ranking, self._labels[record.id], record.answer, record.abstained, judgement)

    def _record(self, case: str, path: Path) -> Record | None:
        if self._handed is not None:
            return self._by_id.get(case)
        line = self._lines.get(case)
        return decode(line, Record, str(path)) if line is not None else None

    @cached_property
    def _by_id(self) -> Mapping[str, Record]:
        return {record.id: record for record in self._handed or ()}

    @cached_property
    def _lines(self) -> Mapping[str, bytes]:
        # Members may come long after their root: each is read when it is wanted, and none is kept.
        return records.scan_records(self._path)[0] if self._path is not None else {}


@dataclass(frozen=True, eq=False, repr=False)
class Meeting:
    """The groups of two runs, each case read when it is asked for.

    A group is compared over the questions that both runs asked in the same words; with others the difference would be
    that of the questions. What is left out so is counted, and beyond a share of all it decides nothing any more.

    Attributes:
        candidate, baseline: the runs.
        wanted: whether a metric reads groups at all.
        whole: whether the candidate holds every case; otherwise the baseline is taken to hold the same.
    """

    candidate: Run
    baseline: RunReader | None
    wanted: bool = False
    whole: bool = True

    def alone(self, stored: StoredCase, *, is_candidate: bool) -> Paraphrases:
        """The group that one run has, over that run's rankings."""
        if not self.wanted or not stored.case.paraphrases:
            return ()
        run, ids = (self.candidate, self._ids) if is_candidate else (self.baseline, self._ids_before)
        if run is None:
            return ()
        found = [run.case(case) for case in stored.case.paraphrases if case in ids]
        return tuple(_ranking_of(run, each) for each in found if not each.case.is_unasked)

    def new(self, mine: StoredCase) -> Sides:
        """Both sides of the candidate's group; where they cannot be compared, what it comes to by itself."""
        sides = self._both(mine)
        return sides if sides.before else Sides((), self.alone(mine, is_candidate=True))

    def old(self, mine: StoredCase, theirs: StoredCase) -> Sides:
        """Both sides of the baseline's group; where they cannot be compared, what the candidate's own comes to."""
        sides = self._both(theirs)
        return sides if sides.before else Sides((), self.alone(mine, is_candidate=True))

    def lost(self, theirs: StoredCase, accepted: Collection[str], *, is_paired: bool) -> Counts:
        """How many of the paraphrases in a group of the baseline are asked otherwise now, or no more.

        All of them are where the root itself is not paired. What ``accepted`` names is not counted.
        """
        ids = self._members(theirs)
        if not ids or theirs.case.id in accepted:
            return Counts(0, len(ids))
        kept = [case for case in ids if case in accepted or (is_paired and self._is_paired(case))]
        return Counts(len(ids) - len(kept), len(ids))

    def _both(self, root: StoredCase) -> Sides:
        if self.baseline is None:
            return NO_SIDES
        ids = [case for case in self._members(root) if self._is_paired(case)]
        before = tuple(_ranking_of(self.baseline, self.baseline.case(case)) for case in ids)
        return Sides(before, tuple(_ranking_of(self.candidate, self.candidate.case(case)) for case in ids))

    def _members(self, root: StoredCase) -> Sequence[str]:
        """The paraphrases of a root, without those that the candidate left out on purpose."""
        if not self.wanted:
            return ()
        return [case for case in root.case.paraphrases if self.whole or case in self._ids]

    def _is_paired(self, case: str) -> bool:
        if self.baseline is None or case not in self._ids or case not in self._ids_before:
            return False
        before, after = self.baseline.case(case).case, self.candidate.case(case).case
        return before.input_hash == after.input_hash and not (before.is_unasked or after.is_unasked)

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(self.candidate.ids)

    @cached_property
    def _ids_before(self) -> frozenset[str]:
        return frozenset(self.baseline.ids if self.baseline is not None else ())


def _was_asked(record: Record) -> bool:
    return record.failure is None or not record.failure.is_unasked


def _ranking_of(run: Run, stored: StoredCase) -> Replied | None:
    """The ranking of a case, with what was said of its answer where a judge was asked."""
    case = stored.case
    if case.failure is not None:
        return None
    ranking, judged = tuple(hit.id for hit in stored.retrieved), judgements.of_case(run, stored)
    if judged is None:
        return Replied(ranking)
    labels = stored.view.labels if isinstance(stored, HeldCase) else Labels.model_validate(case.labels)
    return Replied(ranking, labels, case.answer, case.abstained, judged.judgement)
