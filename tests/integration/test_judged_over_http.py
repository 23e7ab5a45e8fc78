"""Tier full from the command line to a provider's wire and back, in both wire formats."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakes import llm_brain
from tests.fakes.llm_server import BROKEN, KEY, RESET, LlmServer, limited

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.llm_brain import Asked

CASES = 6
CHUNKS = [f"Rule {number}: returns of kind {number} are free within {number}0 days." for number in range(1, 6)]
MODELS = {"openai": "gpt-4o-2024-08-06", "anthropic": "claude-haiku-4-5-20251001"}
METRICS = ["recall@5", "faithfulness", "answer_relevance", "answer_completeness", "correctness", "context_sufficiency"]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Cases with five chunks each, whose answers say one thing that the chunks say and one that they do not."""
    fixture = tmp_path / "fixture"
    fixture.mkdir()
    chunks = [{"id": f"k{number}", "text": text} for number, text in enumerate(CHUNKS, 1)]
    (fixture / "chunks.jsonl").write_text("".join(json.dumps(each) + "\n" for each in chunks))
    cases, answers = [], []
    for number in range(CASES):
        question = f"How long are returns of kind 3 free? ({number})"
        answer = f"Returns of kind 3 are free within 30 days. The shop closes at {number}."
        # A short reference is its own statement, so that a case takes three calls.
        cases.append(
            {"id": f"q{number}", "question": question, "relevant": ["k3"], "reference": f"30 days ({number})."}
        )
        answers.append({"id": f"q{number}", "retrieved": [{"id": each["id"]} for each in chunks], "answer": answer})
    (tmp_path / "golden.jsonl").write_text("".join(json.dumps(each) + "\n" for each in cases))
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(each) + "\n" for each in answers))
    return tmp_path


def judge(folder: Path, kind: str, server: LlmServer) -> dict[str, Any]:
    """The run.json of tier full, judged by a server."""
    config = {
        "suite": "s", "golden": "golden.jsonl", "fixture": "fixture", "metrics": METRICS,
        "pipeline": {"kind": "recorded", "recorded": {"file": "answers.jsonl"}},
        "judge": {
            "provider": kind, "model": MODELS[kind], "api_key_env": "JUDGE_KEY", "max_concurrency": 4,
            "base_url": server.url if kind == "anthropic" else server.openai_url,
        },
    }  # fmt: skip
    (folder / "rag-assay.yml").write_text(json.dumps(config))
    command = [sys.executable, "-m", "evaluator", "run", "--tier", "full"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "JUDGE_KEY": KEY}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 3), done.stderr
    assert KEY not in done.stdout + done.stderr
    found: dict[str, Any] = json.loads((folder / ".rag-assay" / "out" / "run.json").read_text())
    assert KEY not in json.dumps(found)
    return found


def means(run: dict[str, Any]) -> dict[str, float | None]:
    """The mean of each metric over all cases."""
    return {name: each["mean"] for name, each in run["summary"]["all"].items()}


@pytest.mark.parametrize("kind", sorted(MODELS))
def test_a_case_takes_three_calls_and_its_context_is_sent_once(suite: Path, kind: str) -> None:
    """At five chunks; and nothing is asked again about what did not change."""
    with LlmServer(brain=llm_brain.literal) as server:
        first = judge(suite, kind, server)
        asked = [json.dumps(call.body) for call in server.calls]
        assert len(asked) == 3 * CASES
        # The strict fake has taken every prompt and schema of ours as it was first put.
        assert {call.status for call in server.calls} == {200}
        assert [sum(text in each for each in asked) for text in CHUNKS] == [CASES] * 5
        second = judge(suite, kind, server)
        assert len(server.calls) == 3 * CASES
    # Of each answer's two claims, the chunks hold one.
    assert means(first)["faithfulness"] == 0.5
    assert means(first) == means(second)
    assert first["fingerprint"]["judge"] == second["fingerprint"]["judge"]


@pytest.mark.parametrize("status", [400, 500])
def test_an_endpoint_without_json_schema_judges_all_the_same(suite: Path, status: int) -> None:
    """J12: and the run says how it was asked."""
    with LlmServer(brain=llm_brain.literal, refused_formats={"json_schema": status}, says_why=False) as server:
        run = judge(suite, "openai", server)
    assert means(run)["faithfulness"] == 0.5
    assert run["judge"]["adapted"] == ["json_object instead of json_schema"]


def test_what_breaks_on_the_way_loses_nothing_and_is_not_judged_twice(suite: Path) -> None:
    """J9: limits, a reset and an error in the middle; every question is answered exactly once."""
    faults = {1: limited(0.05), 4: RESET, 7: BROKEN, 9: limited(0), 12: limited(0.1)}
    judged: list[str] = []

    def brain(asked: Asked) -> dict[str, Any]:
        judged.append(json.dumps(asked.blocks, sort_keys=True))
        return llm_brain.literal(asked)

    with LlmServer(brain=brain, fault=lambda number, _: faults.get(number)) as server:
        run = judge(suite, "openai", server)
        assert len(server.answered) == 3 * CASES
        assert len(server.calls) == 3 * CASES + len(faults)
    assert means(run)["faithfulness"] == 0.5
    # A reply that was reset on its way had been made, so that it alone is made again.
    assert len(judged) == 3 * CASES + 1
    assert len(set(judged)) == 3 * CASES
