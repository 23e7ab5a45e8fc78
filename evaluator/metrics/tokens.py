"""Tokens: how many the pipeline's models read and wrote, as it reports them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._ranking import NOTHING_RETRIEVED
from evaluator.metrics._usage import is_reported, reported
from evaluator.model.score import Metric, NotApplicable, Score, Scored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView

NAMES = (("input_tokens", "output_tokens"), ("prompt_tokens", "completion_tokens"))


def score(view: CaseView, _k: int | None) -> Score:
    """The total of ``usage``, else what went in plus what came out, under either pair of common names."""
    if not view.ranking:
        return NOTHING_RETRIEVED
    parts = next((pair for pair in NAMES if all(is_reported(view, name) for name in pair)), ("total_tokens",))
    names = ("total_tokens",) if is_reported(view, "total_tokens") else parts
    amounts = [reported(view, name) for name in names]
    problem = next((amount for amount in amounts if isinstance(amount, NotApplicable)), None)
    return problem or Scored(sum(amount for amount in amounts if not isinstance(amount, NotApplicable)))


METRIC = Metric(
    name="tokens",
    title="tokens the pipeline's models read and wrote",
    formula="usage.total_tokens, else usage.input_tokens + usage.output_tokens (or prompt_tokens + completion_tokens)",
    source="the pipeline's own report",
    score=score,
    reads="usage",
    counts="other",
    cutoff="none",
    higher_is_better=False,
    bounded=False,
)
