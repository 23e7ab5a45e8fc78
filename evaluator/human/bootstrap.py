"""How sure a kappa is: a bootstrap that draws whole cases, for the labels of one case stand and fall together."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

RESAMPLES = 10_000
SEED = 0
BATCH = 1_000_000
"""At most so many drawn cases are held at a time."""

MIN_CASES = 2
"""Of fewer cases nothing can be drawn that differs."""

ONE_SIDED = 0.05
TWO_SIDED = 0.025


class Bounds(NamedTuple):
    """The one-sided 95 % bound below a kappa, and its two-sided 95 % interval."""

    lower: float
    interval: tuple[float, float]


def bounds(cells: NDArray[np.int64], seed: int = SEED) -> Bounds | None:
    """The bounds of the kappa of two classes, from each case's 2 x 2 counts in a row (cases x 4).

    Percentiles of the kappas of resamples, set wider by as much as few cases make a percentile interval too narrow
    (Hesterberg 2015, section 5.4). A resample in which nothing could be told apart counts as 0. None of fewer than two
    cases. The order of the cases changes nothing.
    """
    cases = len(cells)
    if cases < MIN_CASES:
        return None
    in_order = cells[np.lexsort(cells.T)]
    drawn = np.sort(np.concatenate(list(_kappas(in_order, np.random.default_rng(seed)))))
    one, two = (_widened(share, cases) for share in (ONE_SIDED, TWO_SIDED))
    lower, below, above = np.quantile(drawn, [one, two, 1 - two])
    return Bounds(float(lower), (float(below), float(above)))


def _kappas(cells: NDArray[np.int64], random: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    size, left = max(BATCH // len(cells), 1), RESAMPLES
    while left > 0:
        rows = min(size, left)
        yield kappas(cells[random.integers(0, len(cells), size=(rows, len(cells)))].sum(axis=1))
        left -= rows


def kappas(sums: NDArray[np.int64]) -> NDArray[np.float64]:
    """Cohen's kappa of each row of 2 x 2 counts (N x 4); 0 where it is not defined."""
    both, first, second, neither = (sums[:, place].astype(np.float64) for place in range(4))
    possible = (both + first) * (first + neither) + (both + second) * (second + neither)
    undefined = possible == 0
    found: NDArray[np.float64] = 2 * (both * neither - first * second) / np.where(undefined, 1, possible)
    return found


def _widened(share: float, cases: int) -> float:
    """The percentile to take instead of one, so that its distance fits a t distribution and its variance n - 1."""
    return NormalDist().cdf(-math.sqrt(cases / (cases - 1)) * t_quantile(1 - share, cases - 1))


def t_quantile(share: float, freedom: int) -> float:
    """A quantile above the median of Student's t distribution: the root of :func:`t_above` by halving."""
    low, high = 0.0, 1.0
    while t_above(high, freedom) > 1 - share:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if t_above(middle, freedom) > 1 - share else (low, middle)
    return high


def t_above(value: float, freedom: int) -> float:
    """How much of Student's t distribution lies above a value, by its finite series for whole degrees of freedom.

    Abramowitz and Stegun 26.7.3 and 26.7.4.
    """
    angle = math.atan(value / math.sqrt(freedom))
    sine, square = math.sin(angle), math.cos(angle) ** 2
    odd = freedom % 2
    term, total = (math.cos(angle) if odd else 1.0), 0.0
    for step in range(1 + odd, freedom, 2):
        total += term
        term *= square * step / (step + 1)
    within = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return (1 - within) / 2
