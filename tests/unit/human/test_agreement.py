from __future__ import annotations

import math
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from sklearn import metrics
from statsmodels.stats import inter_rater

from evaluator.human import agreement

SCALE = ("supported", "unclear", "unsupported")
PAIRS = st.lists(st.tuples(st.sampled_from(SCALE), st.sampled_from(SCALE)), min_size=1, max_size=40)
RATINGS = st.lists(st.lists(st.sampled_from([0, 1, 2, None]), min_size=4, max_size=4), min_size=1, max_size=20)


def counts(*rows: list[int]) -> Any:
    """Counts as they are written."""
    return np.array(rows, dtype=np.int64)


class TestTwo:
    """Agreement of two."""

    def test_values_worked_out_by_hand(self) -> None:
        """20 and 15 alike of 50: observed 0.7, expected 0.5 x 0.6 + 0.5 x 0.4 = 0.5, so kappa 0.4."""
        table = counts([20, 5], [10, 15])

        assert agreement.raw(table) == pytest.approx(0.7)
        assert agreement.kappa(table) == pytest.approx(0.4)
        # Both classes' mean shares are 0.55 and 0.45: chance is 2 x 0.55 x 0.45 = 0.495.
        assert agreement.ac1(table) == pytest.approx((0.7 - 0.495) / 0.505)
        assert agreement.precision(table) == pytest.approx(15 / 20)
        assert agreement.recall(table) == pytest.approx(15 / 25)

    def test_a_rare_class_lowers_kappa_and_not_ac1(self) -> None:
        """120 of 125 alike, nearly all of one class: chance is 14,528 / 15,625 to kappa, 2 x .964 x .036 to AC1."""
        table = counts([118, 5], [0, 2])

        assert agreement.kappa(table) == pytest.approx((0.96 - 14528 / 15625) / (1 - 14528 / 15625))
        assert agreement.ac1(table) == pytest.approx((0.96 - 0.069408) / (1 - 0.069408))

    def test_weights_by_hand(self) -> None:
        """Two of four a step apart, expected 4 x 0.75: linear 1 - 2/3; by squares the same steps weigh 4 x 1.25."""
        table = agreement.confusion(
            [("supported", "supported"), ("supported", "unclear"), ("unclear", "unsupported"), ("unsupported",) * 2],
            SCALE,
        )
        # Rows 2 1 1, columns 1 1 2: expected distances sum to (2*1+2*2*2 + 1*1+1*2 + 1*2+1*1) / 4 = 16 / 4.
        assert agreement.weighted(table) == pytest.approx(1 - 2 / 4)
        assert agreement.weighted(table, "quadratic") == pytest.approx(1 - 2 / (26 / 4))

    @given(PAIRS)
    def test_kappa_is_that_of_scikit_learn(self, pairs: list[tuple[str, str]]) -> None:
        """Unweighted, linear and quadratic, wherever scikit-learn has a number."""
        table, (first, second) = agreement.confusion(pairs, SCALE), zip(*pairs, strict=True)
        if len({*first, *second}) == 1:
            assert agreement.kappa(table) is None
            assert agreement.weighted(table) is None
            return
        for weights in (None, "linear", "quadratic"):
            expected = metrics.cohen_kappa_score(first, second, labels=SCALE, weights=weights)
            found = agreement.weighted(table, weights) if weights else agreement.kappa(table)
            assert found == pytest.approx(expected, abs=1e-12)

    @given(PAIRS)
    def test_precision_and_recall_are_those_of_scikit_learn(self, pairs: list[tuple[str, str]]) -> None:
        """Of the class "not supported"; what scikit-learn calls 0 for want of cases is not defined here."""
        first, second = ([label != "supported" for label in side] for side in zip(*pairs, strict=True))
        table = agreement.gated(agreement.confusion(pairs, SCALE))
        expected = metrics.precision_score(first, second, zero_division=0)
        assert (agreement.precision(table) or 0) == pytest.approx(expected)
        assert (agreement.recall(table) or 0) == pytest.approx(metrics.recall_score(first, second, zero_division=0))
        assert (agreement.precision(table) is None) == (not any(second))

    @given(PAIRS)
    def test_swapping_the_two_changes_nothing(self, pairs: list[tuple[str, str]]) -> None:
        """Who is called the first is a matter of order; precision becomes recall."""
        one = agreement.confusion(pairs, SCALE)
        other = agreement.confusion([(second, first) for first, second in pairs], SCALE)

        for measure in (agreement.raw, agreement.kappa, agreement.weighted, agreement.ac1):
            assert measure(one) == (None if measure(one) is None else pytest.approx(measure(other)))
        assert agreement.precision(one) == agreement.recall(other)

    @given(PAIRS, st.permutations(SCALE))
    def test_renaming_the_labels_changes_nothing(self, pairs: list[tuple[str, str]], names: list[str]) -> None:
        """Nominal measures know no order: any other naming gives the same."""
        renamed = dict(zip(SCALE, names, strict=True))
        one = agreement.confusion(pairs, SCALE)
        other = agreement.confusion([(renamed[first], renamed[second]) for first, second in pairs], SCALE)

        assert agreement.kappa(one) == agreement.kappa(other)
        assert agreement.ac1(one) == pytest.approx(agreement.ac1(other))

    @given(PAIRS, st.sampled_from(SCALE))
    def test_one_who_always_says_the_same_gets_exactly_nothing(self, pairs: list[tuple[str, str]], always: str) -> None:
        """Kappa is 0 and not some 1e-17, or not defined where the other does so as well; never NaN."""
        table = agreement.confusion([(first, always) for first, _ in pairs], SCALE)
        both = {first for first, _ in pairs} == {always}

        assert agreement.kappa(table) == (None if both else 0.0)
        assert agreement.kappa(agreement.gated(table)) in (None, 0.0)

    @given(PAIRS)
    def test_no_measure_leaves_its_range(self, pairs: list[tuple[str, str]]) -> None:
        """All are between -1 and 1, and 1 where the two never differ."""
        table = agreement.confusion(pairs, SCALE)
        found = [measure(table) for measure in (agreement.kappa, agreement.ac1, agreement.raw)]
        assert all(value is None or -1 <= value <= 1 for value in found)
        same = agreement.confusion([(first, first) for first, _ in pairs], SCALE)
        assert agreement.kappa(same) in (None, 1.0)
        assert agreement.ac1(same) == pytest.approx(1)

    def test_nothing_is_not_a_number(self) -> None:
        """Of no pair at all every measure says None."""
        none = agreement.confusion([], SCALE)
        found = [agreement.raw(none), agreement.kappa(none), agreement.weighted(none), agreement.ac1(none)]
        assert found == [None] * 4


