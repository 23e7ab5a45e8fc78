"""Rows that have too few cases for a test of their own, seen together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evaluator.comparison import numbers, sheet
from evaluator.comparison.sheet import EPSILON
from evaluator.model.counting import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from evaluator.comparison.sheet import Sheet
    from evaluator.model.comparison import GatedRow
    from evaluator.model.config import Rule


def with_doubts(
    values: Sheet, rules: Sequence[Rule], found: Sequence[GatedRow], needed: Mapping[str, int]
) -> list[GatedRow]:
    """The rows of an exam, those marked that fell together by more than chance makes while none of them can show it.

    ``needed`` is how many cases a row needs, by metric. Where no row of a metric has so many, no rule protects it. What
    all such metrics lost, added up case by case, is tested once, with the part of alpha that their own rows have no use
    for.
    """
    tested = [entry for entry in found if entry.is_noisy and entry.row.noise is None]
    heard = {entry.row.metric for entry in tested if entry.row.n >= needed[entry.row.metric]}
    silent = [entry for entry in tested if entry.row.metric not in heard]
    fallen = [entry for entry in silent if _is_too_far(values, rules[entry.rule], entry)]
    if not fallen:
        return list(found)
    p = _p_value(values, {entry.row.metric for entry in silent})
    share = len(silent) / sum(entry.is_noisy for entry in found)
    if p > share * values.level:
        return list(found)
    return [_doubted(entry, p) if entry in fallen else entry for entry in found]


def _is_too_far(values: Sheet, rule: Rule, entry: GatedRow) -> bool:
    row = entry.row
    fall = -values.better(row.metric) * (row.delta or 0.0)
    return (
        row.status == "too few cases"
        and entry.worse >= (rule.min_lost or 1)
        and fall - (row.tolerance or 0.0) > EPSILON
    )


def _p_value(values: Sheet, metrics: Collection[str]) -> float:
    from evaluator.comparison import statistics  # noqa: PLC0415 - only what is noisy needs numpy

    fallen: dict[str, list[float]] = {}
    for metric in metrics:
        better = values.better(metric)
        for pair in sheet.pairs(values.cases, values.column[metric]):
            fallen.setdefault(pair.case.id, []).append(better * (pair.before - pair.after))
    return statistics.sign_flip([math.fsum(each) for each in fallen.values()])


def _doubted(entry: GatedRow, p: float) -> GatedRow:
    row = entry.row
    shown, limit = numbers.apart(abs(row.delta or 0.0), row.tolerance or 0.0)
    fall = f"worse by {shown}, {limit} is allowed; {counted(entry.worse, 'case')} lost"
    reason = f"{row.reason}; {fall}; p = {p:.2g} together with all such rows: run `rag-assay noise` or add cases"
    return entry.but(row=row.but(reason=reason), is_doubted=True)
