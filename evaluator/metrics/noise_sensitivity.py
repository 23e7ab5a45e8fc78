"""Noise sensitivity: whether the answer repeats what is wrong in its context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._judged import judged
from evaluator.metrics._noise import wrong_claims
from evaluator.model.score import Metric

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def value(view: CaseView) -> float:
    """Claims that say something else than the reference and have it from the context, over claims."""
    wrong = wrong_claims(view)
    return len(wrong.chunks) / wrong.of


METRIC = Metric(
    name="noise_sensitivity",
    title="share of the answer's claims that are wrong and come from the context",
    formula="claims that contradict the reference and that a chunk supports / claims",
    source="after noise sensitivity of RAGChecker (Ru et al. 2024), counting contradictions only",
    score=judged(value),
    reads="judge",
    counts="other",
    cutoff="none",
    higher_is_better=False,
    asks=("claims", "statements"),
    labels=("reference",),
)
