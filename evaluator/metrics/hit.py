"""Hit: whether anything that is needed was retrieved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._ranking import NO_NEEDS, satisfied
from evaluator.model.score import Metric, Score, Scored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, k: int | None) -> Score:
    """1 if the top k satisfy any need, else 0."""
    return Scored(float(satisfied(view.gains, k) > 0)) if view.needs else NO_NEEDS


METRIC = Metric(
    name="hit",
    title="whether the ranking satisfies any need",
    formula="1 if any need is satisfied in the top k, else 0",
    source="trec_eval success_k",
    score=score,
    reads="ranking",
    counts="needs",
)
