"""Abstention: whether the pipeline answered exactly where it should."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._answers import NO_ANSWER
from evaluator.model.score import Metric, NotApplicable, Score, Scored, Unscored

if TYPE_CHECKING:
    from evaluator.model.judgement import Judgement
    from evaluator.model.view import CaseView, Replied

NOT_DRAWN = NotApplicable("not drawn by judge.sample")


def score(view: CaseView, _k: int | None) -> Score:
    """1 if the pipeline did (answer or abstain) what ``expect`` says. A failed case did neither and scores 0."""
    if view.failed:
        return Scored(0.0)
    abstained = did_abstain(view)
    if not isinstance(abstained, bool):
        return abstained
    return Scored(float(abstained == (view.labels.expect == "abstain")))


def did_abstain(replied: CaseView | Replied) -> bool | NotApplicable | Unscored:
    """Whether the pipeline abstained: an empty answer; else what the judge says; without one, its own report."""
    answer, reported = replied.answer, replied.abstained
    if answer is None:
        return NO_ANSWER if reported is None else reported
    if not answer.strip():
        return True
    if replied.judgement is not None:
        return _by_the_judge(replied.judgement)
    return NotApplicable("needs the judge or `abstained`") if reported is None else reported


def _by_the_judge(judgement: Judgement) -> bool | NotApplicable | Unscored:
    if not judgement.drawn:
        return NOT_DRAWN
    if judgement.sure:
        return True
    if judgement.abstained is None:
        return Unscored(judgement.unscored.get("answer", "the judge was not asked whether it abstained"))
    return judgement.abstained.value


METRIC = Metric(
    name="abstention",
    title="whether the pipeline answered or abstained as it should",
    formula="1 if the behaviour (answered or abstained) is what expect says, else 0; abstained is an empty answer, "
    "else in tier full what the judge says, in tier retrieval what the pipeline reports as `abstained`",
    source="our own",
    score=score,
    reads="answer",
    counts="other",
    cutoff="none",
)
