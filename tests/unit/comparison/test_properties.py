"""What holds of every comparison, from the values of two runs to the verdict."""

from __future__ import annotations

import random
import re
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluator.comparison import critical, gate
from evaluator.comparison.critical import Held, Sides
from evaluator.comparison.sheet import CaseValues, Noisiness, Sheet
from evaluator.model.comparison import CriticalOutcome, Exam, GatedRow, Row
from evaluator.model.noise import CategoryNoise, MetricNoise
from evaluator.model.score import MetricId
from tests import sheets

NAMES = ("recall@5", "faithfulness", "correctness", "latency_ms")
METRICS = tuple(map(MetricId.parse, NAMES))
DECLARED = {
    **sheets.METRICS, **{name: sheets.metric(name, reads="judge") for name in ("faithfulness", "correctness")},
}  # fmt: skip
UNIT = st.sampled_from([0.0, 1 / 3, 0.5, 0.75, 1.0])
SCORE = st.none() | UNIT
VALUES = st.tuples(UNIT, SCORE, SCORE, st.sampled_from([90.0, 100.0, 1000.0]))
CATEGORY = st.sampled_from(["a", "b", "c"])


class Told(NamedTuple):
    """One case in both runs."""

    before: tuple[float | None, ...]
    after: tuple[float | None, ...]
    category: str


CASES = st.lists(st.builds(Told, VALUES, VALUES, CATEGORY), min_size=1, max_size=24)
MEASURED = MetricNoise(sd=0.1, categories={name: CategoryNoise(sd=0.1, n=8) for name in "ab"}, kurtosis=1.0)
NOISE = st.sampled_from([
    Noisiness(), Noisiness({"faithfulness": MEASURED}, 5),
    Noisiness({"faithfulness": MEASURED, "recall@5": MEASURED}, 5, is_live=True),
])  # fmt: skip
LIMIT = st.sampled_from([0.0, 0.05, 0.1])


def lines(found: list[Told]) -> list[CaseValues]:
    """Cases that were paired."""
    return [CaseValues(f"c{n}", each.category, False, each.before, each.after) for n, each in enumerate(found)]


def exam(found: list[CaseValues], noise: Noisiness, limit: float = 0.02, **fields: Any) -> Exam:
    """An exam of three metrics per category and of time over all."""
    values = Sheet(METRICS, DECLARED, found, has_baseline=True, noise=noise, anchor=fields.pop("anchor", {}))
    rules = [sheets.rule(name, per="category", max_drop=limit, **fields) for name in NAMES[:3]]
    return sheets.exam(values, *rules, sheets.rule("latency_ms", max_rise="10%"), written=False)


def by_place(found: Exam) -> dict[tuple[str, str, str | None], GatedRow]:
    """The rows, by metric and place."""
    return {(entry.row.metric, entry.row.scope, entry.row.category): entry for entry in found.rows}


@given(CASES, NOISE)
def test_exchanging_the_runs_flips_every_sign(found: list[Told], noise: Noisiness) -> None:
    """Change and interval, and without a limit also what regressed and what improved."""
    turned = [Told(each.after, each.before, each.category) for each in found]
    forth, back = (by_place(exam(lines(each), noise, 0.0)) for each in (found, turned))
    mirrored = {"regressed": "improved", "improved": "regressed", "new": "removed", "removed": "new"}
    for place in forth.keys() | back.keys():
        if place not in forth or place not in back:
            # What only one run has values of is pooled where it is that run's.
            assert not (forth.get(place) or back[place]).row.n
            continue
        one, other = forth[place].row, back[place].row
        assert (one.baseline, one.candidate, one.n) == (other.candidate, other.baseline, other.n)
        assert one.delta == (None if other.delta is None else -other.delta)
        assert one.interval == (None if other.interval is None else (-other.interval[1], -other.interval[0]))
        if one.metric != "latency_ms":
            assert mirrored.get(one.status, one.status) == other.status


@given(CASES, NOISE, VALUES, st.sampled_from(["a", "b", "new"]), LIMIT)
def test_a_new_case_changes_no_row(
    found: list[Told], noise: Noisiness, value: Any, category: str, limit: float
) -> None:
    """Whatever it says and wherever it stands, it is in no mean, and no row is held to more for it."""
    new = CaseValues("new", category, critical=False, before=None, after=value)
    before, after = by_place(exam(lines(found), noise, limit)), by_place(exam([*lines(found), new], noise, limit))
    for place, entry in before.items():
        if entry.row.n:
            assert after[place].row == entry.row
    for place in after.keys() - before.keys():
        assert after[place].row.status == "new"


@given(CASES, NOISE, st.integers(0, 2**32), LIMIT)
def test_the_order_of_the_cases_changes_nothing(found: list[Told], noise: Noisiness, seed: int, limit: float) -> None:
    """Rows, rules, reasons and outcome."""
    anchor = {name: {f"c{n}": 1.0 for n in range(0, len(found), 2)} for name in NAMES[:3]}
    mixed = lines(found)
    random.Random(seed).shuffle(mixed)  # noqa: S311 - what hypothesis draws
    one, other = (exam(each, noise, limit, anchor=anchor) for each in (lines(found), mixed))
    assert one.rows == other.rows
    assert gate.decide(one) == gate.decide(other)


