"""Which rows decide something, and which fell so that nobody can say anything (docs/decisions/0007)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.comparison.sheet import EPSILON

if TYPE_CHECKING:
    from evaluator.model.comparison import Exam, GatedRow, RuledRow
    from evaluator.model.config import Rule

DECIDED = ("unchanged", "within noise", "improved", "regressed")
"""Statuses of a row in which a rule about a change was decided."""

COLLAPSE = 0.5
"""A fall of a mean beyond this, half of what there is, is not taken for chance.

A judge that moves a mean so far by itself says nothing of any answer, so that its noise cannot be what excuses a fall.
"""


def limits_a_change(rule: Rule) -> bool:
    """Whether a rule says how far a metric may fall or rise."""
    return rule.max_drop is not None or rule.max_rise is not None


def decided(exam: Exam) -> list[GatedRow]:
    """The rows in which rules about a change say something."""
    return [entry for entry in exam.rows if limits_a_change(exam.rules[entry.rule]) and is_decided(exam, entry)]


def is_decided(exam: Exam, entry: RuledRow) -> bool:
    """Whether a rule about a change says something of a row."""
    return entry.row.status in DECIDED and not _could_be_any_fall(exam, entry)


def _could_be_any_fall(exam: Exam, entry: RuledRow) -> bool:
    """Whether a row fell farther than it may, and noise could have made that and any other fall."""
    rule, row = exam.rules[entry.rule], entry.row
    has_fallen = row.status == "within noise" and abs(row.delta or 0.0) - (row.tolerance or 0.0) > EPSILON
    return entry.is_blind and has_fallen and entry.worse >= (rule.min_lost or 1)


def is_lost_in_noise(exam: Exam, entry: RuledRow) -> bool:
    """Whether a row fell so that noise could have made any fall, and no other row can tell.

    Where other rows of the metric are decided they tell, but not of a fall of more than half of all there is.
    """
    if not _could_be_any_fall(exam, entry):
        return False
    told = {other.row.metric for other in decided(exam)}
    return entry.row.metric not in told or abs(entry.row.delta or 0.0) - COLLAPSE > EPSILON
