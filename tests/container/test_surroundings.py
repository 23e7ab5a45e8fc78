"""What a pipeline is given to run in: packages, an image of its own, and an end when the job is cancelled."""

from __future__ import annotations

import os
import signal
import subprocess
import uuid
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.container.world import Forge, docker, suite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGE = (
    "six==1.17.0 --hash=sha256:4721f391ed90541fddacab5acf947aa0d3dc7d27b2e1e8eda2be8970586c3274 "
    "--hash=sha256:ff70335d468e7eb6ec65b95b99d3a2836546063f63acc5171de367e834932a81\n"
)
USES_PACKAGE = """
import json, os, sys
import six
def answer(question):
    told = {"six": six.__version__, "interpreter": sys.executable, "path": os.environ["PATH"].split(":")[0]}
    told["writable"] = os.access(os.path.dirname(six.__file__), os.W_OK)
    told["ours"] = [name for name in ("numpy", "pydantic") if __import__("importlib.util").util.find_spec(name)]
    return {"retrieved": [], "answer": json.dumps(told)}
"""


def test_requirements_are_there_and_cannot_be_changed(forge: Forge) -> None:
    """The pipeline runs by an interpreter of its own with what was installed, which it cannot write to."""
    suite(forge, USES_PACKAGE, questions=1)
    forge.inputs |= {"requirements": "requirements.txt", "upload": "full"}
    forge.commit({"requirements.txt": PACKAGE}, branch="change")

    told = forge.pull_request().answers()["q0"]

    assert told == {
        "six": "1.17.0", "interpreter": "/deps/venv/bin/python", "path": "/deps/venv/bin", "writable": False,
        "ours": [],
    }  # fmt: skip


def test_requirements_without_hashes_are_refused(forge: Forge) -> None:
    """Unless the workflow says otherwise, what is installed is what was locked."""
    suite(forge, USES_PACKAGE, questions=1)
    forge.inputs["requirements"] = "requirements.txt"
    forge.commit({"requirements.txt": "six\n"}, branch="change")

    result = forge.pull_request()

    assert (result.passed, result.code) == (False, 2)
    assert "hash" in result.summary
    assert "install-policy" in result.summary


BUILDS = {
    "pkg/pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "own"\nbackend-path = ["."]\n',
    "pkg/own.py": "raise SystemExit('strange code ran')\n",
    "uv.toml": 'no-build = false\n[pip]\nno-build = false\nno-binary = ["pkg"]\n',
}


@pytest.mark.parametrize(("written", "policy"), [("-e ./pkg", "wheels"), ("./pkg", "wheels"), ("-e ./pkg", "hashes")])
def test_a_pull_request_cannot_allow_itself_to_be_built(written: str, policy: str, forge: Forge) -> None:
    """Neither as editable nor by a configuration of the installer does code run where only wheels are allowed."""
    suite(forge, USES_PACKAGE, questions=1)
    forge.inputs |= {"requirements": "requirements.txt", "install-policy": policy}
    forge.commit(BUILDS | {"requirements.txt": f"{written}\n"}, branch="change")

    result = forge.pull_request()

    assert (result.passed, result.code) == (False, 2)
    assert "strange code ran" not in result.log


@pytest.fixture
def own_image(forge: Forge, tmp_path: Path) -> Iterator[str]:
    """An image of the team's, with our package in it."""
    done = subprocess.run([forge.action / "scripts" / "source_hash.sh"], capture_output=True, text=True, check=True)
    (tmp_path / "Dockerfile").write_text(f"FROM rag-assay:{done.stdout[:16]}\nENV TEAM=1\n")
    name = f"team-app:{uuid.uuid4().hex[:8]}"
    docker("build", "--quiet", "--network", "host", "--tag", name, str(tmp_path))
    yield name
    docker("rmi", name)


def test_a_team_can_bring_its_image(forge: Forge, own_image: str) -> None:
    """The pipeline runs there, as the same user and without a network; everything else stays in ours."""
    suite(forge, "import json, os\ndef answer(q):\n    return {'retrieved': [], 'answer': json.dumps(os.getuid())}\n")
    forge.inputs |= {"image": own_image, "upload": "full"}
    forge.commit({}, branch="change")

    result = forge.pull_request()

    assert set(result.answers().values()) == {10002}
    assert f"image of the pipeline: {own_image}" in result.log


