"""What a worker prints, on its way to the log: as text that can command nothing, and never without end."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PREFIX = "│ "
MAX_LINE = 2_000
"""Longest line that is shown, in bytes; the rest of it is left out."""

MAX_SHOWN = 1_000_000
"""How much of a worker's output is shown, in bytes."""

TAIL = 20
"""How many last lines are remembered."""


def inert(line: str) -> str:
    """A foreign line as the log may show it: the runner obeys ``::`` at a line's start and ``##[`` anywhere."""
    return PREFIX + line.replace("##[", "# #[")


class Output:
    """Takes the bytes a worker prints, passes whole lines on, and remembers the last ones."""

    def __init__(self, log: Callable[[str], None], max_shown: int = MAX_SHOWN) -> None:
        self._log = log
        self._left = max_shown
        self._line = bytearray()
        self._tail: deque[str] = deque(maxlen=TAIL)

    @property
    def tail(self) -> str:
        """The last lines."""
        return "\n".join(self._tail)

    @property
    def last_line(self) -> str:
        """The last line that is not blank; empty where there is none."""
        return next((line for line in reversed(self._tail) if line.strip()), "")

    def feed(self, data: bytes) -> None:
        """Take some more output."""
        *whole, rest = data.split(b"\n")
        for part in whole:
            self._extend(part)
            self._end_line()
        self._extend(rest)

    def remember(self, line: bytes) -> None:
        """Take a whole line that is not to be shown."""
        self._tail.append(line[:MAX_LINE].decode(errors="replace"))

    def flush(self) -> None:
        """Pass on a last line that has no end."""
        if self._line:
            self._end_line()

    def forget(self) -> None:
        """Start remembering afresh, for another worker."""
        self._tail.clear()

    def _extend(self, part: bytes) -> None:
        # A progress bar draws its line again after each carriage return; its last state is what a terminal would show.
        drawn = part.rstrip(b"\r").rfind(b"\r") + 1
        if drawn or (part and self._line.endswith(b"\r")):
            self._line.clear()
        self._line += part[drawn : drawn + MAX_LINE - len(self._line)]

    def _end_line(self) -> None:
        line = self._line.decode(errors="replace").rstrip("\r")
        self._line.clear()
        self._tail.append(line)
        if self._left > 0:
            self._left -= len(line) + 1
            self._log(inert(line))
            if self._left <= 0:
                self._log(f"{PREFIX}… (what this worker prints from here on is not shown)")
