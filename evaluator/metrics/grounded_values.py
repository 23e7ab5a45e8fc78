"""Grounded values: whether the numbers, dates, money and quotations of the answer stand in the context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._answers import NO_ANSWER, of_failed
from evaluator.metrics._citations import marks_in
from evaluator.model.score import Metric, NotApplicable, Score, Scored, Unscored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, _k: int | None) -> Score:
    """Share of the answer's values that any one result of the context states."""
    if view.failed:
        return of_failed(view)
    if view.answer is None:
        return NO_ANSWER
    from evaluator.metrics._values import stated, values_of  # noqa: PLC0415 - only suites that ask for it pay for it

    try:
        values = values_of(view.answer, view.language, marks_in(view))
    except TimeoutError:
        return Unscored("citations.pattern took too long")
    if not values:
        return NotApplicable("the answer states no values")
    texts = [passage.text for _, passage in view.described(view.context)]
    known = [stated(text, view.language) for text in dict.fromkeys(texts) if text is not None]
    if texts and not known:
        return NotApplicable("no chunk text")
    return Scored(sum(any(text.holds(value) for text in known) for value in values) / len(values))


METRIC = Metric(
    name="grounded_values",
    title="share of the numbers, dates, money and quotations of the answer that the context states",
    formula="numbers, dates, times, money, codes and quoted strings of the answer that occur in a result of the "
    "context / all of them, each once",
    source="our own; what a value is and when two are the same is described in docs/metrics.md",
    score=score,
    reads="answer",
    counts="other",
    cutoff="none",
)
