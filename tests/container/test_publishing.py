"""A pull request from its first run to its last, as GitHub sees it: the comment, the status and the check run."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.container.world import ROOT, Forge, address
from tests.fakes.github.server import FORBIDDEN, TOKEN, GitHub
from tests.fakes.github.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

HANDBOOK = ROOT / "examples" / "handbook"
STATUS = "rag-assay/handbook"


@pytest.fixture
def team(forge: Forge) -> Iterator[Forge]:
    """A team with the handbook's suite, its baseline on the main branch, and GitHub where its runs publish."""
    for name in ("golden.jsonl", "fixture", "rag-assay.yml"):
        copy = shutil.copytree if (HANDBOOK / name).is_dir() else shutil.copy2
        copy(HANDBOOK / name, forge.repo / name)
    forge.commit({})
    forge.accept()
    with GitHub(World("o/r"), host=address()) as github:
        forge.github = github
        forge.inputs |= {"baseline-file": "baseline.json", "check": "true", "github-token": TOKEN}
        yield forge


def states(forge: Forge) -> list[str]:
    """The states of the status on the commit that is checked out, oldest first."""
    assert forge.github is not None
    head = forge.git("rev-parse", "HEAD")
    return [each.state for each in forge.github.world.statuses if (each.sha, each.context) == (head, STATUS)]


def test_a_pull_request_is_told_what_became_of_it(team: Forge) -> None:
    """Worse: a comment, a failure. Mended: the same comment, a success. The token is in no log, report or summary."""
    assert team.github is not None
    world = team.github.world
    team.commit({"rag-assay.yml": (HANDBOOK / "rag-assay.candidate.yml").read_text()}, branch="change")

    run = team.next_run
    worse = team.pull_request()
    assert (worse.passed, worse.code, states(team)) == (False, 1, ["pending", "failure"]), worse.log
    [comment] = world.comments.values()
    assert comment.body.startswith("## ❌ Failed: ")
    assert f"{team.github.world.repo.full_name}/actions/runs/{run}/attempts/1" in comment.body
    [check] = world.checks.values()
    assert check.conclusion == "failure"
    lines = (HANDBOOK / "golden.jsonl").read_text().splitlines()
    marked = [lines[each["start_line"] - 1] for each in check.annotations]
    assert check.annotations[0]["path"] == "golden.jsonl"
    assert '"id": "ap410ed-gland"' in marked[0]
    assert "file=golden.jsonl,line=" in worse.log

    team.commit({"rag-assay.yml": (HANDBOOK / "rag-assay.yml").read_text()})
    mended = team.pull_request()
    assert (mended.passed, states(team)) == (True, ["pending", "success"]), mended.log
    assert list(world.comments) == [comment.id]
    assert comment.body.startswith("## ✅ Passed: ")
    for result in (worse, mended):
        assert TOKEN not in result.everything()


def test_what_cannot_be_measured_is_an_error(team: Forge) -> None:
    """A broken configuration still has the status that is required, by its base's name, and says why (G18)."""
    assert team.github is not None
    team.commit({"rag-assay.yml": "suite: other\ngolden: none.jsonl\n"}, branch="change")

    result = team.pull_request()

    assert (result.passed, result.code, states(team)) == (False, 2, ["pending", "error"]), result.log
    [comment] = team.github.world.comments.values()
    assert "no verdict" in comment.body


def test_refusals_change_nothing(team: Forge) -> None:
    """A token that may write nothing: the job ends as it would have, with one warning (G4, G18)."""
    assert team.github is not None
    team.github.fail(FORBIDDEN, "^(POST|PATCH)", times=100)
    team.commit({}, branch="change")

    result = team.pull_request()

    assert result.passed, result.log
    assert (team.github.world.comments, team.github.world.statuses) == ({}, [])
    assert "Resource not accessible by integration" in result.log
