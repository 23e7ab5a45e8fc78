"""Answers that the built-in pipeline has a model write, and that another one judges: from the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import llm_brain
from tests.fakes.llm_brain import Asked
from tests.fakes.llm_server import KEY, Fault, LlmServer, limited
from tests.workbench import read_lines, write_lines

COUNT = 8
WRITER = "writer-1"
TEMPLATE = "{{ question }}\n{% for chunk in chunks %}[{{ chunk.id }}] {{ chunk.text }}\n{% endfor %}"


def brain(asked: Asked) -> Any:
    """The writer says what the first chunk says; the judge believes what it finds word for word."""
    if asked.model != WRITER:
        return llm_brain.literal(asked)
    return asked.user.split("] ", 1)[1].splitlines()[0]


@pytest.fixture
def server() -> Iterator[LlmServer]:
    """Both models."""
    with LlmServer(brain=brain) as found:
        yield found


class Suite:
    """Eight questions over an index whose answers are written by a model at the server."""

    def __init__(self, folder: Path, server: LlmServer, **judge: Any) -> None:
        self.folder = folder
        (folder / "fixture").mkdir()
        things = ("ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen")
        chunks = [{"id": f"k{n}", "text": f"The {thing} has number {n} of the list."} for n, thing in enumerate(things)]
        write_lines(folder / "fixture" / "chunks.jsonl", chunks)
        cases = [
            {"id": f"q{n}", "question": f"Which number has the {thing}?", "relevant": [f"k{n}"]}
            for n, thing in enumerate(things)
        ]
        write_lines(folder / "golden.jsonl", cases)
        (folder / "answer.j2").write_text(TEMPLATE)
        model = {"provider": "openai", "base_url": server.openai_url}
        self.config: dict[str, Any] = {
            "suite": "s", "golden": "golden.jsonl", "fixture": "fixture", "k": 2,
            "metrics": ["recall@2", "faithfulness", "answer_relevance"],
            "pipeline": {
                "kind": "builtin", "workers": 4, "timeout": 30,
                "generator": {**model, "template": "answer.j2", "model": WRITER, "api_key_env": "WRITER_KEY"},
            },
            "judge": {**model, "model": "judge-1", "api_key_env": "JUDGE_KEY", "cache": "c.sqlite", **judge},
        }  # fmt: skip

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Begin a command."""
        (self.folder / "rag-assay.yml").write_text(json.dumps(self.config))
        keys = {"PATH": os.environ["PATH"], "JUDGE_KEY": KEY, "WRITER_KEY": KEY, **environment}
        return subprocess.Popen(
            [sys.executable, "-m", "evaluator", *arguments, "--out", "out"], cwd=self.folder,
            env={name: value for name, value in keys.items() if value}, text=True, stderr=subprocess.PIPE,
        )  # fmt: skip

    def command(self, *arguments: str, **environment: str) -> tuple[int, str]:
        """Run a command; its exit code and what it said."""
        process = self.start(*arguments, **environment)
        _, told = process.communicate(timeout=120)
        assert "Traceback" not in told, told
        return process.returncode, told

    def run(self) -> dict[str, Any]:
        """run.json."""
        found: dict[str, Any] = json.loads((self.folder / "out" / "run.json").read_text())
        return found


def written(server: LlmServer) -> Counter[str]:
    """The questions that the writer answered, and how often each."""
    bodies = [call.body for call in server.answered if call.body["model"] == WRITER]
    return Counter(str(body["messages"][-1]["content"]) for body in bodies)


def judged(server: LlmServer) -> int:
    """How many calls the judge answered."""
    return sum(call.body["model"] != WRITER for call in server.answered)


