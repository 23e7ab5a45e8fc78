"""Noise sensitivity to relevant chunks: whether the answer takes the wrong words from where the right ones stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._judged import judged
from evaluator.metrics._noise import labelled, wrong_claims
from evaluator.model.score import Metric

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def value(view: CaseView) -> float:
    """Such claims over all; a claim that a relevant chunk supports too is counted here and not as one of irrelevant."""
    relevant = labelled(view)
    wrong = wrong_claims(view)
    return sum(not relevant.isdisjoint(chunks) for chunks in wrong.chunks) / wrong.of


METRIC = Metric(
    name="noise_sensitivity_relevant",
    title="share of the answer's claims that are wrong and come from a relevant chunk",
    formula="claims that contradict the reference and that a relevant chunk supports / claims",
    source="after noise sensitivity of RAGChecker (Ru et al. 2024), counting contradictions only",
    score=judged(value),
    reads="judge",
    counts="other",
    cutoff="none",
    higher_is_better=False,
    asks=("claims", "statements"),
    labels=("reference",),
)
