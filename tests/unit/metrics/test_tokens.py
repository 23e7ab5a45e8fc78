from __future__ import annotations

from typing import Any

import pytest

from tests.views import outcome, view


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"total_tokens": 30, "input_tokens": 1, "output_tokens": 1}, 30.0),
        ({"input_tokens": 20, "output_tokens": 5}, 25.0),
        ({"prompt_tokens": 20, "completion_tokens": 5}, 25.0),
        ({"input_tokens": 20, "output_tokens": "5"}, "usage.output_tokens is not a number between 0 and 1e+12"),
        (
            {"total_tokens": "30", "input_tokens": 1, "output_tokens": 1},
            "usage.total_tokens is not a number between 0 and 1e+12",
        ),
        ({"input_tokens": 20}, "the pipeline reports no usage.total_tokens"),
        (None, "the pipeline reports no usage.total_tokens"),
    ],
)
def test_total_or_sum_of_what_the_pipeline_reports(usage: dict[str, Any] | None, expected: float | str) -> None:
    """The total goes before the parts; half a sum is no total."""
    assert outcome("tokens", view("A", usage=usage)) == expected


def test_a_case_that_found_nothing_has_no_tokens() -> None:
    """It cannot make the pipeline look cheaper."""
    assert outcome("tokens", view("", usage={"total_tokens": 3})) == "nothing retrieved"
