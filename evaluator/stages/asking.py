"""Asks a pipeline many questions at once: the one place with threads."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from evaluator.model.record import AnswerFailure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from evaluator.model.ports import Pipeline
    from evaluator.model.record import Reply, Request

    Keep = Callable[[Request, Reply, float], None]
    """Takes a question, its reply and the seconds it took."""


def ask_all(
    pipeline: Pipeline, requests: Iterable[Request], keep: Keep, *, workers: int, seconds: Callable[[], float]
) -> None:
    """Ask every question, ``workers`` at a time, and have each reply kept: in any order, but one at a time.

    Nothing is kept in this thread, so that an interrupt, which comes to it, never cuts what is being kept in two.

    Raises:
        KeyboardInterrupt: what had been answered was kept, and the pipeline is closed.
        Exception: whatever ``keep`` or a faulty pipeline raised; the pipeline is closed.
    """
    crew = _Crew(pipeline, requests, keep, seconds)
    threads = [threading.Thread(target=crew.work, args=(slot,), daemon=True) for slot in range(workers)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
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

    def __init__(
        self, pipeline: Pipeline, requests: Iterable[Request], keep: Keep, seconds: Callable[[], float]
    ) -> None:
        self.error: Exception | None = None
        self._pipeline = pipeline
        self._todo = iter(requests)
        self._keep = keep
        self._seconds = seconds
        self._lock = threading.Lock()
        self._stopped = False

    def work(self, slot: int) -> None:
        """Ask one question after the other until none is left."""
        try:
            while (request := self._next()) is not None:
                began = self._seconds()
                reply = self._pipeline.ask(request, slot)
                self._take(request, reply, self._seconds() - began)
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
            if not (self._stopped and isinstance(reply, AnswerFailure)):
                self._keep(request, reply, seconds)
