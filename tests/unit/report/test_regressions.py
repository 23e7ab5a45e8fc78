"""What failed, and the questions behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evaluator.model.decision import RuleOutcome
from evaluator.report import regressions
from evaluator.report.inputs import CaseText, Failed, Inputs
from tests.builders import (
    build_case_outcome,
    build_change,
    build_comparison,
    build_decision,
    build_head,
    build_inputs,
    build_row,
    build_rule,
)

if TYPE_CHECKING:
    from evaluator.model.comparison import CaseChange


def cells(inputs: Inputs) -> list[tuple[str, ...]]:
    """The rows of the table of what failed."""
    return [row.cells for row in regressions.table(inputs).rows.items]


def questions(inputs: Inputs) -> list[str]:
    """The ids of the questions behind what failed, in order."""
    return [example.id for example in regressions.examples(inputs, regressions.behind(inputs)).items]


def fallen(*changes: CaseChange, categories: dict[str, str] | None = None, **fields: object) -> Inputs:
    """A run whose recall fell in ``billing``."""
    row = build_row("billing", 0.9, 0.5, reason="fell")
    comparison = build_comparison((row,), changes)
    cases = {
        change.id: CaseText(f"What about {change.id}?", (categories or {}).get(change.id, "billing"), critical=False)
        for change in changes
    }
    return build_inputs(comparison, build_decision("failed", (build_rule(row),)), **{"cases": cases, **fields})


class TestTable:
    """Every rule that failed."""

    def test_shows_values_change_limit_and_how_many_cases_got_worse(self) -> None:
        """A row says what fell, by how much, what was allowed and how many questions paid."""
        inputs = fallen(build_change("a"), build_change("b", 0.5, 1.0), build_change("c"), categories={"c": "legal"})

        assert cells(inputs) == [("recall@5", "billing", "0.900", "0.500", "−0.400", "−0.02", "1")]

    def test_is_sorted_by_the_size_of_the_change(self) -> None:
        """The worst stands first, whatever the unit."""
        rows = [build_row("little", 0.9, 0.8, reason="x"), build_row("much", 0.9, 0.3, reason="x")]
        slower = build_row(None, 100.0, 125.0, metric="latency_ms", status="regressed", tolerance=20.0, reason="x")
        rules = [*map(build_rule, rows), build_rule(slower, "max_rise")]
        inputs = build_inputs(decision=build_decision("failed", tuple(rules)))

        assert [row[:2] for row in cells(inputs)] == [
            ("recall@5", "much"), ("latency_ms", "all cases"), ("recall@5", "little")
        ]  # fmt: skip
        assert cells(inputs)[1][2:6] == ("100 ms", "125 ms", "+25 ms", "+20 ms")

    def test_says_once_that_the_same_fall_breaks_two_limits(self) -> None:
        """A drop below the floor is one row with both limits."""
        row = build_row("billing", 0.9, 0.5, reason="fell")
        rules = (
            build_rule(row),
            build_rule(row, "min", outcome="failed", limit=0.7),
            build_rule(row, "drift", before=0.95, limit=0.05),
        )
        inputs = build_inputs(decision=build_decision("failed", rules))

        assert [row[5] for row in cells(inputs)] == ["−0.05 since its anchor", "−0.02; at least 0.7"]

    def test_never_shows_a_missed_floor_as_reached(self) -> None:
        """0.79996 is not 0.800."""
        floor = build_rule(build_row(None, 0.9, 0.79996), "min", outcome="failed", limit=0.8)
        inputs = build_inputs(decision=build_decision("failed", (floor,)))

        assert cells(inputs)[0][3:6] == ("0.79996", "−0.100", "at least 0.8")

    def test_without_a_baseline_shows_only_this_run(self) -> None:
        """There is nothing before, so nothing is said of it."""
        floor = build_rule(build_row(None), "min", outcome="failed", before=None, after=0.65, limit=0.7)
        inputs = build_inputs(build_comparison(baseline=None), build_decision("failed", (floor,)))

        assert cells(inputs) == [("recall@5", "all cases", "–", "0.650", "–", "at least 0.7", "–")]

    def test_counts_the_critical_cases_and_puts_them_first(self) -> None:
        """A critical rule is about cases, not about means."""
        rule = RuleOutcome(
            rule="critical lost_needs", scope="run", category=None, outcome="failed",
            before=None, after=None, limit=0, reason="1 case of 2: a",
        )  # fmt: skip
        outcomes = tuple(
            build_case_outcome(case, "critical lost_needs", status)
            for case, status in (("a", "failed"), ("b", "passed"))
        )
        row = build_rule(build_row("billing", 1.0, 0.0, reason="fell"))
        inputs = build_inputs(decision=build_decision("failed", (row, rule), cases=outcomes))

        assert cells(inputs)[0] == ("needs in the context", "critical cases", "–", "–", "–", "0 a case", "1 of 2")

    def test_counts_the_cases_of_the_pooled_small_categories(self) -> None:
        """The pool is made of the categories with too few cases, and only of those."""
        pool = build_row(None, 0.9, 0.5, scope="small", reason="fell")
        rows = (pool, build_row("tiny", n=2, status="too few cases"), build_row("large", n=20))
        cases = {name: CaseText("?", category, critical=False) for name, category in (("a", "tiny"), ("b", "large"))}
        inputs = build_inputs(
            build_comparison(rows, (build_change("a"), build_change("b"))),
            build_decision("failed", (build_rule(pool),)), cases=cases,
        )  # fmt: skip

        assert cells(inputs)[0][1] == "small categories"
        assert cells(inputs)[0][-1] == "1"
        assert questions(inputs) == ["a"]


class TestQuestions:
    """The questions behind what failed."""

    def test_come_with_the_largest_fall_first(self) -> None:
        """A reader starts with what broke most."""
        inputs = fallen(build_change("little", 1.0, 0.9), build_change("much"), build_change("better", 0.0, 1.0))

        assert questions(inputs) == ["much", "little"]

    def test_put_critical_cases_before_any_other(self) -> None:
        """Failed critical cases first, then other critical ones, then the largest fall."""
        changes = (
            build_change("plain"),
            build_change("important", 1.0, 0.9),
            build_change("lost", 2, 1, metric="lost_needs"),
        )
        texts = {name: CaseText("?", "billing", critical=name != "plain") for name in ("plain", "important", "lost")}
        inputs = fallen(*changes, cases=texts)
        outcome = build_case_outcome("lost", "critical lost_needs", "failed", before=2, after=1)
        inputs = build_inputs(inputs.comparison, inputs.decision.model_copy(update={"cases": (outcome,)}), cases=texts)

        assert questions(inputs) == ["lost", "important", "plain"]

    def test_tell_of_a_critical_case_without_a_recorded_change(self) -> None:
        """A case that is wrong with nothing to compare it with is shown all the same."""
        outcome = build_case_outcome("a", "critical wrong_abstention", "failed", before=None, after=0.0)
        inputs = build_inputs(
            build_comparison(baseline=None), build_decision("failed", cases=(outcome,)),
            cases={"a": CaseText("Can I?", "billing", critical=True)},
        )  # fmt: skip
        example = regressions.examples(inputs, regressions.behind(inputs)).items[0]

        assert example.changes == ("right to answer or abstain – → 0",)

    def test_say_what_changed_and_which_chunks_went_or_fell(self) -> None:
        """Chunks that are gone stand before those that only fell, each once."""
        lost = [("fell", 1, 7), ("gone", 3, None)]
        inputs = fallen(
            build_change("a", 1.0, 0.25, lost=lost), build_change("a", 0.9, 0.1, metric="ndcg@10", lost=lost)
        )
        example = regressions.examples(inputs, regressions.behind(inputs)).items[0]

        assert example.changes == ("recall@5 1.000 → 0.250",)
        assert example.lost.items == (("gone", "3", "not in the top 20"), ("fell", "1", "7"))

    @pytest.mark.parametrize(
        ("returned", "said"),
        [
            (20, "not in the top 20"),
            (7, "not in the 7 that were returned"),
            (1, "not the one result that was returned"),
            (0, "nothing was returned"),
        ],
    )
    def test_say_how_many_results_there_were_where_they_were_few(self, returned: int, said: str) -> None:
        """A pipeline that stops early has no twentieth place to be absent from."""
        case = CaseText("?", "billing", critical=False, returned=returned)
        inputs = fallen(build_change("a", lost=[("gone", 3, None)]), cases={"a": case})
        example = regressions.examples(inputs, regressions.behind(inputs)).items[0]

        assert example.lost.items == (("gone", "3", said),)

    def test_name_the_depth_that_was_really_searched(self) -> None:
        """A deeper metric means a deeper ranking."""
        inputs = fallen(
            build_change("a", lost=[("gone", 3, None)]), head=build_head({"recall@5": 0.5, "ndcg@50": 0.5, "mrr": 0.1})
        )
        example = regressions.examples(inputs, regressions.behind(inputs)).items[0]

        assert example.lost.items[0].after == "not in the top 50"

    def test_say_that_the_pipeline_failed(self) -> None:
        """A question that was not answered lost nothing to the ranking."""
        inputs = fallen(build_change("a"), failures=[Failed("a", "timeout", "no reply within 60 s")])
        example = regressions.examples(inputs, regressions.behind(inputs)).items[0]

        assert example.failure == "timeout: no reply within 60 s"

    def test_leave_out_cases_that_may_not_be_shown(self) -> None:
        """A case whose text was not handed over (a held-out one, say) is never named."""
        inputs = fallen(
            build_change("shown"), build_change("held-out"), cases={"shown": CaseText("?", "billing", critical=False)}
        )

        assert questions(inputs) == ["shown"]

    def test_follow_the_direction_of_the_metric(self) -> None:
        """For a rise that failed, the cases that rose are to blame."""
        slower = build_row(None, 100.0, 150.0, metric="latency_ms", status="regressed", tolerance=20.0, reason="x")
        changes = (
            build_change("slow", 100.0, 300.0, metric="latency_ms"),
            build_change("fast", 100.0, 50.0, metric="latency_ms"),
        )
        inputs = build_inputs(
            build_comparison((slower,), changes), build_decision("failed", (build_rule(slower, "max_rise"),))
        )

        assert questions(inputs) == ["slow"]

    def test_leave_out_values_that_are_not_known_on_both_sides(self) -> None:
        """A metric that no longer applies is not a loss."""
        assert questions(fallen(build_change("a", 1.0, None), build_change("b", None, 1.0))) == []
