"""The pipes to and from a worker, moved in one loop, so that neither side ever waits for the other to read."""

from __future__ import annotations

import math
import os
import select
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

LONGEST_WAIT = 3600.0
CHUNK = 1 << 18
MAX_TURNS = 64


class Channel:
    """One pipe that is written to and some that are read from, each with what takes its data.

    Owns the file descriptors. Used by one thread at a time. Deadlines are readings of the monotonic clock.
    """

    def __init__(self, output: int, inputs: Mapping[int, Callable[[bytes], None]]) -> None:
        self._output = output
        self._inputs = dict(inputs)
        self._open = set(inputs)
        self._outgoing = bytearray()
        for descriptor in (output, *inputs):
            os.set_blocking(descriptor, False)

    def send(self, data: bytes) -> None:
        """Hand over data; it leaves during the turns that follow."""
        self._outgoing += data

    def is_open(self, descriptor: int) -> bool:
        """Whether more may come from there."""
        return descriptor in self._open

    def wait_for_close(self, descriptor: int, seconds: float) -> bool:
        """Move data until nothing more can come from there; False if that takes longer."""
        deadline = time.monotonic() + seconds
        while self.is_open(descriptor) and time.monotonic() < deadline:
            self.turn(deadline)
        return not self.is_open(descriptor)

    def drain(self, *descriptors: int) -> None:
        """Take what is there already; bounded, since a worker may write faster than we read."""
        for _ in range(MAX_TURNS):
            if not self._move(self._open.intersection(descriptors), 0.0, sends=False):
                break

    def turn(self, deadline: float) -> bool:
        """Wait until something can be moved in any direction, and move it; False if the deadline came first."""
        seconds = min(max(0.0, deadline - time.monotonic()), LONGEST_WAIT)
        return self._move(self._open, seconds, sends=bool(self._outgoing))

    def _move(self, descriptors: Collection[int], seconds: float, *, sends: bool) -> bool:
        poll = select.poll()
        for descriptor in descriptors:
            poll.register(descriptor, select.POLLIN)
        if sends:
            poll.register(self._output, select.POLLOUT)
        ready = poll.poll(math.ceil(seconds * 1000))
        for descriptor, _ in ready:
            if descriptor == self._output:
                self._write()
            else:
                self._read(descriptor)
        return bool(ready)

    def forget(self, descriptor: int) -> None:
        """Read nothing more from there."""
        self._open.discard(descriptor)

    def close_output(self) -> None:
        """End what the other side reads."""
        self._outgoing.clear()
        if self._output >= 0:
            os.close(self._output)
            self._output = -1

    def close(self) -> None:
        """Close every pipe."""
        self.close_output()
        for descriptor in self._inputs:
            os.close(descriptor)
        self._open.clear()
        self._inputs.clear()

    def _write(self) -> None:
        try:
            written = os.write(self._output, self._outgoing[:CHUNK])
        except BlockingIOError:
            return
        except BrokenPipeError:
            # The other side has stopped reading or is ending: the news of that comes another way.
            written = len(self._outgoing)
        del self._outgoing[:written]

    def _read(self, descriptor: int) -> None:
        data = os.read(descriptor, CHUNK)
        if data:
            self._inputs[descriptor](data)
        else:
            self._open.discard(descriptor)


class Lines:
    """Bytes that come in pieces, taken out as lines without their ends."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._searched = 0

    def __len__(self) -> int:
        return len(self._data)

    def feed(self, data: bytes) -> None:
        """Take the next piece."""
        self._data += data

    def take(self) -> bytes | None:
        """The first whole line, or None where there is none yet."""
        at = self._data.find(b"\n", self._searched)
        if at < 0:
            self._searched = len(self._data)
            return None
        line = bytes(self._data[:at])
        del self._data[: at + 1]
        self._searched = 0
        return line
