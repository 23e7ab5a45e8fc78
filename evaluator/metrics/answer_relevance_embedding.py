"""Answer relevance by embeddings: whether the answer would be one to the question."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evaluator.metrics._judged import judged, lacking, of_expected
from evaluator.model.score import Metric

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def value(view: CaseView) -> float:
    """Mean cosine of the generated questions to the one that was asked, from 0: what points away is no more unlike."""
    judgement = of_expected(view)
    if not judgement.similarities:
        raise lacking(judgement, "embedding")
    mean = math.fsum(judgement.similarities) / len(judgement.similarities)
    # A cosine of equal vectors may be rounded to just above 1.
    return max(0.0, min(mean, 1.0))


METRIC = Metric(
    name="answer_relevance_embedding",
    title="how alike the question and those are that the answer would be an answer to",
    formula="mean cosine of questions generated from the answer to the question, 0 if that is negative; 0 for an "
    "abstention where an answer was expected; n/a where none was",
    source="answer relevance of Ragas (Es et al. 2024)",
    score=judged(value),
    reads="judge",
    counts="other",
    cutoff="none",
    asks=("questions",),
)
