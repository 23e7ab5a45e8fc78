"""Puts together what people look at, from all that was seen in two runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.model.exhibits import MAX_CASES
from evaluator.model.score import MetricId
from evaluator.stages import groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluator.model.comparison import Exam
    from evaluator.model.exhibits import Exhibits
    from evaluator.stages.tally import Tally

CONTEXT_TOKENS = MetricId("context_tokens")
"""What other chunking costs, whatever it does to the metrics that count needs and facts."""


def exhibits(seen: Tally, new: Exam, old: Exam | None, metrics: Sequence[str]) -> Exhibits:
    """What people look at; ``metrics`` are the candidate's own."""
    worse = groups.disagreeing(seen, {rule.metric for rule in new.rules})
    return seen.exhibits.exhibits(new, old).but(
        rechunked=rechunked(seen), groups=len(seen.grouped), paraphrases=tuple(worse[:MAX_CASES]),
        held_out=seen.holdout.cases, holdout=tuple(seen.holdout.rows(seen.ruler, metrics)),
    )  # fmt: skip


def shown(seen: Tally, metrics: Sequence[str]) -> list[str]:
    """The metrics that have rows: the candidate's own, and under another chunking what contexts cost."""
    is_recut = CONTEXT_TOKENS in seen.ruler.metrics and rechunked(seen) > 0
    beside = [str(CONTEXT_TOKENS)] if is_recut else []
    return list(dict.fromkeys([*metrics, *beside]))


def rechunked(seen: Tally) -> int:
    """Paired cases whose needs stand in other chunks than in the baseline."""
    return sum(line.rechunked for line in seen.new)
