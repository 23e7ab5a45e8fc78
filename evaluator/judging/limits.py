"""How many calls may be made at once, and when none may: it adapts to what a provider allows."""

from __future__ import annotations

import threading
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Slot(NamedTuple):
    """A place among the calls that are made at once; ``window`` tells before which halving it was given."""

    window: int


class Limiter:
    """Places for calls: at first as many as are allowed, halved when a provider limits, one more with each round.

    It is what TCP does: additive up, multiplicative down, and once a window, for the calls that were under way when
    the first was refused say nothing new. Places are given in the order they were asked for.
    """

    def __init__(self, most: int, seconds: Callable[[], float]) -> None:
        self._most = most
        self._seconds = seconds
        self._limit = float(most)
        self._window = 0
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
    def slot(self) -> Iterator[Slot]:
        """A place for one call, as soon as there is one; without waiting once the limiter is closed."""
        self._take()
        try:
            yield Slot(self._window)
        finally:
            with self._lock:
                self._taken -= 1
                self._admit()

    def answered(self) -> None:
        """A call was answered: a whole round of them allows one more at once."""
        with self._lock:
            self._limit = min(float(self._most), self._limit + 1 / self._limit)
            self._admit()

    def limited(self, slot: Slot) -> None:
        """The call in this place was refused for being one too many."""
        with self._lock:
            if slot.window == self._window:
                self._window += 1
                self._limit = max(1.0, self._limit / 2)

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
