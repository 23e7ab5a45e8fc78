"""Citation recall by labels: whether the answer cites what is relevant of what the model got."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._answers import NO_ANSWER, of_failed
from evaluator.metrics._citations import find_citations, relevant_chunks
from evaluator.metrics._ranking import NO_NEEDS
from evaluator.model.score import Metric, NotApplicable, Score, Scored, Unscored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, _k: int | None) -> Score:
    """Share of the needs that the context satisfies of which any chunk is cited; 0 where nothing is."""
    if not view.needs:
        return NO_NEEDS
    if view.failed:
        return of_failed(view)
    if view.answer is None:
        return NO_ANSWER
    held = [view.needs[index] for newly in view.context_gains.newly for index in newly]
    if not held:
        return NotApplicable("no need in the context")
    try:
        cited = {found.name for found in find_citations(view) if found.known}
    except TimeoutError:
        return Unscored("citations.pattern took too long")
    return Scored(sum(not cited.isdisjoint(relevant_chunks([need])) for need in held) / len(held))


METRIC = Metric(
    name="citation_recall_labels",
    title="share of the needs in the context that the answer cites",
    formula="needs with a cited chunk / needs in the context",
    source="our own, by labels; after citation recall of ALCE (Gao et al. 2023), which a model judges",
    score=score,
    reads="answer",
    counts="needs",
    cutoff="none",
)
