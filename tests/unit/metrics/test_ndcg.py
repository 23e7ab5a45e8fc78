from __future__ import annotations

import pytest

from evaluator.metrics._gain import ideal_gains
from evaluator.model.view import ResolvedNeed
from tests.views import all_of, one_of, outcome, view

SECOND = 0.6309297535714575
"""1 / log2(3): what a gain of 1 is worth at rank 2; at ranks 1, 3 and 4 it is 1, 1/2 and 0.43067655807339306."""


@pytest.mark.parametrize(
    ("metric", "ranking", "needs", "expected"),
    [
        ("ndcg", "AXB", ("A", "B", "C"), 1.5 / (1 + SECOND + 0.5)),
        ("ndcg@2", "AXB", ("A", "B", "C"), 1 / (1 + SECOND)),
        ("ndcg", "A", ("A", "B", "C", "D", "E"), 1 / (1 + SECOND + 0.5 + 0.43067655807339306 + 0.38685280723454163)),
        ("ndcg@3", "A", ("A", "B", "C", "D", "E"), 1 / (1 + SECOND + 0.5)),
        ("ndcg", "BA", (one_of("A", grade=3), "B"), (1 + 3 * SECOND) / (3 + SECOND)),
        ("ndcg", "XB", ("AB",), SECOND),
        ("ndcg", "", ("A",), 0.0),
        ("ndcg@10", "A", (), "no needs"),
    ],
)
def test_gain_against_the_ideal(
    metric: str, ranking: str, needs: tuple[str | ResolvedNeed, ...], expected: float | str
) -> None:
    """The ideal is of all needs, found or not, cut at k; a group of alternatives counts once (S10)."""
    assert outcome(metric, view(ranking, *needs)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "needs", [("A", "B", "C"), (one_of("A", grade=3), one_of("B", grade=2), "C"), ("AX", "B", "C")]
)
@pytest.mark.parametrize("metric", ["ndcg", "ndcg@2", "ndcg@3", "ndcg@10", "ndcg_exp@3", "map", "map@3", "recall@3"])
def test_a_perfect_ranking_is_exactly_one(metric: str, needs: tuple[str | ResolvedNeed, ...]) -> None:
    """A floor of 1.0 passes: there is no rounding below it (S6)."""
    assert outcome(metric, view("ABC", *needs)) == 1.0


@pytest.mark.parametrize(
    ("metric", "ranking", "needs", "expected"),
    [
        # The ideal is C, then A and B: 1 at rank 1 and 1 at rank 3.
        ("ndcg", "ABC", (all_of("A", "B"), "C"), (SECOND + 0.5) / 1.5),
        # Behind C there is no place left for the run.
        ("ndcg@2", "ABC", (all_of("A", "B"), "C"), SECOND),
        # No way fits in two places: the ideal is 0.
        ("ndcg@2", "ABC", (all_of("A", "B", "C"),), 0.0),
        # A satisfies both needs at rank 1, so that the ideal is 2.
        ("ndcg", "A", ("A", "AB"), 1.0),
        ("ndcg", "BA", ("A", "AB"), (1 + SECOND) / 2),
        # The second need's document has no known chunk; missing it costs what missing any need does.
        ("ndcg", "A", ("A", ResolvedNeed(())), 1 / (1 + SECOND)),
        ("ndcg", "A", ("A", "AB", ResolvedNeed(())), 2 / (2 + SECOND)),
        # Greedy takes C (2 for one chunk) before the run (4 for two); the ranking does better and is exactly 1.
        ("ndcg@2", "ABC", (all_of("A", "B", grade=4), one_of("C", grade=2)), 1.0),
    ],
)
def test_needs_of_several_chunks(
    metric: str, ranking: str, needs: tuple[str | ResolvedNeed, ...], expected: float
) -> None:
    """The ideal places the ways with the most gain per new chunk first, as long as they fit."""
    assert outcome(metric, view(ranking, *needs)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("needs", "k", "expected"),
    [
        ((one_of("A"), one_of("B", grade=5)), None, [(1, 5), (2, 1)]),
        ((all_of("A", "B", grade=4), one_of("C", grade=2)), None, [(1, 2), (3, 4)]),
        ((all_of("A", "B", grade=5), one_of("C", grade=2)), None, [(2, 5), (3, 2)]),
        # One chunk of the run is placed already, so that the rest of it costs one place.
        ((one_of("A", grade=3), all_of("A", "B", grade=2), one_of("C")), None, [(1, 3), (2, 2), (3, 1)]),
        # Ways of one need: the first in golden order is taken, the other adds nothing.
        ((one_of("A", "B"), one_of("B")), None, [(1, 2)]),
        ((all_of("A", "B"), all_of("C", "D")), 3, [(2, 1)]),
    ],
)
def test_the_ideal_ranking(needs: tuple[ResolvedNeed, ...], k: int | None, expected: list[tuple[int, int]]) -> None:
    """Ranks and gains of the greedy ideal, by hand."""
    assert ideal_gains(needs, [need.grade for need in needs], k) == expected
