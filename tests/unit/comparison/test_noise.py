"""How much values vary from run to run, worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.comparison import noise
from evaluator.model.noise import CategoryNoise, MetricNoise


def runs(**cases: list[float | None]) -> list[dict[str, dict[str, float | None]]]:
    """Runs of one metric, from the values of each case in turn."""
    count = len(next(iter(cases.values())))
    return [{case: {"faithfulness": values[run]} for case, values in cases.items()} for run in range(count)]


def test_the_spread_within_cases_is_pooled_by_category_and_over_all() -> None:
    """Squares 0.5 and 0 with one degree of freedom each in a, 0.08 in b: roots of 0.25, of 0.08, of 0.58 / 3."""
    found = noise.spread(runs(p=[0.0, 1.0], q=[0.5, 0.5], r=[0.4, 0.8]), {"p": "a", "q": "a", "r": "b"})
    assert found["faithfulness"].sd == pytest.approx(math.sqrt(0.58 / 3))
    # Differences 1, 0 and 0.4: fourth powers 1.0256 / 3, by the square of 1.16 / 3, less 3, is below 0.
    assert found["faithfulness"].kurtosis == 0.0
    assert found["faithfulness"].categories["a"].n == 2
    assert found["faithfulness"].categories["a"].sd == pytest.approx(0.5)
    assert found["faithfulness"].categories["b"].n == 1
    assert found["faithfulness"].categories["b"].sd == pytest.approx(math.sqrt(0.08))


def test_how_much_cases_differ_from_each_other_is_no_noise() -> None:
    """A case that always fails beside one that never does: nothing varies, but for what two machines differ by."""
    found = noise.spread(runs(p=[0.0, 0.0, 1e-10], q=[1.0, 1.0, 1.0]), {"p": "a", "q": "a"})
    assert found == {"faithfulness": MetricNoise(sd=0.0, categories={"a": CategoryNoise(sd=0.0, n=2)})}


def test_a_case_without_some_values_is_known_less_well() -> None:
    """Of 2 x 2 degrees of freedom 3 are left, which is one case's worth; one value alone tells nothing."""
    found = noise.spread(runs(p=[0.0, 1.0, None], q=[1.0, 1.0, 1.0], r=[1.0, None, None]), dict.fromkeys("pqr", "a"))
    assert found["faithfulness"].categories["a"].n == 1
    assert found["faithfulness"].sd == pytest.approx(math.sqrt(0.5 / 3))


def test_values_that_mostly_stay_and_sometimes_jump_have_heavy_tails() -> None:
    """One of ten cases moved by 1: the mean fourth power 0.1 by the squared mean square 0.01, less 3."""
    found = noise.spread(
        runs(p=[0.0, 1.0], **{f"q{n}": [1.0, 1.0] for n in range(9)}), {"p": "a", **{f"q{n}": "a" for n in range(9)}}
    )
    assert found["faithfulness"].kurtosis == pytest.approx(7.0)


def test_held_out_cases_are_in_no_part_of_it() -> None:
    """Only the cases that were given a category count."""
    assert noise.spread(runs(p=[0.0, 1.0]), {}) == {}


def test_what_is_not_the_judges_is_the_pipelines() -> None:
    """Squares add up: 0.05 is 0.03 of the judge and 0.04 of the pipeline."""
    whole = {"faithfulness": MetricNoise(sd=0.05, categories={}), "grounded_values": MetricNoise(sd=0.1, categories={})}
    found = noise.split(whole, {"faithfulness": MetricNoise(sd=0.03, categories={})})
    assert (found["faithfulness"].judge, found["faithfulness"].pipeline) == (0.03, pytest.approx(0.04))
    assert (found["grounded_values"].judge, found["grounded_values"].pipeline) == (0.0, pytest.approx(0.1))
    assert noise.split(whole, None)["faithfulness"].pipeline == 0.05


def test_a_judge_that_varies_more_than_the_whole_leaves_the_pipeline_nothing() -> None:
    """Both are estimates, and no part is larger than the whole."""
    found = noise.split(
        {"m": MetricNoise(sd=0.05, categories={})}, {"m": MetricNoise(sd=0.06, categories={})}
    )["m"]  # fmt: skip
    assert (found.judge, found.pipeline) == (0.05, 0.0)


def test_a_flip_rate_is_the_chance_that_two_runs_disagree() -> None:
    """One of five otherwise: 4 of 10 pairs. Two against two and one: 8 of 10. A missing value disagrees."""
    found = noise.flips(
        runs(p=[1.0, 1.0, 1.0, 1.0, 0.5], q=[1.0, 1.0, 0.5, 0.5, 0.0], r=[1.0] * 5, s=[1.0, None, 1.0, 1.0, 1.0]),
        ["p", "q", "r", "s"],
    )
    assert found == {"p": {"faithfulness": 0.4}, "q": {"faithfulness": 0.8}, "s": {"faithfulness": 0.4}}
    assert noise.flaky(found) == [
        noise.Flaky("q", "faithfulness", 0.8), noise.Flaky("p", "faithfulness", 0.4),
        noise.Flaky("s", "faithfulness", 0.4),
    ]  # fmt: skip


def test_what_seldom_flips_is_not_flaky() -> None:
    """One of twenty runs otherwise is 19 of 190 pairs."""
    assert noise.flaky(noise.flips(runs(p=[1.0] * 19 + [0.0]), ["p"])) == []


@given(st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0, None]), min_size=3, max_size=3), min_size=1, max_size=8))
def test_the_order_of_runs_changes_nothing(values: list[list[float | None]]) -> None:
    """Which run came first does not matter."""
    cases = {f"c{place}": each for place, each in enumerate(values)}
    forwards, backwards = runs(**cases), runs(**cases)[::-1]
    categories = dict.fromkeys(cases, "a")
    assert noise.spread(forwards, categories) == noise.spread(backwards, categories)
    assert noise.flips(forwards, list(cases)) == noise.flips(backwards, list(cases))
