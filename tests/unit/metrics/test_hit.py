from __future__ import annotations

import pytest

from tests.views import outcome, view


@pytest.mark.parametrize(
    ("metric", "ranking", "needs", "expected"),
    [
        ("hit@2", "XA", ("A", "B"), 1.0),
        ("hit@1", "XA", ("A", "B"), 0.0),
        ("hit", "XXXXXXA", ("A",), 1.0),
        ("hit", "", ("A",), 0.0),
        ("hit@5", "A", (), "no needs"),
    ],
)
def test_whether_any_need_is_satisfied(
    metric: str, ranking: str, needs: tuple[str, ...], expected: float | str
) -> None:
    """One satisfied need is enough, and it has to stand in the top."""
    assert outcome(metric, view(ranking, *needs)) == expected
