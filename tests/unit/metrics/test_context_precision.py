from __future__ import annotations

import pytest

from tests.views import outcome, view


@pytest.mark.parametrize(
    ("metric", "ranking", "needs", "expected"),
    [
        ("context_precision@4", "XAYB", ("A", "B", "C"), (1 / 2 + 2 / 4) / 2),
        ("context_precision@3", "XAYB", ("A", "B", "C"), 1 / 2),
        ("context_precision@5", "AB", ("AB",), 1.0),
        ("context_precision@5", "AAB", ("A", "B"), (1 / 1 + 2 / 3) / 2),
        ("context_precision@5", "XY", ("A",), 0.0),
        ("context_precision@5", "", ("A",), 0.0),
        ("context_precision@5", "A", (), "no needs"),
    ],
)
def test_mean_precision_at_the_relevant_ranks(
    metric: str, ranking: str, needs: tuple[str, ...], expected: float | str
) -> None:
    """The mean is over the relevant results that were retrieved, not over all that are needed."""
    assert outcome(metric, view(ranking, *needs)) == pytest.approx(expected, abs=1e-12)


def test_without_a_cutoff_the_context_is_read() -> None:
    """What the model got counts, in the order it got it."""
    case = view("XXA", "A", "B", context=("B", "X", "A"))

    assert outcome("context_precision", case) == pytest.approx((1 / 1 + 2 / 3) / 2)
