"""Reciprocal rank: how early the first need is satisfied; its mean over the cases is MRR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._ranking import NO_NEEDS
from evaluator.model.score import Metric, Score, Scored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, k: int | None) -> Score:
    """1 over the rank of the first satisfaction; 0 if there is none in the top k."""
    if not view.needs:
        return NO_NEEDS
    ranks = view.gains.ranks
    return Scored(1 / ranks[0] if ranks and (k is None or ranks[0] <= k) else 0.0)


METRIC = Metric(
    name="mrr",
    title="how early the first need is satisfied",
    formula="1 / rank of the first satisfaction in the top k, 0 if there is none",
    source="trec_eval recip_rank, cut at k",
    score=score,
    reads="ranking",
    counts="needs",
)
