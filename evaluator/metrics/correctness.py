"""Correctness: whether the answer says what the reference does and nothing against it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from evaluator.metrics._judged import (
    against_reference,
    claims_listed,
    is_reference,
    judged,
    of_expected,
    require_reference,
    statements_of,
)
from evaluator.model.score import Metric

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def value(view: CaseView) -> float:
    """Balance of what is there of the reference and of what agrees with it; the same text is exactly 1."""
    require_reference(view)
    if is_reference(view):
        return 1.0
    judgement = of_expected(view)
    said = Counter(against_reference(view, claims_listed(view)))
    statements = Counter(each.answer for each in statements_of(judgement))
    right, wrong = said["in_reference"], said["contradicts"]
    if not right + wrong:
        # No claim is about what the reference says, so its statements tell what the answer makes of them.
        right, wrong = statements["present"], statements["contradicted"]
    return _f1(statements["present"], statements.total(), right, right + wrong)


def _f1(present: int, of: int, right: int, said: int) -> float:
    """Harmonic mean of present / of and right / said by one division, so that all of both is exactly 1."""
    return 2 * present * right / (present * said + right * of) if present and right else 0.0


METRIC = Metric(
    name="correctness",
    title="whether the answer says what the reference does and nothing against it",
    formula="F1 of recall (statements of the reference present in the answer / all) and precision (claims in the "
    "reference / claims in or against it); claims beyond the reference do not count; 0 for an abstention where an "
    "answer was expected; n/a where none was; exactly 1 for the text of the reference",
    source="after answer correctness of Ragas and overall F1 of RAGChecker (Ru et al. 2024), which count what the "
    "reference does not say as wrong",
    score=judged(value),
    reads="judge",
    counts="other",
    cutoff="none",
    asks=("claims", "statements"),
    labels=("reference",),
)
