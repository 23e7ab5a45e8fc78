"""Context relevance: how much of what the model got is relevant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._ranking import NO_NEEDS
from evaluator.model.score import Metric, Score, Scored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, _k: int | None) -> Score:
    """Relevant results in the context over all in it; a repeated one is irrelevant. 0 for an empty context."""
    if not view.needs:
        return NO_NEEDS
    found = view.context_gains
    return Scored(len(found.relevant) / found.length if found.length else 0.0)


METRIC = Metric(
    name="context_relevance",
    title="share of the context that is relevant",
    formula="relevant in the context / results in the context",
    source="trec_eval set_P, over the context",
    score=score,
    reads="context",
    counts="chunks",
    cutoff="none",
    precision_like=True,
)
