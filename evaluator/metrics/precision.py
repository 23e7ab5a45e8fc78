"""Precision: how much of what was retrieved is relevant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._ranking import NO_NEEDS, within
from evaluator.model.score import Metric, Score, Scored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, k: int | None) -> Score:
    """Relevant results in the top k over k, however few were retrieved; without k over all results."""
    if not view.needs:
        return NO_NEEDS
    places = view.gains.length if k is None else k
    return Scored(within(view.gains.relevant, k) / places if places else 0.0)


METRIC = Metric(
    name="precision",
    title="share of the top k that is relevant",
    formula="relevant in the top k / k; without a cut-off: relevant / retrieved, 0 if nothing was retrieved",
    source="trec_eval P_k; without a cut-off set_P",
    score=score,
    reads="ranking",
    counts="chunks",
    precision_like=True,
)
