"""Student's t distribution, without a library of statistics: its upper tail and its quantiles."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

HALVINGS = 200
TERMS = 10_000
TINY = 1e-300
SMALLEST = 1e-16
LARGE = 1e7
"""From so many degrees of freedom on, t and the normal distribution differ by less than 1e-6 of a quantile."""


def t_tail(value: float, df: float) -> float:
    """P(T > value) of Student's t with ``df`` degrees of freedom, to about 1e-12.

    By the regularised incomplete beta function: Abramowitz and Stegun, 26.7.1.
    """
    if df <= 0:
        raise ValueError("a t distribution has more than 0 degrees of freedom")
    square = value * value
    two_sided = _incomplete_beta(df / (df + square), square / (df + square), df / 2)
    return two_sided / 2 if value >= 0 else 1 - two_sided / 2


@lru_cache(maxsize=4096)
def t_quantile(tail: float, df: float) -> float:
    """The value that Student's t exceeds with probability ``tail``, which lies between 0 and 1, to about 1e-10."""
    if not 0 < tail < 1:
        raise ValueError("a tail lies between 0 and 1")
    if tail == 0.5:  # noqa: PLR2004 - the middle
        return 0.0
    if tail > 0.5:  # noqa: PLR2004 - as above
        return -t_quantile(1 - tail, df)
    if df >= LARGE:
        return _expanded(tail, df)
    low, high = 0.0, 1.0
    while t_tail(high, df) > tail:
        low, high = high, high * 2
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if t_tail(middle, df) > tail else (low, middle)
    return (low + high) / 2


def _expanded(tail: float, df: float) -> float:
    """By the expansion of Cornish and Fisher, of which one term is enough here (Abramowitz and Stegun, 26.7.5)."""
    z = -NormalDist().inv_cdf(tail)
    return z + (z**3 + z) / (4 * df)


def _incomplete_beta(x: float, rest: float, a: float) -> float:
    """I_x(a, 1/2), with 1 - x as it is known exactly."""
    if rest <= 0:
        return 1.0
    b = 0.5
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest))
    # The fraction converges quickly on this side of the mean only; on the other it is asked for the rest.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(rest, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method (Abramowitz and Stegun, 26.5.8)."""
    upper, lower = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    found = lower
    for m in range(1, TERMS):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            lower = 1 / _away_from_zero(1 + factor * lower)
            upper = _away_from_zero(1 + factor / upper)
            step = upper * lower
            found *= step
        if abs(step - 1) < SMALLEST:
            break
    return found


def _away_from_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY
