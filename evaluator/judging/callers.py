"""Threads that make calls for others, so that a call that never returns keeps nobody waiting."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")

Wait: TypeAlias = "Callable[[threading.Event, float], bool]"
"""Waits for an event at most so many seconds; whether it happened. It is ``threading.Event.wait`` outside of tests."""


class Hung(Exception):
    """A call has not returned in its time, or nobody waits for it any more."""


class _Errand(Generic[Result]):
    """A function that is called by another thread, and what came of it."""

    def __init__(self, function: Callable[[], Result]) -> None:
        self.over = threading.Event()
        self._function = function
        self._result: list[Result] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._result.append(self._function())
        except BaseException as error:  # noqa: BLE001 - raised again by the one who waits
            self._error = error
        self.over.set()

    def result(self) -> Result:
        if self._error is not None:
            raise self._error
        if not self._result:
            raise Hung
        return self._result[0]


class Callers:
    """As many threads as there are calls at once; one whose call hangs is given up, and dies with the process."""

    def __init__(self, wait: Wait) -> None:
        self._wait = wait
        self._idle: list[queue.SimpleQueue[_Errand[Any] | None]] = []
        self._open = True
        self._errands: set[_Errand[Any]] = set()
        self._lock = threading.Lock()

    def call(self, function: Callable[[], Result], seconds: float) -> Result:
        """What a function returns or raises.

        Raises:
            Hung: it took longer, or was abandoned.
        """
        errand = _Errand(function)
        with self._lock:
            inbox = self._idle.pop() if self._idle else None
            self._errands.add(errand)
        if inbox is None:
            inbox = queue.SimpleQueue()
            threading.Thread(target=self._serve, args=(inbox,), daemon=True).start()
        inbox.put(errand)
        try:
            self._wait(errand.over, seconds)
        finally:
            with self._lock:
                self._errands.discard(errand)
        return errand.result()

    def abandon(self) -> None:
        """Have everybody who waits for a call go on without it."""
        with self._lock:
            for errand in self._errands:
                errand.over.set()

    def close(self) -> None:
        """End the threads that have nothing to do, and the others when they come back."""
        with self._lock:
            self._open = False
            for inbox in self._idle:
                inbox.put(None)
            self._idle.clear()

    def _serve(self, inbox: queue.SimpleQueue[_Errand[Any] | None]) -> None:
        while (errand := inbox.get()) is not None:
            errand.run()
            with self._lock:
                if not self._open:
                    return
                self._idle.append(inbox)
