from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.views import all_of, outcome, view

if TYPE_CHECKING:
    from evaluator.model.view import ResolvedNeed


@pytest.mark.parametrize(
    ("metric", "ranking", "needs", "expected"),
    [
        ("mrr", "XXXA", ("A", "B"), 1 / 4),
        ("mrr@4", "XXXA", ("A",), 1 / 4),
        ("mrr@3", "XXXA", ("A",), 0.0),
        ("mrr", "AXB", (all_of("A", "B"),), 1 / 3),
        ("mrr", "BA", ("A", "B"), 1.0),
        ("mrr", "", ("A",), 0.0),
        ("mrr", "A", (), "no needs"),
    ],
)
def test_one_over_the_rank_of_the_first_satisfaction(
    metric: str, ranking: str, needs: tuple[str | ResolvedNeed, ...], expected: float | str
) -> None:
    """Only the first satisfied need counts, and a run of chunks is satisfied at its last."""
    assert outcome(metric, view(ranking, *needs)) == expected
