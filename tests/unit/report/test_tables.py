"""The tables of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest

from evaluator.model.run import RunSummary, SummaryValue
from evaluator.report import tables
from tests.builders import build_comparison, build_decision, build_head, build_inputs, build_row, build_rule

if TYPE_CHECKING:
    from evaluator.report.inputs import Inputs
    from evaluator.report.parts import Part


def cells(part: Part) -> list[tuple[str, ...]]:
    """The rows of a part's table."""
    assert part.table is not None
    return [row.cells for row in part.table.rows.items]


def compared(
    *rows: object, gated: tuple[str, ...] = ("recall@5",), means: dict[str, float | None] | None = None
) -> Inputs:
    """A run with these rows, in which the metrics of ``gated`` have a rule wherever they have a row."""
    rules = tuple(build_rule(row) for row in rows if row.metric in gated)
    head = build_head(means or {row.metric: 0.5 for row in rows})
    return build_inputs(build_comparison(tuple(rows)), build_decision("passed", rules), head=head)


class TestGatedMetrics:
    """The tables above the fold."""

    def test_show_all_cases_first_and_then_each_category(self) -> None:
        """Regressed categories come first, the others by name, the pooled ones last."""
        inputs = compared(
            build_row("b"), build_row("a"), build_row("z", 0.9, 0.5), build_row(None, scope="small"), build_row(None),
            build_row(None, metric="mrr"), gated=("recall@5", "mrr"),
        )  # fmt: skip
        overall, by_category = tables.visible(inputs)

        assert [row[0] for row in cells(overall)] == ["recall@5", "mrr"]
        assert by_category.title == "recall@5 by category"
        assert [row[0] for row in cells(by_category)] == ["z", "a", "b", "small categories"]

    def test_show_both_values_the_change_and_the_count(self) -> None:
        """Category, cases, baseline, this change, difference, status."""
        row = build_row("a", 0.8, 0.805, n=17)

        assert cells(tables.visible(compared(row))[0]) == [("a", "17", "0.800", "0.805", "+0.005", "improved")]

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({"status": "unchanged"}, "unchanged"),
            ({"status": "regressed", "reason": "worse by 0.3"}, "❌ regressed"),
            ({"status": "too few cases", "reason": "3 cases, 5 are needed"}, "too few cases: 3 cases, 5 are needed"),
            ({"status": "within noise", "reason": "within noise: 1 case lost"}, "within noise: 1 case lost"),
            ({"status": "new", "reason": ""}, "new"),
            ({"status": "not evaluated", "reason": "worse; no rule sets a limit"}, "worse; no rule sets a limit"),
            (
                {"status": "regressed", "advisory": True, "reason": "worse by 0.3 (advisory: other chunking)"},
                "regressed (advisory: other chunking)",
            ),
            (
                {
                    "status": "not evaluated",
                    "advisory": True,
                    "tolerance": None,
                    "reason": "worse; no rule sets a limit (advisory: other chunking)",
                },
                "worse; no rule sets a limit",
            ),
            ({"status": "regressed", "advisory": True, "reason": "no kappa"}, "advisory, regressed: no kappa"),
        ],
    )
    def test_say_the_status_in_words_with_its_reason(self, fields: dict[str, object], expected: str) -> None:
        """No icon stands alone, and an advisory row says that it is one."""
        assert cells(tables.visible(compared(build_row(None, 0.8, 0.5, **fields)))[0])[0][-1] == expected

    @pytest.mark.parametrize(
        ("after", "fields", "expected"),
        [
            (
                0.76, {"tolerance": 0.05, "reason": "within noise: 9 cases lost; worse by 0.04, 0.05 is allowed"},
                "worse, within the allowed 0.05: 9 cases lost",
            ),
            (
                120.0,
                {
                    "tolerance": 50.0, "metric": "latency_ms",
                    "reason": "within noise: 3 cases lost; worse by 40, 50 is allowed",
                },
                "worse, within the allowed 50 ms: 3 cases lost",
            ),
            (
                0.6, {"reason": "within noise: 1 case lost, 2 are needed; worse by 0.2"},
                "within noise: 1 case lost, 2 are needed; worse by 0.2",
            ),
            (
                0.78, {"reason": "within noise: 1 case lost; worse by 0.02, 0.02 is allowed"},
                "within noise: 1 case lost; worse by 0.02, 0.02 is allowed",
            ),
        ],
    )  # fmt: skip
    def test_say_that_a_drop_is_allowed_where_a_rule_allows_it(
        self, after: float, fields: dict[str, object], expected: str
    ) -> None:
        """Only a single lost case, or too few for the rule, are called noise."""
        before = 80.0 if after > 1 else 0.8
        row = build_row("a", before, after, status="within noise", **fields)

        assert cells(tables.visible(compared(row, gated=(row.metric,)))[0])[0][-1] == expected

    def test_mark_a_floor_that_was_missed_without_a_drop(self) -> None:
        """An unchanged row below its floor does not look fine."""
        row = build_row("a", 0.65, 0.65)
        rules = (
            build_rule(row),
            build_rule(row, "min", outcome="failed", limit=0.7),
            build_rule(row, "drift", outcome="failed"),
        )
        inputs = build_inputs(build_comparison((row,)), build_decision("failed", rules))

        assert cells(tables.visible(inputs)[0])[0][-1] == "unchanged; ❌ below its floor; ❌ drifted"
        assert not tables.visible(inputs)[0].table.rows.items[0].quiet

    def test_are_those_of_every_metric_where_no_rule_names_one(self) -> None:
        """A suite without rules still shows what it measured."""
        inputs = compared(build_row(None), build_row(None, metric="mrr"), gated=())

        assert [row[0] for row in cells(tables.visible(inputs)[0])] == ["recall@5", "mrr"]
        assert tables.other_metrics(inputs) is None


