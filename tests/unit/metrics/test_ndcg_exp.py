from __future__ import annotations

import pytest

from evaluator.model.golden import MAX_GRADE
from tests.views import one_of, outcome, view

SECOND = 0.6309297535714575


def test_a_grade_is_worth_two_to_its_power_less_one() -> None:
    """Grade 3 gains 7 and grade 1 gains 1."""
    case = view("BA", one_of("A", grade=3), "B")

    assert outcome("ndcg_exp@5", case) == pytest.approx((1 + 7 * SECOND) / (7 + SECOND), abs=1e-12)


def test_without_needs_it_is_not_applicable() -> None:
    """The question does not arise."""
    assert outcome("ndcg_exp@5", view("A")) == "no needs"


def test_the_highest_grade_that_may_be_written_is_still_a_number() -> None:
    """No grade that the golden set takes makes the gain overflow."""
    case = view("BA", one_of("A", grade=MAX_GRADE), one_of("B", grade=MAX_GRADE), "C")

    assert outcome("ndcg_exp@5", case) == pytest.approx(1.0)
