"""Notes of two runs, case by case, what the comparison is made of."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison import critical
from evaluator.comparison.pairing import Asked
from evaluator.stages import judgements, losing, measuring, regressed, relabelled
from evaluator.stages.exhibits import Collected
from evaluator.stages.holdout import Holdout
from evaluator.stages.paraphrases import NO_SIDES

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from evaluator.comparison.claims import NewClaim
    from evaluator.comparison.sheet import CaseValues, Paraphrases
    from evaluator.model.comparison import CriticalOutcome
    from evaluator.model.exam import Regressed, Unsupported
    from evaluator.model.golden import Labels
    from evaluator.stages.changes import Changes
    from evaluator.stages.held import Run
    from evaluator.stages.judged_half import JudgedHalf
    from evaluator.stages.measuring import Judged, Measured, Ruler
    from evaluator.stages.paraphrases import Meeting, Sides
    from evaluator.stages.renumbered import Renumbered
    from evaluator.stages.walking import Met
    from evaluator.stores.runs import RunReader, StoredCase


class Reading(NamedTuple):
    """How a pair is read: by one run's labels, beside the paraphrases of both, and with what it is measured."""

    labels: Labels
    sides: Sides
    ruler: Ruler


@dataclass(eq=False, repr=False)
class Tally:
    """What was seen so far. ``new`` are values under the candidate's labels, ``old`` under the baseline's.

    ``groups`` are the groups of paraphrases in both runs. ``accepted`` are case ids that accepted.yml names: the
    baseline's exam takes the candidate's labels for them. ``half`` is what a judge decides, None in tier retrieval;
    ``judged_changed`` are cases it cannot compare because they are labelled otherwise, ``judged`` counts those that it
    could and nobody accepted, ``undrawn`` those of them that judge.sample left out now; ``unsupported`` are claims that
    are unsupported now and were not before. ``regrouped`` are the roots of the groups that cannot be compared as a
    whole. ``unasked`` counts cases without time, ``untimed`` the baseline's. ``relabelled`` are cases that are labelled
    otherwise, with the places of what that says nothing to. ``renumbered`` are chunks and documents of labels that
    say something else, by case, as ``others`` finds them. ``regressed`` is what pairs lost of which a metric fell.
    ``exhibits``, ``holdout`` and ``grouped``, the candidate's groups of paraphrases by root, are for people to look at.
    """

    candidate: Run
    baseline: RunReader | None
    ruler: Ruler
    changes: Changes
    groups: Meeting
    others: Renumbered
    accepted: Collection[str] = ()
    half: JudgedHalf | None = None
    new: list[CaseValues] = field(default_factory=list)
    old: list[CaseValues] = field(default_factory=list)
    new_critical: list[CriticalOutcome] = field(default_factory=list)
    old_critical: list[CriticalOutcome] = field(default_factory=list)
    asked: dict[str, Asked] = field(default_factory=dict)
    asked_before: dict[str, Asked] = field(default_factory=dict)
    relabelled: dict[str, frozenset[int]] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    critical_before: set[str] = field(default_factory=set)
    failed: dict[bool, list[bool]] = field(default_factory=lambda: {False: [], True: []})
    answers_exist: bool = False
    unasked: int = 0
    untimed: int = 0
    judged_changed: list[str] = field(default_factory=list)
    judged: int = 0
    undrawn: int = 0
    unsupported: list[Unsupported] = field(default_factory=list)
    renumbered: dict[str, list[str]] = field(default_factory=dict)
    regrouped: dict[str, Paraphrases] = field(default_factory=dict)
    regressed: list[Regressed] = field(default_factory=list)
    exhibits: Collected = field(default_factory=Collected)
    holdout: Holdout = field(default_factory=Holdout)
    grouped: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def old_ruler(self) -> Ruler:
        """What the baseline's exam measures with: it reads the citations of both runs by the baseline's pattern."""
        if self.baseline is None or not self.ruler.reads_answers:
            return self.ruler
        heads = (self.candidate.head, self.baseline.head)
        mine, theirs = map(measuring.citations_of, heads)
        return self.ruler if mine == theirs else replace(self.ruler, citations=self.baseline.head)

    def take(self, met: Met) -> None:
        """Note one case; one that there was no time for is left out on both sides, and counted."""
        self.untimed += met.untimed
        if met.mine is not None and met.mine.case.is_unasked:
            self.unasked += 1
            return
        if met.theirs is not None:
            case = met.theirs.case
            self.asked_before[case.id] = Asked(case.input_hash, case.split == "holdout")
            self.answers_exist = self.answers_exist or case.answer is not None
            self.critical_before.update([case.id] if case.critical else [])
        if met.mine is not None:
            case = met.mine.case
            self.asked[case.id] = Asked(case.input_hash, case.split == "holdout")
            self.failed[case.split == "holdout"].append(measuring.failed(met.mine))
            self.answers_exist = self.answers_exist or case.answer is not None
        self._hold_out(met)
        self._measure(met)

    def _hold_out(self, met: Met) -> None:
        """Add a case that both runs hold out to what is told of all of them together."""
        mine, theirs = met.mine, met.theirs
        if mine is None or theirs is None or not mine.case.split == theirs.case.split == "holdout":
            return
        if mine.case.input_hash == theirs.case.input_hash:
            labels = measuring.labels_of(mine)
            alike = self.half is None or (
                self.half.is_comparable and self.half.is_labelled_alike(measuring.labels_of(theirs), labels)
            )
            before, after = self._both(mine, theirs, Reading(labels, NO_SIDES, self.ruler))
            self.holdout.take(before, after, () if alike else self.ruler.judged)

    def _measure(self, met: Met) -> None:
        mine = met.mine if met.mine is not None and met.mine.case.split != "holdout" else None
        theirs = met.theirs if met.theirs is not None and met.theirs.case.split != "holdout" else None
        if mine is not None and mine.case.paraphrases:
            self.grouped[mine.case.id] = (mine.case.id, *mine.case.paraphrases)
        if mine is not None and theirs is not None and mine.case.input_hash == theirs.case.input_hash:
            self._pair(mine, theirs)
            return
        if mine is not None:
            labels = measuring.labels_of(mine)
            group = self.groups.alone(mine, is_candidate=True)
            after = self.ruler.measure(self.candidate, mine, labels, {}, group)
            line = self._counted(self.ruler.line(mine.case, labels, None, after), theirs)
            self.new.append(line)
            if self.old_ruler is not self.ruler:
                read = self.old_ruler.measure(self.candidate, mine, labels, {}, group)
                line = self._counted(self.ruler.line(mine.case, labels, None, read), theirs)
            if self.baseline is None:
                self.exhibits.behaviours.count(self.ruler, None, after)
            # A floor of the baseline's exam reads all that the candidate answers, however it came to be asked.
            self.old.append(line)
            self._critical(mine.case.id, None, after, measuring.ALIKE, old=False)
        if theirs is not None and self.baseline is not None:
            labels = measuring.labels_of(theirs)
            group = self.groups.alone(theirs, is_candidate=False)
            before = self.ruler.measure(self.baseline, theirs, labels, {}, group)
            self.new.append(self.ruler.line(theirs.case, labels, before, None))

    def _pair(self, mine: StoredCase, theirs: StoredCase) -> None:
        case = mine.case.id
        new = Reading(measuring.labels_of(mine), self.groups.new(mine), self.ruler)
        both = self._both(mine, theirs, new)
        judged = self._judged(case, new.labels, measuring.labels_of(theirs))
        line = self._line(mine, theirs, new, both, judged)
        values = both[0].values
        self.new.append(line)
        self._tell(mine, theirs, both, judged)
        if line.rechunked and (other := list(self.others.of(*(each.view for each in both)))):
            self.renumbered[case] = other
        self._critical(case, *both, judged, old=False)
        old = self._older(mine, theirs, new)
        terms = judged._replace(undrawn_is_missing=self.half is not None and self.half.samples_less)
        if old is not new:
            both = self._both(mine, theirs, old)
        by_others = old.labels is not new.labels
        if by_others and not judged.is_paired and self.half is not None and self.half.is_comparable:
            terms = terms._replace(told=relabelled.told(self.ruler, both[1]))
        if old is not new or terms != judged:
            line = self._line(mine, theirs, old, both, terms)
        self.old.append(line)
        self._critical(case, *both, terms, old=True)
        if mine.case.labels_hash != theirs.case.labels_hash:
            same = relabelled.unmoved(self.ruler, values, both[0].values, judged) if by_others else frozenset()
            self.relabelled[case] = same
        self.flags.extend([case] if theirs.case.critical and not mine.case.critical else [])

    def _older(self, mine: StoredCase, theirs: StoredCase, new: Reading) -> Reading:
        """How the baseline's exam reads a pair; the very same where that is no different."""
        sides = self.groups.old(mine, theirs)
        is_same = mine.case.labels_hash == theirs.case.labels_hash and new.sides == sides
        if not is_same and mine.case.id not in self.accepted:
            return Reading(measuring.labels_of(theirs), sides, self.old_ruler)
        return new if self.old_ruler is new.ruler else new._replace(ruler=self.old_ruler)

    def _both(self, mine: StoredCase, theirs: StoredCase, reading: Reading) -> tuple[Measured, Measured]:
        if self.baseline is None:
            raise AssertionError("a pair without a baseline")
        # Under equal labels each run has resolved every need itself.
        known = mine.case.labels_hash != theirs.case.labels_hash and _same_chunks(self.candidate, self.baseline)
        ways_before, ways_after = (measuring.ways_of(each.case) if known else {} for each in (mine, theirs))
        labels, sides, ruler = reading
        before = ruler.measure(self.baseline, theirs, labels, ways_before, sides.before)
        return before, ruler.measure(self.candidate, mine, labels, ways_after, sides.after)

    def _line(
        self, mine: StoredCase, theirs: StoredCase, reading: Reading, both: tuple[Measured, Measured], judged: Judged
    ) -> CaseValues:
        line = reading.ruler.line(mine.case, reading.labels, *both, judged)
        return self._counted(self._whole(line, mine, reading), theirs)

    def _tell(self, mine: StoredCase, theirs: StoredCase, both: tuple[Measured, Measured], judged: Judged) -> None:
        """Note of a pair what people look at, under the candidate's labels."""
        before, after = both
        if self.changes.add(mine.case.id, before, after, () if judged.is_comparable else self.ruler.judged):
            self.regressed.append(regressed.told(theirs.case, before.view, after.view))
        self.exhibits.compare(self.ruler, mine.case, before, after)
        self._count(before, after, judged)
        if self.half is not None and judged.is_comparable:
            if judgements.was_drawn(before.view) and not judged.is_accepted:
                self.judged += 1
                self.undrawn += not (after.view.failed or judgements.was_drawn(after.view))
            self._tell_claims(mine.case.id, before, after)

    def _whole(self, line: CaseValues, mine: StoredCase, reading: Reading) -> CaseValues:
        """A line with what the candidate's whole group comes to, where a part of it was compared."""
        labels, sides, ruler = reading
        paraphrases = self.groups.alone(mine, is_candidate=True)
        if not sides.before or paraphrases == sides.after or line.after is None:
            return line
        measured = ruler.measure(self.candidate, mine, labels, {}, paraphrases).values
        reads = [self.ruler.declared[metric.name].group for metric in self.ruler.metrics]
        chosen = (group if read else own for read, group, own in zip(reads, measured, line.after, strict=True))
        return line._replace(whole=tuple(chosen))

    def _counted(self, line: CaseValues, theirs: StoredCase | None) -> CaseValues:
        """A line with how many paraphrases of the baseline's group cannot be compared."""
        if theirs is None or not theirs.case.paraphrases:
            return line
        found = self.groups.lost(theirs, self.accepted, is_paired=line.paired)
        self.regrouped.update({theirs.case.id: found} if found.lost else {})
        return line._replace(paraphrases=found)

    def _judged(self, case: str, after: Labels, before: Labels) -> Judged:
        if self.half is None:
            return measuring.ALIKE
        alike = self.half.is_labelled_alike(before, after)
        if not alike and self.half.has_baseline:
            self.judged_changed.append(case)
        return measuring.Judged(
            alike and self.half.has_baseline, alike and self.half.is_comparable, is_accepted=case in self.accepted
        )

    def _count(self, before: Measured, after: Measured, judged: Judged) -> None:
        """Count who answered; before another judge or none, it is not known who did."""
        alike = self.half is None or self.half.is_comparable
        if judged.is_comparable or not alike:
            self.exhibits.behaviours.count(self.ruler, before if alike else None, after)

    def _tell_claims(self, case: str, before: Measured, after: Measured) -> None:
        then, now = (judgements.told(side.view).claims for side in (before, after))
        if then is not None and now:
            from evaluator.stages import claims  # noqa: PLC0415 - only tier full pays for it

            self.unsupported.extend(claims.told(case, then, now, after.view.language))

    def _critical(self, case: str, before: Measured | None, after: Measured, judged: Judged, *, old: bool) -> None:
        if after.view.labels.critical:
            found = list(critical.outcomes(self._sides(case, before, after, judged, old=old)))
            (self.old_critical if old else self.new_critical).extend(found)
            self.exhibits.look_at(case, before, after, found)

    def _sides(
        self, case: str, before: Measured | None, after: Measured, judged: Judged, *, old: bool
    ) -> critical.Sides:
        half = self.half
        now = losing.held(after, is_judged=half is not None)
        missing = "new case" if self.baseline is not None else "no baseline"
        if half is None:
            then = losing.held(before) if before else None
            return critical.Sides(case, then, now, missing, is_absolute=self.baseline is None)
        then = losing.held(before, is_judged=True) if before else None
        never = not half.has_baseline and not half.is_lost(self.ruler.declared)
        new_claims: Sequence[NewClaim] = ()
        new_in: Sequence[Sequence[NewClaim] | None] = ()
        if then is not None and not judged.is_comparable:
            then, missing = half.without_judge(then)
        elif then is not None and then.judged is not None and now.judged is not None:
            from evaluator.stages import claims  # noqa: PLC0415 - only tier full pays for it

            new_claims = claims.new_unsupported(then.judged.known, now.judged.claims or (), after.view.language)
            new_in = claims.new_in_answers(then, now, after.view.language)
        return critical.Sides(
            case, then, now, missing, is_absolute=never, new_claims=new_claims, new_in=new_in,
            doubts=half.doubts(after.view.language, old=old),
        )  # fmt: skip


def _same_chunks(candidate: Run, baseline: RunReader) -> bool:
    mine, theirs = candidate.head.fingerprint.get("chunks"), baseline.head.fingerprint.get("chunks")
    return mine is not None and mine == theirs
