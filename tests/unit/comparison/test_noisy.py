"""Noisy rows: worked out by hand, beside measured noise and beside sign flips."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.comparison import gate
from evaluator.comparison.drift import next_history
from evaluator.comparison.sheet import CaseValues, JudgedHalf, Noisiness, Sheet
from evaluator.comparison.tails import t_quantile
from evaluator.model.comparison import Exam
from evaluator.model.exam import CaseSpread, ExamFile, Noisy
from evaluator.model.noise import CategoryNoise, MetricNoise
from evaluator.model.run import History
from evaluator.model.score import MetricId
from tests import sheets
from tests.exams import BELIEVED

DECLARED = {
    **sheets.METRICS, "faithfulness": sheets.metric("faithfulness", reads="judge"),
    "grounded_values": sheets.metric("grounded_values", reads="answer"),
}  # fmt: skip


def known(sd: float, **categories: tuple[float, int]) -> MetricNoise:
    """What noise.json says of a metric."""
    return MetricNoise(sd=sd, categories={name: CategoryNoise(sd=each, n=n) for name, (each, n) in categories.items()})


def exam(values: list[CaseValues], *rules: Any, name: str = "faithfulness", **fields: Any) -> Exam:
    """An exam of one metric."""
    noise = Noisiness(**{"measured": {}, **fields.pop("noise", {})})
    settings = fields.pop("gate", None)
    sheet = Sheet((MetricId.parse(name),), DECLARED, values, has_baseline=True, noise=noise, **fields)
    return sheets.exam(sheet, *(rules or (sheets.rule(name),)), gate=settings)


def fallen(lost: int, of: int, by: float = 0.5) -> list[CaseValues]:
    """Cases of which some fell."""
    return sheets.cases(*[(1.0, 1.0 - by if place < lost else 1.0) for place in range(of)])


@pytest.mark.parametrize(("lost", "status"), [(1, "within noise"), (2, "within noise"), (3, "regressed")])
def test_a_fall_has_to_exceed_the_measured_noise(lost: int, status: str) -> None:
    """One row: t(0.95, 40) x 0.1 x root(2 / 10) = 1.684 x 0.0447 = 0.0753; 0.05, 0.0375 x 2 and 0.1125 fell."""
    measured = {"faithfulness": known(0.1, a=(0.1, 10))}
    [entry] = exam(fallen(lost, 10, 0.375), noise={"measured": measured, "repeats": 5}).rows
    assert entry.row.noise == pytest.approx(t_quantile(0.05, 40) * 0.1 * (2 / 10) ** 0.5)
    assert entry.row.status == status
    assert entry.row.interval is not None


def test_a_row_within_the_noise_says_how_many_cases_would_tell() -> None:
    """0.05 fell of 10: 2 x (1.684 x 0.1 / 0.05)^2 = 22.7."""
    measured = {"faithfulness": known(0.1, a=(0.1, 10))}
    [entry] = exam(fallen(2, 10, 0.25), noise={"measured": measured, "repeats": 5}).rows
    assert entry.row.reason == (
        "within noise: 2 cases lost; worse by 0.05, chance alone makes 0.0753; about 23 cases would tell"
    )


def test_a_category_that_varies_more_is_held_to_its_own_noise_and_a_calmer_one_to_the_metrics() -> None:
    """Of a 0.2, of b the metric's 0.1."""
    both = [*fallen(0, 6), *sheets.cases(*[(1.0, 0.9)] * 6, category="b")]
    measured = {"faithfulness": known(0.1, a=(0.2, 6), b=(0.01, 6))}
    found = exam(both, sheets.rule("faithfulness", per="category"), noise={"measured": measured, "repeats": 3})
    bands = {entry.row.category: entry.row.noise for entry in found.rows}
    # Three rows: two categories and all.
    assert bands["a"] == pytest.approx(t_quantile(0.05 / 3, 12) * 0.2 * (2 / 6) ** 0.5)
    assert bands["b"] == pytest.approx(t_quantile(0.05 / 3, 24) * 0.1 * (2 / 6) ** 0.5)
    assert bands[None] == pytest.approx(t_quantile(0.05 / 3, 24) * 0.1 * (2 / 12) ** 0.5)


@pytest.mark.parametrize(
    ("name", "noise", "is_noisy"),
    [
        ("faithfulness", {}, True),
        ("faithfulness", {"measured": {"faithfulness": known(0.0)}}, False),
        ("grounded_values", {}, False),
        ("grounded_values", {"is_live": True}, True),
        ("grounded_values", {"is_live": True, "measured": {"grounded_values": known(0.0)}}, False),
        ("recall@5", {"is_live": True}, False),
        ("recall@5", {"is_live": True, "measured": {"recall@5": known(0.1, a=(0.1, 10))}}, True),
        ("recall@5", {"measured": {"recall@5": known(0.1, a=(0.1, 10))}}, False),
    ],
)
def test_which_rows_are_noisy(name: str, noise: dict[str, Any], *, is_noisy: bool) -> None:
    """What a judge says; in a live pipeline what reads the answer, and what was measured to vary."""
    [entry] = exam(fallen(1, 10), name=name, noise=noise).rows
    assert (entry.row.interval is not None) == is_noisy


