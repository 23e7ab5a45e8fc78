"""Diagnoses and verdicts over 600 real questions, held to a count that shares nothing with ours."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SUITE = ROOT.parent / "shared" / "suites" / "clapnq"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.slow,
    pytest.mark.skipif(not SUITE.is_dir(), reason="the clapnq suite is not beside this repository"),
]


def printed(script: str, *arguments: str | Path) -> list[str]:
    """What a benchmark prints; one that finds a difference exits with 1."""
    command = [sys.executable, str(ROOT / "benchmarks" / script), *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def assay(*arguments: str | Path) -> None:
    """Run the command."""
    command = [sys.executable, "-m", "evaluator", *map(str, arguments)]
    subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)


def lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON Lines."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_causes_by_category_are_those_of_an_independent_count() -> None:
    """94 questions of which something was not found, 34 of which something was found too deep."""
    *table, said = printed("clapnq_causes.py")

    assert said == "600 cases, 0 with another diagnosis"
    heading, *rows = [line.split() for line in table]
    assert heading == ["counted", "/", "said", "ranking", "retrieval"]
    assert [sum(int(row[place]) for row in rows) for place in (1, 3, 4, 6)] == [34, 34, 94, 94]


def test_every_leaf_of_a_run_without_a_judge_is_counted_alike(tmp_path: Path) -> None:
    """The same rankings, with labels and replies bent so that each cause comes about."""
    config = {"suite": "clapnq", "golden": "golden.jsonl", "fixture": str(SUITE / "fixture"), "k": 5}
    (tmp_path / "golden.jsonl").write_text("".join(json.dumps(bent(*each)) + "\n" for each in enumerate(cases())))
    found = tmp_path / "found.yml"
    found.write_text(json.dumps({**config, "pipeline": {"kind": "builtin"}}))
    assay("collect", "-q", "--allow-stale", "--config", found, "--out", tmp_path / "found")
    replies = [replied(*each) for each in enumerate(lines(tmp_path / "found" / "records.jsonl"))]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    recorded = tmp_path / "recorded.yml"
    recorded.write_text(json.dumps({**config, "pipeline": {"kind": "recorded", "recorded": {"file": "replies.jsonl"}}}))
    for stage in ("collect", "score"):
        options = ("--allow-stale",) if stage == "collect" else ()
        assay(stage, "-q", *options, "--config", recorded, "--out", tmp_path / "out")

    *table, said = printed(
        "clapnq_causes.py", "--run", tmp_path / "out" / "run.json", "--golden", tmp_path / "golden.jsonl"
    )

    assert said == "600 cases, 0 with another diagnosis"
    assert re.split(" {2,}", table[0])[1:] == [
        "abstention", "check the golden label or the judge", "content gap", "pipeline failed", "ranking", "retrieval",
    ]  # fmt: skip


def cases() -> list[dict[str, Any]]:
    """The golden set as it is."""
    return lines(SUITE / "golden.jsonl")


def bent(number: int, case: dict[str, Any]) -> dict[str, Any]:
    """A case with other labels.

    Every seventh names facts alone, every eleventh one that nothing states, every thirteenth a chunk that is gone, and
    every fifth whole documents.
    """
    if not case.get("relevant"):
        return case
    needs, facts = case["relevant"], case.get("facts", [])
    if number % 7 == 0:
        needs = []
    elif number % 13 == 0:
        needs = ["gone#0", *needs]
    elif number % 5 == 0:
        needs = [{"doc": needs[0].partition("#")[0]}]
    if number % 11 == 0:
        facts = [*facts, {"id": "gone", "text": "nothing that any of these passages would ever come to say"}]
    return {**case, "relevant": needs, "facts": facts}


def replied(number: int, record: dict[str, Any]) -> dict[str, Any]:
    """Every ninth case failed, every third abstained, and the others say that they answered."""
    if number % 9 == 0:
        return {"id": record["id"], "error": "boom"}
    return {"id": record["id"], "retrieved": record["retrieved"], "abstained": number % 3 == 0}


def test_changes_come_to_what_an_independent_count_says() -> None:
    """BM25 against itself, without stemming, with k1 = 0, and with vectors: 54 rows and 600 diagnoses each."""
    said = printed("clapnq_changes.py", "--embedder", "Lsa")

    assert [line for line in said if line.startswith("BM25 against")] == [
        "BM25 against nothing", "BM25 against no stemming", "BM25 against k1 = 0",
        "BM25 against hybrid, vectors of LSA of tf-idf, 128 dimensions (scikit-learn)",
    ]  # fmt: skip
    assert [line.strip() for line in said if line.endswith("differences")] == ["54 rows, 600 cases: 0 differences"] * 4
    assert [line.split()[1].rstrip(":") for line in said if line.startswith("  said:")] == [
        "passed", "failed", "failed", "failed",
    ]  # fmt: skip
