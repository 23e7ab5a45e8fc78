"""What is left of a run that is cancelled, runs out of time or loses its runner: nothing, and no status that waits."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.container.world import Forge, address, docker, suite, wait_for
from tests.fakes.github.server import TOKEN, GitHub
from tests.fakes.github.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

HANGS = "import threading\ndef answer(question):\n    threading.Event().wait()\n"


@pytest.fixture
def team(forge: Forge) -> Iterator[Forge]:
    """A suite whose pipeline never answers, with a network, a proxy and a volume of its own, and GitHub to be told."""
    suite(forge, HANGS)
    forge.inputs |= {"network": "egress", "egress-hosts": "api.example.com", "python": "3.13", "github-token": TOKEN}
    forge.commit({}, branch="change")
    with GitHub(World("o/r"), host=address()) as github:
        forge.github = github
        yield forge


def scripts_of(forge: Forge) -> list[int]:
    """The processes of a forge's run.sh, the one that the runner started first.

    Not by their numbers, which begin anew: its own children would be taken for it, and ignore an interrupt.
    """
    found = []
    for process in (path for path in Path("/proc").iterdir() if path.name.isdigit()):
        try:
            mine = f"HOME={forge.home}".encode() in (process / "environ").read_bytes().split(b"\0")
            if mine and b"scripts/run.sh" in (process / "cmdline").read_bytes():
                began = (process / "stat").read_text().rpartition(")")[2].split()[19]
                found.append((int(began), int(process.name)))
        except OSError:
            continue
    return [number for _, number in sorted(found)]


def step_of(forge: Forge) -> str:
    """What a forge's containers are labelled with, once its pipeline runs."""
    return forge.container_of("collect").split("-")[-2]


def left(step: str) -> list[str]:
    """Containers, volumes and networks of one run."""
    labelled = ("--quiet", "--filter", f"label=rag-assay.step={step}")
    kinds = (("ps", "--all"), ("volume", "ls"), ("network", "ls"))
    return [line for kind in kinds for line in docker(*kind, *labelled).splitlines()]


def states(forge: Forge) -> list[str]:
    """The states of the status, oldest first."""
    assert forge.github is not None
    return [each.state for each in forge.github.world.statuses]


@pytest.mark.parametrize("order", [signal.SIGINT, signal.SIGTERM])
def test_a_cancelled_run_leaves_nothing_and_says_so(team: Forge, order: signal.Signals) -> None:
    """Neither containers nor volume nor network, and within the time a runner gives the status is an error."""
    steps: list[str] = []

    def cancel() -> None:
        steps.append(step_of(team))
        assert len(left(steps[0])) == 4
        os.kill(scripts_of(team)[0], order)

    result = team.pull_request(meanwhile=cancel)

    assert states(team) == ["pending", "error"], result.log
    assert left(steps[0]) == []


def test_what_a_killed_run_leaves_is_removed_by_the_step_after_it(team: Forge) -> None:
    """A runner that waits no longer kills everything of the step; the proxy ends by that alone."""
    steps: list[str] = []

    def kill() -> None:
        steps.append(step_of(team))
        for process in scripts_of(team):
            os.kill(process, signal.SIGKILL)
        names = ("ps", "--filter", f"label=rag-assay.step={steps[0]}", "--format", "{{.Names}}")
        wait_for(lambda: not any(name.endswith("-egress") for name in docker(*names).split()))
        script = team.action / "scripts" / "cancel.sh"
        subprocess.run([script], env={**os.environ, "ASSAY_STEP": steps[0]}, check=True)

    team.pull_request(meanwhile=kill)

    assert left(steps[0]) == []
    for folder in team.folder.rglob("rag-assay.*"):
        if folder.is_dir():
            shutil.rmtree(folder)


STOPS = """
import os, signal, pathlib
def answer(question):
    for process in filter(str.isdigit, os.listdir("/proc")):
        command = pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
        if b"evaluator" in command and int(process) not in (1, os.getpid()):
            os.kill(int(process), signal.SIGSTOP)
    return []
"""


def test_a_pipeline_that_cannot_be_closed_is_ended_with_its_zone(forge: Forge) -> None:
    """One that stops what runs it; nothing of it is left."""
    suite(forge, STOPS, questions=2)
    forge.inputs["collect-timeout"] = "3"
    forge.commit({}, branch="change")

    result = forge.pull_request()

    assert (result.passed, result.code) == (False, 4)
    assert "did not end in time (collect-timeout is 3 s, and the pipeline did not let go)" in result.summary


def test_a_container_ends_when_nobody_is_left_to_end_it() -> None:
    """Its own alarm, as the scripts set it."""
    name = f"alarm-{uuid.uuid4().hex[:8]}"
    command = ("run", "--rm", "--init", "--interactive", "--network", "none", "--name", name)
    started = subprocess.Popen(
        ["docker", *command, "--env", "RAG_ASSAY_SECONDS=2", "rag-assay:dev", "action", "log"],  # noqa: S607 - as set up
        stdin=subprocess.PIPE,
    )
    try:
        assert started.wait(60) != 0
        assert name not in docker("ps", "--all", "--format", "{{.Names}}").split()
    finally:
        started.communicate()
