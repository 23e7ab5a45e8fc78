from __future__ import annotations

import pytest

from tests.views import outcome, view


@pytest.mark.parametrize(
    ("ranking", "latency", "failed", "expected"),
    [
        ("A", 12.5, False, 12.5),
        ("A", None, False, "no latency was measured"),
        ("", 12.5, False, "nothing retrieved"),
        ("", 12.5, True, "the pipeline failed"),
    ],
)
def test_milliseconds_of_cases_that_were_answered(
    ranking: str, latency: float | None, failed: bool, expected: float | str
) -> None:
    """A case that failed or found nothing cannot make the pipeline look faster."""
    assert outcome("latency_ms", view(ranking, latency_ms=latency, failed=failed)) == expected
