from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap as bootstrap_of_scipy
from scipy.stats import t

from evaluator.human import agreement, bootstrap

CASES = st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=1, max_size=12)


def table(rows: list[list[int]]) -> Any:
    """Counts of cases, each a 2 x 2 table in a row."""
    return np.array(rows, dtype=np.int64)


def sampled(cases: int, agree: float, seed: int) -> Any:
    """Cases with one label each, half of them of either class, on which a judge agrees so often."""
    random = np.random.default_rng(seed)
    people, right = random.random(cases) < 0.5, random.random(cases) < agree
    judge = np.where(right, people, ~people)
    return np.stack([people & judge, people & ~judge, ~people & judge, ~people & ~judge], axis=1).astype(np.int64)


@given(CASES)
def test_kappas_of_resamples_are_cohens(rows: list[list[int]]) -> None:
    """The vectorised form says what the plain one does, and 0 where that says nothing."""
    found = bootstrap.kappas(table(rows))
    expected = [agreement.kappa(np.array(row, dtype=np.int64).reshape(2, 2)) for row in rows]

    assert found.tolist() == pytest.approx([value or 0.0 for value in expected])


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 49, 1000])
def test_quantiles_of_t_are_those_of_scipy(freedom: int) -> None:
    """For even and odd degrees of freedom, one-sided and two-sided."""
    for share in (0.95, 0.975):
        assert bootstrap.t_quantile(share, freedom) == pytest.approx(t.ppf(share, freedom), rel=1e-9)


@settings(max_examples=15, deadline=None)
@given(CASES.filter(lambda rows: len(rows) > 1), st.randoms())
def test_the_order_of_the_cases_changes_nothing(rows: list[list[int]], random: Any) -> None:
    """A file sorted in another way has the same bounds, to the last digit; and the bounds are in their order."""
    shuffled = random.sample(rows, len(rows))
    found = bootstrap.bounds(table(rows))

    assert found == bootstrap.bounds(table(shuffled))
    assert found is not None
    assert -1 <= found.interval[0] <= found.lower <= found.interval[1] <= 1


def test_one_case_has_no_bounds() -> None:
    """However many labels it has: they all come from one answer."""
    assert bootstrap.bounds(table([[40, 0, 0, 40]])) is None


def test_labels_of_one_case_stand_together() -> None:
    """The same hundred labels, in cases of ten that are right or wrong as a whole, say much less."""
    alone = [[1, 0, 0, 0]] * 45 + [[0, 0, 0, 1]] * 45 + [[0, 1, 0, 0]] * 5 + [[0, 0, 1, 0]] * 5
    together = [[5, 0, 0, 5]] * 9 + [[0, 5, 5, 0]]
    wide, narrow = bootstrap.bounds(table(together)), bootstrap.bounds(table(alone))
    assert wide is not None
    assert narrow is not None
    assert narrow.lower > 0.65
    assert wide.lower < 0.45


def test_it_is_the_bca_interval_of_scipy_where_cases_are_many() -> None:
    """For 300 cases the bounds are those of scipy's bootstrap, drawn with other luck."""
    cells = sampled(300, 0.9, 1)
    expected = [
        bootstrap_of_scipy(
            (np.arange(300),), lambda chosen: agreement.kappa(cells[chosen].sum(axis=0).reshape(2, 2)),
            vectorized=False, n_resamples=4000, confidence_level=level, method="BCa", rng=np.random.default_rng(99),
        ).confidence_interval
        for level in (0.9, 0.95)
    ]  # fmt: skip
    found = bootstrap.bounds(cells)
    assert found is not None
    assert found.lower == pytest.approx(expected[0].low, abs=0.006)
    assert found.interval == pytest.approx(expected[1], abs=0.008)


def test_no_error_among_fifty_is_not_taken_for_none_at_all() -> None:
    """The bound is that of a judge who errs twice in 52, and the interval reaches to 1."""
    right = [[1, 0, 0, 0]] * 25 + [[0, 0, 0, 1]] * 25
    found = bootstrap.bounds(table(right))
    erring = bootstrap.bounds(table([*right, [0, 1, 0, 0], [0, 0, 1, 0]]))
    assert found is not None
    assert erring is not None
    assert found.lower == erring.lower
    assert 0.8 < found.lower < 0.9
    assert found.interval[1] == 1


@pytest.mark.slow
def test_the_one_sided_bound_holds_in_about_nineteen_of_twenty() -> None:
    """50 cases of a judge whose kappa is truly 0.8: the bound lies above that in about 5 % of 200 draws."""
    above = sum(found.lower > 0.8 for seed in range(200) if (found := bootstrap.bounds(sampled(50, 0.9, seed))))

    assert 0.005 <= above / 200 <= 0.085
