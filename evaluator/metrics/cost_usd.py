"""Cost: what the answer cost, as the pipeline reports it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._ranking import NOTHING_RETRIEVED
from evaluator.metrics._usage import reported
from evaluator.model.score import Metric, NotApplicable, Score, Scored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, _k: int | None) -> Score:
    """The pipeline's own ``usage.cost_usd``."""
    if not view.ranking:
        return NOTHING_RETRIEVED
    cost = reported(view, "cost_usd")
    return cost if isinstance(cost, NotApplicable) else Scored(cost)


METRIC = Metric(
    name="cost_usd",
    title="US dollars the pipeline spent",
    formula="usage.cost_usd",
    source="the pipeline's own report",
    score=score,
    reads="usage",
    counts="other",
    cutoff="none",
    higher_is_better=False,
    bounded=False,
)
