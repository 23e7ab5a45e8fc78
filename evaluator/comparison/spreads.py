"""How amounts without bounds (time, money, tokens) are spread: a mean alone hides the slow and the dear."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.comparison import numbers, sheet
from evaluator.model.exam import Spread, SpreadRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluator.comparison.sheet import Sheet


def spreads(values: Sheet, metrics: Sequence[str]) -> Iterator[SpreadRow]:
    """Mean, 50th and 95th percentile of every such metric: over the paired cases, or over all without a baseline."""
    for metric in metrics:
        if values.declaration(metric).bounded:
            continue
        column = values.column[metric]
        pairs = sheet.pairs(values.cases, column)
        after = [pair.after for pair in pairs] if values.has_baseline else sheet.scored_after(values.cases, column)
        if after:
            yield SpreadRow(
                metric=metric, n=len(after), baseline=_spread([p.before for p in pairs]), candidate=_spread(after)
            )


def _spread(found: Sequence[float]) -> Spread | None:
    mean, p50, p95 = (numbers.aggregate(found, at) for at in ("mean", "p50", "p95"))
    return None if mean is None or p50 is None or p95 is None else Spread(mean=mean, p50=p50, p95=p95)
