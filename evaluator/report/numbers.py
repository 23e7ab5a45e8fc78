"""Rounding for people: never so far that a fail looks like a pass, or a change like none."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from evaluator.templates import NO_CHANGE, num

if TYPE_CHECKING:
    from collections.abc import Sequence

NOTHING = "–"
"""Stands for a value that is not there."""

_DECIMALS = {"latency_ms": 0, "cost_usd": 4, "tokens": 0, "context_tokens": 0}
_UNITS = {"latency_ms": " ms", "cost_usd": " USD"}


def _base(metric: str) -> str:
    return metric.partition("@")[0]


def decimals(values: Sequence[float], least: int) -> int:
    """The fewest decimals, at least so many, in which different values look different."""
    places = least
    different = [pair for pair in itertools.pairwise(sorted(values)) if pair[1] - pair[0] > NO_CHANGE]
    while any(num(low, places) == num(high, places) for low, high in different):
        places += 1
    return places


def values(metric: str, *given: float | None, beside: float | None = None) -> tuple[str, ...]:
    """Values of a metric in decimals that keep them apart from each other and from ``beside`` (a floor, say)."""
    known = [value for value in (*given, beside) if value is not None]
    places = decimals(known, _DECIMALS.get(_base(metric), 3))
    return tuple(
        NOTHING if value is None else f"{num(value, places)}{_UNITS.get(_base(metric), '')}" for value in given
    )


def change(metric: str, delta: float | None, limit: float | None = None) -> str:
    """A signed change, in decimals that keep its size apart from the limit that it keeps or breaks."""
    if delta is None:
        return NOTHING
    if abs(delta) <= NO_CHANGE:
        return "0"
    size = abs(delta)
    places = decimals([size] if limit is None else [size, abs(limit)], _DECIMALS.get(_base(metric), 3))
    return f"{'+' if delta > 0 else '−'}{num(size, places)}{_UNITS.get(_base(metric), '')}"


def limit(metric: str, value: float) -> str:
    """A limit as short as it was written."""
    return f"{value:.12g}{_UNITS.get(_base(metric), '')}"
