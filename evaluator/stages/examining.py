"""Turns what was seen in two runs into the two exams, the comparison and what loosened."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from evaluator import config as configuration
from evaluator.comparison import configuration as configurations
from evaluator.comparison import departures, listing, loosened, noisy, pairing, rows, rules, spreads
from evaluator.comparison.sheet import Sheet
from evaluator.model.comparison import BaselineInfo, Comparison, Exam
from evaluator.model.counting import counted
from evaluator.model.exam import ExamFile
from evaluator.model.score import MetricId
from evaluator.stages import exhibiting, losing
from evaluator.stages.anchors import Anchors
from evaluator.stages.held_to import UNKNOWN
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from evaluator.comparison.departures import Departure
    from evaluator.comparison.loosened import Acceptance
    from evaluator.comparison.pairing import Pairing
    from evaluator.comparison.sheet import CaseValues
    from evaluator.model.accepted import Accepted
    from evaluator.model.comparison import ConfigurationChange, CriticalOutcome, Judging, Loosened
    from evaluator.model.config import Config, Rule
    from evaluator.model.run import History
    from evaluator.stages.anchors import Anchor
    from evaluator.stages.held import Run
    from evaluator.stages.held_to import Standing
    from evaluator.stages.noisy_half import NoisyHalf
    from evaluator.stages.tally import Tally


def partial(run: Run) -> str | None:
    """What a run left out on purpose; None for a whole one."""
    cases = run.head.fingerprint.get("cases", "all")
    return None if cases == "all" else cases


@dataclass(frozen=True, eq=False, repr=False)
class Examining:
    """Both exams over one tally.

    ``theirs`` is None without a baseline; ``noisy`` is what is known of noise, ``names`` the candidate's own metrics.
    """

    seen: Tally
    mine: Config
    theirs: Config | None
    accepted: Accepted
    noisy: NoisyHalf
    names: tuple[str, ...] = ()
    standing: Standing = UNKNOWN

    @cached_property
    def pairs(self) -> Pairing:
        """Who was compared with whom."""
        return pairing.pair(self.seen.asked, self.seen.asked_before)

    @cached_property
    def new(self) -> Exam:
        """The exam by the candidate's rules and labels."""
        exam = self._exam(self.mine, self.seen.new, self.seen.new_critical, self._anchor_in_use, old=False)
        return self.standing.marked(loosened.accept_rows(exam, self._acceptance), old=False)

    @cached_property
    def old(self) -> Exam | None:
        """The exam by the baseline's rules and labels; None without a baseline."""
        if self.theirs is None:
            return None
        anchor = self._anchors.over(self._dropping(self.theirs), self.seen.old)
        exam = self._exam(self.theirs, self.seen.old, self.seen.old_critical, anchor, old=True)
        return self.standing.marked(exam, old=True)

    @cached_property
    def loosened(self) -> tuple[Loosened, ...]:
        """What made the exam easier."""
        return loosened.find(self.new, self.old, self._departures(), self._acceptance)

    def warnings(self) -> Iterator[str]:
        """Sentences about entries of accepted.yml that nothing needs, and about groups that are compared in part."""
        pairs = self.pairs
        left = {*pairs.removed, *pairs.changed, *pairs.holdout_removed}
        touched = {*left, *self.seen.relabelled, *self.seen.flags, *self._taken_over}
        yield from loosened.unmatched(self.loosened, self.new, touched, self.accepted)
        if self.seen.regrouped:
            yield self._regrouped()

    def _regrouped(self) -> str:
        found = self.seen.regrouped
        lost = counted(sum(each.lost for each in found.values()), "paraphrase")
        where = f"in {counted(len(found), 'group')}, first '{visible(next(iter(found)))}'"
        is_part = any(each.lost < each.total for each in found.values())
        rest = "; what is left of each group is compared" if is_part else ""
        return f"{lost} {where} not asked as in the baseline{rest}"

    @cached_property
    def _acceptance(self) -> Acceptance:
        lower = [
            name for name in self._names if not self.seen.ruler.declared[MetricId.parse(name).name].higher_is_better
        ]
        return loosened.Acceptance(self.accepted, frozenset(lower))

    @property
    def _names(self) -> list[str]:
        return [str(metric) for metric in self.seen.ruler.metrics]

    def _departures(self) -> Iterator[Departure]:
        changed_critical = [case for case in self._changed if case in self.seen.critical_before]
        yield from departures.undecidable(
            other_list=self.theirs is not None and self.theirs.accepted not in (None, self.mine.accepted),
            no_fixture=self._had_chunks(self.seen.baseline) and not self._had_chunks(self.seen.candidate),
            no_judge=self.theirs is not None and self.theirs.judge is not None and self.mine.judge is None,
            renamed=self.standing.renamed(self.mine.suite), moved=self.standing.moved(self.mine.baseline.branch),
        )  # fmt: skip
        yield from departures.departures(
            removed=self.pairs.removed, changed_critical=changed_critical, flags=self.seen.flags,
            taken_over=self._taken_over,
            holdout=sum(case not in self.seen.accepted for case in self.pairs.holdout_removed),
        )  # fmt: skip

    @cached_property
    def _taken_over(self) -> Collection[str]:
        if self.seen.half is None:
            return ()
        languages = {line.id: line.language for line in self.seen.new}
        return self.seen.half.taken_over(self.seen.old_critical, languages)

    @property
    def _changed(self) -> Iterable[str]:
        """Cases that ask something else, then those that a judge cannot compare."""
        return dict.fromkeys([*self.pairs.changed, *self.seen.judged_changed])

    @staticmethod
    def _had_chunks(run: Run | None) -> bool:
        return run is not None and run.head.fingerprint.get("chunks") is not None

    def _rules(self, config: Config) -> Sequence[Rule]:
        ids = configuration.resolve_metrics(config, self.seen.ruler.declared, tier=self.seen.candidate.head.tier)
        return configuration.effective_rules(config, ids, answers_exist=self.seen.answers_exist)

    def _exam(
        self, config: Config, lines: Sequence[CaseValues], critical: Sequence[CriticalOutcome], anchor: Anchor, *,
        old: bool,
    ) -> Exam:  # fmt: skip
        written = self._rules(config)
        expanded = [part for part in rules.expand(written) if self._is_measured(part.rule)]
        own = [part.rule for part in expanded]
        failed, holdout = self.seen.failed[False], self.seen.failed[True]
        pairs = self.pairs
        named = sum(case in self.seen.accepted for case in (*pairs.removed, *pairs.changed))
        return Exam(
            gate=config.gate, written=config.gate.rules is not None, rules=tuple(own),
            origins=tuple(part.origin for part in expanded),
            rows=tuple(rows.gated_rows(self._sheet(lines, anchor, old=old), own, config.gate.min_cases)),
            critical=tuple(critical), failures=sum(failed), cases=len(failed), all_failed=all([*failed, *holdout]),
            unasked=self.seen.unasked, lost=self._untimed(),
            pairable=pairs.pairable - named, paired=len(pairs.paired), has_baseline=self.seen.baseline is not None,
            baseline_required=config.baseline.required, partial=partial(self.seen.candidate),
            judging=self._judging(old=old),
            unmeasured=tuple(rule for rule in written if not self._is_measured(rule)),
            noise=self.noisy.digest(old=old),
        )  # fmt: skip

    def _untimed(self) -> str | None:
        if not self.seen.untimed:
            return None
        return f"the baseline had no time for {counted(self.seen.untimed, 'case')}: give collect more, and run it again"

    def _is_measured(self, rule: Rule) -> bool:
        """Whether the candidate's tier measures what a rule reads."""
        declared = self.seen.ruler.declared[MetricId.parse(rule.metric).name]
        return self.seen.half is not None or declared.reads != "judge"

    def _judging(self, *, old: bool) -> Judging | None:
        if self.seen.half is None:
            return None
        changed = self.seen.judged_changed
        accepted = sum(case in self.seen.accepted for case in changed)
        paired = len(self.pairs.paired)
        found = self.seen.half.of_exam(
            self.seen.ruler, old=old, pairable=paired - accepted, paired=paired - len(changed)
        )  # fmt: skip
        # What a smaller sample leaves out is missing under the baseline's terms, and accepted there.
        undrawn = 0 if self.seen.half.samples_less else self.seen.undrawn
        return found.but(judged=self.seen.judged, undrawn=undrawn)

    def _sheet(self, lines: Sequence[CaseValues], anchor: Anchor, *, old: bool = False) -> Sheet:
        ruler, half = self.seen.ruler, self.seen.half
        return Sheet(
            ruler.metrics, ruler.declared, lines, has_baseline=self.seen.baseline is not None, anchor=anchor,
            shallow=self._shallow(), judged=half.of_sheet(ruler, old=old) if half is not None else None,
            noise=self.noisy.of_sheet(ruler.judged_names, old=old),
        )  # fmt: skip

    def _shallow(self) -> Mapping[str, int]:
        """Metrics that look deeper than the rankings of both runs were asked to reach, with that depth."""
        if self.theirs is None:
            return {}
        declared = self.seen.ruler.declared
        depth = min(
            configuration.depth(config, configuration.resolve_metrics(config, declared))
            for config in (self.mine, self.theirs)
        )
        return {str(metric): depth for metric in self.seen.ruler.metrics if (metric.k or 0) > depth}

    def _dropping(self, config: Config) -> list[str]:
        """Metrics with a drop rule, which have an anchor."""
        dropping = [rule for rule in self._rules(config) if rule.max_drop is not None and self._is_measured(rule)]
        return list(dict.fromkeys(rule.metric for rule in dropping))

    @cached_property
    def _anchors(self) -> Anchors:
        return Anchors(self.seen)

    @cached_property
    def _anchor_in_use(self) -> Anchor:
        return self._anchors.in_use(self._dropping(self.mine))

    @property
    def history(self) -> History:
        """The baseline's anchor, filled with its own values where it has none; relabelled cases start anew."""
        return self._anchors.history(self._anchor_in_use)

    def state(self, metrics: Sequence[str]) -> ExamFile:
        """What the gate decides from, and the report shows besides; ``metrics`` are the candidate's own."""
        columns = {
            metric: self.seen.ruler.metrics.index(MetricId.parse(metric))
            for metric in self._dropping(self.mine)
            if metric not in self._anchors.carried
        }
        values = {
            metric: {
                line.id: value
                for line in self.seen.new
                if (known := line.after if line.whole is None else line.whole) is not None
                and (value := known[column]) is not None
            }
            for metric, column in columns.items()
        }
        categories = {line.id: line.category for line in self.seen.new if line.after is not None}
        sheet = self._sheet(self.seen.new, self._anchor_in_use)
        return ExamFile(
            exam=self.new, history=self.history, values=values, categories=categories,
            spreads=tuple(spreads.spreads(sheet, metrics)),
            uncommitted=self.seen.baseline is not None and self.seen.baseline.head.timing.get("uncommitted") is True,
            claims=tuple(self.seen.unsupported), doubts=self._doubts(sheet),
            noise=noisy.noisy(sheet, list(values), self.new.rows),
            regressed=tuple(self.seen.regressed),
            exhibits=exhibiting.exhibits(self.seen, self.new, self.old, metrics),
        )  # fmt: skip

    def _doubts(self, sheet: Sheet) -> tuple[str, ...]:
        limiting = [rule for rule in self.new.rules if noisy.limits_a_mean(rule)]
        needed = noisy.fewest(sheet, limiting, self.mine.gate.min_cases)
        judge = self.seen.half.sayings() if self.seen.half is not None else ()
        return (*judge, *self.noisy.sayings(sheet, needed, self.seen.ruler.judged_names))

    def comparison(self, metrics: Sequence[str], source: str) -> Comparison:
        """comparison.json."""
        sheet = self._sheet(self.seen.new, self._anchor_in_use)
        ungated = rows.ungated_rows(
            sheet, exhibiting.shown(self.seen, metrics), self.new.rows, self.mine.gate.min_cases
        )
        lost = losing.critical_changes(self.seen.new_critical)
        return Comparison(
            baseline=self._baseline(source), paired=len(self.pairs.paired),
            new=self.pairs.new if self.theirs is not None else (), removed=self.pairs.removed,
            changed=tuple(self._changed), judged_changed=tuple(self.seen.judged_changed),
            configuration=self._configuration(), loosened=self.loosened,
            rows=(*listing.one_each(self.new.rows), *ungated), cases=(*self.seen.changes.found, *lost),
        )  # fmt: skip

    def _baseline(self, source: str) -> BaselineInfo | None:
        if self.seen.baseline is None:
            return None
        head = self.seen.baseline.head
        return BaselineInfo(
            commit=head.commit, created_at=head.timing.get("started_at"), source=source, suite=head.suite
        )  # fmt: skip

    def _configuration(self) -> tuple[ConfigurationChange, ...]:
        if self.seen.baseline is None or self.theirs is None:
            return ()
        before, after = map(configurations.of_head, (self.seen.baseline.head, self.seen.candidate.head))
        return configurations.changes(
            self.theirs.model_dump(mode="json"),
            self.mine.model_dump(mode="json"),
            before,
            after,
        )
