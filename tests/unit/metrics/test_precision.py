from __future__ import annotations

import pytest

from tests.views import outcome, view


@pytest.mark.parametrize(
    ("metric", "ranking", "needs", "expected"),
    [
        ("precision@1", "AXBX", ("A", "B", "C"), 1.0),
        ("precision@3", "AXBX", ("A", "B", "C"), 2 / 3),
        ("precision@5", "AXBX", ("A", "B", "C"), 2 / 5),
        ("precision", "AXBX", ("A", "B", "C"), 2 / 4),
        ("precision@2", "AB", ("AB",), 1.0),
        ("precision@3", "AAX", ("A",), 1 / 3),
        ("precision", "", ("A",), 0.0),
        ("precision@5", "", ("A",), 0.0),
        ("precision@5", "A", (), "no needs"),
    ],
)
def test_share_of_the_top_that_is_relevant(
    metric: str, ranking: str, needs: tuple[str, ...], expected: float | str
) -> None:
    """The denominator is k however few were retrieved; a repeated chunk is relevant once."""
    assert outcome(metric, view(ranking, *needs)) == expected
