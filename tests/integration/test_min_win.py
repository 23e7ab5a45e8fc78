"""The rule on preference: how often the answers must hold their own beside the baseline's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evaluator.model import judgement
from evaluator.model.judgement import Judged
from tests.court import METRICS, Court, calibration, case
from tests.judgements import judgement as said

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.model.comparison import Row
    from evaluator.model.decision import Decision

WIN, TIE, LOSS = "win win", "win loss", "loss loss"
RULE = {"metric": "preference", "min_win": 0.5}
KNOWN = calibration(("preference", "faithfulness"))


@pytest.fixture
def court(tmp_path: Path) -> Court:
    """A suite that measures preference beside its other metrics, with a rule on it and one on recall."""
    rules = [RULE, {"metric": "recall@5", "max_drop": 0.02}]
    return Court(tmp_path, {"metrics": [*METRICS, "preference"], "gate": {"rules": rules}})


def preferred(name: str, orders: str | None, **fields: Any) -> dict[str, Any]:
    """A case whose answer was held beside the baseline's; None: it was not."""
    stored = judgement.write(Judged((), said(preference=orders, **fields.pop("judged", {}))))
    return {**case(name, **fields), "claims": None, "judgement": stored["judgement"]}


def suite(*orders: str | None, **fields: Any) -> list[dict[str, Any]]:
    """A case for each."""
    return [preferred(f"c{place}", each, **fields) for place, each in enumerate(orders)]


def outcome(decision: Decision, scope: str = "all", category: str | None = None) -> tuple[str, float | None, str]:
    """What the rule came to in one row."""
    [found] = [
        each
        for each in decision.rules
        if (each.rule, each.scope, each.category) == ("preference min_win", scope, category)
    ]
    assert (found.before, found.limit) == (None, 0.5)
    return found.outcome, found.after, found.reason


def row(court: Court, name: str) -> Row:
    """The row of preference over all cases."""
    [found] = [each for each in court.comparison(name).rows if (each.metric, each.scope) == ("preference", "all")]
    return found


@pytest.mark.parametrize(
    ("orders", "verdict", "mean"),
    [
        ([WIN, WIN, LOSS, LOSS], "passed", 0.5),
        ([WIN, TIE, LOSS, TIE], "passed", 0.5),
        ([WIN, LOSS, LOSS, TIE], "failed", 0.375),
        ([LOSS] * 4, "failed", 0.0),
    ],
)
def test_a_believed_judge_decides_by_the_mean_over_what_was_compared(
    court: Court, orders: list[str], verdict: str, mean: float
) -> None:
    """Ties are halves; what reaches the number exactly is kept."""
    court.calibrate(KNOWN)
    baseline = court.run("base", suite(*[None] * 4))
    court.run("new", suite(*orders))
    decision = court.decide("new", baseline)
    assert decision.outcome == verdict
    assert outcome(decision)[:2] == (verdict, mean)
    assert (row(court, "new").status, row(court, "new").baseline, row(court, "new").n) == ("not evaluated", None, 4)


def test_a_judge_that_is_not_believed_leaves_it_undecided(court: Court) -> None:
    """Like every other judged row; with judge.advisory: pass it is shown only."""
    baseline = court.run("base", suite(*[None] * 4))
    court.run("new", suite(*[LOSS] * 4))
    decision = court.decide("new", baseline)
    assert (decision.outcome, outcome(decision)) == (
        "inconclusive",
        ("advisory", 0.0, "0 is below the 0.5 that is asked for"),
    )
    assert "preference min_win over all cases would have failed" in str(decision.reasons)
    court.config["judge"] = {"provider": "scripted", "model": "m", "advisory": "pass"}
    baseline = court.run("base", suite(*[None] * 4))
    court.run("new", suite(*[LOSS] * 4))
    assert court.decide("new", baseline).outcome == "passed"


def test_a_baseline_that_no_judge_has_seen_has_answers_all_the_same(court: Court) -> None:
    """A loss beside it is not passed over for want of a judged baseline."""
    baseline = court.run("base", suite(*[None] * 4), tier="retrieval")
    court.run("new", suite(*[LOSS] * 4))
    assert court.decide("new", baseline).outcome == "inconclusive"
    court.calibrate(KNOWN)
    court.run("new", suite(*[LOSS] * 4))
    assert court.decide("new", baseline).outcome == "failed"


def test_without_a_baseline_there_is_nothing_to_win_against(court: Court) -> None:
    """Not even by what a run was held beside at some other time."""
    court.calibrate(KNOWN)
    court.run("new", suite(*[LOSS] * 4))
    decision = court.decide("new", None)
    assert decision.outcome == "passed"
    assert outcome(decision) == ("not_evaluated", 0.0, "no baseline to compare answers with")


def test_a_rule_that_nothing_was_compared_for_is_undecided(court: Court) -> None:
    """There is a baseline, and score was not told of it."""
    court.calibrate(KNOWN)
    baseline = court.run("base", suite(*[WIN] * 4))
    court.run("new", suite(*[None] * 4))
    decision = court.decide("new", baseline)
    assert decision.outcome == "inconclusive"
    assert outcome(decision) == ("not_evaluated", None, "no answer was compared with the baseline's")
    assert "rule on preference could be decided in no row" in str(decision.reasons)


