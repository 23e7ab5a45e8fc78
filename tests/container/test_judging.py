"""Tier full in a workflow: who is asked, with which key, what that leaves, and what a pull request cannot bring."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.container.world import address
from tests.fakes import llm_brain
from tests.fakes.llm_server import KEY, LlmServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.container.world import Forge, Result

CASES = 3
CURIOUS = """
import json, os, sys
print("the pipeline sees", *sorted(os.environ), flush=True)
def answer(question):
    chunk = {"id": "k1", "text": "Returns of all kinds are free within 30 days."}
    return {"retrieved": [chunk], "answer": "Returns of all kinds are free within 30 days. We close at noon."}
"""


@pytest.fixture
def judge() -> Iterator[LlmServer]:
    """A provider of models at an address of this machine that its containers reach, too."""
    with LlmServer(host=address(), brain=llm_brain.literal) as server:
        yield server


@pytest.fixture
def team(forge: Forge, judge: LlmServer) -> Forge:
    """A team whose workflow grants a judge its key and names its host."""
    write(forge, judge.openai_url)
    forge.environment["JUDGE_KEY"] = KEY
    forge.inputs |= {"judge-key-env": "JUDGE_KEY", "judge-hosts": urlsplit(judge.url).netloc, "upload": "full"}
    return forge


def write(forge: Forge, base_url: str, branch: str | None = None, **judge: Any) -> None:
    """Commit a suite of a few cases, each of which takes three calls."""
    asked = {"provider": "openai", "model": "gpt-4o-2024-08-06", "api_key_env": "JUDGE_KEY", "base_url": base_url}
    config = {
        "suite": "judged", "golden": "eval/golden.jsonl", "metrics": ["recall@5", "faithfulness", "correctness"],
        "pipeline": {"kind": "python", "python": {"target": "app:answer"}},
        "judge": {**asked, "when": ["prompts/**"], "advisory": "pass", **judge},
    }  # fmt: skip
    labels = {"relevant": ["k1"], "reference": "30 days."}
    cases = [{"id": f"q{number}", "question": f"How long? ({number})", **labels} for number in range(CASES)]
    golden = "".join(f"{json.dumps(case)}\n" for case in cases)
    forge.commit({"rag-assay.yml": json.dumps(config), "eval/golden.jsonl": golden, "app.py": CURIOUS}, branch)


def run_of(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((result.artifact / "run.json").read_text())
    return found


def test_a_run_that_is_asked_for_is_judged_once(team: Forge, judge: LlmServer) -> None:
    """Three calls a case, none on the second run, and the key in no artifact, log or environment of the pipeline."""
    first = team.dispatch()
    asked = len(judge.calls)
    second = team.dispatch()

    assert first.passed, first.log
    assert (first.outputs["tier"], asked, len(judge.calls)) == ("full", 3 * CASES, 3 * CASES)
    assert run_of(first)["summary"]["all"]["faithfulness"] == {"mean": 0.5, "n": CASES, "of": CASES}
    assert run_of(first)["summary"] == run_of(second)["summary"]
    assert "tier full: the event is workflow_dispatch" in first.log
    assert float(first.outputs["judge-cost-usd"]) > 0 == float(second.outputs["judge-cost-usd"])
    assert "faithfulness" in first.summary
    for result in (first, second):
        assert KEY not in result.everything()
        seen = next(line for line in result.log.splitlines() if "the pipeline sees" in line).split("sees ")[1].split()
        assert set(seen) <= {"PATH", "HOME", "LANG", "TMPDIR", "LC_CTYPE", "RAG_ASSAY_WORKER"}


def test_a_pull_request_is_judged_where_it_touches_what_the_judge_is_for(team: Forge, judge: LlmServer) -> None:
    """``auto`` by the files of judge.when; a stranger's pull request gets no key and is measured without a judge."""
    team.commit({"prompts/a.md": "Answer briefly."}, branch="prompt")
    judged = team.pull_request()
    asked = len(judge.calls)
    team.head_repository = 2
    stranger = team.pull_request()
    team.head_repository = 1
    team.git("switch", "--quiet", "main")
    team.commit({"docs/a.md": "words"}, branch="docs")
    other = team.pull_request()

    assert (judged.outputs["tier"], asked) == ("full", 3 * CASES), judged.log
    assert "tier full: prompts/a.md changed, which judge.when names by prompts/**" in judged.log
    assert (stranger.outputs["tier"], other.outputs["tier"]) == ("retrieval", "retrieval")
    assert "tier retrieval: a pull request from elsewhere gets no key" in stranger.log
    assert run_of(other)["summary"]["all"].keys() == {"recall@5"}
    assert len(judge.calls) == asked
    assert (stranger.passed, other.passed) == (True, True)


def test_a_pull_request_cannot_send_the_key_elsewhere(team: Forge, judge: LlmServer) -> None:
    """An address that the workflow does not name is a mistake, whatever else the host is; nobody is asked."""
    write(team, judge.openai_url.replace(judge.host, "judge.example.org"), branch="elsewhere", when=["**"])
    elsewhere = team.pull_request()
    team.git("switch", "--quiet", "main")
    write(team, judge.openai_url, branch="code", provider="scripted", model="app:answer", when=["**"])
    code = team.pull_request()

    assert [result.code for result in (elsewhere, code)] == [2, 2]
    assert "neither the provider's own nor in the input judge-hosts" in elsewhere.summary
    assert "no code of the repository runs" in code.summary.replace("\n", " ")
    assert judge.calls == []
    assert not elsewhere.passed
