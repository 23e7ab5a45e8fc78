"""What is being made already is waited for, and not made twice."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

Made = TypeVar("Made")


class Landed(NamedTuple, Generic[Made]):
    """What was made, and whether it was made for the one who asked."""

    value: Made
    mine: bool


class _Flight(Generic[Made]):
    def __init__(self) -> None:
        self.over = threading.Event()
        self.values: list[Made] = []
        self.error: BaseException | None = None


class Flights(Generic[Made]):
    """Makes each thing once at a time; whoever asks for it meanwhile gets the same."""

    def __init__(self) -> None:
        self._open: dict[Hashable, _Flight[Made]] = {}
        self._lock = threading.Lock()

    def once(self, key: Hashable, make: Callable[[], Made]) -> Landed[Made]:
        """What ``make`` returns or raises, here or where it is being called for this key already."""
        with self._lock:
            flight = self._open.get(key)
            mine = flight is None
            flight = flight or self._open.setdefault(key, _Flight())
        if mine:
            self._fly(key, flight, make)
        else:
            flight.over.wait()
        if flight.error is not None:
            raise flight.error
        return Landed(flight.values[0], mine)

    def _fly(self, key: Hashable, flight: _Flight[Made], make: Callable[[], Made]) -> None:
        try:
            flight.values.append(make())
        except BaseException as error:  # noqa: BLE001 - raised again by everybody who waits for it
            flight.error = error
        with self._lock:
            del self._open[key]
        flight.over.set()