def test_answers_are_written_and_judged(tmp_path: Path, server: LlmServer) -> None:
    """Four at once, a limit in between is waited for, usage stands in the records, and tier full judges them."""
    suite = Suite(tmp_path, server)
    server.latency = 0.02
    server.script.extend([None, limited(0), None])
    code, told = suite.command("run", "--tier", "full")
    assert code == 0, told
    assert len(written(server)) == COUNT
    assert max(written(server).values()) == 1
    records = read_lines(tmp_path / "out" / "records.jsonl")
    assert records[3]["answer"] == "The dog has number 3 of the list."
    assert all(record["usage"]["input_tokens"] > 0 for record in records)
    assert suite.run()["summary"]["all"]["faithfulness"] == {"mean": 1.0, "n": COUNT, "of": COUNT}
    assert judged(server) == 3 * COUNT


def test_a_judge_that_is_the_writer_is_told(tmp_path: Path, server: LlmServer) -> None:
    """The comment says that it tends to like its own."""
    suite = Suite(tmp_path, server)
    suite.config["judge"]["model"] = WRITER
    server.brain = lambda asked: llm_brain.literal(asked) if asked.schema else brain(asked)
    assert suite.command("run", "--tier", "full")[0] == 0
    assert "The judge is the model that wrote the answers" in (tmp_path / "out" / "comment.md").read_text()


def test_a_missing_key_of_the_writer_is_a_mistake(tmp_path: Path, server: LlmServer) -> None:
    """Exit 2, the variable is named, and nothing is asked."""
    code, told = Suite(tmp_path, server).command("run", "--tier", "retrieval", WRITER_KEY="")
    assert (code, "WRITER_KEY is not set" in told, server.calls) == (2, True, [])


def interrupt_at(server: LlmServer, model: str, number: int) -> tuple[threading.Event, threading.Event]:
    """Have a model wait at its call of this number: an event that says so, and one that lets it go on."""
    reached, go_on, seen = threading.Event(), threading.Event(), []

    def fault(_: int, body: dict[str, Any]) -> Fault | None:
        if body["model"] == model:
            seen.append(1)
            if len(seen) == number:
                reached.set()
            if len(seen) >= number:
                go_on.wait(20)
        return None

    server.fault = fault
    return reached, go_on


def interrupted(process: subprocess.Popen[str], number: signal.Signals, events: Any) -> str:
    """Send a signal when the model waits, and let it go on a little later; what the command said."""
    reached, go_on = events
    if reached.wait(30):
        process.send_signal(number)
    else:
        process.kill()
    threading.Timer(0.3, go_on.set).start()
    _, told = process.communicate(timeout=60)
    assert process.returncode == 3, told
    return told


def test_an_interrupt_while_answers_are_written_keeps_them(tmp_path: Path, server: LlmServer) -> None:
    """J11: exit 3, and the next run asks the writer for the rest alone."""
    suite = Suite(tmp_path, server)
    suite.config["pipeline"]["workers"] = 2
    events = interrupt_at(server, WRITER, 6)
    told = interrupted(suite.start("run", "--tier", "full"), signal.SIGINT, events)
    assert "the same command goes on from there" in told
    before = sum(written(server).values())
    assert before >= 4
    server.fault = lambda _number, _body: None
    code, told = suite.command("run", "--tier", "full")
    assert code == 0, told
    assert "going on from an interrupted collect" in told
    # What was under way at the signal may have been answered to nobody.
    assert len(written(server)) == COUNT
    assert sum(written(server).values()) <= COUNT + 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_while_answers_are_judged_keeps_the_answers_too(
    tmp_path: Path, server: LlmServer, number: signal.Signals
) -> None:
    """J11: other answers would have to be judged anew; the next run asks neither model anything twice."""
    suite = Suite(tmp_path, server, max_concurrency=1)
    events = interrupt_at(server, "judge-1", 5)
    interrupted(suite.start("run", "--tier", "full"), number, events)
    server.fault = lambda _number, _body: None
    code, told = suite.command("run", "--tier", "full")
    assert code == 0, told
    assert f"{COUNT} of {COUNT} cases are answered" in told
    assert max(written(server).values()) == 1
    assert judged(server) == 3 * COUNT
    assert not list((tmp_path / "out").glob("*.part"))
    # A run that has come to its end leaves nothing to go on from: the next one asks the writer again.
    assert suite.command("run", "--tier", "full")[0] == 0
    assert set(written(server).values()) == {2}
