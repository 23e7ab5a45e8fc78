"""The view as a whole: what it was compared with, by what it is found again, what is folded away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import report
from evaluator.model.comparison import ConfigurationChange
from evaluator.report.inputs import Failed
from evaluator.report.view import age, build_view, marker
from tests import reports
from tests.builders import (
    COMMIT,
    build_case_outcome,
    build_change,
    build_comparison,
    build_decision,
    build_head,
    build_inputs,
    build_row,
    build_rule,
)


class TestMarker:
    """The line by which a comment is found again."""

    @pytest.mark.parametrize(
        "suites", [("Support", "support"), ("a b", "a-b"), ("ä", "ö"), ("日本", "中国"), ("a--b", "a-b")]
    )
    def test_tells_suites_of_like_names_apart(self, suites: tuple[str, str]) -> None:
        """Two suites never update each other's comment."""
        assert marker(suites[0]) != marker(suites[1])

    @given(st.text(min_size=1))
    def test_is_one_comment_whatever_the_suite_is_called(self, suite: str) -> None:
        """No name ends the comment early or breaks its line."""
        text = marker(suite)

        assert text.startswith("<!-- rag-assay suite=")
        assert text.endswith(" -->")
        assert "--" not in text[4:-3]
        assert text[4:-3].isascii()
        assert text[4:-3].isprintable()

    def test_stays_the_same_from_run_to_run(self) -> None:
        """Yesterday's comment is found today."""
        assert marker("support") == "<!-- rag-assay suite=support-a1860308 -->"


class TestAge:
    """How old the baseline is."""

    @pytest.mark.parametrize(
        ("then", "now", "expected"),
        [
            ("2026-03-01T08:00:00Z", "2026-03-04T09:00:00+00:00", "3 days old"),
            ("2026-03-01T08:00:00Z", "2026-03-02T09:00:00Z", "25 hours old"),
            ("2026-03-01T08:00:00Z", "2026-03-01T09:30:00Z", "1 hour old"),
            ("2026-03-01T08:00:00Z", "2026-03-01T08:30:00Z", "less than an hour old"),
            ("2026-03-04T08:00:00Z", "2026-03-01T08:00:00Z", None),
            ("2026-03-01T08:00:00", "2026-03-04T09:00:00Z", None),
            ("yesterday", "2026-03-04T09:00:00Z", None),
            (None, "2026-03-04T09:00:00Z", None),
            ("2026-03-01T08:00:00Z", None, None),
        ],
    )
    def test_is_said_only_where_it_is_known(self, then: str | None, now: str | None, expected: str | None) -> None:
        """A missing, unreadable or future time is left out, never guessed."""
        assert age(then, now) == expected


class TestCompared:
    """With what a run was compared."""

    def test_names_commit_age_source_and_counts(self) -> None:
        """A reader knows what "before" means."""
        comparison = build_comparison(new=("a",), removed=("b", "c"))
        compared = build_view(build_inputs(comparison)).compared

        assert compared == (
            COMMIT[:12],
            "3 days old",
            "eval/baseline.json",
            "40 cases paired, 1 new, 2 removed, 0 changed",
            False,
        )

    def test_is_nothing_without_a_baseline(self) -> None:
        """A first run was compared with nothing."""
        assert build_view(build_inputs(build_comparison(baseline=None))).compared is None

    def test_shows_a_commit_that_is_no_hash_as_it_is(self) -> None:
        """A name given by a person is not cut like a hash."""
        view = build_view(build_inputs(head=build_head(commit="release-2026-03-with-a-long-name")))

        assert view.commit == "release-2026-03-with-a-long-name"


class TestUncommitted:
    """A run of more than its commit."""

    def test_changes_are_told_of_both_runs(self) -> None:
        """Whoever checks out the commit would not find what was measured."""
        inputs = build_inputs(head=build_head(timing={"uncommitted": True}), baseline_uncommitted=True)
        text = report.load()["comment"].render(build_view(inputs))

        assert "cases, compared with `a1b2c3d4e5f6` with uncommitted changes." in text
        assert "Compared with commit `a1b2c3d4e5f6` with uncommitted changes, from " in text
        assert "commit `ffffffffffff` with uncommitted changes · 40 cases</sub>" in text

    def test_nothing_is_told_where_there_are_none(self) -> None:
        """An ordinary run is its commit's."""
        assert "uncommitted" not in report.load()["comment"].render(build_view(build_inputs()))


