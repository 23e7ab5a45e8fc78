"""What people read: lines and progress on stderr, results on stdout. Foreign text cannot act through either."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import TYPE_CHECKING, TextIO

from evaluator import errors
from evaluator.cli import problems, progress

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from evaluator.model.ports import Progress


class Console:
    """Lines for people. Several threads may use it at once; a line never lands in the middle of a progress bar.

    Attributes:
        quiet: only what is always wanted is printed.
        home: the folder that the reader takes for the place of all files; what lies in it is named from there.
    """

    def __init__(self, stream: TextIO) -> None:
        self.quiet = False
        self.home: Path | None = None
        self._stream = stream
        self._lock = threading.RLock()
        self._bar: progress.Bar | None = None

    def say(self, *lines: str) -> None:
        """Print lines that are wanted even where ``--quiet`` was given; each is made harmless."""
        # Rendering is imported late: --help never needs it.
        from evaluator import templates  # noqa: PLC0415 - as above

        named = lines if self.home is None else [problems.nearer(line, self.home) for line in lines]
        self.block(templates.log_line(line) for line in named)

    def log(self, line: str) -> None:
        """Print a line about what is going on."""
        if not self.quiet:
            self.say(line)

    def block(self, lines: Iterable[str]) -> None:
        """Print finished lines of ours as they are."""
        with self._lock:
            text = "".join(f"{line}\n" for line in lines)
            self._write(f"{progress.ERASE}{text}{self._bar}" if self._bar else text)

    def progress(self, title: str, total: int) -> Progress:
        """A bar on a terminal, plain lines elsewhere, nothing where ``--quiet`` was given."""
        if self.quiet or total == 0:
            return progress.Silent()
        if not self._stream.isatty():
            return progress.Lines(title, total, self.log)
        self._bar = progress.Bar(title, total, redraw=self._redraw, end=self.close)
        return self._bar

    def close(self) -> None:
        """End a bar that is still there."""
        with self._lock:
            if self._bar:
                self._write("\n")
            self._bar = None

    def _redraw(self) -> None:
        with self._lock:
            self._write(f"{progress.ERASE}{self._bar or ''}")

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            abandon(self._stream)


def emit(stream: TextIO, text: str) -> None:
    """Write a result for a program to read, as UTF-8 whatever the locale is.

    A reader that left early (``| head``) is no error: what the command decides must not depend on it.

    Raises:
        FileProblem: the text could not be written for any other reason (a full disk).
    """
    try:
        stream.buffer.write(text.encode())
        stream.flush()
    except BrokenPipeError:
        abandon(stream)
    except OSError as error:
        abandon(stream)
        raise errors.FileProblem(f"standard output cannot be written: {error.strerror}") from error


def abandon(stream: TextIO) -> None:
    """Send all further output of a stream nowhere, so that Python's own last flush does not change the exit code."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
