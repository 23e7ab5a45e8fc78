"""Which cases changed, metric by metric, between two runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from evaluator.comparison.sheet import EPSILON
from evaluator.model.comparison import CaseChange, Lost
from evaluator.model.score import MetricId

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from evaluator.model.score import Metric
    from evaluator.model.view import CaseView
    from evaluator.stages.measuring import Measured, Ruler


@dataclass(frozen=True, eq=False, repr=False)
class Changes:
    """Collects the cases whose value of a metric changed.

    Clock readings always do and are left out, and so is what compares two runs itself: it has no before.
    """

    ruler: Ruler
    metrics: Sequence[str]
    found: list[CaseChange] = field(default_factory=list)

    @cached_property
    def _columns(self) -> list[tuple[str, int, Metric]]:
        places = {str(metric): place for place, metric in enumerate(self.ruler.metrics)}
        columns = [(name, places[name], self.ruler.declared[MetricId.parse(name).name]) for name in self.metrics]
        return [column for column in columns if column[2].reads != "clock" and not column[2].compares]

    def add(self, case: str, before: Measured, after: Measured, left_out: Collection[int] = ()) -> bool:
        """Note what changed in one paired case, some places left out; whether anything got worse."""
        got_worse = False
        for name, place, metric in self._columns:
            if place in left_out:
                continue
            old, new = before.values[place], after.values[place]
            if _same(old, new):
                continue
            worse = old is not None and new is not None and (new < old) == metric.higher_is_better
            got_worse = got_worse or worse
            lost = tuple(_lost(before, after)) if worse else ()
            self.found.append(CaseChange(id=case, metric=name, before=old, after=new, lost=lost))
        return got_worse


def _same(old: float | None, new: float | None) -> bool:
    return old is new if old is None or new is None else abs(new - old) <= EPSILON


def _lost(before: Measured, after: Measured) -> list[Lost]:
    then, now = _ranks(before.view), _ranks(after.view)
    return [
        Lost(
            need=before.view.labels.relevant[index].to_golden(),
            chunk=before.view.ranking[rank - 1],
            rank_before=rank,
            rank_after=now.get(index),
        )
        for index, rank in sorted(then.items())
        if index not in now or now[index] > rank
    ]


def _ranks(view: CaseView) -> dict[int, int]:
    return {index: rank for rank, found in view.gains.satisfactions for index in found}
