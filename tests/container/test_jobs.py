"""A job for each level of trust: the same verdicts, and a job with code that has nothing to steal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.container.world import ROOT, Forge, address, suite
from tests.fakes.github.server import TOKEN, GitHub
from tests.fakes.github.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

STATUS = "rag-assay/small"
PIPELINE = """
import os
def answer(question):
    wanted = "c1" if {good} else "c9"
    return {{"retrieved": [{{"id": wanted, "text": "x"}}], "answer": " ".join(sorted(os.environ))}}
"""


@pytest.fixture
def team(forge: Forge) -> Iterator[Forge]:
    """A team whose baseline is a committed file, and whose workflow calls ours."""
    suite(forge, PIPELINE.format(good=True))
    forge.accept()
    with GitHub(World("o/r"), host=address()) as github:
        forge.github = github
        forge.jobs = {"baseline-file": "baseline.json", "check": True}
        # act has one token for all jobs, whatever their permissions.
        forge.secrets = {"GITHUB_TOKEN": TOKEN, "JUDGE_KEY": "sk-very-secret"}
        yield forge


def states(forge: Forge) -> list[str]:
    """Of the status on what is checked out, oldest first."""
    assert forge.github is not None
    head = forge.git("rev-parse", "HEAD")
    return [each.state for each in forge.github.world.statuses if (each.sha, each.context) == (head, STATUS)]


def test_several_jobs_come_to_the_verdict_of_one(team: Forge) -> None:
    """Unchanged, worse, and a pipeline that cannot be started: a status, one comment, and the last job's exit code."""
    assert team.github is not None
    world = team.github.world
    team.commit({"README.md": "more"}, branch="change")
    good = team.pull_request()
    assert (good.passed, states(team)) == (True, ["pending", "success"]), good.log
    assert [each.conclusion for each in world.checks.values()] == ["success"]

    team.commit({"app.py": PIPELINE.format(good=False)})
    worse = team.pull_request()
    assert (worse.passed, states(team)) == (False, ["pending", "failure"]), worse.log
    [comment] = world.comments.values()
    assert comment.body.startswith("## ❌ Failed")

    team.commit({"rag-assay.yml": "suite: small\ngolden: none.jsonl\n"})
    broken = team.pull_request()
    assert (broken.passed, states(team)) == (False, ["pending", "error"]), broken.log
    assert comment.body.startswith("## ⚠️ RAG Assay: no verdict")


def test_the_job_that_runs_code_has_neither_key_nor_token(team: Forge) -> None:
    """Nor does anything that it hands over hold them; what the others took is gone."""
    team.commit({"README.md": "more"}, branch="change")

    result = team.pull_request()

    assert result.passed, result.log
    answers = next(folder for name, folder in result.artifacts.items() if name.startswith("rag-assay-answers-"))
    handed = (answers / "handed.tar").read_text()
    assert "HOME" in handed
    for secret in (TOKEN, "sk-very-secret", "JUDGE_KEY", "GITHUB_TOKEN"):
        assert secret not in handed
    assert json.dumps(TOKEN) not in result.everything()
    assert (ROOT / ".github" / "workflows" / "rag-assay-jobs.yml").is_file()
