"""How many calls may be made at once, and when none may: it adapts to what a provider allows."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


PLACES_LOST = 0.5
"""For a call that was one too many: a round in which all are refused halves what is allowed."""


class Limiter:
    """Places for calls: at first as many as are allowed, then as many as the provider takes.

    Additive up, multiplicative down, as data centres do it in TCP: a round of answers adds one place, a round of
    refusals takes half of them, and a round of which a share is refused takes that share of a half. Halving at every
    first refusal would go nearly one by one where a provider refuses a few calls whatever the load is. Places are given
    in the order they were asked for.
    """

    def __init__(self, most: int, seconds: Callable[[], float]) -> None:
        self._most = most
        self._seconds = seconds
        self._limit = float(most)
        self._taken = 0
        self._open = True
        self._resumes = 0.0
        self._waiting: deque[threading.Event] = deque()
        self._lock = threading.Lock()

    @property
    def limit(self) -> int:
        """How many calls may be made at once now."""
        return int(self._limit)

    @contextmanager
    def slot(self) -> Iterator[None]:
        """A place for one call, as soon as there is one; without waiting once the limiter is closed."""
        self._take()
        try:
            yield
        finally:
            with self._lock:
                self._taken -= 1
                self._admit()

    def answered(self) -> None:
        """A call was answered: a whole round of them allows one more at once."""
        with self._lock:
            self._limit = min(float(self._most), self._limit + 1 / self._limit)
            self._admit()

    def limited(self) -> None:
        """A call was refused for being one too many."""
        with self._lock:
            self._limit = max(1.0, self._limit - PLACES_LOST)

    def pause(self, seconds: float) -> None:
        """Let no call begin for so long; a longer pause that was asked for before stays."""
        if seconds > 0:
            with self._lock:
                self._resumes = max(self._resumes, self._seconds() + seconds)

    def rest(self) -> float:
        """Seconds until a call may begin."""
        return max(0.0, self._resumes - self._seconds())

    def close(self) -> None:
        """Keep nobody waiting: whoever gets a place now finds out that no call may begin."""
        with self._lock:
            self._open = False
            self._admit()

    def _take(self) -> None:
        with self._lock:
            gate = threading.Event()
            self._waiting.append(gate)
            self._admit()
        gate.wait()

    def _admit(self) -> None:
        while self._waiting and (self._taken < self.limit or not self._open):
            self._taken += 1
            self._waiting.popleft().set()
