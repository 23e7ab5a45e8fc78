"""Asks a pipeline many questions at once: the one place with threads."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, NamedTuple

from evaluator.model.record import AnswerFailure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from evaluator.model.ports import Pipeline
    from evaluator.model.record import Reply, Request

    Keep = Callable[[Request, Reply, float], None]
    """Takes a question, its reply and the seconds it took."""


GRACE_SECONDS = 20.0
"""How long questions that are being asked when time is over have to come to an end."""


class Until(NamedTuple):
    """When to stop asking: a reading of a clock, and that clock."""

    seconds: Callable[[], float]
    end: float = math.inf

    def left(self, more: float = 0.0) -> float | None:
        """The seconds that are left, and ``more``, at least 0; None where there is no end."""
        return None if self.end == math.inf else max(0.0, self.end - self.seconds() + more)


def ask_all(pipeline: Pipeline, requests: Iterable[Request], keep: Keep, *, workers: int, until: Until) -> None:
    """Ask every question, ``workers`` at a time, and have each reply kept: in any order, but one at a time.

    When the time is over the pipeline is closed, and what it has not answered by then is not kept. Nothing is kept in
    this thread, so that an interrupt, which comes to it, never cuts what is being kept in two.

    Raises:
        KeyboardInterrupt: what had been answered was kept, and the pipeline is closed.
        Exception: whatever ``keep`` or a faulty pipeline raised; the pipeline is closed.
    """
    crew = _Crew(pipeline, requests, keep, until)
    threads = [threading.Thread(target=crew.work, args=(slot,), daemon=True) for slot in range(workers)]
    try:
        for thread in threads:
            thread.start()
        crew.wait_for(threads)
    except KeyboardInterrupt:
        crew.stop()
        for thread in threads:
            if thread.ident is not None:
                thread.join()
        raise
    if crew.error is not None:
        raise crew.error


class _Crew:
    """Threads that share a list of questions."""

    def __init__(self, pipeline: Pipeline, requests: Iterable[Request], keep: Keep, until: Until) -> None:
        self.error: Exception | None = None
        self._pipeline = pipeline
        self._todo = iter(requests)
        self._keep = keep
        self._until = until
        self._lock = threading.Lock()
        self._stopped = False
        self._has_left = False

    def wait_for(self, threads: Iterable[threading.Thread]) -> None:
        """Wait until all is asked or the time is over; a thread that does not come to its end then is left behind."""
        for thread in threads:
            thread.join(self._until.left())
        if any(thread.is_alive() for thread in threads):
            self.stop()
            for thread in threads:
                thread.join(self._until.left(GRACE_SECONDS))
        with self._lock:
            self._has_left = True

    def work(self, slot: int) -> None:
        """Ask one question after the other until none is left."""
        try:
            while (request := self._next()) is not None:
                began = self._until.seconds()
                reply = self._pipeline.ask(request, slot)
                self._take(request, reply, self._until.seconds() - began)
        except Exception as error:  # noqa: BLE001 - raised again by the thread that waits for this one
            self.error = error
            self.stop()

    def stop(self) -> None:
        """Ask nothing more, and have the questions that are being asked come to an end."""
        self._stopped = True
        self._pipeline.close()

    def _next(self) -> Request | None:
        with self._lock:
            return None if self._stopped else next(self._todo, None)

    def _take(self, request: Request, reply: Reply, seconds: float) -> None:
        with self._lock:
            # Once stopped, a failure tells only that the pipeline was closed.
            if not (self._has_left or (self._stopped and isinstance(reply, AnswerFailure))):
                self._keep(request, reply, seconds)
