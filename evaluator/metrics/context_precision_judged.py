"""Context precision without labels: whether chunks of use stand above the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._judged import judged, use_of
from evaluator.model.score import Metric

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def value(view: CaseView) -> float:
    """Mean precision over the ranks of the chunks of use; a blank or repeated one is of none."""
    return use_of(view).precision


METRIC = Metric(
    name="context_precision_judged",
    title="whether chunks of use stand above the others, without labels",
    formula="mean of precision@i over the ranks i of the chunks of the context that the judge finds of use; 0 if "
    "there are none",
    source="Ragas context precision by a model, without its epsilon",
    score=judged(value),
    reads="judge",
    counts="chunks",
    cutoff="none",
    asks=("useful",),
)
