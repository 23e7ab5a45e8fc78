from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.views import all_of, outcome, view

if TYPE_CHECKING:
    from evaluator.model.view import ResolvedNeed


@pytest.mark.parametrize(
    ("metric", "ranking", "needs", "expected"),
    [
        ("map", "AXB", ("A", "B", "C"), (1 / 1 + 2 / 3) / 3),
        ("map@2", "AXB", ("A", "B", "C"), 1 / 3),
        ("map", "AAX", ("A",), 1.0),
        # The second member of a group earns no credit.
        ("map", "ABC", ("AB", "C"), (1 / 1 + 2 / 3) / 2),
        # One chunk that satisfies both needs counts for both.
        ("map", "XA", ("A", "AB"), (2 * 1 / 2) / 2),
        # A is credited, because it takes part in the run that B completes.
        ("map", "ACB", (all_of("A", "B"), "C"), (2 / 2 + 3 / 3) / 2),
        # Within two places the run is not complete, so that A is not credited.
        ("map@2", "ACB", (all_of("A", "B"), "C"), (1 / 2) / 2),
        ("map", "", ("A",), 0.0),
        ("map@10", "A", (), "no needs"),
    ],
)
def test_average_precision(
    metric: str, ranking: str, needs: tuple[str | ResolvedNeed, ...], expected: float | str
) -> None:
    """Every need adds the credited share of the ranking down to its rank; one that is not satisfied adds 0 (S9)."""
    assert outcome(metric, view(ranking, *needs)) == pytest.approx(expected, abs=1e-12)
