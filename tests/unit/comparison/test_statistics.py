"""Statistics of paired differences, against values by hand and against scipy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.comparison import statistics, tails
from evaluator.model.exam import CaseSpread

SIXTHS = st.integers(-6, 6).map(lambda each: each / 6)


@pytest.mark.parametrize("df", [1, 2, 3, 4.5, 10, 32, 100, 800, 1e5, 1e8])
@pytest.mark.parametrize("tail", [0.5, 0.4, 0.05, 0.025, 0.05 / 54, 1e-6, 0.9])
def test_quantiles_of_t_are_those_of_scipy(df: float, tail: float) -> None:
    """Two programs agree on the value that t exceeds so often."""
    assert tails.t_quantile(tail, df) == pytest.approx(scipy.stats.t.isf(tail, df), rel=1e-9, abs=1e-12)


@given(st.floats(-50, 50), st.floats(0.5, 1e4))
def test_tails_of_t_are_those_of_scipy(value: float, df: float) -> None:
    """Two programs agree on how often t exceeds a value."""
    assert tails.t_tail(value, df) == pytest.approx(scipy.stats.t.sf(value, df), rel=1e-8, abs=1e-13)


def test_what_is_no_tail_and_no_distribution_is_refused() -> None:
    """A probability of 0 has no quantile, and without degrees of freedom there is no distribution."""
    with pytest.raises(ValueError, match="between 0 and 1"):
        tails.t_quantile(0.0, 4)
    with pytest.raises(ValueError, match="degrees of freedom"):
        tails.t_tail(1.0, 0)


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([], 1.0),
        ([0.0, 0.0], 1.0),
        ([1.0], 1 / 2),
        ([-1.0], 1.0),
        ([1.0, 1.0, 1.0], 1 / 8),
        # Of the 8 sums 3.5, 2.5, 1.5, .5 and their negatives, 3 reach 1.5.
        ([2.0, -0.5, 0.0], 1 / 2),
        ([0.5, 1.0, 2.0], 1 / 8),
        ([-0.5, 1.0, 2.0], 2 / 8),
        ([0.5, -1.0, 2.0], 3 / 8),
    ],
)
def test_sign_flips_are_counted_as_by_hand(differences: list[float], expected: float) -> None:
    """The p-value is the share of the ways to set signs whose sum is at least the observed one; zeros say nothing."""
    assert statistics.sign_flip(differences) == expected


@given(st.lists(st.integers(-6, 6).filter(bool), min_size=2, max_size=9), st.integers(0, 5))
def test_sign_flips_are_those_of_scipy(moved: list[int], unmoved: int) -> None:
    """An exhaustive permutation test of another program, given whole numbers, finds the same p-value."""
    found = statistics.sign_flip([each / 6 for each in moved] + [0.0] * unmoved)
    other = scipy.stats.permutation_test(
        (np.array(moved),), lambda values, axis: values.sum(axis=axis), permutation_type="samples",
        alternative="greater", n_resamples=math.inf, vectorized=True,
    )  # fmt: skip
    assert found == pytest.approx(other.pvalue, abs=1e-12)


def test_the_exact_test_reaches_as_far_as_it_says() -> None:
    """With 32 differences all of 2^32 ways are counted: one sum in so many reaches the largest."""
    assert statistics.sign_flip([1.0] * 32) == 2.0**-32
    # At least 27 of 32 signs positive.
    tail = sum(math.comb(32, k) for k in range(27, 33)) / 2**32
    assert statistics.sign_flip([1.0] * 27 + [-1.0] * 5) == pytest.approx(tail, rel=1e-12)


def test_a_drawn_test_agrees_with_the_binomial_one() -> None:
    """Where there are too many ways, draws come as near as their number allows, the same every time."""
    differences = [0.5] * 32 + [-0.5] * 18
    exact = scipy.stats.binomtest(32, 50, alternative="greater").pvalue
    found = statistics.sign_flip(differences)
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact / statistics.DRAWS))
    assert found == statistics.sign_flip(differences[::-1])
    assert statistics.sign_flip([1.0] * 60) == 1 / (statistics.DRAWS + 1) == statistics.smallest(60)


@given(st.lists(SIXTHS, max_size=40), st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_the_order_of_cases_changes_nothing(differences: list[float], random: object) -> None:
    """Neither a p-value nor an interval depends on which case comes first."""
    shuffled = list(differences)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert statistics.sign_flip(shuffled) == statistics.sign_flip(differences)
    assert statistics.interval(shuffled) == statistics.interval(differences)


@given(st.lists(SIXTHS, min_size=1, max_size=40))
@settings(max_examples=25)
def test_exchanging_the_runs_turns_the_interval_around(differences: list[float]) -> None:
    """What is better one way is as much worse the other way."""
    low, high = statistics.interval(differences) or (math.nan, math.nan)
    assert statistics.interval([-each for each in differences]) == pytest.approx((-high, -low))
    assert low <= high


def test_holm_adjusts_as_by_hand() -> None:
    """The smallest counts times their number, the next times one fewer, and none comes out below a smaller one."""
    assert statistics.holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert statistics.holm([0.5, 0.9]) == [1.0, 1.0]
    assert statistics.holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_rejects_what_its_steps_reject(p_values: list[float]) -> None:
    """Going up from the smallest, a hypothesis is rejected while p <= alpha / (hypotheses left)."""
    alpha, kept = 0.05, len(p_values)
    rejected = []
    for place in sorted(range(len(p_values)), key=lambda each: p_values[each]):
        if p_values[place] * kept > alpha:
            break
        rejected.append(place)
        kept -= 1
    adjusted = statistics.holm(p_values)
    assert [place for place, value in enumerate(adjusted) if value <= alpha] == sorted(rejected)


@pytest.mark.parametrize("shape", ["even", "skewed", "sparse"])
def test_intervals_are_those_of_scipy(shape: str) -> None:
    """Another program's BCa interval of the mean lies within the chance of two bootstraps."""
    random = np.random.default_rng(7)
    values = {
        "even": random.normal(0.1, 0.2, 40),
        "skewed": random.exponential(0.3, 40),
        "sparse": np.array([0.0] * 22 + [1.0] * 3),
    }[shape]
    other = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(1)
    ).confidence_interval  # fmt: skip
    found = statistics.interval(list(values))
    # A mean of 25 zeros and ones moves by steps of 0.04, and an end may fall between two of them.
    apart = 0.04 + 1e-9 if shape == "sparse" else 0.06 * (other.high - other.low)
    assert found == pytest.approx((other.low, other.high), abs=apart)


