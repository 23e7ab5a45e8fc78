"""The protocol with a real model behind a real server. It judges badly, so no value of its is asserted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e_llm.conftest import SERVER

if TYPE_CHECKING:
    from pathlib import Path

ADAPTED = {"llama-cpp-python": ["json_object with a schema instead of json_schema"], "xllamacpp": []}
METRICS = ["recall@5", "faithfulness", "answer_relevance", "answer_completeness", "correctness", "abstention"]
CASES = [
    ("r1", "How long are returns free?", "Returns are free within 30 days of delivery."),
    ("r3", "Is there a shop in Oslo?", "I do not know."),
]
CHUNKS = {"k1": "Returns are free within 30 days of delivery.", "k2": "Shipping costs 4 euros."}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory, model: str) -> Path:
    """Two cases of a shop, to be judged by the model."""
    folder = tmp_path_factory.mktemp("suite")
    (folder / "fixture").mkdir()
    write(folder / "fixture" / "chunks.jsonl", [{"id": each, "text": text} for each, text in CHUNKS.items()])
    write(
        folder / "golden.jsonl",
        [
            {"id": each, "question": question, "relevant": ["k1"], "reference": answer}
            for each, question, answer in CASES
        ],
    )
    retrieved = [{"id": each} for each in CHUNKS]
    write(folder / "answers.jsonl", [{"id": each, "retrieved": retrieved, "answer": text} for each, _, text in CASES])
    judge = {
        "provider": "openai", "model": "smollm2", "base_url": model, "timeout": 300, "deadline": 1200, "window": 8192,
        "max_concurrency": 1, "max_cost_usd": None,
    }  # fmt: skip
    pipeline = {"kind": "recorded", "recorded": {"file": "answers.jsonl"}}
    config = {"suite": "shop", "golden": "golden.jsonl", "fixture": "fixture", "metrics": METRICS, "pipeline": pipeline}
    (folder / "rag-assay.yml").write_text(json.dumps({**config, "judge": judge}))
    return folder


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """A JSON Lines file."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def judged(folder: Path) -> dict[str, Any]:
    """The run.json of tier full. No baseline and few cases: what the model made of them decides the exit code."""
    command = [sys.executable, "-m", "evaluator", "run", "--tier", "full"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1, 3), done.stderr
    assert "Traceback" not in done.stderr
    found: dict[str, Any] = json.loads((folder / ".rag-assay" / "out" / "run.json").read_text())
    return found


@pytest.fixture(scope="module")
def run(suite: Path) -> dict[str, Any]:
    """The first run."""
    return judged(suite)


def test_the_endpoint_is_asked_as_it_can_be(run: dict[str, Any]) -> None:
    """J12: one server takes a JSON Schema; the other answers 500, and writes by one in a JSON object."""
    assert run["judge"]["adapted"] == ADAPTED[SERVER]
    assert run["judge"]["answered"] == ["smollm2"]
    assert run["judge"]["stopped"] is None


def test_every_value_is_judged_or_says_why_not(run: dict[str, Any]) -> None:
    """J3, J4: what a model of this size replies is held to the schema and the request; nothing is made up for it."""
    for case in run["cases"]:
        for metric in METRICS:
            places = [name for name in ("unscored", "not_applicable") if metric in case[name]]
            value = case["scores"].get(metric)
            assert (value is None) == (len(places) == 1), (case["id"], metric)
            assert value is None or 0 <= value <= 1
        # A phrase that is surely an abstention takes no call to see.
        assert case["id"] != "r3" or case["scores"]["abstention"] is not None


def test_what_was_judged_is_not_judged_again(suite: Path, run: dict[str, Any]) -> None:
    """Accepted replies are in the cache; only what could not be read is asked anew."""
    again = judged(suite)
    for before, after in zip(run["cases"], again["cases"], strict=True):
        kept = {name: value for name, value in before["scores"].items() if value is not None}
        assert {name: after["scores"][name] for name in kept} == kept
    assert again["fingerprint"]["judge"] == run["fingerprint"]["judge"]
