"""Rows that have too few cases for a test of their own, seen together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison import noisy, numbers, sheet
from evaluator.comparison.decided import COLLAPSE
from evaluator.comparison.sheet import EPSILON
from evaluator.model.counting import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from evaluator.comparison.sheet import Sheet
    from evaluator.model.comparison import GatedRow, Row
    from evaluator.model.config import Rule


class _Together(NamedTuple):
    """Rows that fell together, and how often chance makes that."""

    rows: Sequence[GatedRow]
    p: float = 1.0


def with_doubts(
    values: Sheet, rules: Sequence[Rule], found: Sequence[GatedRow], needed: Mapping[str, int]
) -> list[GatedRow]:
    """The rows of an exam, those marked that fell farther than chance makes while none of them can show it.

    ``needed`` is how many cases a row needs, by metric. A mean that fell by more than ``COLLAPSE`` is doubted whatever
    other rows of its metric can say.
    """
    fallen = [entry for entry in found if _is_too_far(values, rules[entry.rule], entry)]
    together = _together(values, fallen, found, needed)
    return [
        _doubted(entry, f"p = {together.p:.2g} together with all such rows")
        if entry in together.rows
        else _doubted(entry, f"noise makes no fall of more than {COLLAPSE:g}")
        if entry in fallen and _has_collapsed(values, rules[entry.rule], entry)
        else entry
        for entry in found
    ]


def _together(
    values: Sheet, fallen: Sequence[GatedRow], found: Sequence[GatedRow], needed: Mapping[str, int]
) -> _Together:
    """The rows that fell by more than chance makes, of metrics of which no row has enough cases for a test.

    What all such metrics lost, added up case by case, is tested once, with the part of alpha that their own rows have
    no use for.
    """
    tested = [entry for entry in found if entry.is_noisy and entry.row.noise is None]
    heard = {entry.row.metric for entry in tested if entry.row.n >= needed[entry.row.metric]}
    silent = [entry for entry in tested if entry.row.metric not in heard]
    if not any(entry in fallen for entry in silent):
        return _Together(())
    p = _p_value(values, {entry.row.metric for entry in silent})
    share = len(silent) / sum(entry.is_noisy for entry in found)
    return _Together([entry for entry in silent if entry in fallen] if p <= share * values.level else (), p)


def _fall(values: Sheet, row: Row) -> float:
    return -values.better(row.metric) * (row.delta or 0.0)


def _is_too_far(values: Sheet, rule: Rule, entry: GatedRow) -> bool:
    row = entry.row
    return (
        row.status == "too few cases"
        and row.tolerance is not None
        and entry.worse >= (rule.min_lost or 1)
        and _fall(values, row) - row.tolerance > EPSILON
    )


def _has_collapsed(values: Sheet, rule: Rule, entry: GatedRow) -> bool:
    """Whether a row of a test fell by more than half, one of a small category, too; what was measured has no test."""
    metric = entry.row.metric
    is_tested = values.worst(metric) is not None and noisy.kind(values, metric, rule.at) == "tested"
    return is_tested and _fall(values, entry.row) - COLLAPSE > EPSILON


def _p_value(values: Sheet, metrics: Collection[str]) -> float:
    from evaluator.comparison import statistics  # noqa: PLC0415 - only what is noisy needs numpy

    fallen: dict[str, list[float]] = {}
    for metric in metrics:
        better = values.better(metric)
        for pair in sheet.pairs(values.cases, values.column[metric]):
            fallen.setdefault(pair.case.id, []).append(better * (pair.before - pair.after))
    return statistics.sign_flip([math.fsum(each) for each in fallen.values()])


def _doubted(entry: GatedRow, why: str) -> GatedRow:
    row = entry.row
    shown, limit = numbers.apart(abs(row.delta or 0.0), row.tolerance or 0.0)
    fall = f"worse by {shown}, {limit} is allowed; {counted(entry.worse, 'case')} lost"
    reason = f"{row.reason}; {fall}; {why}: run rag-assay noise or add cases"
    return entry.but(row=row.but(reason=reason), is_doubted=True)
