"""One worker process: lines in, lines out, what it prints to the log, and an end that leaves nothing behind."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.pipelines._channel import Channel, Lines
from evaluator.pipelines._reply import MAX_REPLY

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import IO

    from evaluator.model.config import Limits
    from evaluator.pipelines._output import Output

MARKER = "RAG_ASSAY_WORKER"
"""A variable that every process of a worker carries, with a value of the worker's own."""

SUPERVISOR = Path(__file__).with_name("_supervisor.py")
STARTING_SECONDS = 60.0
ENDING_SECONDS = 10.0
CLOSING_SECONDS = 1.0
MAX_SWEEPS = 100


class CannotStart(Exception):
    """The program cannot be run at all, or not made ready; ``detail`` is what it said itself."""

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


class TimedOut(Exception):
    """No line came in time."""


class TooLong(Exception):
    """A line without end."""


class Ended(Exception):
    """The worker is no more; the message continues "the worker …"."""


@dataclass(frozen=True)
class Launch:
    """What to run.

    Attributes:
        argv: program and arguments. Where the lines do not go over standard input and output, the numbers of the two
            file descriptors they go over are added.
        folder: working directory.
        environment: all variables it sees, beside :data:`MARKER`.
        limits: what it and everything it starts may use.
        on_stdio: lines go over standard input and output; else what it prints there goes to the log.
    """

    argv: Sequence[str]
    folder: Path
    environment: dict[str, str]
    limits: Limits
    on_stdio: bool


