"""Recall: how much of what is needed was retrieved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._ranking import NO_NEEDS, satisfied
from evaluator.model.score import Metric, Score, Scored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, k: int | None) -> Score:
    """Share of the needs that the top k satisfy."""
    return Scored(satisfied(view.gains, k) / len(view.needs)) if view.needs else NO_NEEDS


METRIC = Metric(
    name="recall",
    title="share of the needs that the ranking satisfies",
    formula="needs satisfied in the top k / needs",
    source="trec_eval recall_k; with needs of several chunks or alternatives our own extension",
    score=score,
    reads="ranking",
    counts="needs",
)
