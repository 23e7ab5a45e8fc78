"""The formats as the registry finds them."""

from __future__ import annotations

from evaluator import report


def test_every_format_is_found_with_the_file_it_writes() -> None:
    """Comment and summary go to files of their own, the table to the terminal."""
    found = {name: reporter.file_name for name, reporter in report.load().items()}

    assert found == {"comment": "comment.md", "summary": "summary.md", "terminal": None}
