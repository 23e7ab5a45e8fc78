"""Citation recall: whether what the answer claims is cited from where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._cited import cited_claims
from evaluator.metrics._judged import judged
from evaluator.model.score import Metric

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def value(view: CaseView) -> float:
    """Claims that a chunk supports which is cited with their sentence, over claims."""
    found = cited_claims(view)
    return sum(map(found.is_cited, found.claims)) / len(found.claims)


METRIC = Metric(
    name="citation_recall",
    title="share of the answer's claims that a citation supports",
    formula="claims with a citation that supports them / claims",
    source="citation recall of ALCE (Gao et al. 2023), over claims in place of sentences",
    score=judged(value),
    reads="judge",
    counts="other",
    cutoff="none",
    asks=("claims",),
)