def test_what_the_baseline_won_against_its_own_is_no_before(court: Court) -> None:
    """Neither a fall nor a new row, no changed case, no anchor."""
    court.calibrate(KNOWN)
    baseline = court.run("base", suite(*[WIN] * 4))
    court.run("new", suite(WIN, WIN, LOSS, TIE))
    assert court.decide("new", baseline).outcome == "passed"
    comparison = court.comparison("new")
    rows = [each for each in comparison.rows if each.metric == "preference"]
    assert {(each.status, each.baseline, each.delta) for each in rows} == {("not evaluated", None, None)}
    assert not [change for change in comparison.cases if change.metric == "preference"]
    assert "preference" not in court.exam("new").history.anchor


def test_a_metric_without_a_rule_is_neither_new_nor_removed(court: Court) -> None:
    """Its rows are shown where something was compared, whichever run did."""
    court.config["gate"] = {"rules": [{"metric": "recall@5", "max_drop": 0.02}]}
    for before, after in ((WIN, None), (None, WIN), (WIN, LOSS)):
        baseline = court.run("base", suite(*[before] * 5))
        court.run("new", suite(*[after] * 5))
        assert court.decide("new", baseline).outcome == "passed"
        rows = [each for each in court.comparison("new").rows if each.metric == "preference"]
        assert [(each.status, each.n) for each in rows] == [("not evaluated", 5)] * (2 if after else 0)


@pytest.mark.parametrize(("won", "verdict"), [(9, "passed"), (8, "inconclusive")])
def test_what_could_not_be_judged_may_have_been_lost(court: Court, won: int, verdict: str) -> None:
    """One of ten without a verdict counts as a loss: 9 of 10 reach 0.9, 8 and a loss of 10 do not."""
    court.config["gate"] = {
        "rules": [{**RULE, "min_win": 0.9}, {"metric": "recall@5", "max_drop": 0.02}], "max_unscored": 0.2,
    }  # fmt: skip
    court.calibrate(KNOWN)
    broken = preferred("broken", None, judged={"unscored": {"preference": "no valid reply"}})
    baseline = court.run("base", [*suite(*[None] * won), preferred("broken", None)])
    court.run("new", [*suite(*[WIN] * won), broken])
    assert court.decide("new", baseline).outcome == verdict


def test_small_categories_are_pooled_by_what_was_compared(court: Court) -> None:
    """Five compared make a row of their own; two categories of fewer make one together."""
    court.config["gate"] = {"rules": [{**RULE, "per": "category"}]}
    court.calibrate(KNOWN)
    cases = [
        *[preferred(f"a{n}", WIN, category="a") for n in range(5)],
        *[preferred(f"b{n}", LOSS, category="b") for n in range(2)],
        *[preferred(f"d{n}", TIE, category="d") for n in range(2)],
    ]
    baseline = court.run("base", cases)
    court.run("new", cases)
    decision = court.decide("new", baseline)
    assert decision.outcome == "failed"
    assert outcome(decision, "category", "a")[:2] == ("passed", 1.0)
    assert outcome(decision, "small")[:2] == ("failed", 0.25)
    assert outcome(decision)[:2] == ("passed", 6 / 9)


class TestTheExam:
    """A change may not take the rule away that it would fail."""

    @pytest.mark.parametrize("rule", [{**RULE, "min_win": 0.2}, None])
    def test_a_rule_that_is_lowered_or_dropped(self, court: Court, rule: dict[str, Any] | None) -> None:
        """What is red under the baseline's rule is named, with the entry that would accept it."""
        court.calibrate(KNOWN)
        baseline = court.run("base", suite(*[None] * 4), calibration=KNOWN)
        court.config["gate"] = {"rules": [*([rule] if rule else []), {"metric": "recall@5", "max_drop": 0.02}]}
        court.run("new", suite(WIN, LOSS, LOSS, LOSS))
        assert court.decide("new", baseline).outcome == "inconclusive"
        [found] = court.comparison("new").loosened
        assert (found.kind, found.metric, found.candidate) == ("rule", "preference", 0.25)
        assert found.entry == {"metric": "preference", "floor": 0.25}

    def test_a_metric_that_is_taken_away_with_its_rule(self, court: Court) -> None:
        """Then nobody asks which answer is better; that is not as good as having won."""
        court.calibrate(KNOWN)
        baseline = court.run("base", suite(*[None] * 4), calibration=KNOWN)
        court.config |= {"metrics": METRICS, "gate": {"rules": [{"metric": "recall@5", "max_drop": 0.02}]}}
        court.run("new", suite(*[None] * 4))
        assert court.decide("new", baseline).outcome == "inconclusive"
        [found] = court.comparison("new").loosened
        assert (found.kind, found.metric) == ("undecided", "preference")


def test_in_tier_retrieval_it_is_not_evaluated(court: Court) -> None:
    """No judge was asked."""
    baseline = court.run("base", suite(*[None] * 4), tier="retrieval")
    court.run("new", suite(*[None] * 4), tier="retrieval")
    decision = court.decide("new", baseline)
    [found] = [each for each in decision.rules if each.rule == "preference min_win"]
    assert (decision.outcome, found.outcome, found.reason) == ("passed", "not_evaluated", "tier retrieval")


def test_the_comment_says_what_was_lost(court: Court) -> None:
    """A value without a before, what was asked for, and no change."""
    court.calibrate(KNOWN)
    baseline = court.run("base", suite(*[None] * 4))
    court.run("new", suite(WIN, LOSS, LOSS, LOSS))
    comment = court.report("new", baseline)
    assert "preference was won too seldom over all cases" in comment
    assert "| preference | all cases | – | 0.250 | – | at least 0.5 | – |" in comment