class TestSmallCategories:
    """Categories with fewer than the five cases that a row of their own needs."""

    FEW: ClassVar[dict[str, object]] = {"n": 3, "status": "too few cases", "reason": "3 cases, 5 are needed"}

    def test_are_one_row_above_and_their_own_ones_below(self) -> None:
        """The table holds what was decided on; every small category can still be looked up."""
        inputs = compared(
            build_row(None), build_row("a"), build_row("s1", 0.9, 0.5, **self.FEW), build_row("s2", n=2),
            build_row(None, 0.9, 0.7, scope="small"),
        )  # fmt: skip
        _, by_category = tables.visible(inputs)
        folded = tables.small(inputs)

        assert [row[0] for row in cells(by_category)] == ["a", "small categories"]
        assert folded is not None
        assert [(row.cells[1], row.cells[-1]) for row in folded.rows.items] == [
            ("s1", "too few cases: 3 cases, 5 are needed"), ("s2", "unchanged"),
        ]  # fmt: skip

    def test_have_no_table_where_there_are_no_others(self) -> None:
        """All of them together are the row over all cases, which stands above already."""
        inputs = compared(build_row(None), build_row("s1", 0.9, 0.5, **self.FEW))

        assert [part.title for part in tables.visible(inputs)] == ["All cases"]

    def test_stay_where_they_say_more_than_that_they_are_small(self) -> None:
        """A category that came or went is seen."""
        inputs = compared(build_row(None), build_row("n", n=0, status="new", reason="not in the baseline"))

        assert [row[0] for row in cells(tables.visible(inputs)[1])] == ["n"]
        assert tables.small(inputs) is None


class TestOtherMetrics:
    """The folded table."""

    def test_holds_every_row_that_no_rule_decides_on(self) -> None:
        """Metrics without a rule, and categories of a metric that is gated over all cases only."""
        ruled = build_row(None)
        rows = (ruled, build_row("a"), build_row(None, metric="mrr"), build_row("a", metric="mrr"))
        inputs = build_inputs(
            build_comparison(rows), build_decision("passed", (build_rule(ruled),)),
            head=build_head({"recall@5": 0.8, "mrr": 0.8}),
        )  # fmt: skip
        table = tables.other_metrics(inputs)

        assert table is not None
        assert [row.cells[:2] for row in table.rows.items] == [("mrr", "all cases"), ("mrr", "a"), ("recall@5", "a")]

    def test_is_absent_where_nothing_is_left(self) -> None:
        """No empty table."""
        assert tables.other_metrics(compared(build_row(None))) is None


class TestWithoutBaseline:
    """A first run: means, and over how many of the cases that a metric applies to."""

    SUMMARY = RunSummary(
        all={"recall@5": SummaryValue(mean=0.75, n=38, of=40), "mrr": SummaryValue(mean=None, n=0, of=0)},
        categories={
            "a": {"recall@5": SummaryValue(mean=0.5, n=8, of=10)},
            "b": {"mrr": SummaryValue(mean=None, n=0, of=0)},
        },
        holdout={"recall@5": SummaryValue(mean=0.25, n=4, of=4)},
    )  # fmt: skip

    def inputs(self) -> Inputs:
        """A run with one rule per category and a metric without a rule."""
        rules = (
            build_rule(build_row(None), outcome="not_evaluated"),
            build_rule(build_row("a"), outcome="not_evaluated"),
        )
        head = build_head().model_copy(update={"summary": self.SUMMARY})
        return build_inputs(build_comparison(baseline=None), build_decision("passed", rules), head=head)

    def test_shows_means_and_counts(self) -> None:
        """Nothing is compared, and nothing looks as if it were."""
        overall, by_category = tables.visible(self.inputs())

        assert cells(overall) == [("recall@5", "0.750", "38 of 40")]
        assert cells(by_category) == [("a", "0.500", "8 of 10")]

    def test_folds_the_other_metrics(self) -> None:
        """A metric that applies to nothing has no mean."""
        table = tables.other_metrics(self.inputs())

        assert table is not None
        assert [row.cells for row in table.rows.items] == [("mrr", "–", "0 of 0")]

    def test_shows_only_aggregates_of_what_is_held_out(self) -> None:
        """Held-out cases appear as one mean a metric."""
        table = tables.holdout(self.inputs())

        assert table is not None
        assert [row.cells for row in table.rows.items] == [("recall@5", "0.250", "4 of 4")]
        assert tables.holdout(build_inputs()) is None
