"""What the metrics that read the answer share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.model.score import NotApplicable, Score, Scored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView

NO_ANSWER = NotApplicable("the pipeline gave no answer")
NONE_EXPECTED = NotApplicable("the pipeline failed where it was to abstain")


def of_failed(view: CaseView) -> Score:
    """A failed case is without the answer that was expected; where none was, nothing is missing."""
    return Scored(0.0) if view.labels.expect == "answer" else NONE_EXPECTED
