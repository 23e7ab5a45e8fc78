"""Faithfulness: whether the context supports what the answer claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._judged import claims_of, judged
from evaluator.model.score import Metric

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def value(view: CaseView) -> float:
    """Supported claims over claims; one whose support is unclear is not supported."""
    claims = claims_of(view)
    return sum(claim.verdict == "supported" for claim in claims) / len(claims)


METRIC = Metric(
    name="faithfulness",
    title="share of the answer's claims that the context supports",
    formula="supported claims / claims; an unclear one is not supported; n/a where nothing is claimed or the "
    "pipeline abstained",
    source="FActScore (Min et al. 2023) over the context the model got, as faithfulness of Ragas (Es et al. 2024)",
    score=judged(value),
    reads="judge",
    counts="other",
    cutoff="none",
    asks=("claims",),
)
