"""Abstention: whether the pipeline answered exactly where it should."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.model.score import Metric, NotApplicable, Score, Scored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, _k: int | None) -> Score:
    """1 if the pipeline did (answer or abstain) what ``expect`` says. A failed case did neither and scores 0."""
    if view.failed:
        return Scored(0.0)
    abstained = did_abstain(view)
    if isinstance(abstained, NotApplicable):
        return abstained
    return Scored(float(abstained == (view.labels.expect == "abstain")))


def did_abstain(view: CaseView) -> bool | NotApplicable:
    """Whether the pipeline abstained, as far as can be known without a judge: an empty answer, else its own report."""
    if view.answer is not None and not view.answer.strip():
        return True
    if view.abstained is not None:
        return view.abstained
    if view.answer is None:
        return NotApplicable("the pipeline gave no answer")
    return NotApplicable("needs the judge or `abstained`")


METRIC = Metric(
    name="abstention",
    title="whether the pipeline answered or abstained as it should",
    formula="1 if the behaviour (answered or abstained) is what expect says, else 0; abstained is an empty answer, "
    "else what the pipeline reports as `abstained`",
    source="our own",
    score=score,
    reads="answer",
    counts="other",
    cutoff="none",
)
