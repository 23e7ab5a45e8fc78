"""A fake GitHub with one commit, and clients of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.github.server import GitHub
from tests.fakes.github.world import World
from tests.github import Connect, StoppedClock


@pytest.fixture
def clock() -> StoppedClock:
    """A clock that only sleeping moves."""
    return StoppedClock()


@pytest.fixture
def server(clock: StoppedClock) -> Iterator[GitHub]:
    """A GitHub with a first commit on main; leaving it fails for what GitHub does not document."""
    with GitHub(World(clock=clock.now)) as github:
        github.world.add_commit()
        yield github


@pytest.fixture
def connect(clock: StoppedClock) -> Iterator[Connect]:
    """Makes clients and closes their connections."""
    made = Connect(clock)
    yield made
    for session in made.sessions:
        session.close()
