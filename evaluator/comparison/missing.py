"""Values that a row misses: what they might have been, and which of them nobody has to miss."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.comparison.sheet import CaseValues, Sheet, Values


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
