"""The workflows of this repository: what each may do and runs, and that nothing is left out of what is linted."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
HERE = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
OWN = [path for path in HERE if "workflow_call" not in path.read_text()]
"""Those that run here; the others are for teams to call."""

ALL = [*HERE, *sorted((ROOT / "templates" / "workflows").glob("*.yml")), *sorted(ROOT.glob("*/action.yml")),
       *sorted(ROOT.glob("*/*/action.yml")), ROOT / "action.yml"]  # fmt: skip
PINNED = re.compile(r"\buses: ([\w.-]+/[\w./-]+)@([0-9a-f]{40}) # v(\d+\.\d+\.\d+)")
USED = re.compile(r"\buses: (?!\./|\$/)(\S+)")
OURS = "rag-assay/rag-assay"

MAY_WRITE = {
    ("ci.yml", "action"): {"issues", "pull-requests", "statuses"},
    ("ci.yml", "scheduled"): {"issues"},
    ("release-prepare.yml", "build"): {"packages"},
    ("release-prepare.yml", "image"): {"attestations", "id-token", "packages"},
    ("release-prepare.yml", "propose"): {"actions", "contents", "pull-requests"},
    ("release.yml", "pypi"): {"id-token"},
    ("release.yml", "publish"): {"contents", "packages"},
}
"""Every job that may change anything."""


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text())
    return found


def jobs() -> list[tuple[str, str, dict[str, Any]]]:
    return [(path.name, name, job) for path in OWN for name, job in read(path)["jobs"].items()]


def test_no_job_may_more_than_it_is_listed_for() -> None:
    """Nothing by default; and whoever adds a permission adds it here."""
    assert all(read(path)["permissions"] == {} for path in OWN)
    written = {
        (file, name): {scope for scope, access in job["permissions"].items() if access == "write"}
        for file, name, job in jobs()
    }

    assert {key: scopes for key, scopes in written.items() if scopes} == MAY_WRITE


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_every_job_ends_and_leaves_no_credentials(path: Path) -> None:
    """A limit of time on each, no token in a checkout, no two runs at once."""
    workflow = read(path)

    assert "concurrency" in workflow
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 120
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize("path", ALL, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_used_is_pinned_by_its_commit(path: Path) -> None:
    """With the version beside it, for people; ours is a name that whoever copies it pins."""
    text = path.read_text()
    pinned = {name for name, _, _ in PINNED.findall(text)}
    used = {each.partition("@")[0] for each in USED.findall(text)}

    assert {each for each in used if not each.startswith(OURS)} <= pinned


def test_an_action_is_pinned_to_one_commit_everywhere() -> None:
    """One that is brought up to date is so in every file, with the version that belongs to it."""
    commits: dict[str, set[tuple[str, str]]] = {}
    for path in ALL:
        for name, commit, version in PINNED.findall(path.read_text()):
            commits.setdefault("/".join(name.split("/")[:2]), set()).add((commit, version))

    # Variants for servers that are older use older actions.
    newest = {name: {each for each in found if each[1].split(".")[0] != "3"} for name, found in commits.items()}
    assert {name: found for name, found in newest.items() if len(found) > 1} == {}


def test_nothing_is_expanded_inside_a_script() -> None:
    """What an event or an input says reaches scripts by variables alone."""
    scripts = [step["run"] for path in OWN for job in read(path)["jobs"].values() for step in job["steps"]
               if "run" in step]  # fmt: skip

    assert [script for script in scripts if "${{" in script] == []


def test_the_one_job_to_require_waits_for_all_others() -> None:
    """A job that it does not wait for could be red beside a green check."""
    found = read(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]

    assert set(found["all"]["needs"]) == set(found) - {"all", "scheduled"}
    assert found["all"]["if"] == "${{ always() }}"


@pytest.mark.parametrize(
    ("results", "code"),
    [("success success skipped", 0), ("success failure", 1), ("cancelled success", 1), ("failure", 1), ("success", 0)],
)
def test_it_is_red_unless_all_have_passed(results: str, code: int) -> None:
    """A job that was skipped is the check of a release that this is none of."""
    [step] = read(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]["all"]["steps"]
    done = subprocess.run(["/bin/bash", "-c", step["run"]], env={"RESULTS": results}, check=False)

    assert done.returncode == code


def test_a_release_is_built_once_and_pypi_asks_people() -> None:
    """What the tag starts builds no image; the package is published where reviewers are asked, without a token."""
    release = read(ROOT / ".github" / "workflows" / "release.yml")
    prepare = (ROOT / ".github" / "workflows" / "release-prepare.yml").read_text()

    assert release[True] == {"push": {"tags": ["v*"]}}
    assert "buildx build" not in (ROOT / ".github" / "workflows" / "release.yml").read_text()
    assert release["jobs"]["pypi"]["environment"]["name"] == "pypi"
    assert "secrets." not in prepare + (ROOT / ".github" / "workflows" / "release.yml").read_text()
    assert re.findall(r"git push .*", prepare) == ['git push origin "release/v$VERSION"']


def test_an_image_counts_by_the_workflow_of_main_alone(tmp_path: Path) -> None:
    """Whoever may push a branch can change the workflow there, and have any image signed by its name."""
    [step] = [step for step in read(ROOT / ".github" / "workflows" / "release.yml")["jobs"]["check"]["steps"]
              if step.get("id") == "check"]  # fmt: skip
    for name in ("git", "docker", "gh", "scripts/release.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f'#!/bin/sh\necho "{name} $*" >>"$CALLS"\n')
        (tmp_path / name).chmod(0o755)
    (tmp_path / "image.lock").write_text("image=ghcr.io/o/r@sha256:1\n")
    variables = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}", "CALLS": str(tmp_path / "calls"), "MAIN": "main", "TAG": "v1.2.3",
        "GH_TOKEN": "t", "GITHUB_ACTOR": "a", "GITHUB_REPOSITORY": "o/r", "GITHUB_OUTPUT": str(tmp_path / "output"),
    }  # fmt: skip
    subprocess.run(["/bin/bash", "-ec", step["run"]], env=variables, cwd=tmp_path, check=True)

    [verified] = [line for line in (tmp_path / "calls").read_text().splitlines() if line.startswith("gh ")]
    assert verified == (
        "gh attestation verify oci://ghcr.io/o/r@sha256:1 --repo o/r --signer-workflow "
        "o/r/.github/workflows/release-prepare.yml --source-ref refs/heads/main --deny-self-hosted-runners"
    )


def test_every_workflow_action_and_script_is_linted() -> None:
    """By make lint-action, which finds them by where they lie."""
    done = subprocess.run(
        [str(shutil.which("make")), "--dry-run", "lint-action"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    named = set(done.stdout.split())
    scripts = [path for folder in ("scripts", ".github", "tests/container") for path in (ROOT / folder).glob("*.sh")]
    started = [path for path in scripts if path.read_text().startswith("#!")]

    assert [str(path.relative_to(ROOT)) for path in (*ALL, *started) if str(path.relative_to(ROOT)) not in named] == []


GH = """#!/bin/sh
[ "$2" != list ] || { echo "$FOUND"; exit; }
echo "$*" >>"$CALLS"
"""


@pytest.mark.parametrize(
    ("result", "found", "call"),
    [
        ("failure", "", "issue create --title CI does not pass on the schedule --body The last run"),
        ("failure", "7", "issue edit 7 --body The last run that did not pass: https://github.com/acme/shop/actions/"),
        ("cancelled", "7", "issue edit 7 --body"),
        ("success", "7", "issue close 7 --reason completed --comment It has passed again: https://github.com/"),
        ("success", "", ""),
    ],
)
def test_our_own_schedule_keeps_one_issue(result: str, found: str, call: str, tmp_path: Path) -> None:
    """It is opened by the first run that does not pass, kept by the next ones, and closed by one that passes."""
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    (tmp_path / "calls").touch()
    variables = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}", "CALLS": str(tmp_path / "calls"), "FOUND": found, "RESULT": result,
        "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "acme/shop", "GITHUB_RUN_ID": "5",
        "GITHUB_RUN_ATTEMPT": "1",
    }  # fmt: skip
    subprocess.run([ROOT / ".github" / "scheduled.sh"], env=variables, check=True)

    calls = (tmp_path / "calls").read_text().splitlines()
    assert len(calls) == bool(call)
    assert all(line.startswith(call) for line in calls)
