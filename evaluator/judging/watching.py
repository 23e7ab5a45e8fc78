"""Tells a person how far judging is: calls, money, and the time that is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.model.counting import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from evaluator.judging.asking import Asker
    from evaluator.model.ports import Progress

NOTE_SECONDS = 1.0
"""Between two notes: people do not read faster."""

MINUTE = 60
HOUR = 3600


class Watch:
    """What :func:`evaluator.judging.pool.converse` tells, as steps and notes of a display; told one thing at a time."""

    def __init__(self, progress: Progress, total: int, asker: Asker, seconds: Callable[[], float]) -> None:
        self._progress = progress
        self._total = total
        self._asker = asker
        self._seconds = seconds
        self._began = seconds()
        self._noted = float("-inf")
        self._done = 0

    def told(self) -> None:
        """A call has its outcome."""
        if self._seconds() - self._noted >= NOTE_SECONDS:
            self._note()

    def ended(self, _name: str, _found: object) -> None:
        """A conversation has its end."""
        self._done += 1
        self._note()
        self._progress.step()

    def _note(self) -> None:
        self._noted = self._seconds()
        total = self._asker.spent().total()
        parts = [counted(total.calls, "call"), f"{total.usd:,.2f} USD"]
        if 0 < self._done < self._total:
            parts.append(f"{duration((self._noted - self._began) * (self._total / self._done - 1))} left")
        self._progress.note(", ".join(parts))


def duration(seconds: float) -> str:
    """A length of time as people say it, rounded up: ``40 s``, ``3 min``, ``2 h 5 min``."""
    if seconds < MINUTE:
        return f"{max(1, round(seconds))} s"
    minutes = -int(-seconds // MINUTE)
    return f"{minutes} min" if seconds <= HOUR - MINUTE else f"{minutes // MINUTE} h {minutes % MINUTE} min"
