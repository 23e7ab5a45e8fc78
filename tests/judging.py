"""Suites that a model at a server judges, stage by stage in this process."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluator.stages.collect import collect
from evaluator.stages.compare import compare
from evaluator.stages.gate import gate
from evaluator.stages.report import report
from evaluator.stages.score import score
from tests.fakes.llm_server import KEY, LlmServer
from tests.workbench import ENVIRONMENT, Bench, recorded

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.model.decision import Decision
    from evaluator.stages.workspace import Workspace

CHUNKS = [
    {"id": "k1", "doc": "returns", "text": "Returns are free within thirty days of delivery."},
    {"id": "k2", "doc": "fees", "text": "Damaged devices are refunded in full."},
    {"id": "k3", "doc": "cards", "text": "Gift cards expire after two years."},
]
RIGHT = "Returns are free within thirty days."
WRONG = "Gift cards never expire."
IDS = [chunk["id"] for chunk in CHUNKS]


@dataclass
class Judged:
    """A folder whose answers are judged.

    Attributes:
        bench: the folder.
        server: where the judge is.
        answers: by case; a dict is a whole reply, None a failed one.
    """

    bench: Bench
    server: LlmServer
    answers: dict[str, Any]

    @classmethod
    def of(cls, folder: Path, server: LlmServer, cases: list[dict[str, Any]], **config: Any) -> Judged:
        """A folder of cases that are all answered rightly; ``judge`` are keys of that section."""
        judge = {
            "provider": "openai", "model": "judge-1", "base_url": server.openai_url, "api_key_env": "JUDGE_KEY",
            "cache": "cache.sqlite", "max_concurrency": 4, **config.pop("judge", {}),
        }  # fmt: skip
        cases = [{"question": f"Question {case['id']}?", "relevant": ["k1"], **case} for case in cases]
        made = Bench(folder, cases, recorded(folder, []), CHUNKS, {"judge": judge, **config})
        return cls(made, server, {case["id"]: RIGHT for case in cases})

    @property
    def judge(self) -> dict[str, Any]:
        """The section of the judge."""
        found: dict[str, Any] = self.bench.config["judge"]
        return found

    def workspace(self, out: str = "out", **fields: Any) -> Workspace:
        """What stages are handed."""
        replies = [
            answer if isinstance(answer, dict) else {"retrieved": [{"id": each} for each in IDS], "answer": answer}
            for answer in self.answers.values()
        ]
        named = [
            {**reply, "id": case}
            for case, reply, answer in zip(self.answers, replies, self.answers.values(), strict=True)
            if answer is not None
        ]
        recorded(self.bench.folder, named)
        made = self.bench.workspace(**{"tier": "full", "environment": {**ENVIRONMENT, "JUDGE_KEY": KEY}, **fields})
        return dataclasses.replace(made, out=self.bench.folder / out)

    def score(self, out: str = "out", against: str | None = None, **fields: Any) -> dict[str, Any]:
        """Collect and score; the cases of run.json by id."""
        workspace = self.workspace(out, **fields)
        collect(workspace)
        score(workspace, self.path(against) if against else None)
        return self.cases(out)

    def decide(self, out: str, baseline: str) -> Decision:
        """Collect, score, compare, gate and report beside another run."""
        self.score(out, baseline)
        workspace = self.workspace(out)
        compare(workspace, self.path(baseline))
        decision = gate(workspace)
        report(workspace)
        return decision

    def path(self, out: str) -> Path:
        """The run.json of a folder."""
        return self.bench.folder / out / "run.json"

    def read(self, out: str = "out", name: str = "run.json") -> dict[str, Any]:
        """A file of a folder."""
        found: dict[str, Any] = json.loads((self.bench.folder / out / name).read_text(encoding="utf-8"))
        return found

    def cases(self, out: str = "out") -> dict[str, Any]:
        """The cases of a run by id."""
        return {case["id"]: case for case in self.read(out)["cases"]}

    def asked(self) -> int:
        """How many calls the judge has answered since this was asked the last time."""
        before, self._before = getattr(self, "_before", 0), len(self.server.answered)
        return self._before - before
