"""A fake GitHub: whose main keeps baselines, or with a stranger's pull request."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluator.cli import root as command
from evaluator.cli.console import Console
from evaluator.cli.session import Session
from tests.baselines import Baselines
from tests.fakes.github.server import READ_ONLY, GitHub
from tests.fakes.github.world import World
from tests.github import Connect, StoppedClock
from tests.strangers import Stranger
from tests.zones import write_repository


@pytest.fixture(scope="session")
def run_json(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A run of the small repository's suite."""
    root = tmp_path_factory.mktemp("suite")
    write_repository(root)
    session = Session(environment={"PATH": "/usr/bin:/bin"}, console=Console(io.StringIO()))
    arguments = ["run", "-q", "--config", str(root / "rag-assay.yml"), "--out", str(root / "out")]
    assert command.invoke(arguments, session) == 0
    return (root / "out" / "run.json").read_bytes()


@pytest.fixture
def baselines(run_json: bytes, tmp_path: Path) -> Iterator[Baselines]:
    """A main with no commit yet, read by a token that may do nothing else."""
    clock = StoppedClock()
    connect = Connect(clock)
    with GitHub(World(clock=clock.now)) as server:
        server.tokens = dict.fromkeys(server.tokens, READ_ONLY)
        yield Baselines(server, connect, run_json, tmp_path / "found")
    for session in connect.sessions:
        session.close()


@pytest.fixture
def stranger(tmp_path: Path) -> Iterator[Stranger]:
    """A fork's pull request; what is asked of GitHub and not documented fails the test."""
    clock = StoppedClock()
    connect = Connect(clock)
    with GitHub(World(clock=clock.now)) as server:
        yield Stranger(server, connect, tmp_path / "rooms")
    for session in connect.sessions:
        session.close()
