"""Means, percentiles and numbers in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evaluator.comparison.sheet import EPSILON

if TYPE_CHECKING:
    from collections.abc import Sequence


def mean(values: Sequence[float]) -> float | None:
    """Arithmetic mean by exact summation; None of nothing."""
    return math.fsum(values) / len(values) if values else None


def percentile(values: Sequence[float], share: float) -> float | None:
    """The nearest-rank percentile: the smallest value that at least ``share`` of all values do not exceed."""
    if not values:
        return None
    return sorted(values)[max(math.ceil(share * len(values)), 1) - 1]


def aggregate(values: Sequence[float], at: str) -> float | None:
    """``mean``, ``p50`` or ``p95``."""
    if at == "mean":
        return mean(values)
    return percentile(values, {"p50": 0.50, "p95": 0.95}[at])


def beside(value: float, limit: float) -> tuple[str, str]:
    """A number and its limit as they are decided by: what two machines may differ by is no difference."""
    return apart(limit if abs(value - limit) <= EPSILON else value, limit)


def apart(value: float, limit: float) -> tuple[str, str]:
    """Two numbers in the fewest digits (four at least) that show them to differ, if they do."""
    for digits in range(4, 18):
        shown, shown_limit = f"{value:.{digits}g}", f"{limit:.{digits}g}"
        if shown != shown_limit or value == limit:
            break
    return shown, shown_limit