class Process:
    """A running worker. Used by one thread at a time, but for :meth:`order_end`.

    Raises:
        CannotStart: the program cannot be run.
    """

    def __init__(self, launch: Launch, output: Output) -> None:
        self._launch = launch
        self._output = output
        self._marker = secrets.token_hex(16)
        self._lines = Lines()
        self._said = Lines()
        self._news: dict[str, Any] = {}
        # Each pair is (read end, write end).
        requests, replies, log = os.pipe(), os.pipe(), os.pipe()
        theirs = (requests[0], replies[1], log[1])
        self._supervisor = self._supervise(theirs)
        self._control = _stream(self._supervisor.stdin)
        # A copy, so that the channel alone owns what it reads.
        with _stream(self._supervisor.stdout) as stream:
            self._status = os.dup(stream.fileno())
        self._replies, self._log = replies[0], log[0]
        readers = {self._status: self._hear_news, self._log: output.feed, self._replies: self._lines.feed}
        self._channel = Channel(requests[1], readers)
        self._start(theirs)

    def _supervise(self, theirs: Sequence[int]) -> subprocess.Popen[bytes]:
        try:
            # Isolated and without site: nothing of the user's acts on it, and it starts fast.
            return subprocess.Popen(
                [sys.executable, "-I", "-S", str(SUPERVISOR)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=theirs[-1], pass_fds=theirs,
                env={MARKER: self._marker}, start_new_session=True,
            )  # fmt: skip
        finally:
            for descriptor in theirs:
                os.close(descriptor)

    def _start(self, theirs: Sequence[int]) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._control.write(self._specification(*theirs))
            self._control.flush()
        deadline = time.monotonic() + STARTING_SECONDS
        while not self._news and self._channel.is_open(self._status) and time.monotonic() < deadline:
            self._channel.turn(deadline)
        if "started" not in self._news:
            self.end()
            raise CannotStart(self._news.get("failed", "the supervising process did not start"), self._output.tail)

    def _specification(self, requests: int, replies: int, log: int) -> bytes:
        launch, lines = self._launch, (requests, replies)
        on_stdio = launch.on_stdio
        specification = {
            "argv": [*launch.argv, *([] if on_stdio else map(str, lines))],
            "environment": {**launch.environment, MARKER: self._marker},
            "folder": str(launch.folder),
            "stdio": [*lines, log] if on_stdio else [None, log, log],
            "descriptors": [requests, replies, log],
            "keep": [] if on_stdio else lines,
            "memory_mb": launch.limits.memory_mb,
            "processes": launch.limits.processes,
        }
        return json.dumps(specification).encode() + b"\n"

    @property
    def is_over(self) -> bool:
        """Whether the worker has ended, as far as is known by now."""
        self._channel.drain(self._status)
        return self._has_ended

    def send(self, line: bytes) -> None:
        """Hand over a line, without its end; it leaves while :meth:`receive` waits."""
        self._channel.send(line + b"\n")

    def receive(self, deadline: float) -> bytes:
        """The next line, without its end. ``deadline`` is a reading of the monotonic clock.

        Raises:
            TimedOut: it did not come in time.
            TooLong: it is longer than :data:`MAX_REPLY`.
            Ended: the worker is no more, and this line was not among what it wrote.
        """
        while True:
            line = self._lines.take()
            if line is None and self._has_ended:
                self._channel.drain(self._replies)
                line = self._lines.take()
            if line is not None:
                # What was printed before the line comes before it in the log, too.
                self._channel.drain(self._log)
                # Lines that are there already cost time, too: one that floods us is out of time like one that is mute.
                if time.monotonic() >= deadline:
                    raise TimedOut
                return line
            self._look_for_trouble(deadline)
            self._channel.turn(deadline)

    @property
    def last_words(self) -> str:
        """The last line it printed; empty where there is none."""
        self._channel.drain(self._log)
        return self._output.last_line

    def show(self, line: bytes) -> None:
        """Treat a received line as something it printed."""
        self._output.feed(line + b"\n")

    def remember(self, line: bytes) -> None:
        """As :meth:`show`, but for the log."""
        self._output.remember(line)

    def close_input(self) -> None:
        """Tell the worker politely that nothing more comes."""
        self._channel.close_output()

    def order_end(self) -> None:
        """Have the worker and everything it started killed, without waiting; any thread may call this at any time."""
        with contextlib.suppress(OSError):
            self._control.close()

    def end(self, grace_seconds: float = 0.0) -> None:
        """End the worker and everything it started; it has so long to go by itself. Nothing is left afterwards."""
        self.close_input()
        self._channel.forget(self._replies)
        self._channel.wait_for_close(self._status, grace_seconds)
        self.order_end()
        closed = self._channel.wait_for_close(self._status, ENDING_SECONDS)
        if not closed or not {"ended", "failed"} & self._news.keys():
            self._supervisor.kill()
            end_marked(f"{MARKER}={self._marker}")
        self._supervisor.wait()
        self._channel.drain(self._log)
        self._channel.close()
        self._output.flush()

    def how_it_ended(self) -> str:
        """How the worker ended, as the rest of a sentence that begins with "the worker"."""
        end, limits = self._news.get("ended", {}), self._launch.limits
        if "exit" in end:
            return f"ended with exit code {end['exit']}"
        if "signal" in end:
            return f"was killed by {_signal_name(end['signal'])}"
        if end.get("limit") == "memory":
            return f"and what it started used more than {limits.memory_mb} MB (pipeline.limits.memory_mb)"
        if end.get("limit") == "processes":
            return f"started more than {limits.processes} processes (pipeline.limits.processes)"
        return "was ended" if "told" in end else "was lost, because somebody ended the process that watches it"

    @property
    def _has_ended(self) -> bool:
        return "ended" in self._news or not self._channel.is_open(self._status)

    def _look_for_trouble(self, deadline: float) -> None:
        if self._has_ended:
            raise Ended(self.how_it_ended())
        if len(self._lines) > MAX_REPLY:
            raise TooLong
        if time.monotonic() >= deadline:
            raise TimedOut
        if not self._channel.is_open(self._replies):
            closed = self._channel.wait_for_close(self._status, CLOSING_SECONDS)
            raise Ended(self.how_it_ended() if closed else "closed its output without a reply")

    def _hear_news(self, data: bytes) -> None:
        self._said.feed(data)
        for line in iter(self._said.take, None):
            self._news.update(json.loads(line))


def end_marked(entry: str) -> None:
    """Kill every process whose environment began with an entry: what a lost supervisor left, should there be any.

    Bounded: a process of another user, or one that the kernel cannot end, stays.
    """
    for _ in range(MAX_SWEEPS):
        marked = [process for process in _processes() if entry.encode() in _environment(process)]
        for process in marked:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        if not marked:
            return


def _processes() -> list[int]:
    return [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()]


def _environment(process: int) -> list[bytes]:
    try:
        return Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _signal_name(number: int) -> str:
    hints = {signal.SIGKILL: "from outside; out of memory?"}
    known = [each for each in signal.Signals if each == number]
    if not known:
        return f"signal {number}"
    return f"{known[0].name} ({hints.get(known[0]) or signal.strsignal(number)})"


def _stream(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise RuntimeError("a stream that was asked for is not there")
    return stream
