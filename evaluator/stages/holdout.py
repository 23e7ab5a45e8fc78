"""Means over the held-out cases of two runs. Nothing but sums leaves this module: no case of them is ever told."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evaluator.model.exhibits import HoldoutRow

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from evaluator.stages.measuring import Measured, Ruler


@dataclass
class Holdout:
    """Values by metric, of the cases that both runs hold out and were asked alike."""

    cases: int = 0
    values: dict[int, list[tuple[float, float]]] = field(default_factory=dict)

    def take(self, before: Measured, after: Measured, left_out: Collection[int]) -> None:
        """Add a case; ``left_out`` are places of what a judge said and cannot be compared."""
        self.cases += 1
        for place, (then, now) in enumerate(zip(before.values, after.values, strict=True)):
            if then is not None and now is not None and place not in left_out:
                self.values.setdefault(place, []).append((then, now))

    def rows(self, ruler: Ruler, names: Sequence[str]) -> Iterator[HoldoutRow]:
        """A mean per metric that a run configured; the clock's differ between two runs that are otherwise the same."""
        for place, metric in enumerate(ruler.metrics):
            declared, pairs = ruler.declared[metric.name], self.values.get(place)
            if pairs and str(metric) in names and declared.reads != "clock" and not declared.compares:
                before, after = (math.fsum(side) / len(pairs) for side in zip(*pairs, strict=True))
                yield HoldoutRow(metric=str(metric), n=len(pairs), baseline=before, candidate=after)