class TestDetails:
    """What is folded away."""

    def test_are_only_those_that_have_something_in_them(self) -> None:
        """Nothing unfolds to nothing."""
        assert build_view(build_inputs()).details == ()

    def test_hold_everything_else_a_reviewer_may_ask_for(self) -> None:
        """Improvements, other metrics, lists of cases, configuration, failures, warnings, held-out means and rules."""
        assert [part.title for part in build_view(reports.failed()).details] == [
            "Worse without failing a rule: 1 question", "Improved: 1 question",
            "Why cases fail: 5 cases", "Categories with fewer than 5 cases: 1 row", "Other metrics",
            "New: 2 cases", "Changed: 1 case",
            "Configuration: 2 changes", "Pipeline failures: 2 cases", "Warnings", "Held-out cases",
            "Rules not evaluated", "Accepted",
        ]  # fmt: skip

    def test_do_not_repeat_the_questions_above(self) -> None:
        """A question behind a regression is not listed as merely worse."""
        folded = build_view(reports.failed()).details[0]

        assert [example.id for example in folded.examples.items] == ["notice-11"]

    def test_warn_that_several_changes_cannot_be_told_apart(self) -> None:
        """Two changed keys at once are no experiment."""
        part = next(part for part in build_view(reports.failed()).details if part.title.startswith("Configuration"))
        alone = next(
            part for part in build_view(reports.inconclusive()).details if part.title.startswith("Configuration")
        )

        assert part.notes.items[0].text == "Several changed at once: their effects cannot be told apart."
        assert alone.notes.items == ()
        assert alone.table is not None
        assert alone.table.rows.items[0].cells[1:] == ("gate.rules: recall@5 per all", "max_drop 0.02", "max_drop 0.05")

    def test_take_another_index_for_one_change(self) -> None:
        """Whoever changes a document changes its chunks; a changed parameter beside it is a second change."""
        index = (
            ConfigurationChange(key="fixture documents", before="a", after="b"),
            ConfigurationChange(key="fixture chunks", before="c", after="d"),
        )
        parameter = ConfigurationChange(key="k", before=3, after=5)
        one, two = (
            build_view(build_inputs(build_comparison(configuration=changes))).details[0]
            for changes in (index, (*index, parameter))
        )

        assert (one.notes.total, two.notes.total) == (0, 1)

    def test_say_rules_of_many_rows_once(self) -> None:
        """Forty rows without a baseline are one line, not forty."""
        part = next(part for part in build_view(reports.no_baseline()).details if part.title == "Rules not evaluated")

        assert [(note.about, note.text) for note in part.notes.items] == [
            ("recall@5 max_drop", "all cases, billing, contracts: no baseline")
        ]

    def test_count_the_rows_where_they_are_many(self) -> None:
        """A rule without a verdict in many rows says in how many."""
        rules = tuple(build_rule(build_row(name), outcome="not_evaluated", reason="no baseline") for name in "abcd")
        part = build_view(build_inputs(decision=build_decision("passed", rules))).details[-1]

        assert [note.text for note in part.notes.items] == ["4 rows: no baseline"]

    def test_count_what_failed_among_the_held_out_and_name_none_of_it(self) -> None:
        """Of a held-out case only the number is told."""
        inputs = build_inputs(failures=[Failed("a", "died", "exit code 1")], held_out=5, held_out_failures=2)
        part = build_view(inputs).details[0]

        assert [note.text for note in part.notes.items] == ["died: exit code 1", "2 held-out cases failed too."]

    def test_leave_out_changes_of_cases_that_may_not_be_shown(self) -> None:
        """A case whose text was not handed over is not named among the improved ones either."""
        comparison = build_comparison((), (build_change("hidden", 0.0, 1.0),))
        decision = build_decision("passed", cases=(build_case_outcome("hidden", status="better"),))

        assert build_view(build_inputs(comparison, decision, cases={})).details == ()


def test_a_failing_pipeline_is_told_before_any_number() -> None:
    """Cases that were not answered explain a fall better than any ranking."""
    inputs = build_inputs(failures=[Failed("a", "timeout", "no reply")], total=50, held_out=10)

    assert build_view(inputs).alerts == ("The pipeline failed for 1 of 40 cases; each counts as the worst value.",)
