"""``rag-assay publish`` and the Action's zone of that name, as processes that ask a fake GitHub."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.fakes.github.server import FORBIDDEN, TOKEN, Fault, GitHub
from tests.fakes.github.shapes import Shapes
from tests.fakes.github.world import World
from tests.zones import stream_of, write_repository

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
STATUS = "rag-assay/shop"


class Job:
    """A job on a pull request: a checkout with a suite that was run before and is worse now, and GitHub."""

    def __init__(self, folder: Path, server: GitHub) -> None:
        self.folder, self.server = folder, server
        world = server.world
        world.add_commit(files={"rag-assay.yml": b"suite: shop\n"})
        self.pull = world.add_pull(world.add_commit("feature"))
        shapes = Shapes(world, server.api, server.web)
        payload = {"pull_request": shapes.pull(self.pull, full=True), "repository": shapes.repo(world.repo)}
        (folder / "event.json").write_text(json.dumps(payload))
        self.variables = {
            "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "GITHUB_ACTIONS": "true", "GITHUB_TOKEN": TOKEN,
            "GITHUB_API_URL": server.api, "GITHUB_SERVER_URL": server.web, "GITHUB_REPOSITORY": "acme/shop",
            "GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(folder / "event.json"),
            "GITHUB_ACTOR": "ada", "GITHUB_RUN_ID": "5", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_SHA": "a" * 40,
            "GITHUB_WORKSPACE": str(folder / "repo"), "GITHUB_OUTPUT": str(folder / "outputs"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        }  # fmt: skip
        write_repository(folder / "repo")

    def call(self, *arguments: str, given: bytes = b"", **variables: str) -> subprocess.CompletedProcess[bytes]:
        """Run ``rag-assay`` in the checkout."""
        command = [sys.executable, "-m", "evaluator", *arguments]
        return subprocess.run(
            command, cwd=self.folder / "repo", env=self.variables | variables, input=given, capture_output=True,
            check=False,
        )  # fmt: skip

    def measure(self) -> int:
        """Run the suite, make it worse, and run it again."""
        assert self.call("run", "--out", "main").returncode == 0
        path = self.folder / "repo" / "eval" / "fixture" / "chunks.jsonl"
        path.write_text(path.read_text().replace("All about parcels and", "All about nothing, so"))
        return self.call("run", "--baseline", "main/run.json").returncode

    @property
    def states(self) -> list[str]:
        """Of the status, oldest first."""
        return [each.state for each in self.server.world.statuses if each.context == STATUS]


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    """A job."""
    with GitHub(World()) as server:
        server.world.add_commit()
        yield Job(tmp_path, server)


def test_a_run_is_told_from_its_begin_to_its_end(job: Job) -> None:
    """Pending, then failure; comment, check run, summary, annotations and outputs; exit code 0 and an empty stdout."""
    begun = job.call("publish", "--pending")
    code = job.measure()
    ended = job.call("publish", "--check")

    assert (begun.returncode, code, ended.returncode) == (0, 1, 0), ended.stderr.decode()
    assert begun.stdout + ended.stdout == b""
    assert job.states == ["pending", "failure"]
    [comment] = job.server.world.comments.values()
    assert comment.body.startswith("## ❌ Failed: ")
    [check] = job.server.world.checks.values()
    assert [(each["path"], each["start_line"]) for each in check.annotations] == [("eval/golden.jsonl", 3)]
    assert b"::error file=eval/golden.jsonl,line=3,title=" in ended.stderr
    assert (job.folder / "summary").read_text() == (job.folder / "repo/.rag-assay/out/summary.md").read_text()
    assert (job.folder / "outputs").read_text() == "outcome=failed\n"
    assert TOKEN.encode() not in ended.stderr


def test_without_a_decision_the_status_is_an_error(job: Job) -> None:
    """The stages before did not end: nothing is green, and the step fails as a mistake."""
    done = job.call("publish")

    assert done.returncode == 2
    assert b"comparison.json does not exist; rag-assay compare writes it" in done.stderr
    assert job.states == ["error"]


@pytest.mark.parametrize("refused", [("--baseline", "nowhere/run.json"), ("--tier", "full")], ids=["baseline", "tier"])
def test_a_run_that_is_refused_leaves_no_older_decision(job: Job, refused: tuple[str, str]) -> None:
    """A run before it in the same folder passed, and is not told of in its place."""
    passed = job.call("run")
    run = (job.folder / "repo/.rag-assay/out/run.json").read_bytes()

    done = job.call("run", *refused)
    job.call("publish")

    assert (passed.returncode, done.returncode) == (0, 2)
    assert job.states == ["error"]
    assert (job.folder / "repo/.rag-assay/out/run.json").read_bytes() == run


@pytest.mark.parametrize(
    "fault", [FORBIDDEN, Fault(401, "Bad credentials"), Fault(404, "Not Found"), Fault(200, body="{")]
)
def test_what_github_refuses_is_a_warning(job: Job, fault: Fault) -> None:
    """One, whatever it is, and the exit code stays (G4, G18)."""
    job.measure()
    job.server.fail(fault, times=100)
    done = job.call("publish")

    warnings = [line for line in done.stderr.decode().splitlines() if line.startswith("::warning title=RAG Assay")]
    assert (done.returncode, len(warnings)) == (0, 1)
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "variables",
    [{"GITHUB_TOKEN": ""}, {"GITHUB_API_URL": "nowhere"}, {"GITHUB_RUN_ID": ""}, {"GITHUB_EVENT_PATH": "none"},
     {"GITHUB_API_URL": "http://127.0.0.1:1", "GITHUB_EVENT_NAME": "push"}, {"GITHUB_REPOSITORY": "../x"}],
)  # fmt: skip
def test_surroundings_that_are_none_are_a_warning(job: Job, variables: dict[str, str]) -> None:
    """Without a token, an address, a run or a payload nothing is told, and nothing fails (G7, G18)."""
    job.measure()
    done = job.call("publish", **variables)

    assert done.returncode == 0, done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert job.server.calls == []


def test_a_laptop_is_told_that_it_is_none_of_githubs(job: Job) -> None:
    """Nobody's token goes anywhere."""
    job.measure()
    for name in [name for name in job.variables if name.startswith("GITHUB_")]:
        del job.variables[name]
    done = job.call("publish")

    assert done.returncode == 0
    assert b"this is no run of a workflow on GitHub" in done.stderr


