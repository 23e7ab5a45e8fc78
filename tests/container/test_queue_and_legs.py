"""A merge queue, and several suites in one job: what is measured, what it is compared with, and who is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.container.team import PREFIX, Team
from tests.container.world import address
from tests.fakes.github.server import GitHub
from tests.fakes.github.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.container.world import Forge


@pytest.fixture
def team(forge: Forge) -> Iterator[Team]:
    """A team with one suite, whose runs may write to GitHub."""
    with GitHub(World("o/r"), host=address()) as server:
        team = Team(forge, server)
        forge.inputs |= {"comment": "always", "status": "true"}
        forge.commit({})
        team.write()
        yield team


def statuses(team: Team) -> list[tuple[str, str]]:
    """Those of the commit that is checked out, oldest first."""
    head = team.forge.git("rev-parse", "HEAD")
    return [(each.context, each.state) for each in team.world.statuses if each.sha == head]


def queue(team: Team, name: str, *branches: str) -> str:
    """Check out a group of a merge queue behind what is checked out: each pull request is merged. What it begins at."""
    base = team.forge.git("rev-parse", "HEAD")
    team.forge.git("switch", "--quiet", "--create", f"gh-readonly-queue/main/{name}-{base}")
    for branch in branches:
        team.forge.git("merge", "--quiet", "--no-ff", "--message", f"merge {branch}", branch)
    return base


def test_a_merge_queue_is_answered_on_the_head_of_its_group(team: Team) -> None:
    """Several pull requests at once, and a group behind another one: a status on each head, and no comment (G7)."""
    first, _ = team.push()
    assert first.passed, first.log
    team.forge.commit({"README.md": "more words"}, "words")
    team.forge.git("switch", "--quiet", "main")
    team.forge.commit({"LICENSE": "MIT"}, "licence")
    team.forge.git("switch", "--quiet", "main")
    team.write("islands", branch="worse")
    team.forge.git("switch", "--quiet", "main")

    base = queue(team, "pr-2", "words", "licence")
    good = team.forge.merge_group(base)

    assert (good.passed, statuses(team)) == (True, [("rag-assay/shop", "pending"), ("rag-assay/shop", "success")]), (
        good.log
    )
    assert f"of the base commit {base[:12]}" in good.summary
    assert "no comment: the event merge_group has no pull request" in good.log
    assert not any(name.startswith(PREFIX) for name in good.artifacts)

    behind = queue(team, "pr-3", "worse")
    red = team.forge.merge_group(behind)

    assert (red.code, statuses(team)[-1]) == (1, ("rag-assay/shop", "failure")), red.log
    assert f"of the base commit {base[:12]}" in red.summary
    assert (team.world.comments, team.world.checks) == ({}, {})


def test_two_suites_are_two_steps_of_one_job(team: Team) -> None:
    """Each has its report, its baseline and its status, though the red one is first (G13)."""
    team.write(suite="Store", folder="other/")
    team.forge.inputs["out"] = "report-a"
    team.forge.also = [{"config": "other/rag-assay.yml", "out": "report-b"}]
    team.forge.git("switch", "--quiet", "main")
    pushed = team.forge.push()
    assert pushed.passed, pushed.log
    assert {said["suite"] for said in team.keep(pushed, "push").values()} == {"shop", "Store"}

    team.write("islands", branch="worse")
    worse = team.forge.merge_group(team.forge.git("rev-parse", "main"))

    assert not worse.passed
    assert {(context, state) for context, state in statuses(team) if state != "pending"} == {
        ("rag-assay/shop", "failure"), ("rag-assay/Store", "success"),
    }  # fmt: skip
    reports = sorted((folder / "comment.md").read_text().partition("\n")[0][:11] for folder in worse.artifacts.values())
    assert reports == ["## ✅ Passed", "## ❌ Failed"]
    assert "an earlier step of this job" not in worse.log
    assert "nothing was compared" not in worse.summary


def test_what_a_suite_does_not_depend_on_is_passed_by(team: Team) -> None:
    """A status at once and no comment; one that tells of what was put back is brought up to date; no baseline."""
    # From the beginning, or the workflow's own file would change with it.
    team.forge.github = team.server
    team.write(when=["src/**"])
    team.push()
    team.forge.commit({"README.md": "more words"}, "change")

    passed = team.forge.pull_request()

    assert (passed.passed, passed.outputs["cases"], team.world.comments) == (True, "0", {}), passed.log
    assert [state for _, state in statuses(team)] == ["pending", "success"]
    assert "zone collect" not in passed.log
    assert {path.name for path in passed.artifact.iterdir()} == {
        "comment.md", "summary.md", "decision.json", "comparison.json",
    }  # fmt: skip

    before = (team.forge.repo / "index" / "chunks.jsonl").read_text()
    team.write("islands", when=["src/**"])
    assert team.forge.pull_request().code == 1
    [comment] = team.world.comments.values()
    assert comment.body.startswith("## ❌")

    team.forge.commit({"index/chunks.jsonl": before})
    mended = team.forge.pull_request()

    assert mended.passed, mended.log
    assert list(team.world.comments.values()) == [comment]
    assert comment.body.startswith("## ✅ Passed: nothing that this suite depends on changed")

    team.forge.git("switch", "--quiet", "main")
    team.forge.git("merge", "--quiet", "--no-ff", "--message", "merge", "change")
    assert team.push()[1]["accepted"]
