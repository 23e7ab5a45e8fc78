"""Context relevance without labels: how much of what the model got is of use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._judged import judged, use_of
from evaluator.model.score import Metric

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def value(view: CaseView) -> float:
    """Chunks of use over all of the context; a blank or repeated one is of none."""
    return use_of(view).share


METRIC = Metric(
    name="context_relevance_judged",
    title="share of the context that is of use, without labels",
    formula="chunks of the context that the judge finds of use for the question / chunks of the context",
    source="trec_eval set_P over the context, judged as by Thomas et al. 2024",
    score=judged(value),
    reads="judge",
    counts="chunks",
    cutoff="none",
    asks=("useful",),
)
