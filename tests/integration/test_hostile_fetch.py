"""The zone that fetches, as a process: whatever an artifact holds, it is passed by in bounded memory and time."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.baselines import WORKFLOW, Baselines
from tests.fakes.github.server import READ_ONLY, TOKEN, GitHub
from tests.fakes.github.world import World
from tests.github import Connect, StoppedClock
from tests.unit.zones.test_hostile_artifacts import MEGABYTE, bomb, entry, lying
from tests.zones import files_in, stream_of, write_repository

ROOT = Path(__file__).parents[2]
MOST_MEMORY = 128 * 1024
"""KB that the process may hold at once. One that finds nothing hostile needs some 50 MB."""

MOST_TIME = 8.0
"""Seconds of CPU, some 0.5 of which are its start."""

# The peak of a process that a test waits for counts what pytest held before it became that process: it tells its own.
MEASURED = """
import json, resource, sys
from pathlib import Path
from evaluator.cli import main
try:
    main()
finally:
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    used = resource.getrusage(resource.RUSAGE_SELF)
    Path("measured").write_text(json.dumps([int(peak.split()[1]), used.ru_utime + used.ru_stime]))
"""


class Told(NamedTuple):
    """What the zone handed on and said, and what it took: KB and seconds."""

    found: Any
    log: str
    memory: int
    seconds: float


class Shop:
    """A main whose older commit has a baseline in order, and whose newest one has what an attacker made."""

    def __init__(self, baselines: Baselines, folder: Path) -> None:
        self.baselines, self.folder = baselines, folder
        self.good = baselines.commit()
        baselines.keep(self.good)
        self.base = baselines.commit()

    def files(self, change: Callable[[bytes], bytes] = bytes, **said: Any) -> Mapping[str, bytes]:
        """What an artifact of the newest commit holds: a run that was changed, and what its manifest says of it."""
        run = self.baselines.world.add_run(self.base)
        files = self.baselines.files(self.base, run)
        data = change(files["run.json"])
        manifest = json.loads(files["baseline.json"]) | {"run_sha256": hashlib.sha256(data).hexdigest()} | said
        self.made_by = run
        return {"run.json": data, "baseline.json": json.dumps(manifest).encode()}

    def keep(self, files: Mapping[str, bytes] | bytes, **run: Any) -> None:
        """Upload it."""
        made = self.baselines.keep(self.base, files, run=run)
        if not isinstance(files, bytes) and not run:
            made.run = self.made_by

    def fetch(self) -> Told:
        """Run the zone for a push that came after the newest commit."""
        tested = self.baselines.commit()
        variables = {
            "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "GITHUB_TOKEN": TOKEN,
            "GITHUB_API_URL": self.baselines.server.api, "GITHUB_REPOSITORY": "acme/shop", "GITHUB_ACTOR": "ada",
            "GITHUB_EVENT_NAME": "push", "GITHUB_RUN_ID": "9", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_SHA": tested,
            "GITHUB_REF": "refs/heads/main", "GITHUB_WORKFLOW_REF": f"acme/shop/{WORKFLOW}@refs/heads/main",
        }  # fmt: skip
        payload = {"repository": {"id": 1001, "default_branch": "main"}, "before": self.base}
        (self.folder / "work").mkdir()
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, "action", "--work", str(self.folder / "work"), "fetch", "--config",
             "rag-assay.yml", "--tested", tested],
            cwd=self.folder, env=variables, input=stream_of({"event.json": json.dumps(payload).encode()}).getvalue(),
            capture_output=True, check=False, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()
        memory, seconds = json.loads((self.folder / "measured").read_text())
        found = json.loads(files_in(io.BytesIO(done.stdout))["found.json"])
        return Told(found, done.stderr.decode(), memory, seconds)


@pytest.fixture(scope="module")
def run_json(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A run of the small repository's suite."""
    repository = tmp_path_factory.mktemp("suite")
    write_repository(repository)
    subprocess.run(
        [sys.executable, "-m", "evaluator", "run", "-q", "--out", "out"], cwd=repository, check=True,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}, capture_output=True,
    )  # fmt: skip
    return (repository / "out" / "run.json").read_bytes()


