"""Runs at night, which nobody waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.container.team import Team
from tests.container.world import address
from tests.fakes.github.server import TOKEN, GitHub
from tests.fakes.github.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.container.world import Forge


@pytest.fixture
def team(forge: Forge) -> Iterator[Team]:
    """A team with one suite, whose runs at night may open an issue."""
    with GitHub(World("o/r"), host=address()) as server:
        team = Team(forge, server)
        forge.inputs |= {"issue": "true"}
        forge.commit({})
        team.write()
        yield team


def test_nights_that_do_not_pass_are_one_issue(team: Team) -> None:
    """Main has regressed, then cannot be measured, then is mended: one issue, changed and closed; nothing else (G7)."""
    first, _ = team.push()
    assert first.passed, first.log
    assert team.world.issues == {}

    team.write("islands", "parcels")
    worse = team.forge.schedule()
    assert (worse.passed, worse.code) == (False, 1), worse.log
    [issue] = team.world.issues.values()
    assert issue.body.startswith("## ❌ Failed: ")

    team.forge.commit({"golden.jsonl": "broken\n"})
    broken = team.forge.schedule()
    assert (broken.passed, broken.code) == (False, 2), broken.log
    assert issue.body.startswith("## ⚠️ RAG Assay: no verdict")

    team.write()
    mended = team.forge.schedule()
    assert mended.passed, mended.log
    assert (issue.state, issue.reason, len(team.world.issues)) == ("closed", "completed", 1)
    assert (len(team.world.comments), team.world.statuses) == (1, [])
    for result in (worse, broken, mended):
        assert TOKEN not in result.everything()
