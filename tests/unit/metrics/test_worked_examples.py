"""Satisfaction, gain, credit and the ideal (design section 7) worked out by hand, as docs/metrics.md shows them."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from evaluator.model.view import ResolvedNeed
from tests import documents
from tests.views import outcomes, view

L2, L4 = 0.6309297535714574, 0.43067655807339306
"""1 / log2(rank + 1): what a gain of 1 is worth at ranks 2 and 4; at ranks 1 and 3 it is 1 and 1/2."""

NAMES = ("recall@5", "mrr@5", "ndcg@5", "map@5", "precision@5")


class Example(NamedTuple):
    """What is needed, what was retrieved, and the values of :data:`NAMES`."""

    needs: str
    ranking: str
    values: tuple[float, ...]


EXAMPLES = {
    "one chunk each": Example("A; B", "A X B", (1, 1, (1 + 0.5) / (1 + L2), (1 / 1 + 2 / 3) / 2, 2 / 5)),
    # Both are satisfied at rank 2, a gain of 2 there; ideal: the same at rank 1. One credited rank of two.
    "two quotes in one chunk": Example("A; A", "X A", (1, 1 / 2, 2 * L2 / 2, 2 * (1 / 2) / 2, 1 / 5)),
    # Ideal: A with a gain of 2, then B. Rank 1: one need, 1 of 1 credited; rank 2: two needs, 2 of 2.
    "the same behind another need": Example(
        "A; A; B", "B A", (1, 1, (1 + 2 * L2) / (2 + L2), (1 * 1 / 1 + 2 * 2 / 2) / 3, 2 / 5)
    ),
    # Satisfied at rank 3, where it is complete; ideal: at rank 2. Ranks 1 and 3 are credited.
    "a run of two chunks": Example("A+B", "A X B", (1, 1 / 3, 0.5 / L2, 2 / 3, 2 / 5)),
    "the run the other way round": Example("A+B", "B A", (1, 1 / 2, 1, 2 / 2, 2 / 5)),
    "half a run": Example("A+B", "A X", (0, 0, 0, 0, 1 / 5)),
    # Ideal: B alone is worth 1 for one place; then A completes the run at rank 2. B is credited for its first need.
    "a run whose chunk serves another need": Example(
        "A+B; B", "B X A", (1, 1, (1 + 0.5) / (1 + L2), (1 / 1 + 2 / 3) / 2, 2 / 5)
    ),
    # B and A are both relevant; only rank 2 satisfies and is credited.
    "the second member of a group": Example("A or B", "X B A", (1, 1 / 2, L2 / 1, 1 / 2, 2 / 5)),
    # The run is complete at rank 2, before the chunk that would do alone; ideal: A alone at rank 1.
    "a quote in one chunk or in a run": Example("A or B+C", "B C A", (1, 1 / 2, L2 / 1, 2 / 2, 3 / 5)),
    # Of two ways that are complete at rank 3 the shorter is the first: A is credited, B is not.
    "a way completed together with a longer one": Example("A or B+A", "B X A", (1, 1 / 3, 0.5 / 1, 1 / 3, 2 / 5)),
    "grades": Example("A x3; B", "B A", (1, 1, (1 + 3 * L2) / (3 + L2), (1 / 1 + 2 / 2) / 2, 2 / 5)),
    # A run of grade 2 and a chunk of grade 1 are worth 1 a place: the fewer chunks first, then the run at rank 3.
    "a run of grade 2": Example(
        "A+B x2; C", "A B C", (1, 1 / 2, (2 * L2 + 0.5) / (1 + 2 * 0.5), (2 / 2 + 3 / 3) / 2, 3 / 5)
    ),
    # The second A keeps its place as an irrelevant result.
    "a repeated result": Example("A; B", "A A B", (1, 1, (1 + 0.5) / (1 + L2), (1 / 1 + 2 / 3) / 2, 2 / 5)),
    # It takes a place of its own in the ideal.
    "a quote that no known chunk holds": Example("A; nowhere", "A", (1 / 2, 1, 1 / (1 + L2), (1 / 1) / 2, 1 / 5)),
    # The run would be complete at rank 6: too late for @5. Ideal: A+B at rank 2, C at rank 1 before it.
    "a run that ends too late": Example("A+B; C", "A C X Y Z B", (1 / 2, 1 / 2, L2 / (1 + 0.5), (1 / 2) / 2, 2 / 5)),
    # Ideal at 5: the run of two first (gain of 3 for 2 places), the single chunks behind it.
    "a run that completes two needs": Example(
        "A+B; A+B; A+B; C", "C A X B", (1, 1, (1 + 3 * L4) / (3 * L2 + 0.5), (1 / 1 + 3 * 3 / 4) / 4, 3 / 5)
    ),
}  # fmt: skip


def needs(written: str) -> list[ResolvedNeed]:
    """Needs as the table writes them: ways with "or" between them, runs with "+", a grade behind them."""
    found = []
    for need in written.split("; "):
        ways, _, grade = need.partition(" x")
        alternatives = () if ways == "nowhere" else tuple(tuple(way.split("+")) for way in ways.split(" or "))
        found.append(ResolvedNeed(alternatives, int(grade or 1)))
    return found


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_worked_example(example: Example) -> None:
    """The values of the ranking metrics are those of the hand calculation."""
    found = outcomes(view(example.ranking.replace(" ", ""), *needs(example.needs)), NAMES)

    assert tuple(found.values()) == pytest.approx(example.values, abs=1e-12)


def test_the_document_shows_these_examples() -> None:
    """The table of docs/metrics.md is this one, with three decimals."""
    [table] = documents.tables(documents.sections("metrics.md")["Worked examples"])

    assert table == [
        [name, example.needs, example.ranking, *(f"{value:.3f}" for value in example.values)]
        for name, example in EXAMPLES.items()
    ]
