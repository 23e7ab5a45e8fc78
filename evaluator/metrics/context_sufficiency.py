"""Context sufficiency: whether the context suffices to answer the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._judged import has_text, judged, judgement_of, lacking
from evaluator.model.score import Metric

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def value(view: CaseView) -> float:
    """1 if the judge says so, whatever was answered; an empty context never does."""
    if view.failed:
        return 0.0
    judgement = judgement_of(view)
    if not has_text(view):
        return 0.0
    if judgement.sufficiency is None:
        raise lacking(judgement, "context")
    return float(judgement.sufficiency.value)


METRIC = Metric(
    name="context_sufficiency",
    title="whether the context suffices to answer the question",
    formula="1 if the context holds all that a full answer to the question needs, else 0",
    source="sufficient context of Joren et al. 2025",
    score=judged(value),
    reads="judge",
    counts="other",
    cutoff="none",
    asks=("sufficiency",),
)
