"""Context tokens: about how much the model had to read, whatever its tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._ranking import NOTHING_RETRIEVED
from evaluator.metrics._scripts import count_unspaced
from evaluator.model.score import Metric, NotApplicable, Score, Scored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, _k: int | None) -> Score:
    """Estimated tokens of the context, a chunk that stands in it twice counting twice."""
    if not view.context:
        return NOTHING_RETRIEVED
    texts = [passage.text for _, passage in view.described(view.context)]
    known = [text for text in texts if text is not None]
    return Scored(float(sum(map(estimate, known)))) if len(known) == len(texts) else NotApplicable("no chunk text")


def estimate(text: str) -> int:
    """One token for every character of a script without spaces, one for every four others begun."""
    unspaced = count_unspaced(text)
    return unspaced - (unspaced - len(text)) // 4


METRIC = Metric(
    name="context_tokens",
    title="estimated tokens of the context",
    formula="sum over the context's results of (characters of Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese "
    "+ the other characters / 4, rounded up)",
    source="our own approximation: no tokenizer is asked",
    score=score,
    reads="context",
    counts="other",
    cutoff="none",
    higher_is_better=False,
    bounded=False,
)
