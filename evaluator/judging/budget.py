"""What judging costs, and the cap on it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeAlias

from evaluator.model.config import Prices
from evaluator.model.spent import PartSpent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evaluator.model.judge import JudgeRequest, TokenUsage
    from evaluator.model.verdicts import Part

ASSUMED = Prices.model_construct(input=3.0, output=15.0, cached=None)
"""USD per million tokens where none are configured."""

FREE = Prices.model_construct(input=0.0, output=0.0, cached=None)

FIRST_REPLY = 400
"""Tokens that a reply is expected to have before one of its kind was seen."""

MILLION = 1_000_000

Tallies: TypeAlias = "dict[Part, PartSpent]"


def prices_of(configured: Prices | None, provider: str) -> Prices:
    """The prices to count with: as configured, else none for the scripted judge, else what is assumed."""
    if configured is not None:
        return configured
    return FREE if provider == "scripted" else ASSUMED


def cost(usage: TokenUsage, prices: Prices) -> float:
    """USD for the tokens of one call, those from the provider's cache at their own price if there is one."""
    cached = prices.input if prices.cached is None else prices.cached
    fresh = usage.read - usage.from_cache
    return (fresh * prices.input + usage.from_cache * cached + usage.written * prices.output) / MILLION


class Budget:
    """The running cost of all calls, which a cap in USD (None: no cap) keeps from growing.

    A call is begun only if what was spent, what the calls under way are expected to cost, and what it is expected to
    cost itself fit under the cap together. Expected are the tokens of the request, generously estimated, and as long a
    reply as the longest of its kind so far (:data:`FIRST_REPLY` before there was one): by the room a reply may have,
    judging would stop at a tenth of the cap. So the cap can be passed only by as much as the calls under way at that
    moment exceed what was expected of them, and never by a call that is begun later.
    """

    def __init__(self, cap: float | None, prices: Prices, tokens: Callable[[JudgeRequest], int]) -> None:
        """``tokens`` estimates how many a request has, rather too many than too few."""
        self.cap = cap
        self._prices = prices
        self._tokens = tokens
        self._spent = 0.0
        self._reserved = 0.0
        self._underway = 0
        self._longest: dict[Part, int] = {}
        self._tallies: Tallies = {}
        self._open = True
        self._changed = threading.Condition()

    @property
    def spent(self) -> float:
        """USD so far."""
        return self._spent

    def expected(self, part: Part, request: JudgeRequest) -> float:
        """USD that a call is expected to cost."""
        reply = min(request.room, self._longest.get(part, FIRST_REPLY))
        return (self._tokens(request) * self._prices.input + reply * self._prices.output) / MILLION

    def reserve(self, usd: float) -> bool:
        """Whether a call of this expected cost may begin; then :meth:`settle` must follow.

        Waits as long as it is only what calls under way may cost that leaves no room: they may cost less.
        """
        with self._changed:
            while self._open and self._exceeds(usd) and self._underway:
                self._changed.wait()
            if not self._open or self._exceeds(usd):
                return False
            self._reserved += usd
            self._underway += 1
            return True

    def settle(self, part: Part, reserved: float, usage: TokenUsage | None, *, lost: bool = False) -> None:
        """A call has ended: with what it used, None where it failed.

        ``lost`` says that nobody knows what it used, because it was given up: it is counted as it was expected.
        """
        with self._changed:
            self._underway -= 1
            # Where nothing is under way, nothing is reserved, whatever rounding left.
            self._reserved = self._reserved - reserved if self._underway else 0.0
            usd = cost(usage, self._prices) if usage is not None else reserved if lost else 0.0
            self._spent += usd
            self._add(part, PartSpent(usd=usd))
            if usage is not None:
                read, written, from_cache = usage
                self._longest[part] = max(self._longest.get(part, 0), written)
                self._add(part, PartSpent(calls=1, read=read, written=written, from_cache=from_cache))
            self._changed.notify_all()

    def count(self, part: Part, *, cached: int = 0, retries: int = 0, repairs: int = 0) -> None:
        """Something happened that costs nothing by itself."""
        with self._changed:
            self._add(part, PartSpent(cached=cached, retries=retries, repairs=repairs))

    def close(self) -> None:
        """No call may begin any more, and none is kept waiting for that."""
        with self._changed:
            self._open = False
            self._changed.notify_all()

    def tallies(self) -> Mapping[Part, PartSpent]:
        """What each part took so far, in the order of their names."""
        with self._changed:
            return {part: self._tallies[part] for part in sorted(self._tallies)}

    def _exceeds(self, usd: float) -> bool:
        # Compared with a hair's breadth: sums of floats must not refuse a call that fits exactly.
        return self.cap is not None and self._spent + self._reserved + usd > self.cap + 1e-9

    def _add(self, part: Part, more: PartSpent) -> None:
        self._tallies[part] = self._tallies.get(part, PartSpent()) + more
