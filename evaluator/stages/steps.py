"""The steps of an agentic pipeline: what each retrieved, what all did together, and what of it reached the model."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics import scoring
from evaluator.model.record import union
from evaluator.model.run import FoundInStep, Gathered, RunStep
from evaluator.model.score import MetricId, Scored
from evaluator.model.view import gains

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evaluator.model.record import Hit, Step
    from evaluator.model.score import Metric
    from evaluator.model.view import CaseView

TOTALS = (MetricId("recall"), MetricId("hit"), MetricId("fact_coverage"))
"""What is said of all steps together and of the context: both are sets, in which ranks mean nothing."""


class Walk(NamedTuple):
    """The steps of one case.

    Attributes:
        steps: as the pipeline gave them.
        view: of the case, its needs resolved among everything that any step retrieved.
        places: chunk id -> index in its document, where it is known.
        declared: all metrics.
    """

    steps: Sequence[Step]
    view: CaseView
    places: Mapping[str, int]
    declared: Mapping[str, Metric]

    def scored(self, metrics: Iterable[MetricId]) -> tuple[RunStep, ...]:
        """Each step with those of the metrics that read a ranking, over its own."""
        of_rankings = [metric for metric in metrics if _reads_ranking(metric, self.declared[metric.name])]
        return tuple(
            RunStep(
                query=step.query,
                retrieved=tuple(hit.id for hit in step.retrieved),
                scores=self._scores(self._seen(step.retrieved), of_rankings),
            )
            for step in self.steps
        )

    def gathered(self) -> Gathered:
        """Recall, hit and fact coverage of all steps together, and of what reached the model."""
        reached = dataclasses.replace(self.view, ranking=self.view.context, shared={})
        together = self._seen(union(self.steps))
        return Gathered(union=self._scores(together, TOTALS), context=self._scores(reached, TOTALS))

    def found(self) -> dict[int, FoundInStep]:
        """By need, in golden order: the step that completes it and the rank there, counting what came before."""
        together = [hit.id for hit in union(self.steps)]
        satisfied = gains(together, self.view.needs).satisfactions
        first = self._first_places()
        return {need: first[together[rank - 1]] for rank, needs in satisfied for need in needs}

    def _first_places(self) -> dict[str, FoundInStep]:
        places: dict[str, FoundInStep] = {}
        for number, step in enumerate(self.steps, 1):
            for rank, hit in enumerate(step.retrieved, 1):
                if hit.id not in places:
                    places[hit.id] = FoundInStep(step=number, rank=rank)
        return places

    def _seen(self, hits: Sequence[Hit]) -> CaseView:
        """The case as if this were all that was retrieved, and all that the model got."""
        ids = tuple(hit.id for hit in hits)
        passages = scoring.Passages(hits, self.places)
        return dataclasses.replace(self.view, ranking=ids, context=ids, passages=passages, shared={})

    def _scores(self, view: CaseView, metrics: Sequence[MetricId]) -> dict[str, float | None]:
        found = scoring.score_case(view, metrics, self.declared)
        return {str(metric): score.value if isinstance(score, Scored) else None for metric, score in found.items()}


def _reads_ranking(metric: MetricId, declared: Metric) -> bool:
    """Whether a metric reads the ranking of the case alone; those that read the context do with a cut-off."""
    if declared.group:
        return False
    return declared.reads == "ranking" or (declared.reads == "context" and metric.k is not None)
