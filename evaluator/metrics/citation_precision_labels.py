"""Citation precision by labels: whether what the answer cites is relevant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._answers import NO_ANSWER, of_failed
from evaluator.metrics._citations import find_citations, relevant_chunks
from evaluator.metrics._ranking import NO_NEEDS
from evaluator.model.score import Metric, NotApplicable, Score, Scored, Unscored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, _k: int | None) -> Score:
    """Cited and relevant over cited, each once; what names no result of the context is cited and not relevant."""
    if not view.needs:
        return NO_NEEDS
    if view.failed:
        return of_failed(view)
    if view.answer is None:
        return NO_ANSWER
    try:
        cited = {(found.name, found.known) for found in find_citations(view)}
    except TimeoutError:
        return Unscored("citations.pattern took too long")
    if not cited:
        return NotApplicable("the answer cites nothing")
    relevant = relevant_chunks(view.needs)
    return Scored(sum(known and name in relevant for name, known in cited) / len(cited))


METRIC = Metric(
    name="citation_precision_labels",
    title="share of what the answer cites that is relevant",
    formula="cited and relevant / cited, each once; what names no result of the context is cited and not relevant",
    source="our own, by labels; after citation precision of ALCE (Gao et al. 2023), which a model judges",
    score=score,
    reads="answer",
    counts="chunks",
    cutoff="none",
    precision_like=True,
)
