"""Values that a row misses: what they might have been, and which of them nobody has to miss."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluator.comparison.sheet import CaseValues, Sheet, Values
    from evaluator.model.config import Rule

ABSTENTION = "abstention"


def charged(values: Sheet, rules: Sequence[Rule]) -> Sheet:
    """The same sheet, where a case misses what it does not claim any more because it abstained and should not have.

    Not so where a rule on abstention counts that case as lost, and is at least as well enforced: it is lost once.
    """
    if not any(case.abstained and case.is_answerable for case in values.cases):
        return values
    is_ruled = any(rule.metric == ABSTENTION and rule.max_drop is not None for rule in rules)
    return replace(values, cases=[_charged(values, case, is_ruled=is_ruled) for case in values.cases])


def _charged(values: Sheet, case: CaseValues, *, is_ruled: bool) -> CaseValues:
    if not case.is_answerable:
        return case
    is_counted = is_ruled and _is_known(case, values.column[ABSTENTION])
    lacking = {place for place in case.abstained if not (is_counted and _is_enforced(values, case, place))}
    return case._replace(unscored=case.unscored | lacking)


def _is_known(case: CaseValues, column: int) -> bool:
    return case.before is not None and case.after is not None and None not in (case.before[column], case.after[column])


def _is_enforced(values: Sheet, case: CaseValues, place: int) -> bool:
    metric = str(values.metrics[place])
    return values.doubt(ABSTENTION, [case]) is None or values.doubt(metric, [case]) is not None


def is_left_unanswered(cases: Sequence[CaseValues], column: int) -> bool:
    """Whether every case that had a value has none only because it abstains now, as it should."""
    had = [case for case in cases if case.before is not None and case.before[column] is not None]
    return all(column in case.abstained and not case.is_answerable for case in had)


def at_worst(values: Sheet) -> Sheet:
    """The same sheet, had every bounded value that could not be had been the worst."""
    worst = {place: value for name, place in values.column.items() if (value := values.worst(name)) is not None}
    return replace(values, cases=[_at_worst(case, worst) for case in values.cases])


def _at_worst(case: CaseValues, worst: Mapping[int, float]) -> CaseValues:
    places = case.unscored & worst.keys()
    if not places:
        return case
    after, whole = (_with(found, {place: worst[place] for place in places}) for found in (case.after, case.whole))
    return case._replace(after=after, whole=whole, unscored=case.unscored - places)


def _with(found: Values | None, known: Mapping[int, float]) -> Values | None:
    return None if found is None else tuple(known.get(place, value) for place, value in enumerate(found))
