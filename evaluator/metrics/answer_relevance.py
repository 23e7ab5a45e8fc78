"""Answer relevance: whether the answer addresses the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._judged import judged, lacking, of_expected
from evaluator.model.score import Metric

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def value(view: CaseView) -> float:
    """1 if the judge says so, whether it is true or not; an abstention where an answer was expected does not."""
    judgement = of_expected(view)
    if judgement.relevance is None:
        raise lacking(judgement, "answer")
    return float(judgement.relevance.value)


METRIC = Metric(
    name="answer_relevance",
    title="whether the answer addresses the question",
    formula="1 if the answer addresses what was asked, else 0; 0 for an abstention where an answer was expected; n/a "
    "where none was",
    source="answer relevance of ARES (Saad-Falcon et al. 2024), a yes or no with the reason first",
    score=judged(value),
    reads="judge",
    counts="other",
    cutoff="none",
)