@pytest.fixture
def shop(tmp_path: Path, run_json: bytes) -> Iterator[Shop]:
    """A main; its token may only read."""
    clock = StoppedClock()
    connect = Connect(clock)
    with GitHub(World(clock=clock.now)) as server:
        server.tokens = dict.fromkeys(server.tokens, READ_ONLY)
        yield Shop(Baselines(server, connect, run_json, tmp_path / "found"), tmp_path)


def nested(_: bytes) -> bytes:
    return b'{"a":[' * (10 * MEGABYTE // 6)


def not_a_number(run: bytes) -> bytes:
    return run.replace(b'"recall@2": 1.0', b'"recall@2": NaN')


def key_twice(run: bytes) -> bytes:
    return run.replace(b'"critical": true', b'"critical": true, "critical": false')


def of_another_suite(run: bytes) -> bytes:
    return run.replace(b'"suite": "shop"', b'"suite": "easy"')


def of_another_commit(run: bytes) -> bytes:
    return json.dumps(json.loads(run) | {"commit": "c" * 40}).encode()


HOSTILE: dict[str, tuple[Callable[[Shop], None], str]] = {
    "zip bomb": (lambda shop: shop.keep(lying(bomb(8 * MEGABYTE), 2 << 30)), "the archive holds more than 1,024 MB"),
    "zip bomb that hides its size": (
        lambda shop: shop.keep(lying(bomb(256 * MEGABYTE), 1000)), "the archive is broken"
    ),
    "a path upwards": (lambda shop: shop.keep(entry("../run.json")), "'../run.json', which has no place in it"),
    "a symbolic link": (
        lambda shop: shop.keep(entry("run.json", b"/etc/passwd", external_attr=0o120777 << 16)), "no ordinary file"
    ),
    "10 MB of nesting": (lambda shop: shop.keep(shop.files(nested)), "not valid JSON: recursion limit exceeded"),
    "NaN": (lambda shop: shop.keep(shop.files(not_a_number)), "NaN"),
    "a key twice": (lambda shop: shop.keep(shop.files(key_twice)), "critical"),
    "another suite's run": (lambda shop: shop.keep(shop.files(of_another_suite)), "of suite 'easy'"),
    "another suite's manifest": (lambda shop: shop.keep(shop.files(suite="easy")), "says suite easy, and it is shop"),
    "a manifest of another run": (
        lambda shop: shop.keep(shop.files(run_sha256="0" * 64)), "not the one that baseline.json names the digest of"
    ),
    "another commit's run": (lambda shop: shop.keep(shop.files(of_another_commit)), "name another commit"),
    "another commit's manifest": (lambda shop: shop.keep(shop.files(commit="c" * 40)), f"says commit {'c' * 40}"),
    "another workflow's": (
        lambda shop: shop.keep(shop.files(), path=".github/workflows/evil.yml"), "workflow .github/workflows/evil.yml"
    ),
    "a pull request's": (lambda shop: shop.keep(shop.files(), event="pull_request"), "by the event pull_request"),
    "a fork's": (
        lambda shop: shop.keep(shop.files(), head_repo=shop.baselines.world.add_repo("eve/shop")), "made by a fork"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("make", "reason"), HOSTILE.values(), ids=HOSTILE.keys())
def test_it_is_passed_by_with_its_reason(shop: Shop, make: Callable[[Shop], None], reason: str) -> None:
    """The next one counts, the log says why, and neither memory nor time is what the artifact asks for (G8, G9)."""
    make(shop)

    told = shop.fetch()

    assert told.found["deterministic"]["commit"] == shop.good
    [line] = [line for line in told.log.splitlines() if line.startswith("artifact ")]
    assert reason in line
    assert len(line) < 500
    assert told.memory < MOST_MEMORY
    assert told.seconds < MOST_TIME


def test_one_in_order_counts(shop: Shop) -> None:
    """What is made in the same way, and is as it should be, is what the change is held to."""
    shop.keep(shop.files())

    told = shop.fetch()

    assert told.found["deterministic"]["commit"] == shop.base
    assert told.memory < MOST_MEMORY
