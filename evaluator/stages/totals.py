"""Means over cases: all that are not held out, each category, and those held out apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluator.comparison.numbers import percentile
from evaluator.metrics.scoring import summarise
from evaluator.model.run import RunSummary, SummaryValue
from evaluator.model.score import Scored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluator.model.golden import Case
    from evaluator.model.run import RunCase
    from evaluator.model.score import Metric, MetricId, Score


class Totals:
    """Collects scores case by case. What reads the clock goes to ``timing`` and nowhere else."""

    def __init__(self, metrics: Sequence[MetricId], declared: Mapping[str, Metric]) -> None:
        self._metrics = metrics
        self._clock = [metric for metric in metrics if declared[metric.name].reads == "clock"]
        self._all = _Group(metrics)
        self._holdout = _Group(metrics)
        self._categories: dict[str, _Group] = {}
        self._readings: dict[str, dict[str, float]] = {str(metric): {} for metric in self._clock}

    def add(self, case: Case | RunCase, scores: Mapping[MetricId, Score]) -> None:
        """Take the scores of one case."""
        if case.split == "holdout":
            self._holdout.add(scores)
        else:
            self._all.add(scores)
            self._categories.setdefault(case.category, _Group(self._metrics)).add(scores)
        for metric in self._clock:
            score = scores[metric]
            if isinstance(score, Scored):
                self._readings[str(metric)][case.id] = score.value

    def summary(self) -> RunSummary:
        """Every mean of what does not read the clock."""
        return RunSummary(
            all=self._all.means(self._clock),
            categories={name: self._categories[name].means(self._clock) for name in sorted(self._categories)},
            holdout=self._holdout.means(self._clock) if self._holdout.count else {},
        )

    def timing(self) -> dict[str, Any]:
        """The clock's readings: of every case, and mean and percentiles over the cases that are not held out."""
        summaries = {str(metric): _spread(self._all.scores[metric]) for metric in self._clock}
        return {"scores": self._readings, "summary": summaries}


class _Group:
    """The scores of some cases."""

    def __init__(self, metrics: Sequence[MetricId]) -> None:
        self.count = 0
        self.scores: dict[MetricId, list[Score]] = {metric: [] for metric in metrics}

    def add(self, scores: Mapping[MetricId, Score]) -> None:
        self.count += 1
        for metric, found in self.scores.items():
            found.append(scores[metric])

    def means(self, clock: Sequence[MetricId]) -> dict[str, SummaryValue]:
        return {
            str(metric): SummaryValue.model_validate(summarise(found if metric not in clock else ())._asdict())
            for metric, found in self.scores.items()
        }


def _spread(scores: Sequence[Score]) -> dict[str, float | None]:
    values = [score.value for score in scores if isinstance(score, Scored)]
    return {**summarise(scores)._asdict(), "p50": percentile(values, 0.5), "p95": percentile(values, 0.95)}
