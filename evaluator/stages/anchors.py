"""What drift is measured against in one comparison, and what of it this run only hands on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from evaluator.model.run import History
from evaluator.model.score import MetricId
from evaluator.stages.judged_half import judged_names, was_judged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluator.comparison.sheet import CaseValues
    from evaluator.stages.tally import Tally

Anchor: TypeAlias = dict[str, dict[str, float]]
"""Metric -> case -> value."""


@dataclass(frozen=True, eq=False, repr=False)
class Anchors:
    """The anchors that a baseline brought, as far as they say something of this run."""

    seen: Tally

    @property
    def stored(self) -> History:
        """The baseline's history; an empty one without a baseline."""
        return self.seen.baseline.head.history if self.seen.baseline is not None else History()

    def in_use(self, metrics: Sequence[str]) -> Anchor:
        """What this run's drift is measured against; ``metrics`` have a drop rule.

        Relabelled cases start anew where that says something to a metric.
        """
        found = self.over(metrics, self.seen.new)
        for metric, values in found.items():
            for case in self._relabelled(metric):
                values.pop(case, None)
        return {**{metric: dict(self._of(metric)) for metric in self.stored.anchor}, **found}

    def history(self, in_use: Anchor) -> History:
        """What is handed on to the gate."""
        stored, half = self.stored, self.seen.half
        carried = {metric: stored.anchor[metric] for metric in self.carried}
        judge = half.fingerprint if half is not None else stored.judge
        return stored.but(anchor={**in_use, **carried}, judge=judge)

    def over(self, metrics: Sequence[str], lines: Sequence[CaseValues]) -> Anchor:
        """The anchors of some metrics, filled with the baseline's own values where it has none."""
        if self.seen.baseline is None:
            return {}
        anew = self._incomparable - self.carried
        return {metric: {} if metric in anew else dict(self._filled(metric, lines)) for metric in metrics}

    @cached_property
    def carried(self) -> frozenset[str]:
        """Metrics whose anchor is a judge's word, where this run asked none: it is handed on as it came."""
        declared = self.seen.ruler.declared
        if self.seen.half is not None or not was_judged(self.stored, declared):
            return frozenset()
        return judged_names(self.stored.anchor, declared)

    @cached_property
    def _incomparable(self) -> frozenset[str]:
        """Metrics whose stored anchor is none here: another judge said it, or a judge, where this run asked none."""
        half = self.seen.half
        if half is None:
            # Who abstained is told otherwise without a judge.
            return self.carried
        is_known = half.is_comparable or half.continues_anchor
        return frozenset() if is_known else self.seen.ruler.judged_names

    def _of(self, metric: str) -> Mapping[str, float]:
        return {} if metric in self._incomparable else self.stored.anchor.get(metric, {})

    def _relabelled(self, metric: str) -> frozenset[str]:
        """Cases that are labelled otherwise in a way that says something to a metric."""
        column = self.seen.ruler.metrics.index(MetricId.parse(metric))
        return frozenset(case for case, unmoved in self.seen.relabelled.items() if column not in unmoved)

    def _filled(self, metric: str, lines: Sequence[CaseValues]) -> Iterator[tuple[str, float]]:
        parsed, stored = MetricId.parse(metric), self._of(metric)
        column, is_of_groups = self.seen.ruler.metrics.index(parsed), self.seen.ruler.declared[parsed.name].group
        anew = self._relabelled(metric)
        for line in lines:
            if line.before is None or line.after is None:
                continue
            value = line.before[column]
            # What is left of a group is another group than the one that was noted.
            is_other = is_of_groups and line.paraphrases.lost
            # What the baseline could not score, or asked no judge about, an earlier run may have noted.
            is_noted = not is_other and (value is not None or line.id not in anew)
            found = stored.get(line.id, value) if is_noted else value
            if found is not None:
                yield line.id, found
