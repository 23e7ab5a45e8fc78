from __future__ import annotations

import pytest

from evaluator.judging.estimate import Subject, estimate
from evaluator.model.config import Prices

PRICES = Prices.model_construct(input=1_000_000.0, output=2_000_000.0, cached=None)
"""A dollar a token read, two a token written."""


def test_calls_tokens_and_money_of_a_case() -> None:
    """Ten sentences make 13 claims, 60 tokens of reference three statements; each number worked out by hand."""
    case = Subject(
        frozenset({"claims", "context", "answer", "statements"}), question=20, answer=200, sentences=10, context=1000,
        reference=60, facts=2,
    )  # fmt: skip
    found = estimate([case], {"claims": 500, "context": 700}, PRICES)

    assert {part: (one.calls, one.read, one.written) for part, one in found.parts.items()} == {
        "claims": (1, 500 + 20 + 200, 13 * 30),
        "context": (1, 700 + 20 + 1000 + 13 * 30, 13 * 90 + 45),
        "answer": (1, 20 + 200 + (13 + 3 + 2) * 30, (2 + 13 + 3 + 2) * 45),
        "statements": (1, 20 + 60, 3 * 30),
    }
    assert found.parts["claims"].usd == pytest.approx(720 + 2 * 390)


def test_what_no_call_is_made_for_costs_nothing() -> None:
    """An empty answer, or one that the cache holds all of, has no part; others add up."""
    silent = Subject(frozenset(), question=20, answer=0, sentences=0)
    claims = Subject(frozenset({"claims"}), question=10, answer=30, sentences=1)
    found = estimate([silent, claims, claims], {}, PRICES)

    assert list(found.parts) == ["claims"]
    assert (found.total().calls, found.total().read, found.total().written) == (2, 80, 60)
