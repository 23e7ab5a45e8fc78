"""comment.md: the pull-request comment, within what the forge accepts."""

from __future__ import annotations

from evaluator.report.parts import Reporter, ReportView
from evaluator.report.sizes import ALL, Limit, Tier, fitting

LIMIT = Limit(characters=65_000, size=262_144)
"""A comment may have 65,536 characters; how the forge counts them is not documented, so a little stays free."""


def _render(view: ReportView) -> str:
    full = Tier(examples=view.max_examples, items=20, rows=200, text=300, critical=ALL, full=1_500)
    return fitting(view, full, LIMIT, "summary.md and run.json hold everything")


REPORTER = Reporter("comment", "comment.md", _render)
