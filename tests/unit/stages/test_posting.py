"""Texts for GitHub: each fits, none is cut in the middle, and what says nothing is left out first."""

from __future__ import annotations

import pytest

from evaluator.github.marks import Mark, Stamp
from evaluator.model.publication import Publication
from evaluator.report.view import marker
from evaluator.stages import posting
from evaluator.stages.posting import Pages, Verdict

PAGES = Pages("https://github.com/acme/shop")
MARK = Mark(("shop-1", "rag-1", ""), Stamp(5, 1, "a", "failed"), "a" * 40)
RED = tuple(Stamp(run, 1, outcome="failed") for run in range(10**11, 10**11 + 10))


def verdict(comment: str) -> Verdict:
    return Verdict("failed", "Failed: recall@5 fell", comment)


def units(text: str) -> int:
    """UTF-16 units, one of the two ways in which GitHub may count."""
    return len(text.encode("utf-16-le")) // 2


@pytest.mark.parametrize("length", [65_000, 65_535, 65_536, 65_537, 300_000])
@pytest.mark.parametrize("character", ["x", "é", "🙂"])
def test_a_comment_fits_and_keeps_its_mark(length: int, character: str) -> None:
    """65,536 units at most, with ten red runs too; what is too long is replaced by where it is (G1)."""
    heading = "## ❌ Failed: recall@5 fell"
    text = posting.comment(verdict(f"{heading}\n\n{character * length}"), MARK._replace(red=RED), PAGES)

    assert units(text) <= 65_536
    assert text.startswith(heading)
    assert Mark.read(text) == MARK._replace(red=RED)
    assert f"{PAGES.root}/actions/runs/5/attempts/1" in text


def test_one_table_cell_of_any_length_is_not_cut_open() -> None:
    """A cell of 70,000 characters from a report that is not ours leaves no half of a table (G1)."""
    text = posting.comment(verdict(f"## ❌ Failed\n\n| a |\n| :-- |\n| {'x' * 70_000} |\n"), MARK, PAGES)

    assert "|" not in text
    assert "the summary of the run has it" in text


def test_a_heading_of_any_length_is_none() -> None:
    """What stands first may be as long as all of it."""
    assert units(posting.comment(verdict("#" * 70_000), MARK, PAGES)) <= 65_536


def test_the_links_to_red_runs_give_way_to_the_report() -> None:
    """Of ten red runs the last stays where there is no room for all."""
    body = "## ❌ Failed\n\n" + "x" * 64_700
    text = posting.comment(verdict(body), MARK._replace(red=RED), PAGES)

    assert body in text
    assert text.count("[run 1000") == 1
    assert Mark.read(text) == MARK._replace(red=RED)


def test_the_mark_of_the_report_gives_way_to_ours() -> None:
    """A comment has one mark, its last line."""
    told = Publication(outcome="passed", sentence="Passed", changed=False)
    text = posting.comment(Verdict.of(told, f"## ✅ Passed\n\n{marker('shop')}\n"), MARK, PAGES)

    assert text.count("<!--") == 1
    assert text.splitlines()[-1] == str(MARK)


def test_no_verdict_is_told_as_text() -> None:
    """What a message quotes is foreign: no link, no mention, no markup (G14)."""
    text = posting.comment(Verdict.none("bad <b>@acme/all</b>\n![x](http://t/p.png)"), MARK, PAGES)

    assert "<b>" not in text
    assert "@acme/all" not in text
    assert "![" not in text


def test_a_check_run_takes_a_unit_less() -> None:
    """65,535, with what has no annotation told below."""
    assert units(posting.summary(verdict("## ❌ Failed\n" + "x" * 65_524), "7 more")) <= 65_535
    assert posting.summary(verdict("## ❌ Failed\n"), "7 more").endswith("7 more")