def test_an_interval_of_equal_differences_has_no_width() -> None:
    """Where nothing varies there is nothing to draw anew; of no case there is no interval."""
    assert statistics.interval([0.25] * 5) == (0.25, 0.25)
    assert statistics.interval([]) is None


def test_the_band_is_as_by_hand() -> None:
    """t(0.95, 4) = 2.1318, times a spread of 0.1, times the root of 2/8."""
    assert statistics.band(CaseSpread(sd=0.1, df=4), 8, 0.05) == pytest.approx(2.131846786 * 0.1 * 0.5)
    # (2.1318^3 - 3 x 2.1318) x 12 / (24 x 8) = 0.2058 more for a kurtosis of 12.
    heavier = statistics.band(CaseSpread(sd=0.1, df=4, kurtosis=12.0), 8, 0.05)
    assert heavier == pytest.approx((2.131846786 + 0.205813) * 0.1 * 0.5, rel=1e-5)


@pytest.mark.parametrize(("drop", "needed"), [(0.05, 37), (0.1, 10), (10.0, 1)])
def test_the_cases_that_are_needed_are_as_by_hand(drop: float, needed: int) -> None:
    """2 x (2.1318 x 0.1 / drop)^2: 36.4, 9.1, next to nothing."""
    assert statistics.cases_for(drop, CaseSpread(sd=0.1, df=4), 0.05) == needed
    assert statistics.band(CaseSpread(sd=0.1, df=4), needed, 0.05) <= drop


@pytest.mark.parametrize(("alpha", "fewest"), [(0.05, 5), (0.05 / 54, 11), (0.0625, 4)])
def test_a_test_needs_so_many_signs_at_least(alpha: float, fewest: int) -> None:
    """Even if every case falls alike, 2^-n has to be at most alpha."""
    needed = statistics.cases_for_test([1.0] * 3, alpha)
    assert needed is not None
    assert needed >= fewest
    assert [n for n in range(1, 20) if statistics.smallest(n) <= alpha][0] == fewest  # noqa: RUF015 - reads as said


def test_sparse_losses_need_more_cases() -> None:
    """3 of 25 cases lost: mean 0.12, size the root of 0.12, so (1.6449 x 0.3464 / 0.12)^2 = 22.5 cases at 5 %."""
    assert statistics.cases_for_test([1.0] * 3 + [0.0] * 22, 0.05) == 23
    assert statistics.cases_for_test([0.0, -1.0], 0.05) is None


def test_every_way_is_counted_as_one_by_one() -> None:
    """Counting by halves agrees with counting each way."""
    sizes = [0.1, 0.2, 0.3, 0.35, 0.5, 1.0, 1 / 6]
    observed = 0.1 + 0.2 - 0.3 + 0.35 + 0.5 - 1.0 + 1 / 6
    ways = list(itertools.product((1, -1), repeat=len(sizes)))
    reaching = sum(math.fsum(s * d for s, d in zip(way, sizes, strict=True)) >= observed - 1e-9 for way in ways)
    differences = [0.1, 0.2, -0.3, 0.35, 0.5, -1.0, 1 / 6]
    assert statistics.sign_flip(differences) == reaching / len(ways)
