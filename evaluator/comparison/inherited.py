"""What the base had lost already: shown, and nothing that a change is blamed for unless it makes it worse."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from evaluator.comparison import decided, gate
from evaluator.comparison.rules import PARTS
from evaluator.comparison.sheet import EPSILON

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.model.comparison import CriticalOutcome, Exam, GatedRow

Key: TypeAlias = tuple[str, str, str | None]
"""A part of a rule, and its row."""

REASON = "inherited: the base commit {commit} had lost it already, and this change makes it no worse"


def mark(exam: Exam, base: Exam | None, since: Exam, commit: str) -> Exam:
    """An exam in which nothing fails that the base had failed and that is no worse now.

    ``base`` is the same exam of the base itself, ``since`` that of the change held to the base.
    """
    if base is None:
        return exam
    before, kept = _failing(base), {_row(entry) for entry in since.rows if _is_no_worse(since, entry)}
    lost, nothing_more = _lost(base), {(each.id, each.rule) for each in since.critical if _is_kept(each)}
    reason = REASON.format(commit=commit[:12])
    rows = tuple(
        entry.but(inherited=True, row=entry.row.but(advisory=True, reason=f"{reason}; {entry.row.reason}"))
        if _row(entry) in kept and (found := _parts(exam, entry)) and found <= before
        else entry
        for entry in exam.rows
    )
    critical = tuple(
        each.but(lost=None, unconfirmed=0, missing=False, reason=reason)
        if (each.id, each.rule) in lost & nothing_more and _is_over(exam, each)
        else each
        for each in exam.critical
    )
    return exam.but(rows=rows, critical=critical, inherits=rows != exam.rows or critical != exam.critical)


def _row(entry: GatedRow) -> Key:
    return entry.row.metric, entry.row.scope, entry.row.category


def _failing(exam: Exam) -> set[Key]:
    return {key for entry in exam.rows for key in _parts(exam, entry)}


def _parts(exam: Exam, entry: GatedRow) -> set[Key]:
    """What fails of a row but its floor, which asks nothing of a baseline."""
    return {
        (outcome.rule, outcome.scope, outcome.category)
        for outcome in gate.parts(exam, entry)
        if outcome.outcome == "failed" and outcome.rule.rpartition(" ")[2] not in _FLOORS
    }


_FLOORS = {part for part in PARTS if part.startswith("min")}


def _is_no_worse(exam: Exam, entry: GatedRow) -> bool:
    """Whether a row stands where the base's stands: exactly, or within the noise where chance moves it."""
    row = entry.row
    if row.delta is None or row.status not in decided.DECIDED or row.status == "regressed":
        return False
    worse = row.delta if exam.rules[entry.rule].max_rise is not None else -row.delta
    return worse <= EPSILON or row.interval is not None


def _lost(exam: Exam) -> set[tuple[str, str]]:
    return {(each.id, each.rule) for each in exam.critical if _is_over(exam, each)}


def _is_over(exam: Exam, each: CriticalOutcome) -> bool:
    limit = getattr(exam.gate.critical, each.rule)
    return limit is not None and each.lost is not None and each.lost > limit


def _is_kept(each: CriticalOutcome) -> bool:
    return each.lost == 0 and each.unconfirmed == 0


def names(exam: Exam) -> Iterator[str]:
    """What is inherited, as the start of a sentence."""
    yield from dict.fromkeys(entry.row.metric for entry in exam.rows if entry.inherited)
