"""From a push of main to the pull requests that are compared with it: artifacts of runs, found by asking GitHub."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.container.team import PREFIX, Team
from tests.container.world import address
from tests.fakes.github.server import READ_ONLY, TOKEN, GitHub
from tests.fakes.github.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.container.world import Forge


@pytest.fixture
def server() -> Iterator[GitHub]:
    """A GitHub at an address of this machine that its containers reach, too."""
    with GitHub(World("o/r"), host=address()) as github:
        github.tokens = {TOKEN: READ_ONLY}
        yield github


@pytest.fixture
def team(forge: Forge, server: GitHub) -> Team:
    return Team(forge, server)


def test_main_is_what_pull_requests_are_compared_with(team: Team) -> None:
    """Push, unchanged, worse; main regressed all the same: the older baseline stands, the next one inherits (G12)."""
    team.forge.commit({})
    team.write()
    first, said = team.push()
    assert (first.passed, said["accepted"], said["commit"]) == (True, True, team.forge.git("rev-parse", "main"))
    assert "no baseline" in first.summary

    team.forge.commit({"README.md": "unchanged"}, "same")
    same = team.forge.pull_request()
    assert same.passed, same.log
    assert f"of the base commit {said['commit'][:12]}" in same.summary
    assert all(not name.startswith(PREFIX) for name in same.artifacts)
    assert TOKEN not in same.everything()

    team.forge.git("switch", "--quiet", "main")
    team.write("islands", branch="worse")
    worse = team.forge.pull_request()
    assert (worse.passed, worse.code) == (False, 1)

    team.forge.git("switch", "--quiet", "main")
    team.forge.git("merge", "--quiet", "--no-ff", "--message", "merged anyway", "worse")
    red, said_red = team.push()
    assert (red.code, said_red["accepted"], said_red["reason"]) == (1, False, "failed")

    team.forge.commit({"README.md": "another"}, "next")
    following = team.forge.pull_request()
    assert following.passed, following.log
    assert "inherited" in following.summary

    team.write("islands", "parcels", branch="even-worse")
    assert team.forge.pull_request().code == 1


def test_what_would_expire_is_copied_and_what_is_red_is_accepted(team: Team) -> None:
    """By the action that measures nothing: the copy stands in for the original, and a person's word for the gate's."""
    token = {"github-token": TOKEN, "baseline-workflows": ".github/workflows/rag.yml"}
    team.forge.commit({})
    team.write()
    _, original = team.push()

    copied = team.forge.maintain("schedule", **token)
    assert copied.passed, copied.log
    for artifact in team.world.artifacts.values():
        artifact.expired = True
    [(name, copy)] = team.keep(copied, "schedule").items()
    assert (copy["kind"], copy["commit"], copy["run_sha256"]) == ("refresh", original["commit"], original["run_sha256"])
    assert all(artifact.name == name for artifact in team.world.artifacts.values())

    team.write("islands", branch="worse")
    worse = team.forge.pull_request()
    assert (worse.code, "of the base commit" in worse.summary or "before the base" in worse.summary) == (1, True)

    team.forge.git("switch", "--quiet", "main")
    team.forge.git("merge", "--quiet", "--no-ff", "--message", "merged anyway", "worse")
    red, _ = team.push()
    assert red.code == 1
    refused = team.forge.maintain("workflow_dispatch", run=str(team.run), reason=" ", **token)
    assert not refused.passed
    assert "the input reason is empty" in refused.log

    accepted = team.forge.maintain("workflow_dispatch", run=str(team.run), reason="no islands any more", **token)
    assert accepted.passed, accepted.log
    [said] = team.keep(accepted, "workflow_dispatch").values()
    assert (said["accepted"], said["reason"], said["kind"]) == (True, "no islands any more", "refresh")

    team.forge.commit({"README.md": "another"}, "next")
    following = team.forge.pull_request()
    assert following.passed, following.log
    assert "accepted by" in following.summary
    assert "inherited" not in following.summary
