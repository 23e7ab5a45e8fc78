"""A report fits where it goes, and what failed stays longest."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import report
from evaluator.report import comment, sizes, summary
from evaluator.report.parts import Listing, Part, Table, TableRow
from evaluator.report.view import build_view
from tests import reports
from tests.forge import Page

if TYPE_CHECKING:
    from evaluator.report.parts import ReportView

FULL = sizes.Tier(examples=10, items=20, rows=200, text=300)


def text_of(view: ReportView, tier: sizes.Tier) -> str:
    """A view rendered in one tier, whatever its size."""
    return sizes.fitting(view, tier, sizes.Limit(10**9, 10**9), "run.json holds everything")


class TestLimits:
    """What a place takes."""

    @pytest.mark.parametrize(
        ("text", "fits"),
        [
            ("a" * 65_535, True),
            ("a" * 65_536, True),
            ("a" * 65_537, False),
            ("👩" * 32_768, True),
            ("👩" * 32_769, False),
            ("é" * 65_536, True),
        ],
    )
    def test_count_characters_as_the_larger_of_code_points_and_utf_16_units(self, text: str, fits: bool) -> None:
        """How the forge counts is not documented: the larger number must fit."""
        assert sizes.Limit(65_536, 262_144).holds(text) is fits

    def test_count_bytes_too(self) -> None:
        """Text of three bytes a character reaches the limit of bytes first."""
        assert not sizes.Limit(1_000, 1_000).holds("日" * 334)

    def test_of_a_comment_leave_room_to_what_the_forge_takes(self) -> None:
        """65,536 characters are refused as a whole when one is too many."""
        assert comment.LIMIT.characters < 65_536
        assert summary.LIMIT.size < 1024 * 1024


class TestTiers:
    """What is left out, and in which order."""

    def test_everything_is_shown_where_it_fits(self) -> None:
        """An ordinary run leaves nothing out."""
        assert "Left out for length" not in report.load()["comment"].render(build_view(reports.failed()))

    def test_each_says_less_than_the_one_before(self) -> None:
        """Tier by tier a report gets shorter."""
        view = build_view(reports.huge(cases=400, categories=90, length=30))
        lengths = [len(text_of(view, tier)) for tier in (FULL, *sizes.SMALLER)]

        assert lengths == sorted(lengths, reverse=True)
        assert len(set(lengths)) == len(lengths)

    def test_questions_are_halved_before_nearly_all_of_them_go(self) -> None:
        """A hundred questions get shorter, then become fifty, twenty-five, twelve and six; only then five."""
        full = sizes.Tier(examples=100, items=20, rows=200, text=300)
        steps = list(sizes.tiers(full))

        assert [tier.examples for tier in steps] == [100, 100, 50, 25, 12, 6, 5, 5, 3, 3, 0]
        assert [tier.rows for tier in steps] == [200, 200, 100, 100, 100, 100, 100, 60, 30, 30, 3]
        assert [tier.text for tier in steps[:3]] == [300, 200, 200]
        assert steps[0] is full
        assert steps[-len(sizes.SMALLER) :] == list(sizes.SMALLER)

    def test_a_table_of_which_nothing_is_left_is_left_out(self) -> None:
        """Where rows that tell of no change go, a heading above none of them tells nothing either."""
        quiet = Table(("Category", "Status"), Listing.of([TableRow(("a", "unchanged"), quiet=True)]))
        view = build_view(reports.failed())
        view = view._replace(tables=(*view.tables, Part("All alike", table=quiet)))
        shown = [[part.title for part in sizes.trimmed(view, tier).tables] for tier in (FULL, sizes.SMALLER[1])]

        assert ["All alike" in titles for titles in shown] == [True, False]
        assert "All cases" in shown[1]
        assert "All alike" not in text_of(view, sizes.SMALLER[1])

    @given(st.integers(1, 2000), st.integers(1, 500), st.integers(1, 2000), st.integers(1, 1000))
    def test_no_step_shows_more_than_the_one_before(self, examples: int, items: int, rows: int, text: int) -> None:
        """Whatever a format shows at first, each step of the questions is at most half of the last."""
        steps = list(sizes.tiers(sizes.Tier(examples, items, rows, text)))
        between = steps[: len(steps) - len(sizes.SMALLER)]

        assert [tier.examples for tier in between[1:]] == [examples >> step for step in range(len(between) - 1)]
        assert all(tier.text <= text for tier in between)
        assert all(tier.left_out for tier in steps[1:])

    def test_a_comment_keeps_as_many_questions_as_fit(self) -> None:
        """Of 60 long questions, of which about 40 fit, 30 are shown and not five."""
        view = build_view(dataclasses.replace(reports.huge(cases=60, categories=2, length=1), max_examples=60))
        limit = sizes.Limit(len(text_of(view, FULL._replace(examples=40, text=200))), 10**9)
        text = sizes.fitting(view, FULL._replace(examples=60), limit, "run.json holds everything")

        assert "Not shown: 30 questions." in text
        assert "Left out for length: some questions and the ends of long texts and lists; run.json holds" in text

    def test_unchanged_categories_and_details_go_before_what_failed(self) -> None:
        """The third tier keeps every failed row, the questions and the regressed categories."""
        text = text_of(build_view(reports.failed()), sizes.SMALLER[1])

        assert "| recall@5 | contracts | 0.900 | 0.879 |" in text
        assert "How many days do I have to return a damaged device?" in text
        assert "| billing | 144 |" in text
        assert "| shipping | 150 |" not in text
        assert "| returns | 203 |" not in text
        assert "\n<details>" not in text
        assert "Left out for length: unchanged categories, improvements and all details; run.json holds" in text

    def test_the_smallest_keeps_the_verdict_the_worst_and_the_marker(self) -> None:
        """Whatever happens, a reader learns what failed and the comment is found again."""
        view = build_view(reports.failed())
        text = text_of(view, sizes.SMALLER[-1])

        assert text.startswith(f"## ❌ {view.verdict}\n")
        assert "The pipeline failed for 2 of 600 cases" in text
        assert "| recall@5 | billing | 0.812 | 0.688 |" in text
        assert text.splitlines()[-1] == view.marker

    def test_the_smallest_is_taken_where_nothing_fits(self) -> None:
        """A place that is too small for anything gets the least there is, whole."""
        view = build_view(reports.failed())

        assert sizes.fitting(view, FULL, sizes.Limit(10, 10), "x") == text_of(view, sizes.SMALLER[-1]).replace(
            "run.json holds everything", "x"
        )

    def test_what_is_cut_is_counted(self) -> None:
        """A list that was shortened says by how much."""
        text = text_of(build_view(reports.huge(cases=40, categories=8, length=5)), FULL)

        assert "Not shown: 30 questions." in text


class TestHugeRuns:
    """Runs that no comment could hold."""

    @pytest.mark.parametrize(
        ("cases", "categories", "length"), [(3000, 400, 70_000), (3000, 400, 5), (30, 3, 70_000), (2000, 2000, 250)]
    )
    def test_still_get_a_whole_comment_and_summary(self, cases: int, categories: int, length: int) -> None:
        """Long cells, many rows and wide characters: it fits, every tag is closed, and the regressions are there."""
        view = build_view(reports.huge(cases, categories, length))
        for name, limit in (("comment", comment.LIMIT), ("summary", summary.LIMIT)):
            text = report.load()[name].render(view)
            page = Page.of(text)

            assert limit.holds(text)
            assert "recall@5 fell in" in page.text
            assert "category 0 xxxxx" in page.text
            assert "What failed" in page.text
            assert text.splitlines()[-1] == view.marker
            assert page.comments == [view.marker[4:-3]]

    @settings(max_examples=20)
    @given(st.text(min_size=1, max_size=400).map(lambda text: text * 200))
    def test_of_any_text_fit(self, text: str) -> None:
        """No text is long or odd enough to break a comment."""
        view = build_view(reports.huge(cases=20, categories=5, length=1))
        view = view._replace(tool=text, verdict=text[:600])
        rendered = report.load()["comment"].render(view)

        assert comment.LIMIT.holds(rendered)
        assert rendered.splitlines()[-1] == view.marker
