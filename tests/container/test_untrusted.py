"""A fork's pull request by the pair of workflows: its own run, which has no keys, and one that judges its answers."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
import yaml

from tests.container.world import ROOT, address
from tests.fakes import llm_brain
from tests.fakes.github.server import READ_ONLY, TOKEN, GitHub
from tests.fakes.github.shapes import Shapes
from tests.fakes.github.world import World
from tests.fakes.llm_server import KEY, LlmServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.container.world import Forge, Result
    from tests.fakes.github.world import Pull, Run

CASES = 3
STATUS = "rag-assay/judged"
PUBLIC, SECRET = "ghs_of_a_fork_that_may_only_read_000000", "app-secret-0123456789"
MAY_JUDGE = frozenset({"metadata:read", "contents:read", "actions:read", "pull-requests:write", "statuses:write"})
FIRST = ".github/workflows/rag-assay.yml"
CURIOUS = """
import os, pathlib
def look():
    found = [name for name in os.environ if "KEY" in name or "TOKEN" in name or "SECRET" in name]
    for place in pathlib.Path("/proc").glob("*/environ"):
        try:
            found += [each for each in place.read_text().split("\\0") if "KEY=" in each or "TOKEN=" in each]
        except OSError:
            pass
    return found
print("the pipeline looked for secrets and found", look(), flush=True)
def answer(question):
    chunk = {"id": "k1", "text": "Returns of all kinds are free within 30 days."}
    return {"retrieved": [chunk], "answer": "Returns of all kinds are free within 30 days. %s"}
"""


@pytest.fixture
def judge() -> Iterator[LlmServer]:
    """A provider of models at an address of this machine that its containers reach, too."""
    with LlmServer(host=address(), brain=llm_brain.literal) as server:
        yield server


@pytest.fixture
def server() -> Iterator[GitHub]:
    """A GitHub with a token of the fork's run and one of the default branch's."""
    with GitHub(World("o/r"), host=address()) as github:
        github.tokens = {PUBLIC: READ_ONLY, TOKEN: MAY_JUDGE}
        github.world.workflows[FIRST] = ("pull_request",)
        yield github


class Pair:
    """The two workflows of a team, and a fork whose pull request they run on."""

    def __init__(self, forge: Forge, github: GitHub, judge: LlmServer) -> None:
        self.forge, self.github, self.world = forge, github, github.world
        self.fork = self.world.add_repo("eve/r")
        forge.github, forge.opened = github, {"head_repo": self.fork, "author": "eve"}
        forge.environment |= {"ANTHROPIC_API_KEY": KEY, "APP_SECRET": SECRET}
        forge.inputs |= {
            "judge-key-env": "ANTHROPIC_API_KEY", "judge-hosts": urlsplit(judge.url).netloc, "github-token": PUBLIC,
            "pipeline-env": "APP_SECRET", "baseline-file": "baseline.json", "upload": "full",
        }  # fmt: skip
        forge.secrets["ANTHROPIC_API_KEY"] = KEY
        workflow = yaml.safe_load((ROOT / "templates/workflows/rag-assay-untrusted.yml").read_text())
        workflow["on"] = workflow.pop(True)
        workflow["jobs"]["begin"]["steps"][0]["with"]["github-token"] = TOKEN
        [step] = workflow["jobs"]["judge"]["steps"]
        given = {"judge-hosts": urlsplit(judge.url).netloc, "github-token": TOKEN, "baseline-file": "baseline.json"}
        step["with"] |= given
        config = {
            "suite": "judged", "golden": "eval/golden.jsonl", "metrics": ["recall@5", "faithfulness", "correctness"],
            "pipeline": {"kind": "python", "python": {"target": "app:answer"}},
            "judge": {
                "provider": "openai", "model": "gpt-4o-2024-08-06", "api_key_env": "ANTHROPIC_API_KEY",
                "base_url": judge.openai_url, "max_cost_usd": 1.0, "when": ["prompts/**"], "advisory": "pass",
            },
        }  # fmt: skip
        labels = {"relevant": ["k1"], "reference": "30 days."}
        cases = [{"id": f"q{number}", "question": f"How long? ({number})", **labels} for number in range(CASES)]
        golden = "".join(f"{json.dumps(case)}\n" for case in cases)
        files = {"rag-assay.yml": json.dumps(config), "eval/golden.jsonl": golden, "app.py": CURIOUS % "We close at 9."}
        forge.commit(
            {**files, ".gitignore": "__pycache__\n", ".github/workflows/rag-assay-untrusted.yml": json.dumps(workflow)}
        )
        forge.accept()

    def began(self) -> Result:
        """What becomes of the fork's pull request once its run has begun."""
        (pull,) = self.world.pulls.values()
        run = self._run_of(pull, status="queued", conclusion=None)
        return self.forge.follow(self.told("requested", run))

    def told(self, action: str, run: Run) -> dict[str, Any]:
        """What the second workflow is told of a run of the first one."""
        shapes = Shapes(self.world, self.github.api, self.github.web)
        return {"action": action, "workflow_run": shapes.run(run), "repository": shapes.repo(self.world.repo)}

    def _run_of(self, pull: Pull, **settings: Any) -> Run:
        given = {"head_repo": self.fork, "head_branch": "change", "path": FIRST, "actor": "eve"}
        return self.world.add_run(pull.head_sha, "pull_request", **given, **settings)

    def judged(self, first: Result) -> Result:
        """What becomes of the answers that the fork's run left."""
        (pull,) = self.world.pulls.values()
        run = self._run_of(pull, conclusion="success" if first.passed else "failure")
        [(name, folder)] = [each for each in first.artifacts.items() if each[0].startswith("rag-assay-untrusted-")]
        self.world.add_artifact(name, {file.name: file.read_bytes() for file in folder.iterdir()}, run)
        self.reserve()
        return self.forge.follow(self.told("completed", run))

    def reserve(self) -> None:
        """What the action that uploads would have made of the reservation."""
        suite = hashlib.sha256(b"rag-assay.yml\n").hexdigest()[:8]
        name = f"rag-assay-untrusted-judged-{suite}-{datetime.now(UTC):%Y%m%d}"
        made = self.world.add_run(self.world.branches["main"], "workflow_run")
        made.id = self.forge.next_run
        self.world.add_artifact(name, {"run": b"1\n"}, made)

    @property
    def status(self) -> tuple[str, str]:
        """The newest one on the head of the pull request."""
        (pull,) = self.world.pulls.values()
        found = [each for each in self.world.statuses if (each.sha, each.context) == (pull.head_sha, STATUS)]
        return found[-1].state, found[-1].description or ""


