from __future__ import annotations

from typing import Any

import pytest

from tests.views import outcome, view

NO_AMOUNT = "usage.cost_usd is not a number between 0 and 1e+12"


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"cost_usd": 0.25}, 0.25),
        ({"cost_usd": 0}, 0.0),
        ({"cost_usd": "0.25"}, NO_AMOUNT),
        ({"cost_usd": True}, NO_AMOUNT),
        ({"cost_usd": -1}, NO_AMOUNT),
        ({"cost_usd": float("inf")}, NO_AMOUNT),
        ({"cost_usd": 10**400}, NO_AMOUNT),
        ({"cost_usd": None}, "the pipeline reports no usage.cost_usd"),
        ({}, "the pipeline reports no usage.cost_usd"),
        (None, "the pipeline reports no usage.cost_usd"),
    ],
)
def test_what_the_pipeline_reports(usage: dict[str, Any] | None, expected: float | str) -> None:
    """Only an amount is taken; anything else is said, not guessed at."""
    assert outcome("cost_usd", view("A", usage=usage)) == expected


def test_a_case_that_found_nothing_has_no_cost() -> None:
    """It cannot make the pipeline look cheaper."""
    assert outcome("cost_usd", view("", usage={"cost_usd": 0.0})) == "nothing retrieved"
