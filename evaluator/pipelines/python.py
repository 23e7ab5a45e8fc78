"""A callable of the user's, run by the user's interpreter in worker processes (design section 6)."""

from __future__ import annotations

import sys
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator import errors
from evaluator.model.base import to_json
from evaluator.model.ports import PipelineKind, PipelineSetting
from evaluator.pipelines._output import inert
from evaluator.pipelines._process import CannotStart, Ended, Launch, Process, TimedOut, TooLong
from evaluator.pipelines._reply import Invalid, decode, invalid, one_line, to_failure, to_reply
from evaluator.pipelines._workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.model.config import Pipeline as PipelineConfig
    from evaluator.model.config import PythonTarget
    from evaluator.model.record import AnswerFailure, Reply, Request
    from evaluator.pipelines._output import Output

WORKER = Path(__file__).with_name("_worker.py")

IMPORT_SECONDS = 600.0
"""How long a worker may take to import the callable: models are loaded then."""


class _Python:
    """How a worker that runs a callable is spoken to."""

    restarts: int | None = None
    quotes_output = False

    def __init__(self, setting: PipelineSetting, target: PythonTarget) -> None:
        self._setting = setting
        self._target = target
        self.preparing = f"importing {target.target}"
        folder = setting.folder.resolve()
        self._launch = Launch(
            argv=(_interpreter(target, folder), str(WORKER)), folder=folder, environment=setting.environment,
            limits=setting.config.limits, on_stdio=False,
        )  # fmt: skip

    def launch(self, output: Output) -> Process:
        """Start the interpreter."""
        return Process(self._launch, output)

    def greet(self, process: Process, deadline: float) -> None:
        """Have it import the callable."""
        folder = self._launch.folder
        path = [*(str(folder / entry) for entry in self._target.path), str(folder)]
        process.send(to_json({"target": self._target.target, "path": path}))
        try:
            message = decode(process.receive(min(deadline, time.monotonic() + IMPORT_SECONDS)))
        except Ended as end:
            last = process.last_words
            raise CannotStart(f"the interpreter {end}" + (f"; its last words: {last}" if last else "")) from end
        except TimedOut as end:
            raise CannotStart(f"importing it takes longer than {IMPORT_SECONDS:g} s") from end
        except (TooLong, Invalid) as end:
            raise CannotStart("the worker does not speak as it should") from end
        if not isinstance(message, dict) or "ready" not in message:
            stated = message if isinstance(message, dict) else {}
            raise CannotStart(one_line(stated.get("failed")), str(stated.get("detail", "")))

    def ask(self, process: Process, request: Request, deadline: float) -> Reply:
        """Ask one question."""
        process.send(to_json(request.to_dict()))
        line = process.receive(deadline)
        try:
            message = decode(line)
        except Invalid as problem:
            return invalid(problem)
        if not isinstance(message, dict) or "reply" not in message:
            return self._explained(to_failure(message.get("failure") if isinstance(message, dict) else None))
        return to_reply(message["reply"], len(line))

    def _explained(self, failure: AnswerFailure) -> AnswerFailure:
        if failure.kind != "error" or not failure.message.startswith("MemoryError"):
            return failure
        limit = f"{failure.message} (pipeline.limits.memory_mb is {self._setting.config.limits.memory_mb})"
        return failure._replace(message=limit)


def _interpreter(target: PythonTarget, folder: Path) -> str:
    """The interpreter: ours, a path relative to the configuration's folder, or a command's name."""
    if target.python is None:
        return sys.executable
    # Links stay links: an interpreter knows its virtual environment by the path it is called by.
    return str(folder / target.python) if "/" in target.python else target.python


@contextmanager
def _open(setting: PipelineSetting) -> Iterator[Workers]:
    target = setting.config.python
    if target is None:
        raise errors.PipelineError("pipeline.kind is python, so pipeline.python must be given")
    with closing(Workers(_Python(setting, target), setting)) as workers:
        try:
            workers.start()
        except CannotStart as problem:
            for line in problem.detail.splitlines():
                setting.log(inert(line))
            raise errors.PipelineError(_sentence(target, str(problem))) from problem
        yield workers


def _sentence(target: PythonTarget, problem: str) -> str:
    looked_in = ", ".join([*target.path, "the configuration's folder"])
    interpreter = target.python or "our own interpreter (pipeline.python.python names another)"
    return (
        f"pipeline.python.target {target.target} cannot be imported: {problem}; looked in {looked_in} "
        f"with {interpreter}; check the target, pipeline.python.path, and what is installed for that interpreter"
    )


def _settings(config: PipelineConfig) -> dict[str, object]:
    target = config.python
    return {"target": target.target, "path": list(target.path), "python": target.python} if target else {}


PIPELINE = PipelineKind(name="python", open=_open, settings=_settings)
