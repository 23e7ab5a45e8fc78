"""nDCG with exponential gains: a need of grade g is worth 2^g - 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._gain import normalised
from evaluator.model.score import Metric, Score

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, k: int | None) -> Score:
    """Discounted gain over the ideal's, each need worth 2^grade - 1."""
    return normalised(view, k, [2**need.grade - 1 for need in view.needs])


METRIC = Metric(
    name="ndcg_exp",
    title="how early the needs are satisfied, high grades counting much more",
    formula="as ndcg, with gain(i) the sum of 2^grade - 1 of the needs first satisfied at i",
    source="Burges et al. 2005",
    score=score,
    reads="ranking",
    counts="chunks",
)