def test_an_image_without_our_package_is_told_what_it_lacks(forge: Forge) -> None:
    """The message names the image and the version that is needed."""
    suite(forge, "")
    forge.inputs["image"] = "docker.io/library/python:3.13-slim-trixie"
    forge.commit({}, branch="change")

    result = forge.pull_request()

    assert (result.passed, result.code) == (False, 2)
    assert "where 'rag-assay " in result.summary


def test_an_image_that_cannot_be_had_is_no_verdict(forge: Forge) -> None:
    """A failed pull is 4, not a pass and not a mistake of the change."""
    suite(forge, "")
    forge.inputs["image"] = "127.0.0.1:1/team/app:missing"
    forge.commit({}, branch="change")

    result = forge.pull_request()

    assert (result.passed, result.code) == (False, 4)
    assert "cannot be pulled" in result.summary


@pytest.mark.parametrize("order", [signal.SIGINT, signal.SIGTERM])
def test_a_cancelled_run_leaves_nothing(forge: Forge, tmp_path: Path, order: signal.Signals) -> None:
    """When the job is cancelled the container ends at once, and neither it nor a file of ours is left."""
    suite(forge, "import threading\ndef answer(question):\n    threading.Event().wait()\n")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (tmp_path / "event.json").write_text("{}")
    variables = {
        "GITHUB_EVENT_PATH": str(tmp_path / "event.json"), "GITHUB_REF": "refs/heads/main",
        "GITHUB_WORKSPACE": str(forge.repo), "GITHUB_EVENT_NAME": "push", "GITHUB_RUN_ID": str(forge.next_run),
        "GITHUB_RUN_ATTEMPT": "1", "GITHUB_WORKFLOW": "RAG", "GITHUB_OUTPUT": str(tmp_path / "out"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "GITHUB_TOKEN": "", "RUNNER_TEMP": str(temporary),
        "GITHUB_JOB": "rag", **defaults(forge.action),
    }  # fmt: skip
    with subprocess.Popen(
        [forge.action / "scripts" / "run.sh"], env=os.environ | variables, stdout=subprocess.DEVNULL
    ) as running:
        name = forge.container_of("collect")
        running.send_signal(order)
        code = running.wait(60)

    assert code == 130
    assert name not in docker("ps", "--all", "--format", "{{.Names}}").split()
    # What tells later steps of the job that a folder is taken is the job's, and goes with its temporary folder.
    assert [path.name for path in temporary.iterdir() if not path.name.startswith("rag-assay-taken-")] == []
    assert "outcome" not in (tmp_path / "out").read_text()


def defaults(action: Path) -> dict[str, str]:
    """The variables that action.yml gives run.sh when a workflow names no input."""
    inputs = yaml.safe_load((action / "action.yml").read_text())["inputs"]
    given = {f"ASSAY_{name.upper().replace('-', '_')}": value["default"] for name, value in inputs.items()}
    event = (
        "JOB_INDEX", "HEAD_SHA", "BASE_SHA", "ACTOR", "AUTHOR", "REPOSITORY", "HEAD_REPOSITORY", "JUDGE_CACHE",
        "DEFAULT_BRANCH",
    )  # fmt: skip
    return given | {f"ASSAY_{name}": "" for name in event}


def test_the_report_of_a_run_can_be_the_next_baseline(forge: Forge) -> None:
    """run.json of an artifact made with ``upload: full`` is committed, and the next run compares with it."""
    suite(forge, "def answer(question):\n    return ['c1']\n", questions=6)
    forge.inputs["upload"] = "full"
    forge.git("switch", "--quiet", "--create", "first")
    first = forge.pull_request()
    forge.git("switch", "--quiet", "main")
    forge.commit({"eval/baseline.json": (first.artifact / "run.json").read_text()})
    forge.inputs["baseline-file"] = "eval/baseline.json"
    forge.commit({"app.py": "def answer(question):\n    return ['c2']\n"}, branch="worse")

    result = forge.pull_request()

    assert (result.passed, result.outputs["outcome"]) == (False, "failed")
    assert "eval/baseline.json as of" in (result.artifact / "comment.md").read_text()
