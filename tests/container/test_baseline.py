"""From a push of main to the pull requests that are compared with it: artifacts of runs, found by asking GitHub."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING, Any

import pytest

from tests.fakes.github.server import READ_ONLY, TOKEN, GitHub
from tests.fakes.github.world import Commit, World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.container.world import Forge, Result

WORKFLOW = ".github/workflows/rag.yml"
PREFIX = "rag-assay-baseline-"
TOPICS = ("returns", "refunds", "parcels", "islands")


@pytest.fixture
def server() -> Iterator[GitHub]:
    """A GitHub at an address of this machine that its containers reach, too."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # Nothing is sent: this only says by which address the machine would go out.
        probe.connect(("192.0.2.1", 9))
        host = probe.getsockname()[0]
    with GitHub(World("o/r"), host=host) as github:
        github.tokens = {TOKEN: READ_ONLY}
        yield github


class Team:
    """A repository, its runner, and the GitHub that keeps what its runs leave."""

    def __init__(self, forge: Forge, server: GitHub) -> None:
        self.forge, self.world = forge, server.world
        self.world.workflows[WORKFLOW] = ("push", "pull_request")
        forge.inputs |= {"github-token": TOKEN, "baseline-workflows": WORKFLOW}
        forge.api = server.api
        forge.before_run = self.mirror

    def write(self, *lost: str, branch: str | None = None) -> None:
        """Commit the suite with an index that lost some of its chunks."""
        config = {
            "suite": "shop", "golden": "golden.jsonl", "fixture": "index", "k": 1, "metrics": ["recall@1"],
            "gate": {"rules": [{"metric": "recall@1", "per": "all", "max_drop": 0.0}], "min_cases": 1},
        }  # fmt: skip
        cases = [{"id": topic, "question": f"What about {topic}?", "relevant": [f"c-{topic}"]} for topic in TOPICS]
        chunks = [
            {"id": f"c-{topic}", "text": "Nothing." if topic in lost else f"All about {topic}."} for topic in TOPICS
        ]
        lines = {"golden.jsonl": cases, "index/chunks.jsonl": chunks}
        files = {name: "".join(f"{json.dumps(each)}\n" for each in found) for name, found in lines.items()}
        self.forge.commit({"rag-assay.yml": json.dumps(config), **files}, branch)

    def mirror(self) -> None:
        """Tell GitHub of every commit that there is."""
        log = self.forge.git("log", "--all", "--topo-order", "--reverse", "--format=%H %ct %P").splitlines()
        for place, line in enumerate(log):
            sha, at, *parents = line.split()
            files = {"rag-assay.yml": self.forge.git("show", f"{sha}:rag-assay.yml").encode()} if parents else {}
            self.world.commits[sha] = Commit(sha, tuple(parents), "a change", int(at) + place, files)
        self.world.branches["main"] = self.forge.git("rev-parse", "main")

    def push(self) -> tuple[Result, dict[str, Any]]:
        """Push main; GitHub keeps what the run leaves, and this tells what it says of itself."""
        self.forge.git("switch", "--quiet", "main")
        result = self.forge.push()
        [(name, folder)] = [each for each in result.artifacts.items() if each[0].startswith(PREFIX)]
        files = {file.name: file.read_bytes() for file in folder.iterdir()}
        said: dict[str, Any] = json.loads(files["baseline.json"])
        run = self.world.add_run(said["commit"], path=WORKFLOW)
        # GitHub's numbers are its own.
        files["baseline.json"] = json.dumps(said | {"run_id": run.id}).encode()
        self.world.add_artifact(name, files, run)
        return result, said


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
