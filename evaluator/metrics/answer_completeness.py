"""Answer completeness: whether the answer contains all that it must."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._judged import Settled, facts_of, has_reference, is_reference, judged, of_expected, statements_of
from evaluator.model.score import Metric, NotApplicable

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def value(view: CaseView) -> float:
    """Share of the required facts that the answer contains; without facts, of the statements of the reference."""
    if not view.labels.facts and not has_reference(view.labels):
        raise Settled(NotApplicable("no facts and no reference"))
    if is_reference(view):
        return 1.0
    judgement = of_expected(view)
    if view.labels.facts:
        facts = facts_of(judgement, view.labels)
        return sum(facts.values()) / len(facts)
    statements = statements_of(judgement)
    return sum(each.answer == "present" for each in statements) / len(statements)


METRIC = Metric(
    name="answer_completeness",
    title="share of what an answer must contain that is in it",
    formula="required facts present in the answer / all; without facts, statements of the reference present / all; 0 "
    "for an abstention where an answer was expected; n/a where none was",
    source="nugget recall of TREC question answering (Voorhees 2003), nuggets being facts or statements",
    score=judged(value),
    reads="judge",
    counts="facts",
    cutoff="none",
    asks=("statements",),
    labels=("facts", "reference"),
)