@pytest.fixture
def pair(forge: Forge, server: GitHub, judge: LlmServer) -> Pair:
    return Pair(forge, server, judge)


def test_a_forks_answers_are_judged_without_its_code_near_a_key(pair: Pair, judge: LlmServer) -> None:
    """Its run has secrets in the environment, its code finds none; the second one judges, comments, sets a status."""
    pair.forge.commit({"app.py": CURIOUS % "We close at noon.", "prompts/a.md": "Answer briefly."}, branch="change")
    first = pair.forge.pull_request()

    assert first.passed, first.log
    assert "the pipeline looked for secrets and found []" in first.log
    assert "APP_SECRET is not granted: what is tested is a stranger's" in first.log
    assert (first.outputs["tier"], judge.calls) == ("retrieval", [])
    assert (pair.world.statuses, pair.world.comments) == ([], {})
    assert all(secret not in first.everything() for secret in (KEY, SECRET))

    begun = pair.began()

    assert (begun.passed, begun.outputs["outcome"], pair.status[0]) == (True, "skipped", "pending"), begun.log
    assert "zone publish-pending" in begun.log
    assert "zone seal" not in begun.log
    assert KEY not in begun.everything()

    second = pair.judged(first)

    assert second.passed, second.log
    assert (second.outputs["tier"], len(judge.calls)) == ("full", 3 * CASES), second.log
    assert pair.status[0] == "success"
    assert pair.status[1].startswith("self-reported by a fork: ")
    [comment] = pair.world.comments.values()
    assert "Self-reported by a fork" in comment.body
    assert "faithfulness" in comment.body
    assert "the pipeline looked for secrets" not in second.log
    assert all(secret not in second.everything() for secret in (KEY, TOKEN))


def test_a_forks_regression_is_told_on_its_pull_request(pair: Pair, judge: LlmServer) -> None:
    """Its own run is red; the second one says why, where its token may: found chunks are lost."""
    worse = (CURIOUS % "We close at noon.").replace('"id": "k1"', '"id": "k9"')
    pair.forge.commit({"app.py": worse}, branch="change")
    first = pair.forge.pull_request()
    second = pair.judged(first)
    (pull,) = pair.world.pulls.values()

    assert (first.passed, first.code, second.passed, second.code) == (False, 1, False, 1), second.log
    assert pair.status[0] == "failure"
    assert judge.calls
    pull.head_sha = pair.world.add_commit("change")
    moved = pair.forge.follow(pair.told("completed", next(iter(pair.world.runs.values()))))
    assert moved.passed, moved.log
    assert moved.outputs["outcome"] == "skipped"
    assert "no stranger's open pull request has the head" in moved.log
