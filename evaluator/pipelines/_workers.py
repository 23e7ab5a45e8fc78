"""Worker processes behind one pipeline: one per slot, replaced when they end, all gone when the pipeline is closed."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Protocol

from evaluator.model.ports import NotReady
from evaluator.model.record import AnswerFailure
from evaluator.pipelines._output import Output
from evaluator.pipelines._process import CannotStart, Ended, TimedOut, TooLong
from evaluator.pipelines._reply import MAX_REPLY, one_line

if TYPE_CHECKING:
    from evaluator.model.ports import PipelineSetting
    from evaluator.model.record import FailureKind, Reply, Request
    from evaluator.pipelines._process import Process

GRACE_SECONDS = 1.0
"""How long workers have to end by themselves once nothing more is asked."""

CLOSED = AnswerFailure("died", "the pipeline was closed before this question was answered")


class Dialogue(Protocol):
    """What differs between the kinds of worker."""

    restarts: int | None
    """How many workers that ended are replaced in each slot; None for all."""

    quotes_output: bool
    """Whether the last line it printed says why it ended; a crash report of an interpreter has addresses there."""

    preparing: str
    """What is done until it can be asked, in words."""

    def launch(self, output: Output) -> Process:
        """Start a worker.

        Raises:
            CannotStart: it cannot be run.
        """
        ...

    def greet(self, process: Process, deadline: float) -> None:
        """Wait until it can be asked. ``deadline`` is a reading of the monotonic clock.

        Raises:
            CannotStart: that does not happen, or not in time.
        """
        ...

    def ask(self, process: Process, request: Request, deadline: float) -> Reply:
        """Ask one question.

        Raises:
            TimedOut, TooLong, Ended: there is no reply, and the worker cannot be asked again.
        """
        ...


class _Slot:
    """A place for one worker."""

    def __init__(self, output: Output) -> None:
        self.lock = threading.Lock()
        self.output = output
        self.process: Process | None = None
        self.ends = 0
        self.given_up = ""


class Workers:
    """A pipeline of worker processes."""

    def __init__(self, dialogue: Dialogue, setting: PipelineSetting) -> None:
        self._dialogue = dialogue
        self._timeout = setting.config.timeout
        self._ready_by = time.monotonic() + setting.start_seconds
        self._slots = [_Slot(Output(setting.log)) for _ in range(setting.config.workers)]
        self._closing = False

    def start(self) -> None:
        """Start the first worker, so that what cannot work is known before any question is asked.

        Raises:
            CannotStart: it cannot be run or made ready.
            NotReady: the time to start was over before that was known.
        """
        try:
            with self._slots[0].lock:
                self._start(self._slots[0])
        except CannotStart as problem:
            if time.monotonic() < self._ready_by:
                raise
            raise NotReady(self._dialogue.preparing) from problem

    def ask(self, request: Request, slot: int) -> Reply:
        """Ask the worker of a slot; where that slot was given up, another's: no question fails while one works."""
        for step in range(len(self._slots)):
            found = self._slots[(slot + step) % len(self._slots)]
            with found.lock:
                if not found.given_up:
                    return self._ask(found, request)
        return AnswerFailure("died", self._slots[slot].given_up)

    def close(self) -> None:
        """End every worker: those that wait for a question politely, those that work on one at once."""
        self._closing = True
        for slot in self._slots:
            if slot.lock.acquire(blocking=False):
                if slot.process:
                    slot.process.close_input()
                slot.lock.release()
            elif slot.process:
                slot.process.order_end()
        deadline = time.monotonic() + GRACE_SECONDS
        for slot in self._slots:
            with slot.lock:
                if slot.process:
                    slot.process.end(max(0.0, deadline - time.monotonic()))
                slot.process = None

    def _ask(self, slot: _Slot, request: Request) -> Reply:
        if slot.process and slot.process.is_over:
            self._retire(slot, f"the worker {slot.process.how_it_ended()}")
        if not slot.process and not slot.given_up and not self._closing:
            try:
                self._start(slot)
            except CannotStart as problem:
                slot.given_up = one_line(f"the worker could not be started again: {problem}")
        if self._closing:
            return CLOSED
        if not slot.process:
            return AnswerFailure("died", slot.given_up, slot.output.tail)
        try:
            return self._dialogue.ask(slot.process, request, time.monotonic() + self._timeout)
        except TimedOut:
            return self._failed(slot, "timeout", f"no reply within {self._timeout:g} s (pipeline.timeout)")
        except TooLong:
            return self._failed(slot, "invalid", f"the reply is larger than {MAX_REPLY >> 20} MB")
        except Ended as end:
            return self._failed(slot, "died", f"the worker {end}")

    def _start(self, slot: _Slot) -> None:
        slot.output.forget()
        slot.process = self._dialogue.launch(slot.output)
        if self._closing:
            slot.process.order_end()
        try:
            self._dialogue.greet(slot.process, self._ready_by)
        except CannotStart:
            slot.process.end()
            slot.process = None
            raise

    def _failed(self, slot: _Slot, kind: FailureKind, message: str) -> AnswerFailure:
        self._retire(slot, message)
        said = self._with_last_words(slot, message) if kind == "died" else message
        return AnswerFailure(kind, one_line(said), slot.output.tail)

    def _retire(self, slot: _Slot, reason: str) -> None:
        """End a slot's worker; the next question starts another, unless too many have ended."""
        if slot.process:
            slot.process.end()
        slot.process = None
        slot.ends += 1
        allowed = self._dialogue.restarts
        if allowed is not None and slot.ends > allowed:
            reason = self._with_last_words(slot, reason)
            slot.given_up = one_line(f"not asked, because the worker had ended {slot.ends} times: {reason}")

    def _with_last_words(self, slot: _Slot, message: str) -> str:
        last = slot.output.last_line if self._dialogue.quotes_output else ""
        return f"{message}; its last words: {last}" if last else message
