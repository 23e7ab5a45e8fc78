"""A change may not loosen its own exam: what does, and what a person accepted (design section 8)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.comparison import gate, judged, least, whereabouts
from evaluator.comparison.departures import TAKEN_OVER
from evaluator.comparison.sheet import EPSILON
from evaluator.model.comparison import Exam, GatedRow, Loosened
from evaluator.model.counting import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from evaluator.comparison.departures import Departure
    from evaluator.comparison.gate import Verdict
    from evaluator.model.accepted import Accepted
    from evaluator.model.decision import RuleOutcome


FLOOR_SCALE = 10_000
"""A floor to copy has four decimals."""


class Acceptance(NamedTuple):
    """accepted.yml, with the metrics of which less is better: there a floor is the most that is accepted."""

    accepted: Accepted
    lower_is_better: Collection[str] = ()

    def of_case(self, case: str) -> str | None:
        """Why a case may leave or change."""
        return next((item.reason for item in self.accepted.cases if case in item.case), None)

    def of_row(self, metric: str, category: str | None, candidate: float | None) -> str | None:
        """Why a row may: an entry names it, and the candidate's mean, if there is one, reaches its floor."""
        sign = -1 if metric in self.lower_is_better else 1
        for item in self.accepted.rows:
            named = item.metric == metric and item.category == category
            if named and (candidate is None or sign * (candidate - item.floor) >= -EPSILON):
                return item.reason
        return None

    def entry_for(self, found: Loosened) -> dict[str, Any] | None:
        """The entry that would accept something, without reason and date; its floor is what the row reaches."""
        if found.case is not None:
            return {"case": found.case}
        if found.metric is None:
            return None
        category = {} if found.category is None else {"category": found.category}
        return {"metric": found.metric, **category, "floor": self._floor(found)}

    def _floor(self, found: Loosened) -> float:
        """What a row reaches, in four decimals, towards the side on which it still does."""
        upwards = found.metric in self.lower_is_better
        scaled = (found.candidate or 0.0) * FLOOR_SCALE
        return (math.ceil(scaled) if upwards else math.floor(scaled)) / FLOOR_SCALE


def find(new: Exam, old: Exam | None, leaving: Iterable[Departure], acceptance: Acceptance) -> tuple[Loosened, ...]:
    """Everything that loosened the exam, in the order a reader should meet it."""
    found = [*(_under_old_only(new, old) if old else ()), *(_leaving(departure) for departure in leaving)]
    return tuple(entry.but(accepted=_reason(entry, acceptance), entry=acceptance.entry_for(entry)) for entry in found)


def _leaving(departure: Departure) -> Loosened:
    return Loosened.model_validate({"kind": departure.kind, "text": departure.text, "case": departure.case})


def _under_old_only(new: Exam, old: Exam) -> Iterator[Loosened]:
    under_new, under_old = gate.decide(new), gate.decide(old)
    yield from _red_rows(new, old, under_new, under_old)
    red = {(case.id, case.rule) for case in under_new.cases if case.status == "failed"}
    for case in under_old.cases:
        if case.status == "failed" and (case.id, case.rule) not in red:
            where = whereabouts.of_critical(new, old, case.rule.split()[1])
            text = f"{case.rule} fails under the baseline's rules and labels"
            yield Loosened(kind="rule", text=text, case=case.id, where=where)
    yield from _open(new, old)
    yield from _passed_over(new, old, under_new)
    yield from _taken_over(new, old)


def _taken_over(new: Exam, old: Exam) -> Iterator[Loosened]:
    """Rows that a believed judge decided in the baseline, and that another one decides which the change brings."""
    held = {_row_key(entry)[:3] for entry in new.rows if entry.row.status in gate.UNDECIDABLE}
    found = {_row_key(entry)[:3]: entry.row for entry in old.rows if entry.taken_over}
    for key, row in found.items():
        if key not in held and row.status != "too few cases" and row.candidate is not None:
            text = f"{row.metric} {judged.place(row.scope, row.category)} is decided by another judge, and {TAKEN_OVER}"
            yield Loosened(
                kind="undecided", text=text, metric=row.metric, category=row.category, candidate=row.candidate,
                where=whereabouts.of_row(new, old, row.metric, row.scope),
            )  # fmt: skip


def _passed_over(new: Exam, old: Exam, under_new: Verdict) -> Iterator[Loosened]:
    """What a judge that is not enforced says against the run, and only the baseline's terms leave open."""
    red = {_key(outcome) for outcome in under_new.rules if outcome.outcome == "failed"}
    still = {_key(outcome) for outcome in _left_open(new)}
    for outcome in _left_open(old):
        if _key(outcome) in red | still:
            continue
        is_row = outcome.scope != "run"
        metric = outcome.rule.split()[0 if is_row else 1]
        place = judged.place(outcome.scope, outcome.category)
        where = (
            whereabouts.of_row(new, old, metric, outcome.scope) if is_row else whereabouts.of_critical(new, old, metric)
        )
        yield Loosened(
            kind="undecided", text=f"{outcome.rule} {place} is undecided under the baseline's terms: {outcome.reason}",
            metric=metric if is_row else None, category=outcome.category, candidate=outcome.after, where=where,
        )  # fmt: skip
    if judged.decides_nothing_enforced(old) and not judged.decides_nothing_enforced(new):
        metric = next(entry.row.metric for entry in old.rows if entry.unenforced is not None)
        text = "under the baseline's terms no enforced rule about a drop could be decided"
        yield Loosened(kind="undecided", text=text, where=whereabouts.of_row(new, old, metric))


