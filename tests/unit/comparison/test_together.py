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
ONES: Values = (1.0,) * 5


def exam(after: list[Values], *rules: Any, **fields: Any) -> Exam:
    """Cases that were at 1 in four judged metrics and in recall; default rules unless others are given."""
    lines = [CaseValues(f"c{n}", "a", critical=False, before=ONES, after=each) for n, each in enumerate(after)]
    metrics = tuple(MetricId.parse(name) for name in NAMES)
    noise = Noisiness(alpha=0.05)
    values = Sheet(metrics, DECLARED, lines, has_baseline=True, noise=noise)
    return sheets.exam(values, *(rules or RULES), written=fields.pop("written", False), **fields)


def codes(found: Exam) -> list[str]:
    """The reasons for the outcome."""
    return [reason.code for reason in gate.decide(found).reasons]


UNFAITHFUL: Values = (0.0, 1.0, 1.0, 1.0, 1.0)


def test_six_cases_that_all_become_unfaithful_are_not_green() -> None:
    """Of four judged rows none can show it: one way of 64 is more than 0.05 / 4. Together they can."""
    found = exam([UNFAITHFUL] * 6)
    [row] = [entry.row for entry in found.rows if entry.row.status == "too few cases"]
    assert (row.metric, row.n) == ("faithfulness", 6)
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
        pytest.param([UNFAITHFUL] * 4 + [ONES] * 2, False, id="four of six: 1 of 16"),
        pytest.param([ONES] * 6, False, id="nothing fell"),
        pytest.param([UNFAITHFUL] * 4, False, id="four cases can show nothing even together"),
        pytest.param([(0.98, 1.0, 1.0, 1.0, 1.0)] * 6, False, id="all fell, and no farther than is allowed"),
        pytest.param([(0.5,) * 4 + (1.0,)] * 6, True, id="everything fell by half"),
        pytest.param(
            [(0.9, 1.0, 1.0, 1.0, 1.0)] * 3 + [(1.0, 0.9, 1.0, 1.0, 1.0)] * 3, True,
            id="three cases lost one metric and three another: each lost something",
        ),
    ],
)  # fmt: skip
def test_what_the_rows_lost_is_added_up_case_by_case(after: list[Values], *, is_open: bool) -> None:
    """The sign-flip test of the sums: six of six that fell are one way of 64."""
    assert ("too-few-cases" in codes(exam(after))) == is_open


def test_rises_stand_against_falls() -> None:
    """What a case lost in one metric and won in another by as much is nothing."""
    lines = [
        CaseValues(f"c{n}", "a", critical=False, before=(1.0, 0.0, 1.0, 1.0, 1.0), after=(0.0, 1.0, 1.0, 1.0, 1.0))
        for n in range(6)
    ]
    values = Sheet(tuple(MetricId.parse(name) for name in NAMES), DECLARED, lines, has_baseline=True)
    assert "too-few-cases" not in codes(sheets.exam(values, *RULES, written=False))


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
