"""summary.md: the job summary; the comment with more room."""

from __future__ import annotations

from evaluator.report.parts import MORE_EXAMPLES, Reporter, ReportView
from evaluator.report.sizes import ALL, Limit, Tier, fitting

LIMIT = Limit(characters=1_000_000, size=1_000_000)
"""A summary above 1 MiB is dropped whole."""


def _render(view: ReportView) -> str:
    full = Tier(examples=view.max_examples * MORE_EXAMPLES, items=500, rows=2_000, text=1_000, critical=ALL, full=4_000)
    return fitting(view, full, LIMIT, "run.json and comparison.json hold everything")


REPORTER = Reporter("summary", "summary.md", _render)
