"""Context utilisation: whether the answer makes use of what it needed and got."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._citations import relevant_chunks
from evaluator.metrics._judged import ABSTAINED, Settled, claims_of, has_text, judged, of_answer
from evaluator.metrics._ranking import NO_NEEDS
from evaluator.metrics.abstention import did_abstain
from evaluator.model.score import Metric, NotApplicable

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def value(view: CaseView) -> float:
    """Share of the needs that the context satisfies of which any chunk supports a claim; none in an abstention."""
    if not view.needs:
        raise Settled(NO_NEEDS)
    of_answer(view)
    held = [view.needs[index] for newly in view.context_gains.newly for index in newly]
    if not held:
        raise Settled(NotApplicable("no need in the context"))
    used = _used(view)
    return sum(not used.isdisjoint(relevant_chunks([need])) for need in held) / len(held)


def _used(view: CaseView) -> set[str]:
    """Chunks that support a claim."""
    has_text(view)
    if did_abstain(view) is True:
        if view.labels.expect == "abstain":
            raise Settled(ABSTAINED)
        return set()
    return {chunk for claim in claims_of(view) if claim.verdict == "supported" for chunk in claim.chunks}


METRIC = Metric(
    name="context_utilisation",
    title="share of the needs in the context that the answer makes use of",
    formula="needs satisfied in the context with a chunk that supports a claim / needs satisfied in the context",
    source="after context utilization of RAGChecker (Ru et al. 2024), over needs in place of claims of the reference",
    score=judged(value),
    reads="judge",
    counts="needs",
    cutoff="none",
    asks=("claims",),
)