@pytest.mark.parametrize(("critical", "share"), [(True, 0.8), (False, 1.0)])
def test_critical_cases_that_a_judge_decides_take_their_part_of_alpha(*, critical: bool, share: float) -> None:
    """A fifth: the band is that of 0.04, and one way of 32 counts as one of 25.6."""
    first, *others = fallen(5, 5)
    cases, half = [first._replace(critical=critical), *others], JudgedHalf(frozenset({"faithfulness"}), BELIEVED)
    noise = {"measured": {"faithfulness": known(0.1, a=(0.1, 5))}, "repeats": 5}
    [measured], [tested] = (exam(cases, judged=half, noise=each).rows for each in (noise, {}))
    assert measured.row.noise == pytest.approx(t_quantile(0.05 * share, 20) * 0.1 * (2 / 5) ** 0.5)
    assert f"p = {1 / 32 / share:.2g} among all rows" in tested.row.reason
    assert tested.row.status == "regressed"


@pytest.mark.parametrize(
    ("lost", "of", "status", "reason"),
    [
        (4, 4, "too few cases", "4 cases, 5 are needed"),
        (5, 5, "regressed", "worse by 0.5, 0.02 is allowed, p = 0.031 among all rows; 5 cases lost"),
        (
            4, 9, "within noise",
            "within noise: 4 cases lost; worse by 0.2222, p = 0.062 among all rows; about 7 cases would tell",
        ),
        (5, 9, "regressed", "worse by 0.2778, 0.02 is allowed, p = 0.031 among all rows; 5 cases lost"),
    ],
)  # fmt: skip
def test_without_measured_noise_sign_flips_decide(lost: int, of: int, status: str, reason: str) -> None:
    """Five cases that all fell: one way of 32; of four one way of 16."""
    [entry] = exam(fallen(lost, of)).rows
    assert (entry.row.status, entry.row.reason) == (status, reason)


def test_what_is_asked_twice_counts_once() -> None:
    """One category is all there is, and the anchor is the baseline: of four questions one is left."""
    values = fallen(5, 5)
    anchor = {"faithfulness": {case.id: 1.0 for case in values}}
    found = exam(values, sheets.rule("faithfulness", per="category"), anchor=anchor)
    assert {entry.row.status for entry in found.rows} == {"regressed"}
    assert {outcome.rule for outcome in gate.decide(found).rules if outcome.outcome == "failed"} == {
        "faithfulness max_drop", "faithfulness drift",
    }  # fmt: skip


def test_categories_too_small_for_sign_flips_are_pooled() -> None:
    """Two categories and all are three questions: 2^-5 is more than 0.05 / 3, 2^-6 is less."""
    both = [*fallen(5, 5), *sheets.cases(*[(1.0, 0.5)] * 6, category="b")]
    found = exam(both, sheets.rule("faithfulness", per="category"))
    assert {(entry.row.scope, entry.row.category, entry.row.status) for entry in found.rows} == {
        ("category", "a", "too few cases"), ("category", "b", "regressed"), ("small", None, "too few cases"),
        ("all", None, "regressed"),
    }  # fmt: skip


def test_a_rise_that_chance_makes_is_no_improvement() -> None:
    """One case of ten rose: within the noise; nine of ten did: improved."""
    one, nine = ([(0.5, 1.0)] * count + [(1.0, 1.0)] * (10 - count) for count in (1, 9))
    assert [exam(sheets.cases(*each)).rows[0].row.status for each in (one, nine)] == ["within noise", "improved"]


def test_a_fall_below_the_anchor_within_the_noise_is_no_drift() -> None:
    """Three of ten lost 0.5 since the anchor, by one way of eight; had eight, it would be drift."""
    for lost, outcome in ((3, "passed"), (8, "failed")):
        values = sheets.cases(*[(0.5 if place < lost else 1.0, 0.5 if place < lost else 1.0) for place in range(10)])
        anchor = {"faithfulness": {case.id: 1.0 for case in values}}
        decided = gate.decide(exam(values, anchor=anchor)).rules
        assert [each.outcome for each in decided if each.rule == "faithfulness drift"] == [outcome]