def _left_open(exam: Exam) -> list[RuleOutcome]:
    if exam.judging is None or exam.judging.terms.advisory == "pass":
        return []
    rows = [(entry, outcome) for entry in exam.rows for outcome in gate.parts(exam, entry)]
    found = [outcome for _, outcome in judged.would_have_failed(exam, rows)]
    return [*found, *(outcome for outcome in gate.critical_outcomes(exam) if outcome.outcome == "advisory")]


def _red_rows(new: Exam, old: Exam, under_new: Verdict, under_old: Verdict) -> Iterator[Loosened]:
    red = {_key(outcome) for outcome in under_new.rules if outcome.outcome == "failed"}
    for outcome in under_old.rules:
        if outcome.outcome == "failed" and outcome.scope != "run" and _key(outcome) not in red:
            place, metric = judged.place(outcome.scope, outcome.category), outcome.rule.split()[0]
            yield Loosened(
                kind="rule",
                text=f"{outcome.rule} {place} fails under the baseline's rules and labels: {outcome.reason}",
                metric=metric, category=outcome.category, candidate=outcome.after,
                where=whereabouts.of_row(new, old, metric, outcome.scope),
            )  # fmt: skip


def _open(new: Exam, old: Exam) -> Iterator[Loosened]:
    """What only the baseline's exam leaves undecided, because a rule of it was lowered or dropped."""
    open_rows = {_row_key(entry) for entry in new.rows if gate.leaves_open(new, entry)}
    for entry in old.rows:
        if gate.leaves_open(old, entry) and _row_key(entry) not in open_rows:
            row = entry.row
            place = judged.place(row.scope, row.category)
            yield Loosened(
                kind="undecided", text=f"{row.metric} {place} is {row.status} under the baseline's rules: {row.reason}",
                metric=row.metric, category=row.category, candidate=row.candidate,
                where=whereabouts.of_row(new, old, row.metric, row.scope),
            )  # fmt: skip
    undecided = _undecided(new)
    for metric in _undecided(old):
        if metric not in undecided:
            text = f"the baseline's rule on {metric} could be decided in no row"
            yield Loosened(
                kind="undecided", text=text, metric=metric, where=whereabouts.of_row(new, old, metric)
            )  # fmt: skip
    yield from _not_judged(new, old)
    if gate.too_many_failed(old) and not gate.too_many_failed(new):
        yield Loosened(
            kind="undecided",
            text="the pipeline failed for more cases than the baseline's max_failures allows",
            where=f"gate.max_failures: {old.gate.max_failures:g} → {new.gate.max_failures:g}",
        )


def _undecided(exam: Exam) -> list[str]:
    return [*gate.undecided(exam), *least.undecided_wins(exam, gate.row_outcomes(exam))]


def _not_judged(new: Exam, old: Exam) -> Iterator[Loosened]:
    still = {_row_key(entry)[:3] for entry in gate.with_missing_values(new)}
    for entry in gate.with_missing_values(old):
        if _row_key(entry)[:3] not in still:
            row = entry.row
            missing = f"{counted(entry.unscored, 'value')} that the baseline's rules cannot do without"
            yield Loosened(
                kind="undecided", text=f"{row.metric} {judged.place(row.scope, row.category)} lacks {missing}",
                metric=row.metric, category=row.category, candidate=row.candidate,
                where=whereabouts.of_row(new, old, row.metric, row.scope),
            )  # fmt: skip


def _row_key(entry: GatedRow) -> tuple[str, str, str | None, str]:
    row = entry.row
    return row.metric, row.scope, row.category, row.status


def _key(outcome: RuleOutcome) -> tuple[str, str, str | None]:
    return outcome.rule, outcome.scope, outcome.category


def _reason(entry: Loosened, acceptance: Acceptance) -> str | None:
    if entry.case is not None:
        return acceptance.of_case(entry.case)
    return None if entry.metric is None else acceptance.of_row(entry.metric, entry.category, entry.candidate)


def accept_rows(exam: Exam, acceptance: Acceptance) -> Exam:
    """Mark the rows that leave the outcome open and that accepted.yml names."""
    return exam.but(
        rows=tuple(_accept(entry, acceptance) if gate.leaves_open(exam, entry) else entry for entry in exam.rows)
    )


def _accept(entry: GatedRow, acceptance: Acceptance) -> GatedRow:
    row = entry.row
    return entry.but(accepted=acceptance.of_row(row.metric, row.category, row.candidate))


def unmatched(
    found: Sequence[Loosened],
    exam: Exam,
    named: Collection[str],
    accepted: Accepted,
) -> Iterator[str]:
    """A sentence for each entry of accepted.yml that matches nothing.

    ``named`` are cases that left or changed. No other is named: of a case that is in neither run nobody knows
    whether it was held out.
    """
    rows = {(entry.metric, entry.category) for entry in found if entry.metric is not None}
    rows |= {(entry.row.metric, entry.row.category) for entry in exam.rows if entry.accepted is not None}
    for item in accepted.rows:
        if (item.metric, item.category) not in rows:
            where = f" in {item.category}" if item.category is not None else ""
            yield f"accepted.yml: the entry for {item.metric}{where} matches nothing; remove it"
    for place, entry in zip(accepted.places, accepted.cases, strict=True):
        missing = sum(case not in named for case in entry.case)
        if missing:
            share = f"{missing} of {counted(len(entry.case), 'case')}"
            yield f"accepted.yml: in entry {place}, {share} neither left nor changed; remove what is done"
