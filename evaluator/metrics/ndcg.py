"""nDCG with the grades themselves as gains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._gain import normalised
from evaluator.model.score import Metric, Score

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, k: int | None) -> Score:
    """Discounted gain over the ideal's, each need worth its grade."""
    return normalised(view, k, [need.grade for need in view.needs])


METRIC = Metric(
    name="ndcg",
    title="how early the needs are satisfied, against the ideal ranking",
    formula="sum over the ranks i of the top k of gain(i) / log2(i + 1), over that of the ideal ranking of all needs; "
    "gain(i) is the sum of the grades of the needs first satisfied at i",
    source="Järvelin and Kekäläinen 2002, discounted as trec_eval ndcg_cut",
    score=score,
    reads="ranking",
    counts="chunks",
)
