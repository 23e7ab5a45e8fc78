"""Pipelines and collects set up in a folder: each function takes only what a test is about."""

from __future__ import annotations

import contextlib
import json
import os
import select
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator import pipelines
from evaluator.config import load_config
from evaluator.model.config import Pipeline as PipelineConfig
from evaluator.model.ports import Pipeline, PipelineSetting
from evaluator.model.record import Answer, AnswerFailure, Reply, Request
from evaluator.stages.collect import collect
from evaluator.stages.workspace import Clock, Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

FAKES = Path(__file__).parent / "fakes"
ENVIRONMENT = {"PATH": os.defpath, "HOME": "/nonexistent", "LANG": "C.UTF-8"}


@dataclass
class Opened:
    """An open pipeline with what it has said."""

    pipeline: Pipeline
    log: list[str]
    warnings: list[str]

    def ask(self, question: str, identifier: str = "q1", slot: int = 0) -> Reply:
        """Ask one question."""
        return self.pipeline.ask(request(question, identifier), slot)

    def answer(self, question: str, identifier: str = "q1", slot: int = 0) -> Answer:
        """Ask one question that has to be answered."""
        reply = self.ask(question, identifier, slot)
        assert isinstance(reply, Answer), reply
        return reply

    def failure(self, question: str, identifier: str = "q1", slot: int = 0) -> AnswerFailure:
        """Ask one question that has to fail."""
        reply = self.ask(question, identifier, slot)
        assert isinstance(reply, AnswerFailure), reply
        return reply


def request(question: str = "why", identifier: str = "q1", history: tuple[dict[str, str], ...] = ()) -> Request:
    """A question to a pipeline."""
    return Request(id=identifier, question=question, k=5, depth=20, language="en", history=history)


@contextlib.contextmanager
def opened(folder: Path, config: dict[str, Any], **fields: Any) -> Iterator[Opened]:
    """A pipeline of a ``pipeline:`` section, run in a folder, closed at the end."""
    log: list[str] = []
    base = {"fixture": None, "environment": ENVIRONMENT, "language": "en", "log": log.append}
    setting = PipelineSetting(config=PipelineConfig.model_validate(config), folder=folder, **{**base, **fields})
    with pipelines.load()[setting.config.kind].open(setting) as pipeline:
        yield Opened(pipeline, log, setting.warnings)


class Steps:
    """A progress display that remembers what it was told: False for each step, True for a failed one."""

    def __init__(self) -> None:
        self.steps: list[bool] = []
        self.notes: list[str] = []
        self.is_closed = False

    def note(self, text: str) -> None:
        """What is said beside the steps."""
        self.notes.append(text)

    def step(self, *, failed: bool = False) -> None:
        """One more unit is done."""
        self.steps.append(failed)

    def close(self) -> None:
        """The work has ended."""
        self.is_closed = True


@dataclass
class Bench:
    """A folder with a golden set, a pipeline and, if there are chunks, a fixture."""

    folder: Path
    cases: list[dict[str, Any]]
    pipeline: dict[str, Any]
    chunks: list[dict[str, Any]] = field(default_factory=list)
    config: dict[str, Any] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    progress: Steps = field(default_factory=Steps)

    @property
    def out(self) -> Path:
        """The output folder."""
        return self.folder / "out"

    def write(self) -> Path:
        """Write everything; the configuration's path."""
        write_lines(self.folder / "golden.jsonl", self.cases)
        config = {"suite": "bench", "golden": "golden.jsonl", "pipeline": self.pipeline, **self.config}
        if self.chunks:
            (self.folder / "fixture").mkdir(exist_ok=True)
            write_lines(self.folder / "fixture" / "chunks.jsonl", self.chunks)
            config["fixture"] = "fixture"
        file = self.folder / "rag-assay.yml"
        file.write_text(json.dumps(config), encoding="utf-8")
        return file

    def workspace(self, **fields: Any) -> Workspace:
        """What the stage is handed."""
        file = self.write()
        base: dict[str, Any] = {
            "commit": "c0ffee", "environment": ENVIRONMENT, "log": self.log.append,
            "progress": lambda _title, _total: self.progress,
            "clock": Clock(now=lambda: "2026-03-01T08:00:00Z", today=lambda: "2026-03-01", seconds=time.monotonic),
        }  # fmt: skip
        return Workspace(config=load_config(file), config_file=file, out=self.out, **{**base, **fields})

    def collect(self, **fields: Any) -> list[dict[str, Any]]:
        """Run the stage; the records."""
        collect(self.workspace(**fields))
        return self.records()

    def records(self) -> list[dict[str, Any]]:
        """The lines of records.jsonl."""
        return read_lines(self.out / "records.jsonl")

    def collection(self) -> dict[str, Any]:
        """collect.json."""
        found: dict[str, Any] = json.loads((self.out / "collect.json").read_text(encoding="utf-8"))
        return found


def recorded(folder: Path, responses: list[dict[str, Any]]) -> dict[str, Any]:
    """The ``pipeline:`` section for responses, which are written to a file."""
    write_lines(folder / "responses.jsonl", responses)
    return {"kind": "recorded", "recorded": {"file": "responses.jsonl"}}


def write_lines(path: Path, values: list[dict[str, Any]]) -> None:
    """Write JSON Lines."""
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read JSON Lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def is_running(process: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def wait_for_end(process: int, seconds: float = 30.0) -> bool:
    """Wait until a process, not necessarily a child, has ended; False if it has not by then."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


def runner_obeys(line: str) -> bool:
    """Whether the workflow runner would take a line of a log for a command, by either of its two forms."""
    stripped = line.lstrip()
    second = stripped.startswith("::") and "::" in stripped[2:]
    first = "##[" in line and "]" in line[line.index("##[") :]
    return first or second
