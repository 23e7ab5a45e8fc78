"""The outcome in words."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from evaluator.model.comparison import Loosened
from evaluator.model.decision import Reason, RuleOutcome
from evaluator.report import verdict
from evaluator.report.view import build_view
from tests.builders import (
    build_case_outcome,
    build_comparison,
    build_decision,
    build_inputs,
    build_row,
    build_rule,
)

if TYPE_CHECKING:
    from evaluator.report.inputs import Inputs


def failing(*rules: RuleOutcome, **fields: object) -> Inputs:
    """A failed run in which these rules failed."""
    return build_inputs(build_comparison(), build_decision("failed", rules, **fields))


def fell(category: str | None, metric: str = "recall@5", kind: str = "max_drop", **fields: object) -> RuleOutcome:
    """A rule that failed in one row."""
    return build_rule(build_row(category, 0.9, 0.5, metric=metric, reason="fell", **fields), kind, outcome="failed")


class TestFailed:
    """A failed run."""

    @pytest.mark.parametrize(
        ("rules", "expected"),
        [
            ((fell("billing"), fell("legal"), fell(None)), "recall@5 fell in 2 categories"),
            ((fell("billing"), fell(None)), "recall@5 fell in billing"),
            ((fell(None),), "recall@5 fell over all cases"),
            ((fell(None, scope="small"),), "recall@5 fell in the small categories"),
            ((fell(None, "latency_ms", "max_rise"),), "latency_ms rose over all cases"),
            ((fell("a"), fell("b", kind="min")), "recall@5 fell in a and is below its floor in b"),
            ((fell("a", kind="drift"),), "recall@5 drifted below its anchor in a"),
            ((fell("a"), fell("a", kind="drift")), "recall@5 fell in a"),
            ((fell("a"), fell(None, "mrr")), "recall@5 fell in a; mrr fell over all cases"),
            (
                tuple(fell("a", f"m@{k}") for k in (1, 2, 3, 4)),
                "m@1 fell in a; m@2 fell in a; m@3 fell in a; and 1 more failure",
            ),
        ],
    )
    def test_says_which_metric_fell_and_where(self, rules: tuple[RuleOutcome, ...], expected: str) -> None:
        """A reader learns from one line what broke."""
        assert verdict.sentence(failing(*rules)) == f"Failed: {expected}"

    @pytest.mark.parametrize(
        ("kind", "number", "expected"),
        [
            ("lost_needs", 1, "1 critical case lost a passage it needs"),
            ("lost_facts", 2, "2 critical cases: each lost a required fact"),
            ("wrong_abstention", 1, "1 critical case is answered where it should not be, or the reverse"),
            ("lost_answer_facts", 1, "1 critical case lost a required fact of its answer"),
        ],
    )
    def test_names_critical_cases_first(self, kind: str, number: int, expected: str) -> None:
        """One critical case outranks any mean."""
        rule = fell(None, scope="all").model_copy(update={"rule": f"critical {kind}", "scope": "run"})
        cases = [build_case_outcome(f"c{place}", f"critical {kind}", "failed") for place in range(number)]
        inputs = failing(fell("billing"), rule, cases=(*cases, build_case_outcome("c9", f"critical {kind}", "passed")))

        assert verdict.sentence(inputs) == f"Failed: {expected}; recall@5 fell in billing"

    def test_for_a_reason_in_no_row_says_the_reason(self) -> None:
        """Whatever failed, the first line says it."""
        inputs = failing(reasons=(Reason(code="other", text="the sky fell"), Reason(code="more", text="and the roof")))

        assert verdict.sentence(inputs) == "Failed: the sky fell; and 1 more reason"
        assert [note.text for note in build_view(inputs).reasons.notes.items] == ["and the roof"]

    def test_says_what_the_tables_do_not(self) -> None:
        """A reason that a table shows is not said twice; any other is."""
        open_too = Reason(code="too-few-paired", text="only 3 of 40 cases are still asked alike")
        rule = fell("billing")
        shown = Reason(code="max-drop", text="recall@5 max_drop in billing: fell")

        assert verdict.reasons(failing(rule, reasons=(shown, open_too))) == [open_too.text]


class TestPassed:
    """A run that passed."""

    def test_says_how_many_cases_were_compared(self) -> None:
        """No regression in how many cases."""
        assert verdict.sentence(build_inputs()) == "Passed: no regression in 40 cases"

    def test_does_not_hide_an_advisory_fall(self) -> None:
        """A row that fell and is not enforced is no clean pass."""
        row = build_row("billing", 0.9, 0.5, advisory=True, reason="advisory: other chunking")
        inputs = build_inputs(build_comparison((row,)))

        assert verdict.sentence(inputs) == "Passed: no enforced regression in 40 cases, but 1 advisory row fell"

    @pytest.mark.parametrize(
        ("rules", "expected"),
        [
            ((), "40 cases measured, with no limit to hold them to"),
            ((build_rule(build_row(None), "min", limit=0.7),), "every limit held in 40 cases"),
            (
                (build_rule(build_row(None), outcome="not_evaluated"),),
                "40 cases measured, with no limit to hold them to",
            ),
        ],
    )
    def test_without_a_baseline_says_so_first(self, rules: tuple[RuleOutcome, ...], expected: str) -> None:
        """A first run is not taken for one that was compared."""
        inputs = build_inputs(build_comparison(baseline=None), build_decision("passed", rules))

        assert verdict.sentence(inputs) == f"No baseline. Passed: {expected}"


class TestInconclusive:
    """A run that nobody can be sure of."""

    def test_says_the_one_reason_and_does_not_repeat_it(self) -> None:
        """One reason is said once, in the first line."""
        reason = Reason(code="too-many-failures", text="the pipeline failed for 60 of 600 cases")
        view = build_view(build_inputs(decision=build_decision("inconclusive", reasons=(reason,))))

        assert view.verdict == "Inconclusive: the pipeline failed for 60 of 600 cases"
        assert not view.reasons

    def test_puts_a_loosened_exam_first(self) -> None:
        """What made the exam easier stands before anything else, unless a person accepted it."""
        loosened = (
            Loosened(kind="removed", text="the case was removed", case="q-1"),
            Loosened(kind="removed", text="the case was removed", case="q-2", accepted="a duplicate"),
        )
        decision = build_decision("inconclusive", reasons=(Reason(code="loosened", text="q-1: the case was removed"),))
        view = build_view(build_inputs(build_comparison(loosened=loosened), decision))

        assert view.verdict == "Inconclusive: this change makes its own exam easier"
        assert [note.about for note in view.loosened.notes.items] == ["q-1"]
        assert [part.title for part in view.details] == ["Accepted"]

    def test_cuts_a_long_reason_in_the_first_line_and_says_it_whole_below(self) -> None:
        """A heading stays a heading."""
        reason = Reason(code="other", text="word " * 100)
        view = build_view(build_inputs(decision=build_decision("inconclusive", reasons=(reason,))))

        assert len(view.verdict) < 200
        assert view.reasons.notes.items[0].text == reason.text


def test_the_icon_is_never_the_only_one_to_say_it() -> None:
    """Each outcome has its own icon beside its own word."""
    views = [
        build_view(build_inputs(decision=build_decision(outcome))) for outcome in ("passed", "failed", "inconclusive")
    ]

    assert len({view.icon for view in views}) == 3
    assert [view.verdict.partition(":")[0] for view in views] == ["Passed", "Failed", "Inconclusive"]


def test_held_out_cases_are_not_counted_as_measured() -> None:
    """What is said of the cases is said of those that are not held out."""
    inputs = dataclasses.replace(build_inputs(build_comparison(baseline=None)), held_out=10)

    assert verdict.sentence(inputs) == "No baseline. Passed: 30 cases measured, with no limit to hold them to"
