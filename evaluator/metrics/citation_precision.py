"""Citation precision: whether what the answer cites supports what it says there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._cited import cited_claims
from evaluator.metrics._judged import Settled, judged
from evaluator.model.score import Metric, NotApplicable

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def value(view: CaseView) -> float:
    """Citations whose chunk supports a claim of the sentence they stand with, over citations."""
    found = cited_claims(view)
    if not found.citations:
        raise Settled(NotApplicable("the answer cites nothing"))
    return sum(found.supports(citation) for citation in found.citations) / len(found.citations)


METRIC = Metric(
    name="citation_precision",
    title="share of the citations that support what they stand with",
    formula="citations whose chunk supports a claim of the sentence they stand with / citations, each once a sentence",
    source="citation precision of ALCE (Gao et al. 2023), over claims in place of sentences",
    score=judged(value),
    reads="judge",
    counts="chunks",
    cutoff="none",
    asks=("claims",),
)
