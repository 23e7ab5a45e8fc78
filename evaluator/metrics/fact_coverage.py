"""Fact coverage: whether the required facts stand in what was retrieved, whatever its ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics.facts import facts_in
from evaluator.model.score import Metric, NotApplicable, Score, Scored, Unscored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, k: int | None) -> Score:
    """Share of the required facts found in the text of the top k (without k: of the context)."""
    if not view.labels.facts:
        return NotApplicable("no facts")
    chunks = view.context if k is None else view.ranking[:k]
    if chunks and all(passage.text is None for _, passage in view.described(chunks)):
        return NotApplicable("no chunk text")
    found = facts_in(view, chunks)
    problem = next((fact.problem for fact in found if fact.problem), None)
    return Unscored(problem) if problem else Scored(sum(fact.found for fact in found) / len(found))


METRIC = Metric(
    name="fact_coverage",
    title="share of the required facts that the retrieved text states",
    formula="required facts found in the text of the top k / facts; without a cut-off in the context",
    source="our own; the matching is described in evaluator/metrics/facts.py",
    score=score,
    reads="context",
    counts="facts",
)
