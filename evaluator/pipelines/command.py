"""A long-lived process of the user's: one line of JSON in, one line out, one question at a time (design section 6)."""

from __future__ import annotations

import json
import threading
import weakref
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from evaluator import errors
from evaluator.model.base import to_json
from evaluator.model.ports import PipelineKind, PipelineSetting
from evaluator.model.record import AnswerFailure
from evaluator.pipelines._process import CannotStart, Launch, Process
from evaluator.pipelines._reply import KEYS, Invalid, decode, invalid, one_line, to_reply
from evaluator.pipelines._workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.model.config import Command
    from evaluator.model.config import Pipeline as PipelineConfig
    from evaluator.model.record import Reply, Request
    from evaluator.pipelines._output import Output

MAX_BANNER = 200
"""How many lines that are no replies are logged."""


class _Command:
    """How a command is spoken to."""

    restarts: int | None = 1
    quotes_output = True
    preparing = "starting the command"

    def __init__(self, setting: PipelineSetting, command: Command) -> None:
        self._warnings = setting.warnings
        self._skipped = 0
        self._lock = threading.Lock()
        self._previous: weakref.WeakKeyDictionary[Process, str] = weakref.WeakKeyDictionary()
        self._launch = Launch(
            argv=command.run, folder=setting.folder.resolve(), environment=setting.environment,
            limits=setting.config.limits, on_stdio=True,
        )  # fmt: skip

    def launch(self, output: Output) -> Process:
        """Start the command."""
        return Process(self._launch, output)

    def greet(self, process: Process, deadline: float) -> None:
        """A command says nothing before it is asked."""

    def ask(self, process: Process, request: Request, deadline: float) -> Reply:
        """Ask one question; lines that are no replies, and more replies to the question before, are skipped."""
        previous = self._previous.get(process, "")
        self._previous[process] = request.id
        process.send(to_json(request.to_dict()))
        while True:
            line = process.receive(deadline)
            try:
                value = decode(line)
            except Invalid as problem:
                if line.lstrip().startswith(b"{") and b'"id"' in line:
                    return invalid(problem)
                value = None
            if isinstance(value, dict) and not {"id", "error", *KEYS}.isdisjoint(value):
                answered = _identifier(value)
                if answered == request.id or answered != previous:
                    return _reply(value, request.id, len(line))
            self._skip(line, process)

    def _skip(self, line: bytes, process: Process) -> None:
        if not line.strip():
            return
        with self._lock:
            self._skipped += 1
            if self._skipped <= MAX_BANNER:
                process.show(line)
            else:
                process.remember(line)
            if self._skipped == MAX_BANNER:
                process.show("… (further lines on standard output that are no replies are not shown)".encode())
            if self._skipped == 1:
                first = one_line(line.decode(errors="replace"))
                self._warnings.append(
                    f"the command prints lines on standard output that are no replies, the first of them {first!r}; "
                    "they were skipped: standard error is the place for them"
                )


def _identifier(value: dict[str, Any]) -> str | None:
    identifier = value.get("id")
    if identifier is None or isinstance(identifier, str):
        return identifier
    return json.dumps(identifier, ensure_ascii=False)


def _reply(value: dict[str, Any], asked: str, size: int) -> Reply:
    answered = _identifier(value)
    if answered != asked:
        stated = "no id" if answered is None else f"the id {answered!r}"
        return invalid(f"the reply has {stated}, but {asked!r} was asked: a reply repeats the id of its question")
    value.pop("id")
    error = value.pop("error", None)
    if error is not None:
        return AnswerFailure(
            "error", one_line(error if isinstance(error, str) else json.dumps(error, ensure_ascii=False))
        )
    return to_reply(value, size)


@contextmanager
def _open(setting: PipelineSetting) -> Iterator[Workers]:
    command = setting.config.command
    if command is None:
        raise errors.PipelineError("pipeline.kind is command, so pipeline.command must be given")
    with closing(Workers(_Command(setting, command), setting)) as workers:
        try:
            workers.start()
        except CannotStart as problem:
            raise errors.PipelineError(
                f"pipeline.command.run cannot be started: {problem}; it is looked for on PATH, or relative to the "
                "configuration's folder where it has a slash"
            ) from problem
        yield workers


def _settings(config: PipelineConfig) -> dict[str, object]:
    return {"run": list(config.command.run)} if config.command else {}


PIPELINE = PipelineKind(name="command", open=_open, settings=_settings)