class TestSeveral:
    """Agreement of more than two."""

    def test_fleiss_on_a_table_with_a_known_value(self) -> None:
        """Ten items, 14 annotators, five classes, a common worked example: observed .378, chance .213, kappa .210."""
        table = counts(
            [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
        )  # fmt: skip
        assert agreement.fleiss(table) == pytest.approx(0.210, abs=5e-4)

    @given(st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=1, max_size=20))
    def test_fleiss_is_that_of_statsmodels(self, ratings: list[list[int]]) -> None:
        """Three annotators, complete."""
        table = counts(*[[row.count(label) for label in range(3)] for row in ratings])
        if len({label for row in ratings for label in row}) == 1:
            assert agreement.fleiss(table) is None
        else:
            assert agreement.fleiss(table) == pytest.approx(inter_rater.fleiss_kappa(table), abs=1e-12)

    def test_fleiss_with_a_hole_is_refused(self) -> None:
        """Unequal numbers of annotators have no such kappa."""
        for table in (counts([2, 0], [1, 0]), counts([1, 0], [0, 1])):
            with pytest.raises(ValueError, match="same number of annotators"):
                agreement.fleiss(table)
        assert agreement.fleiss(np.zeros((0, 2), dtype=np.int64)) is None

    @given(RATINGS)
    def test_alpha_is_that_of_krippendorff(self, ratings: list[list[int | None]]) -> None:
        """Four annotators with holes, wherever there is anything to compare."""
        table = counts(*[[row.count(label) for label in range(3)] for row in ratings])
        shared = [label for row in ratings for label in row if label is not None and 4 - row.count(None) > 1]
        if len(set(shared)) < 2:
            assert agreement.krippendorff(table) is None
            return
        data = np.array([[math.nan if label is None else label for label in row] for row in ratings]).T
        expected = krippendorff.alpha(reliability_data=data, level_of_measurement="nominal")
        assert agreement.krippendorff(table) == pytest.approx(expected, abs=1e-12)

    def test_alpha_by_hand(self) -> None:
        """Krippendorff's two observers, 10 items with 0 or 1: 14 zeros, 6 ones, 4 items apart; alpha 0.095."""
        table = counts(*[[2, 0]] * 5, *[[1, 1]] * 4, [0, 2])
        assert agreement.krippendorff(table) == pytest.approx(1 - 19 * 8 / (20 * 20 - 14 * 14 - 6 * 6))
        assert agreement.krippendorff(table) == pytest.approx(0.095, abs=5e-4)


class TestRanks:
    """Spearman's correlation."""

    @given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=30))
    def test_it_is_that_of_scipy(self, values: list[tuple[int, int]]) -> None:
        """Ties share their mean rank; a constant side has none."""
        first, second = zip(*values, strict=True)
        found = agreement.ranks_together(first, second)
        if len(set(first)) == 1 or len(set(second)) == 1:
            assert found is None
        else:
            assert found == pytest.approx(spearmanr(first, second).statistic, abs=1e-12)

    def test_nothing_goes_with_nothing(self) -> None:
        """No case, no correlation."""
        assert agreement.ranks_together([], []) is None