@pytest.mark.parametrize(("after", "moves"), [(0.6, False), (0.9, True)])
def test_an_anchor_is_exceeded_beyond_the_noise_only(after: float, *, moves: bool) -> None:
    """Of four cases at 0.5 the band is t(0.95, 40) x 0.1 x root(2 / 4) = 0.119; 0.1 more is luck."""
    values = [sheets.case(f"c{place}", after, after) for place in range(4)]
    state = ExamFile(
        exam=exam(values), history=History(
            anchor={"faithfulness": {case.id: 0.5 for case in values}}, pending={"faithfulness": ("a",)},
        ),
        values={"faithfulness": {case.id: after for case in values}}, categories={case.id: "a" for case in values},
        noise={"faithfulness": Noisy(tail=0.05, spreads={"a": CaseSpread(sd=0.1, df=40)})},
    )  # fmt: skip
    history = next_history(state, accepted=True, higher_is_better={"faithfulness": True}, link=None)
    assert set(history.anchor["faithfulness"].values()) == {after if moves else 0.5}


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=14))
def test_exchanging_the_runs_flips_every_sign(pairs: list[tuple[float, float]]) -> None:
    """What regressed one way did not the other way, and the intervals mirror each other."""
    one, other = (exam(sheets.cases(*each)).rows[0].row for each in (pairs, [(b, a) for a, b in pairs]))
    assert one.delta == -(other.delta or 0.0)
    assert "regressed" not in (one.status, other.status) or one.status != other.status
    assert one.interval is not None
    assert other.interval == pytest.approx((-one.interval[1], -one.interval[0]))


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=12), st.floats(0, 1))
def test_an_unpaired_new_case_changes_no_row(after: list[float], new: float) -> None:
    """It is in no mean and among no signs."""
    values = sheets.cases(*[(1.0, each) for each in after])
    lone = CaseValues("new", "a", critical=False, before=None, after=(new,))
    assert exam(values).rows[0].row == exam([*values, lone]).rows[0].row


@pytest.mark.parametrize(("lost", "outcome"), [(2, "passed"), (3, "failed")])
@pytest.mark.parametrize("asked", [{"min": 0.9}, {"min": 0.9, "max_drop": 0.5}])
def test_a_noisy_row_below_its_floor_before_fails_only_beyond_the_noise(
    lost: int, outcome: str, asked: dict[str, float]
) -> None:
    """N1, ``floor_policy: no_worse``: 0.5 before, 0.425 or 0.3875 now; the band is 0.0753, as above."""
    values = sheets.cases(*[(0.5, 0.125 if place < lost else 0.5) for place in range(10)])
    noise = {"measured": {"faithfulness": known(0.1, a=(0.1, 10))}, "repeats": 5}
    rule = sheets.rule("faithfulness", **asked)
    found = exam(values, rule, noise=noise, gate={"floor_policy": "no_worse"})
    [floor] = [each for each in gate.row_outcomes(found) if each.rule == "faithfulness min"]
    assert floor.outcome == outcome
    assert ("no worse than chance makes it" in floor.reason) == (outcome == "passed")
    assert gate.decide(exam(values, rule, noise=noise)).outcome == "failed"


@pytest.mark.parametrize(("fallen_cases", "outcome"), [(8, "passed"), (12, "failed")])
def test_without_measured_noise_sign_flips_say_whether_a_row_below_its_floor_fell_further(
    fallen_cases: int, outcome: str
) -> None:
    """Of 12 cases 8 fell by 0.1 and 4 rose by as much, as chance does in 19 of 100; or all fell, p = 2^-12."""
    values = sheets.cases(*[(0.5, 0.4 if place < fallen_cases else 0.6) for place in range(12)])
    found = exam(values, sheets.rule("faithfulness", min=0.9), gate={"floor_policy": "no_worse"})
    assert gate.decide(found).outcome == outcome


def test_a_new_case_may_not_pull_a_row_below_its_floor_further_down() -> None:
    """Chance moves what was asked before: six cases fell by nothing, and a new one at 0 is no chance."""
    new = sheets.CaseValues("n", "a", critical=False, before=None, after=(0.0,))
    values = [*sheets.cases(*[(0.5, 0.5)] * 6), new]
    found = exam(values, sheets.rule("faithfulness", min=0.9), gate={"floor_policy": "no_worse"})
    assert gate.decide(found).outcome == "failed"


@pytest.mark.parametrize(
    ("noise", "fell", "outcome"),
    [
        # Five of 25 at 0 are one way of 32, four one of 16.
        ({}, 4, "inconclusive"), ({}, 3, "passed"),
        # t(0.95, 96) x 0.05 x root(2 / 25) = 1.661 x 0.01414 = 0.0235; one case at 0 is 0.04.
        ({"measured": {"faithfulness": known(0.05, a=(0.05, 24))}, "repeats": 5}, 0, "inconclusive"),
        ({"measured": {"faithfulness": known(0.1, a=(0.1, 24))}, "repeats": 5}, 0, "passed"),
    ],
)  # fmt: skip
def test_a_missing_value_is_no_worse_than_the_worst_there_is(noise: dict[str, Any], fell: int, outcome: str) -> None:
    """What chance makes of the row with the worst value in it decides whether that would change the verdict."""
    missing = CaseValues("u", "a", critical=False, before=(1.0,), after=(None,), unscored=frozenset({0}))
    found = gate.decide(exam([*fallen(fell, 24, 1.0), missing], noise=noise))
    worst = missing._replace(after=(0.0,), unscored=frozenset())
    at_worst = gate.decide(exam([*fallen(fell, 24, 1.0), worst], noise=noise))
    assert found.outcome == outcome
    assert at_worst.outcome == ("failed" if outcome == "inconclusive" else "passed")
