"""The table on the terminal."""

from __future__ import annotations

import pytest

from evaluator import report
from evaluator.report.terminal import width
from evaluator.report.view import build_view
from tests.builders import build_comparison, build_decision, build_inputs, build_row, build_rule


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("한글", 4), ("👩", 2), ("ａｂ", 4), ("→ −0.1", 6)]
)
def test_wide_characters_take_two_columns_and_accents_none(text: str, columns: int) -> None:
    """A table lines up in every script."""
    assert width(text) == columns


def test_columns_line_up_under_each_other() -> None:
    """Names to the left, numbers to the right, in columns of the terminal and not of the string."""
    rows = (build_row("日本語", 0.8, 0.5, reason="fell"), build_row("billing"))
    inputs = build_inputs(build_comparison(rows), build_decision("failed", tuple(map(build_rule, rows))))
    lines = report.load()["terminal"].render(build_view(inputs)).splitlines()
    table = lines[lines.index("recall@5 by category") + 1 :]

    assert table[0].startswith("Category  Cases  Baseline  This change")
    assert table[1].startswith("日本語       20     0.800        0.500  −0.300")
    assert table[2].startswith("billing      20     0.800        0.800")


def test_a_long_name_does_not_push_the_numbers_away() -> None:
    """A cell of 300 characters is cut, so that the table stays one."""
    row = build_row("x" * 300)
    text = report.load()["terminal"].render(build_view(build_inputs(build_comparison((row,)))))

    assert max(map(len, text.splitlines())) < 140
