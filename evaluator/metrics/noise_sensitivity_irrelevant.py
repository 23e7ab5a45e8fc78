"""Noise sensitivity to irrelevant chunks: whether the answer takes its words from where it should not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._judged import judged
from evaluator.metrics._noise import labelled, wrong_claims
from evaluator.model.score import Metric

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def value(view: CaseView) -> float:
    """Such claims over all; a claim that a relevant chunk supports too is counted there and not as one of these."""
    relevant = labelled(view)
    wrong = wrong_claims(view)
    return sum(relevant.isdisjoint(chunks) for chunks in wrong.chunks) / wrong.of


METRIC = Metric(
    name="noise_sensitivity_irrelevant",
    title="share of the answer's claims that are wrong and come from irrelevant chunks",
    formula="claims that contradict the reference and that chunks support of which none is relevant / claims",
    source="after noise sensitivity of RAGChecker (Ru et al. 2024), counting contradictions only",
    score=judged(value),
    reads="judge",
    counts="other",
    cutoff="none",
    higher_is_better=False,
    asks=("claims", "statements"),
    labels=("reference",),
)
