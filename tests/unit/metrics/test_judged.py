from __future__ import annotations

import pytest

from evaluator.model.golden import Labels
from tests.views import outcome, view


@pytest.mark.parametrize(
    ("metric", "ranking", "irrelevant", "expected"),
    [
        ("judged", "AXY", ("X",), 2 / 3),
        ("judged@1", "AXY", ("X",), 1.0),
        ("judged@2", "AYX", ("X",), 1 / 2),
        ("judged@10", "AXY", ("X",), 2 / 3),
        ("judged@2", "AA", (), 1 / 2),
        ("judged@2", "AX", ("A", "X"), 1.0),
        ("judged@5", "", ("X",), "nothing retrieved"),
    ],
)
def test_labelled_share_of_the_top(
    metric: str, ranking: str, irrelevant: tuple[str, ...], expected: float | str
) -> None:
    """Both kinds of label count, over what was retrieved; the second copy of a chunk counts as unlabelled."""
    assert outcome(metric, view(ranking, "A", labels=Labels(irrelevant=irrelevant))) == expected


def test_a_failed_case_counts_as_unlabelled() -> None:
    """A failure does not leave the mean."""
    assert outcome("judged@5", view("", "A", failed=True)) == 0.0


def test_without_needs_it_is_not_applicable() -> None:
    """Labels of irrelevant chunks alone do not make a ranking judged."""
    assert outcome("judged@5", view("X", labels=Labels(irrelevant=("X",)))) == "no needs"
