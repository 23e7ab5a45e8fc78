"""A shop's questions with recorded answers, judged by a served model: from the command line to the exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.model.base import to_json
from tests.court import calibration
from tests.fakes.llm_server import KEY
from tests.workbench import write_lines

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.llm_server import LlmServer

TEXT = "A damaged device can be returned within thirty days of delivery and the fee is refunded."
RIGHT, WRONG = "A damaged device can be returned within thirty days.", "Gift cards never expire in any shop."
METRICS = ["recall@5", "faithfulness", "answer_relevance"]


class Done(NamedTuple):
    """A command that has ended."""

    code: int
    output: str
    told: str


class Shop:
    """Questions with recorded answers, and a judge at a server.

    Attributes:
        answers: one for each question; the questions are ``c0``, ``c1`` and so on.
        labels: what each golden case holds beside its question.
        config: the configuration.
    """

    def __init__(self, folder: Path, server: LlmServer, count: int = 10) -> None:
        self.folder = folder
        self.answers: list[str | None] = [RIGHT] * count
        self.labels: list[dict[str, Any]] = [{} for _ in range(count)]
        self.config: dict[str, Any] = {
            "suite": "shop", "golden": "golden.jsonl", "metrics": METRICS,
            "pipeline": {"kind": "recorded", "recorded": {"file": "answers.jsonl"}},
            "judge": {
                "provider": "openai", "model": "judge-1", "base_url": server.openai_url, "api_key_env": "JUDGE_KEY",
                "cache": "cache.sqlite",
            },
        }  # fmt: skip

    @property
    def judge(self) -> dict[str, Any]:
        """The section of the judge."""
        found: dict[str, Any] = self.config["judge"]
        return found

    def write(self) -> None:
        """Write golden set, answers and configuration."""
        cases = [
            {"id": f"c{n}", "question": f"Question {n}?", "relevant": ["k"], **labels}
            for n, labels in enumerate(self.labels)
        ]
        replies = [
            {"id": f"c{n}", "retrieved": [{"id": "k", "text": TEXT}], "answer": answer}
            for n, answer in enumerate(self.answers)
            if answer is not None
        ]
        write_lines(self.folder / "golden.jsonl", cases)
        write_lines(self.folder / "answers.jsonl", replies)
        (self.folder / "rag-assay.yml").write_text(json.dumps(self.config))

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Begin a command on what is written now."""
        self.write()
        return subprocess.Popen(
            [sys.executable, "-m", "evaluator", *arguments, "-c", str(self.folder / "rag-assay.yml")],
            env={**os.environ, "JUDGE_KEY": KEY}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            cwd=self.folder,
        )  # fmt: skip

    def command(self, *arguments: str) -> Done:
        """Run a command to its end."""
        process = self.start(*arguments)
        output, told = process.communicate(timeout=120)
        assert "Traceback" not in told, told
        return Done(process.returncode, output, told)

    def run(self, out: str, baseline: str | None = None, tier: str = "full") -> tuple[int, dict[str, Any]]:
        """Run all stages; the exit code and the decision."""
        against = ["--baseline", str(self.folder / baseline / "run.json")] if baseline else []
        done = self.command("run", "-q", "--out", str(self.folder / out), "--tier", tier, *against)
        assert done.code in (0, 1, 3), done.told
        return done.code, self.read(out, "decision.json")

    def read(self, out: str, name: str = "run.json") -> dict[str, Any]:
        """A file of an output folder."""
        found: dict[str, Any] = json.loads((self.folder / out / name).read_text())
        return found

    def cases(self, out: str) -> dict[str, dict[str, Any]]:
        """The cases of a run by their ids."""
        return {case["id"]: case for case in self.read(out)["cases"]}

    def calibrate(self, out: str) -> None:
        """Say that the judge of a run is to be believed."""
        known = calibration(fingerprint=self.read(out)["fingerprint"]["judge"])
        (self.folder / "calibration.json").write_bytes(to_json(known))
        self.judge["calibration"] = "calibration.json"