@given(CASES, st.builds(Told, VALUES, VALUES, CATEGORY), NOISE)
def test_no_added_case_makes_another_lose_less(found: list[Told], one_more: Told, noise: Noisiness) -> None:
    """However much it won, the cases that got worse are still there and counted."""
    before, after = (by_place(exam(lines(each), noise)) for each in (found, [*found, one_more]))
    for place, entry in before.items():
        if place in after and place[1] != "small":
            assert after[place].worse >= entry.worse


HELD = st.builds(
    lambda needs, facts, told: Held(frozenset(needs), frozenset(facts), told), st.sets(st.sampled_from("abc")),
    st.sets(st.sampled_from("xyz")), st.none() | st.sampled_from([0.0, 1.0]),
)  # fmt: skip
SIDES = st.lists(st.tuples(st.none() | HELD, HELD), min_size=1, max_size=5)


def outcomes(found: list[tuple[Held | None, Held]]) -> tuple[CriticalOutcome, ...]:
    """The critical cases of an exam."""
    return tuple(each for n, sides in enumerate(found) for each in critical.outcomes(Sides(f"k{n}", *sides)))


@given(CASES, SIDES, st.tuples(st.none() | HELD, HELD), st.builds(Told, VALUES, VALUES, CATEGORY))
def test_no_added_case_removes_another_from_the_critical_failures(
    found: list[Told], sides: list[tuple[Held | None, Held]], another: tuple[Held | None, Held], one_more: Told
) -> None:
    """One lost need stays lost, whatever the means and other critical cases do."""
    few = exam(lines(found), Noisiness()).but(critical=outcomes(sides))
    more = exam(lines([*found, one_more]), Noisiness()).but(critical=outcomes([*sides, another]))
    before, after = gate.decide(few), gate.decide(more)
    assert set(before.cases) <= set(after.cases)
    lost = {each.rule for each in before.rules if each.outcome == "failed" and each.scope == "run"}
    assert lost <= {each.rule for each in after.rules if each.outcome == "failed"}
    assert not lost or after.outcome == "failed"


NEAR = st.floats(-1e-6, 1e-6) | st.floats(-0.2, 0.2)
ALLOWED = re.compile(r"worse by ([\d.e+-]+), ([\d.e+-]+) is allowed")
CHANCE = re.compile(r"worse by ([\d.e+-]+),.* chance alone makes ([\d.e+-]+)")
FLOOR = re.compile(r"([\d.e+-]+) (is below|reaches) the floor ([\d.e+-]+)")
BELOW = re.compile(r"([\d.e+-]+) below its anchor, ([\d.e+-]+) is allowed")


@given(st.floats(0.05, 0.5), NEAR, st.integers(2, 12), NOISE)
def test_no_rounding_shows_a_fail_as_a_pass(limit: float, off: float, n: int, noise: Noisiness) -> None:
    """Drops around the limit: whatever is shown, a failure is on the wrong side of its limit, and a pass is not."""
    assume(limit + off <= 1)
    after = 1.0 - limit - off
    told = [CaseValues(f"c{n}", "a", False, (1.0,) * 3 + (1.0,), (after,) * 3 + (1.0,)) for n in range(n)]
    anchor = {name: {f"c{n}": 1.0 for n in range(n)} for name in NAMES[:3]}
    found = exam(told, noise, limit, min=after + off, anchor=anchor)
    for outcome in gate.decide(found).rules:
        for pattern in (ALLOWED, CHANCE, BELOW):
            if (shown := pattern.search(outcome.reason)) is not None:
                drop, allowed = map(float, shown.groups())
                assert outcome.outcome != "failed" or drop > allowed, outcome.reason
                assert outcome.outcome != "passed" or drop <= allowed, outcome.reason
        if (floor := FLOOR.search(outcome.reason)) is not None:
            assert (outcome.outcome == "failed") == (float(floor[1]) < float(floor[3])) == (floor[2] == "is below")


@given(st.floats(-1e-6, 1e-6), st.sampled_from([-1, 1]))
def test_no_rounding_shows_what_chance_makes_on_the_wrong_side(off: float, way: int) -> None:
    """Falls and rises of about as much as the band."""

    def row(after: float) -> Row:
        told = [CaseValues(f"c{n}", "a", False, (0.5,) * 4, (0.5, after, 0.5, 0.5)) for n in range(8)]
        return by_place(exam(told, Noisiness({"faithfulness": MEASURED}, 5)))["faithfulness", "all", None].row

    found = row(0.5 + way * ((row(0.4).noise or 0.0) + off))
    shown = re.search(r"(?:worse|better) by ([\d.e+-]+),.* chance alone makes ([\d.e+-]+)", found.reason)
    assert found.status in ("within noise", "regressed", "improved")
    if shown is not None:
        assert (float(shown[1]) > float(shown[2])) == (found.status != "within noise"), found.reason


@pytest.mark.parametrize("drop", [0.02, 0.02 + 5e-10, 0.02 + 2e-9, 0.020000004, 0.0200004])
def test_what_is_a_hair_above_a_limit_is_shown_to_be(drop: float) -> None:
    """As many digits as it takes; within a thousand-millionth nothing is above."""
    (outcome, *_) = gate.decide(sheets.exam(sheets.sheet(sheets.cases(*[(1.0, 1.0 - drop)] * 5)), sheets.rule())).rules
    shown = ALLOWED.search(outcome.reason)
    assert shown is not None
    assert (outcome.outcome == "failed") == (float(shown[1]) > float(shown[2])) == (drop - 0.02 > 1e-9)
