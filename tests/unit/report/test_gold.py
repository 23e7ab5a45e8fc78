"""Whole reports, as they are kept in tests/gold."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evaluator import report
from evaluator.report.view import build_view
from tests import reports

GOLD = Path(__file__).parents[2] / "gold" / "reports"
RUNS = {
    "failed": reports.failed,
    "passed": reports.passed,
    "inconclusive": reports.inconclusive,
    "no-baseline": reports.no_baseline,
    "hostile": reports.hostile,
    "agent": reports.agent,
    "looked-at": reports.looked_at,
    "judged": reports.judged,
    "advisory": reports.advisory,
}


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("name", ["comment", "summary", "terminal"])
def test_a_report_is_the_one_that_was_agreed_on(run: str, name: str) -> None:
    """Every word of every report was read by a person; a change shows as a difference."""
    reporter = report.load()[name]
    gold = GOLD / f"{run}-{reporter.file_name or 'terminal.txt'}"
    text = reporter.render(build_view(RUNS[run]()))
    if os.environ.get("REFRESH_GOLD"):
        gold.parent.mkdir(exist_ok=True)
        gold.write_text(text, encoding="utf-8")

    assert text == gold.read_text(encoding="utf-8")
