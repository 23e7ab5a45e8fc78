"""Context recall: whether the context states what the reference does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._judged import has_text, judged, judgement_of, lacking, require_reference
from evaluator.model.score import Metric

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def value(view: CaseView) -> float:
    """Statements of the reference that can be attributed to the context over all; an empty context states none."""
    require_reference(view)
    if view.failed:
        return 0.0
    judgement = judgement_of(view)
    if not has_text(view):
        return 0.0
    found = [each.attributable for each in judgement.statements]
    if not found or None in found:
        raise lacking(judgement, "statements", "context")
    return sum(map(bool, found)) / len(found)


METRIC = Metric(
    name="context_recall",
    title="share of the statements of the reference that the context states",
    formula="statements of the reference attributable to the context / all",
    source="context recall of Ragas",
    score=judged(value),
    reads="judge",
    counts="other",
    cutoff="none",
    asks=("statements", "recall"),
    labels=("reference",),
)
