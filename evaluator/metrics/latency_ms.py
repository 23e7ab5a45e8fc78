"""Latency: how long the pipeline took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._ranking import NOTHING_RETRIEVED
from evaluator.model.score import Metric, NotApplicable, Score, Scored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, _k: int | None) -> Score:
    """Milliseconds from the question to the reply, by the pipeline's own report or else our clock."""
    if view.latency_ms is None:
        return NotApplicable("no latency was measured")
    return Scored(view.latency_ms) if view.ranking else NOTHING_RETRIEVED


METRIC = Metric(
    name="latency_ms",
    title="milliseconds from the question to the reply",
    formula="milliseconds from the question to the reply",
    source="the pipeline's own report, else our clock",
    score=score,
    reads="clock",
    counts="other",
    cutoff="none",
    higher_is_better=False,
    bounded=False,
)