def zone(job: Job, *options: str, **files: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run the Action's zone; the payload is there."""
    work = job.folder / f"work-{len(list(job.folder.iterdir()))}"
    work.mkdir()
    given = {"event.json": (job.folder / "event.json").read_bytes()} | files
    common = ("action", "--work", str(work), "publish", "--config", "rag-assay.yml", "--leg", "a1", "--status")
    return job.call(*common, *options, given=stream_of(given).getvalue())


def test_the_zone_tells_and_says_on_its_output_what_it_could_not(job: Job) -> None:
    """Its exit code is no part of anything: what is left to say is one line for the runner (G4)."""
    assert zone(job, "--pending").stdout == b""
    assert zone(job, "--failure", "the zone collect was killed").stdout == b""
    assert job.states == ["pending", "error"]
    [comment] = job.server.world.comments.values()
    assert "the zone collect was killed" in comment.body

    job.server.fail(FORBIDDEN, "^(POST|PATCH)", times=10)
    assert zone(job, "--pending").stdout == b""
    refused = zone(job, "--failure", "again")
    assert refused.returncode == 0
    assert refused.stdout.count(b"Resource not accessible by integration") == 2
    assert b"\n" not in refused.stdout


def test_a_night_that_does_not_pass_opens_an_issue(job: Job) -> None:
    """By the command and by the zone the same one: its run number is the same, and so are suite and workflow."""
    (job.folder / "event.json").write_text(json.dumps({"repository": {"id": 1001, "default_branch": "main"}}))
    world = job.server.world
    night = {"GITHUB_EVENT_NAME": "schedule", "GITHUB_SHA": world.branches["main"], "GITHUB_REF": "refs/heads/main"}
    job.variables |= night
    assert job.measure() == 1
    assert job.call("publish").returncode == 0
    assert world.issues == {}

    assert job.call("publish", "--issue").returncode == 0
    [issue] = world.issues.values()
    assert issue.body.startswith("## ❌ Failed: ")
    job.variables["GITHUB_RUN_ID"] = "6"
    assert zone(job, "--issue", "--failure", "the zone collect was killed").stdout == b""
    assert "the zone collect was killed" in issue.body
    assert (len(world.issues), world.comments, job.states) == (1, {}, [])


def test_an_enterprise_server_is_asked_where_it_is(tmp_path: Path) -> None:
    """The API's address has a path and a slash at its end, and is used as it is given (G16)."""
    with GitHub(World(), prefix="/api/v3") as server:
        server.world.add_commit()
        job = Job(tmp_path, server)
        done = zone(job, "--failure", "x")
        job.variables["GITHUB_API_URL"] += "/"
        assert zone(job, "--failure", "y").stdout == done.stdout == b""
        assert job.states == ["error", "error"]
