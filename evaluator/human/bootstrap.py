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

UNSEEN = np.array([[0, 1, 0, 0], [0, 0, 1, 0]], dtype=np.int64)
"""A case with an error of either kind."""

ONE_SIDED = 0.05
TWO_SIDED = 0.025


class Bounds(NamedTuple):
    """The one-sided 95 % bound below a kappa, and its two-sided 95 % interval."""

    lower: float
    interval: tuple[float, float]


def bounds(cells: NDArray[np.int64], seed: int = SEED) -> Bounds | None:
    """The bounds of the kappa of two classes, from each case's 2 x 2 counts in a row (cases x 4).

    A bias-corrected and accelerated bootstrap (Efron 1987), set wider by as much as few cases make a percentile
    interval too narrow (Hesterberg 2015, section 5.4). A resample in which nothing could be told apart counts as 0.
    Where no error was seen, resamples could hold none: then one of each kind stands in for those that were not.

    None of fewer than two cases. The order of the cases changes nothing.
    """
    if len(cells) < MIN_CASES:
        return None
    kappa = float(kappas(cells.sum(axis=0, keepdims=True))[0])
    seen = cells if cells[:, 1:3].any() else np.concatenate([cells, UNSEEN])
    in_order = seen[np.lexsort(seen.T)]
    drawn = np.sort(np.concatenate(list(_kappas(in_order, np.random.default_rng(seed)))))
    shift = _Shift.of(in_order, drawn)
    one, two = (distance(share, len(in_order)) for share in (ONE_SIDED, TWO_SIDED))
    lower, below, above = np.quantile(drawn, [shift.share(-one), shift.share(-two), shift.share(two)])
    return Bounds(float(lower), (float(below), max(float(above), kappa)))


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


class _Shift(NamedTuple):
    """Which percentile to take for a distance from the middle, in standard deviations.

    ``bias`` is by how much the resamples lie beside the kappa, ``acceleration`` by how much their spread changes with
    it.
    """

    bias: float
    acceleration: float

    @classmethod
    def of(cls, cells: NDArray[np.int64], drawn: NDArray[np.float64]) -> _Shift:
        """From the resamples, and from the kappas that leave out a case each."""
        total = cells.sum(axis=0, keepdims=True)
        kappa = kappas(total)[0]
        below = ((drawn < kappa).sum() + (drawn == kappa).sum() / 2) / len(drawn)
        least = 1 / (len(drawn) + 1)
        without = kappas(total - cells)
        apart = without.mean() - without
        spread = 6 * float((apart**2).sum()) ** 1.5
        return cls(
            NormalDist().inv_cdf(min(max(float(below), least), 1 - least)),
            float((apart**3).sum()) / spread if spread else 0.0,
        )

    def share(self, distance: float) -> float:
        """The percentile, from 0 to 1."""
        moved = self.bias + distance
        slope = 1 - self.acceleration * moved
        # Beyond that point the formula turns round: there is nothing further out.
        return NormalDist().cdf(self.bias + moved / slope) if slope > 0 else float(distance > 0)


def distance(share: float, cases: int) -> float:
    """How far out a percentile lies, so that its distance fits a t distribution and its variance n - 1."""
    return math.sqrt(cases / (cases - 1)) * t_quantile(1 - share, cases - 1)


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
