"""``run --tier full`` against a served judge: from questions and answers to the exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluator.model.base import to_json
from tests.court import calibration
from tests.fakes import llm_brain
from tests.fakes.llm_server import KEY, LlmServer

TEXT = "A damaged device can be returned within thirty days of delivery and the fee is refunded."
RIGHT, WRONG = "A damaged device can be returned within thirty days.", "Gift cards never expire in any shop."


class Shop:
    """Ten questions with recorded answers, and a judge that believes what it finds word for word."""

    def __init__(self, folder: Path, server: LlmServer) -> None:
        self.folder = folder
        self.answers = [RIGHT] * 10
        self.config: dict[str, Any] = {
            "suite": "shop", "golden": "golden.jsonl", "metrics": ["recall@5", "faithfulness", "answer_relevance"],
            "pipeline": {"kind": "recorded", "recorded": {"file": "answers.jsonl"}},
            "judge": {
                "provider": "openai", "model": "judge-1", "base_url": server.openai_url, "api_key_env": "JUDGE_KEY",
                "cache": "cache.sqlite",
            },
        }  # fmt: skip

    def run(self, out: str, baseline: str | None = None, tier: str = "full") -> tuple[int, dict[str, Any]]:
        """Run the command; its exit code and the decision."""
        cases = [{"id": f"c{n}", "question": f"Question {n}?", "relevant": ["k"]} for n in range(10)]
        replies = [
            {"id": f"c{n}", "retrieved": [{"id": "k", "text": TEXT}], "answer": answer}
            for n, answer in enumerate(self.answers)
        ]
        for name, lines in (("golden.jsonl", cases), ("answers.jsonl", replies)):
            (self.folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
        (self.folder / "rag-assay.yml").write_text(json.dumps(self.config))
        command = [sys.executable, "-m", "evaluator", "run", "-q", "-c", str(self.folder / "rag-assay.yml")]
        command += ["--out", str(self.folder / out), "--tier", tier]
        command += ["--baseline", str(self.folder / baseline / "run.json")] if baseline else []
        done = subprocess.run(
            command, capture_output=True, check=False, timeout=120, text=True, env={**os.environ, "JUDGE_KEY": KEY}
        )
        assert done.returncode in (0, 1, 3), done.stderr
        return done.returncode, json.loads((self.folder / out / "decision.json").read_text())

    def calibrate(self, out: str) -> None:
        """Say that the judge of a run is to be believed."""
        run = json.loads((self.folder / out / "run.json").read_text())
        known = calibration(fingerprint=run["fingerprint"]["judge"])
        (self.folder / "calibration.json").write_bytes(to_json(known))
        self.config["judge"]["calibration"] = "calibration.json"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    """A shop with its judge."""
    # An alias: a run in which nothing is asked never learns what it stands for.
    with LlmServer(brain=llm_brain.literal, dated={"judge-1": "judge-1-2026"}) as server:
        yield Shop(tmp_path, server)


def test_a_drop_is_undecided_by_a_judge_nobody_calibrated_and_fails_by_one_that_was(shop: Shop) -> None:
    """Eight of ten answers are no longer supported: exit 3 and why, then exit 1."""
    assert shop.run("base")[0] == 0
    shop.answers = [WRONG] * 8 + [RIGHT] * 2
    code, decision = shop.run("new", "base")
    assert code == 3
    assert {reason["code"] for reason in decision["reasons"]} == {"judge-advisory"}
    assert "not calibrated" in decision["reasons"][0]["text"]
    shop.calibrate("new")
    code, decision = shop.run("new", "base")
    assert code == 1
    comment = (shop.folder / "new" / "comment.md").read_text()
    assert "faithfulness fell in uncategorised" in comment
    assert f"unsupported now: {WRONG}" in comment


def test_a_system_that_abstains_on_everything_fails(shop: Shop) -> None:
    """Saying nothing is never unsupported, and never an answer."""
    shop.run("base")
    shop.calibrate("base")
    assert shop.run("same", "base")[0] == 0
    shop.answers = [""] * 10
    code, decision = shop.run("new", "base")
    assert code == 1
    assert "answer_relevance" in str(decision["reasons"])


def test_tier_retrieval_beside_a_judged_baseline_says_nothing_of_it(shop: Shop) -> None:
    """The same configuration in the other tier: recall decides, what a judge would say is not evaluated."""
    shop.config["gate"] = {
        "rules": [{"metric": "recall@5", "max_drop": 0.02}, {"metric": "faithfulness", "max_drop": 0.03}]
    }
    shop.run("base")
    shop.answers = [WRONG] * 10
    code, decision = shop.run("new", "base", tier="retrieval")
    assert code == 0
    assert [rule["reason"] for rule in decision["rules"] if rule["rule"] == "faithfulness max_drop"] == [
        "tier retrieval"
    ]
