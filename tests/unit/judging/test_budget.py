from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.judging.budget import ASSUMED, FREE, Budget, cost, prices_of
from evaluator.model.config import Prices
from evaluator.model.judge import JudgeRequest, TokenUsage
from evaluator.model.spent import PartSpent, Spent

DEAR = Prices.model_construct(input=1_000_000.0, output=1_000_000.0, cached=None)
"""A dollar a token."""

REQUEST = JudgeRequest("verdict", "system", (), {}, room=4000)


class TestPrices:
    """What a token costs."""

    def test_tokens_that_the_providers_cache_held_have_their_own_price(self) -> None:
        """1,000 of 3,000 tokens read at 0.30, the rest at 3.00, and 200 written at 15.00 a million: 9.3 thousandths."""
        prices = Prices.model_construct(input=3.0, output=15.0, cached=0.3)

        assert cost(TokenUsage(3000, 200, 1000), prices) == pytest.approx(0.006 + 0.0003 + 0.003)

    def test_without_a_price_of_their_own_they_cost_what_any_do(self) -> None:
        """3,000 x 3.00 and 200 x 15.00 a million."""
        assert cost(TokenUsage(3000, 200, 1000), ASSUMED) == pytest.approx(0.012)

    def test_the_scripted_judge_is_free_unless_prices_are_configured(self) -> None:
        """A real provider costs the assumed price, for a budget that counts nothing protects nobody."""
        assert [prices_of(None, "scripted"), prices_of(None, "openai"), prices_of(DEAR, "scripted")] == [
            FREE, ASSUMED, DEAR,
        ]  # fmt: skip


class TestCap:
    """What may begin."""

    def test_a_reply_is_expected_to_be_as_long_as_the_longest_of_its_kind(self) -> None:
        """400 tokens before one was seen, then the most that any had; never more than its room."""
        budget = Budget(None, DEAR, lambda _: 100)
        first = budget.expected("claims", REQUEST)
        for written in (700, 30):
            budget.reserve(0.0)
            budget.settle("claims", 0.0, TokenUsage(100, written))

        assert [first, budget.expected("claims", REQUEST), budget.expected("answer", REQUEST)] == [500, 800, 500]
        assert budget.expected("claims", REQUEST._replace(room=50)) == 150

    def test_calls_under_way_are_counted_as_they_are_expected(self) -> None:
        """Two calls of 4 USD do not both begin under a cap of 7: the second waits, and begins if the first cost 2."""
        budget = Budget(7.0, DEAR, lambda _: 1)
        began: list[bool] = []
        assert budget.reserve(4.0)
        second = threading.Thread(target=lambda: began.append(budget.reserve(4.0)))
        second.start()
        while not budget._changed._waiters:  # type: ignore[attr-defined]
            pass
        assert began == []
        budget.settle("claims", 4.0, TokenUsage(1, 1))
        second.join(10)

        assert began == [True]

    def test_one_that_costs_what_was_expected_leaves_no_room_for_the_next(self) -> None:
        """Under a cap of 7 the second call of 4 USD is refused once the first has cost its 4."""
        budget = Budget(7.0, DEAR, lambda _: 1)
        budget.reserve(4.0)
        budget.settle("claims", 4.0, TokenUsage(2, 2))

        assert not budget.reserve(4.0)

    def test_a_cap_can_be_spent_to_the_last_cent(self) -> None:
        """Ten times 0.1 is 1.0 in money, if not in floats."""
        budget = Budget(1.0, DEAR, lambda _: 1)
        for _ in range(10):
            assert budget.reserve(0.1)
            budget.settle("claims", 0.1, None, lost=True)

        assert not budget.reserve(0.1)

    @given(
        cap=st.floats(0, 50), calls=st.lists(st.tuples(st.floats(0, 5), st.integers(0, 5), st.booleans()), max_size=40)
    )
    def test_it_is_passed_only_by_what_calls_exceed_their_expectation(
        self, cap: float, calls: list[tuple[float, int, bool]]
    ) -> None:
        """Whatever calls cost, one after the other, the total is at most the cap and the last call's excess."""
        budget = Budget(cap, DEAR, lambda _: 1)
        excess = 0.0
        for expected, tokens, lost in calls:
            if budget.reserve(expected):
                budget.settle("claims", expected, None if lost else TokenUsage(tokens, 0), lost=lost)
                excess = max(excess, 0.0 if lost else tokens - expected)

        assert budget.spent <= cap + excess + 1e-6

    def test_closing_wakes_those_that_wait_for_room(self) -> None:
        """An interrupt does not wait for calls to become cheap."""
        budget = Budget(1.0, DEAR, lambda _: 1)
        budget.reserve(1.0)
        began: list[bool] = []
        waiting = threading.Thread(target=lambda: began.append(budget.reserve(1.0)))
        waiting.start()
        budget.close()
        waiting.join(10)

        assert began == [False]


class TestTally:
    """What run.json and the report say of it."""

    def test_parts_are_counted_apart_and_together(self) -> None:
        """Tokens, money and calls add up; a failed call adds nothing."""
        budget = Budget(None, ASSUMED, lambda _: 1)
        for part, usage in (("claims", TokenUsage(1000, 100)), ("claims", None), ("answer", TokenUsage(2000, 0, 500))):
            budget.reserve(0.0)
            budget.settle(part, 0.0, usage)  # type: ignore[arg-type]
        budget.count("claims", cached=1)
        spent = Spent(parts=dict(budget.tallies()))

        assert spent.parts["claims"] == PartSpent(calls=1, cached=1, read=1000, written=100, usd=0.0045)
        assert spent.parts["answer"] == PartSpent(calls=1, read=2000, from_cache=500, usd=0.006)
        assert spent.total().usd == pytest.approx(0.0105)
        assert spent.total().but(usd=0.0) == PartSpent(calls=2, cached=1, read=3000, written=100, from_cache=500)
