from __future__ import annotations

import pytest

from tests.views import outcome, view


@pytest.mark.parametrize(
    ("context", "needs", "expected"),
    [
        (("A", "X"), ("A", "B"), 1 / 2),
        (("A", "A", "X"), ("A",), 1 / 3),
        (("A", "B"), ("AB",), 1.0),
        ((), ("A",), 0.0),
        (("A",), (), "no needs"),
    ],
)
def test_relevant_share_of_the_context(context: tuple[str, ...], needs: tuple[str, ...], expected: float | str) -> None:
    """Only what the model got is read; the second copy of a chunk is irrelevant (S9)."""
    assert outcome("context_relevance", view("XXXX", *needs, context=context)) == expected
