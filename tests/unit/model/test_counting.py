from __future__ import annotations

import pytest

from evaluator.model.counting import counted


@pytest.mark.parametrize(
    ("number", "noun", "expected"),
    [(1, "case", "1 case"), (0, "case", "0 cases"), (1200, "day", "1,200 days"), (3, "category", "3 categories")],
)
def test_counts_are_in_words(number: int, noun: str, expected: str) -> None:
    """One case, two cases."""
    assert counted(number, noun) == expected
