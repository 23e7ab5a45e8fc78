"""Hit: whether anything that is needed was retrieved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._ranking import NO_NEEDS
from evaluator.model.score import Metric, Score, Scored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, k: int | None) -> Score:
    """1 if the top k satisfy any need, else 0."""
    if not view.needs:
        return NO_NEEDS
    ranks = view.gains.ranks
    return Scored(1.0 if ranks and (k is None or ranks[0] <= k) else 0.0)


METRIC = Metric(
    name="hit",
    title="whether the ranking satisfies any need",
    formula="1 if any need is satisfied in the top k, else 0",
    source="trec_eval success_k",
    score=score,
    reads="ranking",
    counts="needs",
)
