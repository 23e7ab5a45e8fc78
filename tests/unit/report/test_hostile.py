"""Nothing that somebody else wrote becomes anything but text, in any report."""

from __future__ import annotations

import dataclasses
import unicodedata

import pytest

from evaluator import report
from evaluator.report.view import build_view
from tests import reports
from tests.forge import Page

OURS = {
    "h2", "h3", "p", "strong", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "sub",
    "code", "pre", "span",
}  # fmt: skip


@pytest.mark.parametrize("name", ["comment", "summary"])
class TestMarkdown:
    """A run in which every text is an attack."""

    def test_holds_no_markup_but_ours(self, name: str) -> None:
        """No link, image, script or comment of another's; one marker, our own (G14)."""
        view = build_view(reports.hostile())
        page = Page.of(report.load()[name].render(view))

        assert set(page.tags) <= OURS
        assert page.comments == [view.marker[4:-3]]
        assert page.references == []

    def test_keeps_its_tables_whole(self, name: str) -> None:
        """Every row has as many cells as its heading (G14)."""
        page = Page.of(report.load()[name].render(build_view(reports.hostile())))
        rows = "".join({"tr": "|", "th": "h", "td": "d"}.get(tag, "") for tag in page.tags).split("|")[1:]

        assert {row for row in rows if "h" in row} <= {"hhhhhhh", "hhhhhh", "hhhh", "hhh"}
        assert {row for row in rows if "d" in row} <= {"ddddddd", "dddddd", "dddd", "ddd"}

    def test_shows_what_was_written(self, name: str) -> None:
        """The text itself is there to be read (G14)."""
        page = Page.of(report.load()[name].render(build_view(reports.hostile())))

        assert "[x](http://e.example) ![](http://t.example/p.png) @org/team #1 GH-2 `tick``" in page.text
        assert "‹U+202E›abc $x$ <script>alert(1)</script> :smile:" in page.text


def test_the_terminal_gets_no_control_characters_and_the_runner_no_commands() -> None:
    """What a pipeline or a golden set says cannot move the cursor or command the workflow runner (G14, G15)."""
    inputs = reports.failed()
    attack = {
        case: text._replace(question="::error::no\x1b[2J\r::add-mask::x ##[error]y", category="\u202eabc")
        for case, text in inputs.cases.items()
    }
    text = report.load()["terminal"].render(build_view(dataclasses.replace(inputs, cases=attack)))

    assert not [each for each in text if unicodedata.category(each) in ("Cc", "Cf") and each != "\n"]
    assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]
    assert "##[" not in text
    assert "‹U+001B›[2J" in text
