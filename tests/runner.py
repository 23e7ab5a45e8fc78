"""A machine on which the Action's scripts run, without a container."""

from __future__ import annotations

import os
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import yaml

from evaluator.model.decision import EXIT_CODES, Decision, Outcome
from evaluator.stores.values import write_value

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "scripts"
INPUTS: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
NONCE = "0123456789abcdef0123456789abcdef"


class Runner:
    """A machine on which the scripts run, and a repository on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repo = folder / "repo"
        self.repo.mkdir()
        (folder / "temporary").mkdir()
        defaults = {f"ASSAY_{name.upper().replace('-', '_')}": value["default"] for name, value in INPUTS.items()}
        self.environment = {
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": str(folder),
            "GITHUB_WORKSPACE": str(self.repo), "GITHUB_RUN_ID": "5",
            "GITHUB_RUN_ATTEMPT": "1", "GITHUB_WORKFLOW": "w", "GITHUB_JOB": "j", "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_OUTPUT": str(folder / "output"), "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            "RUNNER_TEMP": str(folder / "temporary"),
            "ASSAY_JOB_INDEX": "0", "ASSAY_PULL": "", "ASSAY_HEAD_SHA": "", "ASSAY_BASE_SHA": "", "ASSAY_BASE_REF": "",
            "ASSAY_HANDED_DIGEST": "", "ASSAY_HANDED_NONCE": "",
            "ASSAY_HANDED_FOLDER": str(folder / "temporary" / "handed"),
            "ASSAY_JUDGE_CACHE": str(folder / "temporary" / "judged"), "GITHUB_TOKEN": "ghs_very_secret",
            "GITHUB_EVENT_PATH": str(folder / "event.json"), "ASSAY_DEFAULT_BRANCH": "main",
            "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@e", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@e",
            **defaults,
        }  # fmt: skip
        (folder / "event.json").write_text("{}")
        self.git("init", "--quiet", "--initial-branch", "main")
        self.commit("start")

    def git(self, *arguments: str, folder: Path | None = None) -> str:
        """Run git."""
        return self._run(["git", *arguments], folder or self.repo)

    def commit(self, name: str, *, files: dict[str, str] | None = None) -> str:
        """Commit a change; its name."""
        for path, text in (files or {f"{name}.txt": name}).items():
            (self.repo / path).parent.mkdir(parents=True, exist_ok=True)
            (self.repo / path).write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", name)
        return self.git("rev-parse", "HEAD")

    def shell(self, commands: str, folder: Path | None = None, **variables: str) -> str:
        """Run commands after all functions of run.sh were read, as it would call them; what they print."""
        script = f"set -euo pipefail; source {SCRIPTS}/run.sh; cd {folder or self.repo}; {commands}"
        return self.bash(script, **variables)

    def bash(self, script: str, **variables: str) -> str:
        """Run a script."""
        return self._run(["bash", "-c", script], self.repo, variables)

    def attempt(self, commands: str, **variables: str) -> str:
        """Run commands within an attempt."""
        return self.shell(f"prepare_attempt; {commands}; trap - EXIT", **variables)

    def docker(self, script: str) -> None:
        """Put a stand-in for docker onto the machine: what it does, in this shell."""
        file = self.folder / "bin" / "docker"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    @property
    def outputs(self) -> dict[str, str]:
        """The outputs of the step; the last one of a name counts."""
        return dict(line.split("=", 1) for line in (self.folder / "output").read_text().splitlines())

    @property
    def summary(self) -> str:
        """The step summary."""
        return (self.folder / "summary").read_text()

    def _run(self, command: list[str], folder: Path, variables: dict[str, str] | None = None) -> str:
        environment = self.environment | (variables or {})
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
        return done.stdout.strip()


def gate(folder: Path, nonce: str | None = NONCE, outcome: Outcome = "passed", **variables: str) -> int:
    """The exit code of the last step after a decision."""
    decision = Decision(
        outcome=outcome, exit_code=EXIT_CODES[outcome], reasons=(), rules=(), cases=(), accepted=False, nonce=nonce
    )
    write_value(folder / "decision.json", decision)
    return last_step(folder, **variables)


def last_step(folder: Path, **variables: str) -> int:
    environment = {
        "PATH": os.environ["PATH"], "ASSAY_ZONES": "passed", "ASSAY_NONCE": NONCE, "ASSAY_REPORT": str(folder),
        "ASSAY_EXIT_CODE": "0", "ASSAY_FAIL_ON": "inconclusive", "ASSAY_PHASE": "all", **variables,
    }  # fmt: skip
    return subprocess.run([SCRIPTS / "gate.sh"], env=environment, capture_output=True, check=False).returncode


def names_in(stream: Path) -> set[str]:
    """The names in a tar stream."""
    with tarfile.open(stream) as tar:
        return set(tar.getnames())
