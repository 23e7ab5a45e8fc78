"""A repository with recorded answers in a folder: whole commands, for tests of what two runs come to side by side."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.workbench import write_lines


class Done(NamedTuple):
    """What a run came to."""

    exit_code: int
    stderr: str
    out: Path

    @property
    def run(self) -> Path:
        """run.json."""
        return self.out / "run.json"

    def file(self, name: str) -> Any:
        """A JSON file."""
        return json.loads((self.out / name).read_text(encoding="utf-8"))

    def text(self, name: str = "comment.md") -> str:
        """A text file."""
        return (self.out / name).read_text(encoding="utf-8")

    @property
    def outcome(self) -> str:
        """The verdict."""
        return str(self.file("decision.json")["outcome"])

    @property
    def codes(self) -> set[str]:
        """The reasons, by code."""
        return {reason["code"] for reason in self.file("decision.json")["reasons"]}


@dataclass
class Recorded:
    """Golden cases, and chunks where there is a fixture; every answer retrieves what ``found`` says of its case."""

    folder: Path
    cases: list[dict[str, Any]]
    config: dict[str, Any] = field(default_factory=dict)
    chunks: list[dict[str, Any]] = field(default_factory=list)

    def run(self, out: str, answers: dict[str, dict[str, Any]], *arguments: str, baseline: Path | None = None) -> Done:
        """Run the command; a case that ``answers`` does not name retrieves its first need."""
        replies = [{"id": case["id"], **self._reply(case), **answers.get(case["id"], {})} for case in self.cases]
        write_lines(self.folder / "golden.jsonl", self.cases)
        write_lines(self.folder / "answers.jsonl", replies)
        config = {
            "suite": "s", "golden": "golden.jsonl", "metrics": ["recall@5"],
            "pipeline": {"kind": "recorded", "recorded": {"file": "answers.jsonl"}}, **self.config,
        }  # fmt: skip
        if self.chunks:
            (self.folder / "fixture").mkdir(exist_ok=True)
            write_lines(self.folder / "fixture" / "chunks.jsonl", self.chunks)
            config["fixture"] = "fixture"
        (self.folder / "rag-assay.yml").write_text(json.dumps(config), encoding="utf-8")
        command = [sys.executable, "-m", "evaluator", "run", "--out", out, *arguments]
        command += ["--baseline", str(baseline)] if baseline is not None else []
        done = subprocess.run(command, cwd=self.folder, capture_output=True, check=False, timeout=60, text=True)
        assert "Traceback" not in done.stderr, done.stderr
        return Done(done.returncode, done.stderr, self.folder / out)

    @staticmethod
    def _reply(case: dict[str, Any]) -> dict[str, Any]:
        return {"retrieved": [{"id": chunk} for chunk in case.get("relevant", ())[:1]]}
