"""Whether a paired difference is more than chance, and how large it is (design section 8).

Nothing here depends on the order of the cases, and exchanging the two runs flips every sign exactly.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evaluator.comparison.tails import t_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from evaluator.model.exam import CaseSpread

    Floats: TypeAlias = npt.NDArray[np.float64]

SEED = 20_261_130
EXACT = 32
"""Up to so many differences that are not zero, every way to flip signs is counted."""

DRAWS = 99_999
"""So many ways are drawn where there are more."""

BATCH = 4096
TIE = 1e-9
"""Sums that differ by no more are equal: the order in which numbers were added is no evidence."""

RESAMPLES = 4999
CONFIDENCE = 0.95
KEPT = 256
"""For so many cases the draws are kept: many rows have as many."""


def sign_flip(differences: Sequence[float]) -> float:
    """The one-sided p-value of paired differences against those of a system that did not change: is their sum large?

    Had nothing changed, each difference would be as likely with the other sign (Fisher's randomisation test). Exact up
    to :data:`EXACT` differences other than zero; else by :data:`DRAWS` seeded draws, the observed one counted among
    them, so that it is never below 1 / (draws + 1). Nothing that differs gives 1.
    """
    sizes = np.sort(np.abs([each for each in differences if abs(each) > TIE]))
    if not len(sizes):
        return 1.0
    observed = math.fsum(each for each in differences if abs(each) > TIE)
    if len(sizes) <= EXACT:
        return _exact(sizes, observed)
    return _drawn(sizes, observed)


def _exact(sizes: Floats, observed: float) -> float:
    """The share of all sums that reach the observed one: sums of one half against sums of the other."""
    left, right = _sums(sizes[::2]), np.sort(_sums(sizes[1::2]))
    below = np.searchsorted(right, observed - TIE - left)
    reaching = len(left) * len(right) - int(below.sum())
    return float(reaching / 2 ** len(sizes))


def _sums(sizes: Floats) -> Floats:
    found = np.zeros(1)
    for size in sizes:
        found = np.concatenate([found + size, found - size])
    return found


def _drawn(sizes: Floats, observed: float) -> float:
    random = np.random.default_rng(SEED)
    reaching, left = 1, DRAWS
    while left:
        count = min(BATCH, left)
        bits = np.unpackbits(random.integers(0, 256, (count, -(-len(sizes) // 8)), dtype=np.uint8), axis=1)
        sums = 2 * (bits[:, : len(sizes)] @ sizes) - sizes.sum()
        reaching += int((sums >= observed - TIE).sum())
        left -= count
    return reaching / (DRAWS + 1)


def smallest(n: int) -> float:
    """The least p-value that :func:`sign_flip` can give for ``n`` differences."""
    return max(2.0**-n, 0.0 if n <= EXACT else 1 / (DRAWS + 1))


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted for their number, in their own order (Holm 1979).

    Rejecting all that are at most alpha keeps the chance of any false alarm at most alpha, however they depend on each
    other.
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def band(known: CaseSpread, n: int, tail: float) -> float:
    """How far apart the means of two runs of ``n`` equal cases lie by chance, but for a share ``tail`` of the time.

    By the t distribution, with the term of Cornish and Fisher for a sum of few values that mostly stay and sometimes
    jump: its tails are heavier than those of a normal one.
    """
    t = t_quantile(tail, known.df)
    heavier = max(0.0, t**3 - 3 * t) * known.kurtosis / (24 * n)
    return (t + heavier) * known.sd * math.sqrt(2 / n)


def cases_for(drop: float, known: CaseSpread, tail: float) -> int:
    """How many cases it takes for :func:`band` to be at most ``drop`` (above 0), by doubling and halving."""
    low, high = 0, 1
    while band(known, high, tail) - drop > TIE:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if band(known, middle, tail) - drop > TIE else (low, middle)
    return high


def cases_for_test(differences: Sequence[float], alpha: float) -> int | None:
    """About how many cases like these it takes for the sign-flip test to reach ``alpha``; None if they do not fall.

    By the normal approximation of the test's distribution, and never fewer than could reach it at all.
    """
    mean = math.fsum(differences) / len(differences) if differences else 0.0
    if mean <= TIE:
        return None
    size = math.sqrt(math.fsum(each * each for each in differences) / len(differences))
    needed = (NormalDist().inv_cdf(alpha) * size / mean) ** 2
    return max(math.ceil(needed), math.ceil(-math.log2(alpha) - TIE))


def interval(differences: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """The bias-corrected and accelerated bootstrap interval of the mean (Efron 1987), two-sided; None of nothing.

    Seeded. Where all differences are equal it is that difference twice.
    """
    if not len(differences):
        return None
    values = np.sort(np.asarray(differences, dtype=np.float64))
    # The seeded draws favour one side a little; seen from both, exchanging the runs turns the interval round exactly.
    low, high = _interval(values, confidence)
    turned_low, turned_high = _interval(-values[::-1], confidence)
    return (low - turned_high) / 2, (high - turned_low) / 2


def _interval(values: Floats, confidence: float) -> tuple[float, float]:
    mean, n = float(values.mean()), len(values)
    if n == 1 or values[0] == values[-1]:
        return mean, mean
    means = np.sort(_resampled(values))
    below = (means < mean).sum() + (means == mean).sum() / 2
    normal = NormalDist()
    bias = normal.inv_cdf(min(max(float(below) / len(means), 0.5 / len(means)), 1 - 0.5 / len(means)))
    left_out = (values.sum() - values) / (n - 1)
    apart = left_out.mean() - left_out
    acceleration = float((apart**3).sum() / (6 * (apart**2).sum() ** 1.5))
    ends = []
    for share in ((1 - confidence) / 2, (1 + confidence) / 2):
        z = bias + normal.inv_cdf(share)
        corrected = normal.cdf(bias + z / (1 - acceleration * z))
        ends.append(float(np.quantile(means, corrected)))
    return ends[0], ends[1]


@lru_cache(maxsize=4)
def _weights(n: int) -> Floats:
    """How often each of ``n`` cases is drawn, resample by resample, as shares."""
    return np.random.default_rng(SEED).multinomial(n, np.full(n, 1 / n), RESAMPLES) / n


def _resampled(values: Floats) -> Floats:
    n = len(values)
    if n <= KEPT:
        return _weights(n) @ values
    random = np.random.default_rng(SEED)
    most = max(1, 1_000_000 // n)
    found = []
    for start in range(0, RESAMPLES, most):
        count = min(most, RESAMPLES - start)
        found.append(values[random.integers(0, n, (count, n))].mean(axis=1))
    return np.concatenate(found)
