"""Context precision: whether relevant results stand above the others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evaluator.metrics._ranking import NO_NEEDS, gains_read, within
from evaluator.model.score import Metric, Score, Scored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, k: int | None) -> Score:
    """Mean precision over the ranks of the relevant results among the top k (without k: of the context)."""
    if not view.needs:
        return NO_NEEDS
    relevant = gains_read(view, k).relevant
    count = within(relevant, k)
    precisions = [number / rank for number, rank in enumerate(relevant[:count], 1)]
    return Scored(math.fsum(precisions) / count if count else 0.0)


METRIC = Metric(
    name="context_precision",
    title="whether relevant results stand above the others",
    formula="mean of precision@i over the ranks i of the relevant results in the top k; 0 if there are none; "
    "without a cut-off of the context",
    source="Ragas context precision, without its epsilon",
    score=score,
    reads="context",
    counts="chunks",
    precision_like=True,
)
