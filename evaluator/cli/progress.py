"""How far a long piece of work is: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ERASE = "\r\x1b[2K"
"""What a terminal takes as: start this line again."""

WIDEST_BAR = 30
TENTHS = 10
QUIET_SECONDS = 2.0
LONGEST_SILENCE = 10.0


class Silent:
    """No display."""

    def step(self, *, failed: bool = False) -> None:
        """Nothing to tell."""

    def note(self, text: str) -> None:
        """Nothing to tell."""

    def close(self) -> None:
        """Nothing to end."""


class _Count:
    """How many units are done, how many of them failed, and what else is worth knowing."""

    def __init__(self, title: str, total: int) -> None:
        self.title = title
        self.total = total
        self.done = 0
        self.failed = 0
        self.note = ""

    def add(self, *, failed: bool) -> None:
        self.done += 1
        self.failed += failed

    def __str__(self) -> str:
        failed = f"{self.failed} failed" if self.failed else ""
        return ", ".join(filter(None, (f"{self.done}/{self.total}", failed, self.note)))


class Bar:
    """One line of a terminal, drawn again whenever a per cent or a failure was added."""

    def __init__(self, title: str, total: int, *, redraw: Callable[[], None], end: Callable[[], None]) -> None:
        self._count = _Count(title, total)
        self._redraw = redraw
        self._drawn = (-1, 0)
        self.close = end

    def step(self, *, failed: bool = False) -> None:
        """One more unit is done."""
        self._count.add(failed=failed)
        shown = (100 * self._count.done // self._count.total, self._count.failed)
        if shown != self._drawn:
            self._drawn = shown
            self._redraw()

    def note(self, text: str) -> None:
        """Show a note behind the count, from now on."""
        if text != self._count.note:
            self._count.note = text
            self._redraw()

    def __str__(self) -> str:
        count = self._count
        room = shutil.get_terminal_size().columns - len(f"{count.title} [] {count}") - 1
        width = max(0, min(WIDEST_BAR, room))
        filled = width * count.done // count.total
        return f"{count.title} [{'#' * filled}{'.' * (width - filled)}] {count}"


class Lines:
    """A line every tenth of the work, but at most one in two seconds and at least one in ten; always a last one."""

    def __init__(
        self, title: str, total: int, log: Callable[[str], None], seconds: Callable[[], float] = time.monotonic
    ) -> None:
        self._count = _Count(title, total)
        self._log = log
        self._seconds = seconds
        self._last_time = seconds()
        self._last_tenth = 0

    def step(self, *, failed: bool = False) -> None:
        """One more unit is done."""
        count = self._count
        count.add(failed=failed)
        silence = self._seconds() - self._last_time
        tenth = TENTHS * count.done // count.total
        due = tenth > self._last_tenth and silence >= QUIET_SECONDS
        if due or silence >= LONGEST_SILENCE or count.done == count.total:
            self._last_time, self._last_tenth = self._seconds(), tenth
            self._log(f"{count.title}: {count}")

    def note(self, text: str) -> None:
        """Show a note behind the count in the lines that are still to come."""
        self._count.note = text

    def close(self) -> None:
        """The last line has been printed already, or the work was interrupted and says so itself."""
