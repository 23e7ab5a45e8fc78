from __future__ import annotations

import pytest

from evaluator.model.view import ResolvedNeed
from tests.views import all_of, outcome, view


@pytest.mark.parametrize(
    ("metric", "ranking", "needs", "expected"),
    [
        ("recall", "ABC", ("A", "C", "D"), 2 / 3),
        ("recall@1", "ABC", ("A", "C", "D"), 1 / 3),
        ("recall@2", "ABC", ("A", "C", "D"), 1 / 3),
        ("recall@10", "ABC", ("A", "C", "D"), 2 / 3),
        ("recall", "BA", ("AB",), 1.0),
        ("recall", "BA", ("AB", "C"), 1 / 2),
        ("recall@2", "AXB", (all_of("A", "B"),), 0.0),
        ("recall@3", "AXB", (all_of("A", "B"),), 1.0),
        ("recall", "A", ("A", "AB"), 1.0),
        ("recall", "A", ("A", ResolvedNeed(())), 1 / 2),
        ("recall", "", ("A",), 0.0),
        ("recall", "A", (), "no needs"),
    ],
)
def test_share_of_the_needs_in_the_top(
    metric: str, ranking: str, needs: tuple[str | ResolvedNeed, ...], expected: float | str
) -> None:
    """Each need counts once, at the rank that completes it, however many chunks could satisfy it (S10)."""
    assert outcome(metric, view(ranking, *needs)) == expected


def test_a_repeated_result_takes_a_place_of_the_top() -> None:
    """What stands behind five copies of another chunk is not among the first five (S9)."""
    case = view("AAAAAB", "B")

    assert (outcome("recall@5", case), outcome("recall@6", case)) == (0.0, 1.0)
