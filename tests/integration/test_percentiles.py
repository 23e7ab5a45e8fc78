"""Rules at a percentile on time, cost and tokens, by whole commands, and what is shown of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

AMOUNTS = ("latency_ms", "cost_usd", "tokens", "context_tokens")


class Suite:
    """Twenty recorded answers, of which the last two are ten times as slow, as dear and as long as the others."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rules: list[dict[str, Any]] = []

    def run(self, out: str, slow: int, baseline: str | None = None) -> int:
        """Run the command with so many times the usual for the last two answers; its exit code."""
        cases = [{"id": f"c{n:02}", "question": f"question {n}", "relevant": [f"k{n}"]} for n in range(20)]
        answers = [self._answer(case, slow if place >= 18 else 1) for place, case in enumerate(cases)]
        config = {
            "suite": "s", "golden": "golden.jsonl", "metrics": ["recall@5", *AMOUNTS],
            "pipeline": {"kind": "recorded", "recorded": {"file": "answers.jsonl"}}, "gate": {"rules": self.rules},
        }  # fmt: skip
        for name, lines in (("golden.jsonl", cases), ("answers.jsonl", answers)):
            (self.folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
        (self.folder / "rag-assay.yml").write_text(json.dumps(config))
        command = [sys.executable, "-m", "evaluator", "run", "-q", "-c", str(self.folder / "rag-assay.yml")]
        command += ["--out", str(self.folder / out)]
        command += ["--baseline", str(self.folder / baseline / "run.json")] if baseline else []
        return subprocess.run(command, capture_output=True, check=False, timeout=60).returncode

    @staticmethod
    def _answer(case: dict[str, Any], times: int) -> dict[str, Any]:
        usage = {"cost_usd": 0.001 * times, "total_tokens": 100 * times, "latency_ms": 40 * times}
        hit = {"id": case["relevant"][0], "text": "four" * 10 * times}
        return {"id": case["id"], "retrieved": [hit], "usage": usage}

    def read(self, out: str, name: str) -> str:
        """A file of a run."""
        return (self.folder / out / name).read_text()


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """A suite of its own."""
    return Suite(tmp_path)


@pytest.mark.parametrize("metric", AMOUNTS)
@pytest.mark.parametrize(("at", "code"), [("p95", 1), ("p50", 0)])
def test_a_rule_reads_its_percentile_of_what_the_runs_hold(suite: Suite, metric: str, at: str, code: int) -> None:
    """Two of twenty became ten times as much: the 95th percentile is the 19th value, the median did not move."""
    suite.rules = [{"metric": metric, "max_rise": "20%", "at": at}]
    assert suite.run("main", 1) == 0
    assert suite.run("slow", 10, "main") == code

    usual = {"latency_ms": 40, "cost_usd": 0.001, "tokens": 100, "context_tokens": 10}[metric]
    rows = json.loads(suite.read("slow", "comparison.json"))["rows"]
    [row] = [row for row in rows if (row["metric"], row["scope"]) == (metric, "all")]
    after = 10 * usual if at == "p95" else usual
    assert (row["baseline"], row["candidate"]) == (pytest.approx(usual), pytest.approx(after))
    assert (row["status"], row["tolerance"]) == ("regressed" if code else "unchanged", pytest.approx(0.2 * usual))
    assert f"| {metric} {at} | 20 |" in suite.read("slow", "comment.md")


def test_the_comment_shows_the_percentile_that_failed_and_all_others(suite: Suite) -> None:
    """What failed is named with its percentile; mean, median and 95th percentile of all four are folded."""
    suite.rules = [{"metric": "cost_usd", "max_rise": "20%", "at": "p95"}]
    suite.run("main", 1)
    suite.run("slow", 10, "main")
    comment, decision = suite.read("slow", "comment.md"), json.loads(suite.read("slow", "decision.json"))

    assert "| cost_usd p95 | all cases | 0.0010 USD | 0.0100 USD | +0.0090 USD | +0.0002 USD | 2 |" in comment
    assert [reason["text"] for reason in decision["reasons"]] == [
        "cost_usd max_rise over all cases: p95 worse by 0.009, 0.0002 is allowed; 2 cases lost"
    ]
    for line in (
        "| latency_ms | 20 | 40 ms → 76 ms | 40 ms → 40 ms | 40 ms → 400 ms |",
        "| cost_usd | 20 | 0.0010 USD → 0.0019 USD | 0.0010 USD → 0.0010 USD | 0.0010 USD → 0.0100 USD |",
        "| tokens | 20 | 100 → 190 | 100 → 100 | 100 → 1000 |",
        "| context_tokens | 20 | 10 → 19 | 10 → 10 | 10 → 100 |",
    ):
        assert line in comment


def test_a_first_run_shows_what_was_measured(suite: Suite) -> None:
    """Without a baseline the clock's readings are shown like every other mean."""
    suite.rules = [
        {"metric": "recall@5", "max_drop": 0.1},
        {"metric": "latency_ms", "per": "category", "max_rise": "20%", "optional": True},
    ]
    assert suite.run("main", 10) == 0
    comment = suite.read("main", "comment.md")

    assert "| latency_ms | 76 ms | 20 of 20 |" in comment
    assert "| uncategorised | 76 ms | 20 of 20 |" in comment
    assert "| latency_ms | 20 | 76 ms | 40 ms | 400 ms |" in comment
    assert "0 of 0" not in comment
