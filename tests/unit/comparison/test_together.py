"""Rows with too few cases for a test of their own: what they come to together, by hand."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from evaluator.comparison import gate, loosened
from evaluator.comparison.sheet import CaseValues, Noisiness, Sheet
from evaluator.model.accepted import Accepted, AcceptedRow
from evaluator.model.comparison import Exam
from evaluator.model.score import MetricId
from tests import sheets

NAMES = ("faithfulness", "correctness", "answer_relevance", "answer_completeness", "recall")
DECLARED = {name: sheets.metric(name, reads="ranking" if name == "recall" else "judge") for name in NAMES}
RULES = [sheets.rule(name, max_drop=0.03, min_lost=2) for name in NAMES]
Values = tuple[float, ...]
BEFORE: Values = (1.0, 0.5, 0.5, 0.5, 1.0)


def now(faithfulness: float = 1.0, correctness: float = 0.51) -> Values:
    """The values of a case now: what a judge says always moves a little."""
    return (faithfulness, correctness, 0.51, 0.49, 1.0)


UNFAITHFUL = now(0.0)


def exam(after: list[Values], *rules: Any, **fields: Any) -> Exam:
    """Cases that were at BEFORE in four judged metrics and in recall; default rules unless others are given."""
    lines = [CaseValues(f"c{n}", "a", critical=False, before=BEFORE, after=each) for n, each in enumerate(after)]
    metrics = tuple(MetricId.parse(name) for name in NAMES)
    noise = Noisiness(alpha=0.05)
    values = Sheet(metrics, DECLARED, lines, has_baseline=True, noise=noise)
    return sheets.exam(values, *(rules or RULES), written=fields.pop("written", False), **fields)


def codes(found: Exam) -> list[str]:
    """The reasons for the outcome."""
    return [reason.code for reason in gate.decide(found).reasons]


def test_six_cases_that_all_become_unfaithful_are_not_green() -> None:
    """Of four judged rows that moved none can show it: one way of 64 is more than 0.05 / 4. Together they can."""
    found = exam([UNFAITHFUL] * 6)
    [row] = [entry.row for entry in found.rows if entry.is_doubted]
    assert (row.metric, row.n, row.status) == ("faithfulness", 6, "too few cases")
    assert "worse by 1, 0.03 is allowed; 6 cases lost; p = 0.016 together" in row.reason
    verdict = gate.decide(found)
    assert (verdict.outcome, codes(found)) == ("inconclusive", ["too-few-cases"])
    assert {outcome.outcome for outcome in verdict.rules if outcome.rule == "faithfulness max_drop"} == {
        "not_evaluated"
    }


@pytest.mark.parametrize(
    ("after", "is_open"),
    [
        pytest.param([UNFAITHFUL] * 6, True, id="all of six: 1 of 64"),
        pytest.param([UNFAITHFUL] * 3 + [now()] * 3, False, id="three of six: 1 of 8, and no more than half"),
        pytest.param([UNFAITHFUL] * 4 + [now()] * 2, True, id="four of six: 1 of 16, but more than half"),
        pytest.param([now()] * 6, False, id="nothing fell"),
        pytest.param([now(0.5)] * 4, False, id="four cases can show nothing even together"),
        pytest.param([UNFAITHFUL] * 4, True, id="four cases of which nothing is left need no test"),
        pytest.param([UNFAITHFUL], False, id="one case alone is no two"),
        pytest.param([now(0.98)] * 6, False, id="all fell, and no farther than is allowed"),
        pytest.param([now(0.5, 0.0)] * 6, True, id="two metrics fell by half"),
        pytest.param(
            [now(0.9)] * 3 + [now(correctness=0.4)] * 3, True,
            id="three cases lost one metric and three another: each lost something",
        ),
    ],
)  # fmt: skip
def test_what_the_rows_lost_is_added_up_case_by_case(after: list[Values], *, is_open: bool) -> None:
    """The sign-flip test of the sums: six of six that fell are one way of 64."""
    assert ("too-few-cases" in codes(exam(after))) == is_open


REST = (0.51, 0.49, 1.0)


def test_a_fall_in_the_only_metric_that_moved_has_the_whole_of_alpha() -> None:
    """Where no case of a metric moved, it can raise no false alarm: six of six are a regression by themselves."""
    found = exam([(0.0, *BEFORE[1:])] * 6)
    assert [entry.row.status for entry in found.rows] == ["regressed", *["unchanged"] * 4]
    assert gate.decide(found).outcome == "failed"


def test_rises_stand_against_falls() -> None:
    """What a case lost in one metric and won in another is nothing; five that only lost are one way of 32."""
    for correctness, is_open in ((0.5, False), (0.0, True)):
        lines = [
            CaseValues(f"c{n}", "a", critical=False, before=(1.0, 0.0, 0.5, 0.5, 1.0), after=(0.5, correctness, *REST))
            for n in range(5)
        ]
        values = Sheet(tuple(MetricId.parse(name) for name in NAMES), DECLARED, lines, has_baseline=True)
        assert ("too-few-cases" in codes(sheets.exam(values, *RULES, written=False))) == is_open


def small_categories(after: float, **fields: Any) -> Exam:
    """Two categories of three beside one of 24 that stays; 30 cases can show falls."""
    found = [
        *sheets.cases(*[(1.0, after)] * 3, category="s1"), *sheets.cases(*[(1.0, after)] * 3, category="s2"),
        *sheets.cases(*[(1.0, 1.0)] * 24, category="big"),
    ]  # fmt: skip
    values = Sheet((MetricId.parse(NAMES[0]),), DECLARED, found, has_baseline=True, noise=Noisiness(alpha=0.01))
    return sheets.exam(values, sheets.rule(NAMES[0], per="category", max_drop=0.03, min_lost=2, **fields))


@pytest.mark.parametrize(("after", "is_open"), [(0.0, True), (0.5, False)])
def test_small_categories_of_which_nothing_is_left_are_not_green(after: float, *, is_open: bool) -> None:
    """The pooled row has 6 cases of 7 that it takes at 0.01, and the row of all 30 cannot tell six either."""
    found = small_categories(after)
    doubted = {(entry.row.scope, entry.row.category) for entry in found.rows if entry.is_doubted}
    assert doubted == ({("category", "s1"), ("category", "s2"), ("small", None)} if is_open else set())
    assert gate.decide(found).outcome == ("inconclusive" if is_open else "passed")
    assert gate.decide(small_categories(after, optional=True)).outcome == "passed"


def test_an_optional_rule_leaves_nothing_open() -> None:
    """Whoever wrote it said so."""
    optional = [sheets.rule(name, max_drop=0.03, optional=True) for name in NAMES[:4]]
    assert codes(exam([UNFAITHFUL] * 6, *optional, RULES[4], written=True)) == []


def test_a_change_that_drops_the_rule_does_not_close_the_question() -> None:
    """Under the baseline's rules it is open; under the change's own nobody asks."""
    old, new = exam([UNFAITHFUL] * 6), exam([UNFAITHFUL] * 6, RULES[4])
    (found,) = loosened.find(new, old, (), loosened.Acceptance(Accepted()))
    assert (found.kind, found.metric, found.accepted) == ("undecided", "faithfulness", None)
    assert "the default rule on faithfulness of the baseline is gone" in (found.where or "")


def test_a_person_can_accept_the_row() -> None:
    """As any row that leaves the outcome open."""
    entry = AcceptedRow(metric="faithfulness", floor=0.0, reason="a new domain", until=datetime.date(2099, 1, 1))
    accepted = loosened.accept_rows(exam([UNFAITHFUL] * 6), loosened.Acceptance(Accepted(rows=(entry,))))
    assert gate.decide(accepted).outcome == "passed"
