"""What stages hand each other in memory changes nothing: ``run`` writes what the stages write one by one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
STAGES = ["collect", "score", "compare", "gate", "report"]
METRICS = (
    "[recall@1, mrr, ndcg@3, precision@2, context_precision@2, fact_coverage, fact_coverage@2, abstention, tokens, "
    "paraphrase_overlap@2, grounded_values, citation_precision_labels, citation_recall_labels]"
)
WORDS = ["amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath"]


def write_lines(path: Path, values: list[dict[str, Any]]) -> None:
    """Write JSON Lines."""
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")


def case(number: int, word: str) -> dict[str, Any]:
    """A question of one of two categories with needs of every kind; one is critical, one is held out."""
    needs: list[Any] = [f"c-{word}", {"doc": word, "grade": 2}, {"any_of": ["c-amber", f"c-{word}-2"]}]
    return {
        "id": f"q-{word}", "question": f"{word}?", "category": f"k{number % 2}", "relevant": needs[: number % 3 + 1],
        "facts": [{"id": "f", "text": f"{word} costs 1,000 euros"}], "critical": number == 1,
        "split": "holdout" if number == 2 else "dev", "expect": "abstain" if number == 3 else "answer",
        "paraphrase_of": "q-amber" if number in (4, 5) else None,
    }  # fmt: skip


def reply(number: int, word: str) -> dict[str, Any]:
    """A recorded reply: repeated and unknown ids, scores, a context of its own, an answer, steps; one is missing."""
    hits = [{"id": "c-dune", "score": 2.5}, {"id": f"c-{word}", "score": 0.1 + number}, {"id": "c-dune"}]
    return {
        "id": f"q-{word}" if number != 6 else "q-nobody", "retrieved": [*hits, {"id": "far", "text": "Not ours."}],
        "context": [f"c-{word}-2", f"c-{word}"], "answer": "" if number == 3 else f"{word}: 1,000 euros [1], [9].",
        "steps": [{"query": word, "retrieved": hits[:1]}], "usage": {"total_tokens": 12 + number},
        "meta": {"latency_ms": 1.5},
    }  # fmt: skip


def configure(folder: Path, pipeline: str, name: str) -> None:
    """Write a configuration."""
    rules = "gate: {min_cases: 2, rules: [{metric: mrr, per: category, max_drop: 0.02}, {metric: ndcg@3, min: 0.1}]}"
    text = f"suite: words\ngolden: golden.jsonl\nfixture: fixture\nk: 2\nmetrics: {METRICS}\n{rules}\n{pipeline}\n"
    (folder / name).write_text(text)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Eight questions, a fixture of two adjacent chunks a document, and recorded replies beside the built-in search."""
    chunks = [{"id": f"c-{word}", "doc": word, "text": f"Everything about {word}: the {word}"} for word in WORDS]
    chunks += [{"id": f"c-{word}-2", "doc": word, "text": "costs 1000 euros."} for word in WORDS]
    (tmp_path / "fixture").mkdir()
    write_lines(tmp_path / "fixture" / "chunks.jsonl", sorted(chunks, key=lambda chunk: chunk["id"]))
    write_lines(tmp_path / "golden.jsonl", [case(*item) for item in enumerate(WORDS)])
    write_lines(tmp_path / "replies.jsonl", [reply(*item) for item in enumerate(WORDS)])
    configure(tmp_path, "pipeline: {kind: builtin}", "builtin.yml")
    configure(tmp_path, "pipeline: {kind: recorded, recorded: {file: replies.jsonl}}", "recorded.yml")
    return tmp_path


def rag_assay(folder: Path, *arguments: str) -> int:
    """Run one command as a process of its own; its exit code."""
    command = [sys.executable, "-m", "evaluator", *arguments, "--quiet"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1, 3}, done.stderr
    return done.returncode


def one_by_one(folder: Path, config: str, out: str, baseline: list[str]) -> int:
    """Every stage as a process of its own; the exit code of the decision."""
    codes = {}
    for stage in STAGES:
        extra = {"collect": ["--commit", "c0ffee"], "compare": baseline}.get(stage, [])
        codes[stage] = rag_assay(folder, stage, "-c", config, "--out", out, *extra)
    return codes["gate"]


def written(out: Path) -> dict[str, str]:
    """Every file of an output folder by its name, without what the clock says."""
    found = {file.name: file.read_text(encoding="utf-8") for file in out.iterdir()}
    for name in ("collect.json", "run.json"):
        value = json.loads(found[name])
        kept = {key: each for key, each in value.pop("timing").items() if key in {"warnings", "alerts"}}
        found[name] = json.dumps({**value, "timing": kept})
    return found


@pytest.mark.parametrize("config", ["builtin.yml", "recorded.yml"])
def test_run_writes_what_the_stages_write_one_by_one(config: str, suite: Path) -> None:
    """Without a baseline every file is the same, and so is the exit code."""
    together = rag_assay(suite, "run", "-c", config, "--out", "together", "--commit", "c0ffee")

    assert one_by_one(suite, config, "apart", []) == together
    assert written(suite / "together") == written(suite / "apart")


def test_a_comparison_is_the_same_too(suite: Path) -> None:
    """Against a baseline with other labels and another pipeline, values are compared that were not read again."""
    rag_assay(suite, "run", "-c", "builtin.yml", "--out", "main", "--commit", "c0ffee")
    cases = [case(*item) for item in enumerate(WORDS)]
    cases[4] |= {"relevant": ["c-ember"], "category": "k9"}
    cases[5] |= {"question": "another one?"}
    write_lines(suite / "golden.jsonl", [each for each in cases if each["id"] != "q-heath"])
    baseline = ["--baseline", "main/run.json"]
    together = rag_assay(suite, "run", "-c", "recorded.yml", "--out", "together", "--commit", "c0ffee", *baseline)

    assert one_by_one(suite, "recorded.yml", "apart", baseline) == together
    assert written(suite / "together") == written(suite / "apart")
    changed = json.loads((suite / "together" / "comparison.json").read_text())["cases"]
    assert {"q-amber", "q-birch"} <= {each["id"] for each in changed}
