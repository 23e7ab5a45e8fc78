"""A forge on this machine: a repository, pull requests to it, and a runner that does what the workflow says."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.fakes.github.shapes import Shapes
from tests.fakes.github.world import Commit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.fakes.github.server import GitHub

ROOT = Path(__file__).parents[2]
PUBLISHED = (
    "action.yml", "baseline", "untrusted", "ghes", "image.lock", "Dockerfile", ".dockerignore",
    "requirements-image.txt", "scripts", "evaluator", "templates", "examples/handbook",
)  # fmt: skip
ACTION = "rag-assay/rag-assay@v0.1.0"
KEEPING = "rag-assay/rag-assay/baseline@v0.1.0"
UPLOAD = re.findall(r"uses: (actions/upload-artifact@\w+)", (ROOT / "action.yml").read_text())[0]
CACHE = re.findall(r"uses: (actions/cache)/restore(@\w+)", (ROOT / "action.yml").read_text())[0]
DOWNLOAD = re.findall(r"uses: (actions/download-artifact@\w+)", (ROOT / "action.yml").read_text())[0]
CHECKOUT = re.findall(r"uses: (actions/checkout@\w+)", (ROOT / "templates/workflows/rag-assay.yml").read_text())[0]
SECONDS = 300

STAND_IN = """
const fs = require("fs"), path = require("path");
const to = path.join(process.env.ARTIFACTS, process.env.INPUT_NAME);
if (fs.existsSync(to)) throw new Error("409: there is an artifact of that name");
fs.cpSync(process.env.INPUT_PATH, to, {recursive: true});
"""
"""Takes the place of the action that uploads: hands the folder to the test."""

RESTORES = """
const fs = require("fs"), path = require("path");
const kept = fs.existsSync(process.env.KEPT) ? fs.readdirSync(process.env.KEPT) : [];
const made = (name) => fs.statSync(path.join(process.env.KEPT, name)).mtimeMs;
const prefixes = process.env["INPUT_RESTORE-KEYS"].trim().split(/\\s*\\n\\s*/);
const found = prefixes.map((prefix) => kept.filter((name) => name.startsWith(prefix)));
const fitting = found.find((names) => names.length) || [];
fitting.sort((one, other) => made(other) - made(one));
if (fitting.length) fs.cpSync(path.join(process.env.KEPT, fitting[0]), process.env.INPUT_PATH, {recursive: true});
"""
SAVES = """
const fs = require("fs"), path = require("path");
fs.cpSync(process.env.INPUT_PATH, path.join(process.env.KEPT, process.env.INPUT_KEY), {recursive: true});
"""
"""Take the place of the actions that restore and save a cache: a folder has a folder for each key."""

TAKES = """
const fs = require("fs"), path = require("path");
fs.cpSync(path.join(process.env.ARTIFACTS, process.env.INPUT_NAME), process.env.INPUT_PATH, {recursive: true});
"""
"""Takes the place of the action that downloads what a job before uploaded."""

LINE = re.compile(r"^\[[^\]]*\] +(?:\S+ +)?", re.MULTILINE)
OUTPUT = re.compile(r"::set-output:: ([a-z-]+)=(.*)$", re.MULTILINE)
SUMMARY = re.compile(r"Summary - (.*?)(?=^\[)", re.MULTILINE | re.DOTALL)


def copy_action(folder: Path) -> Path:
    """The files the Action consists of, and nothing else that lies about in this repository."""
    for name in PUBLISHED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target)
    return folder


def address() -> str:
    """An address of this machine that its containers reach, too."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # Nothing is sent: this only says by which address the machine would go out.
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])


def docker(*arguments: str) -> str:
    """What docker says."""
    return subprocess.run(
        [str(shutil.which("docker")), *arguments], capture_output=True, text=True, check=True
    ).stdout.strip()


def wait_for(found: Callable[[], Any]) -> Any:
    """Ask until there is an answer; what is waited for is done by another process."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if answer := found():
            return answer
        time.sleep(0.05)
    raise TimeoutError


@dataclass(frozen=True)
class Result:
    """What came of one run of the workflow."""

    passed: bool
    log: str
    artifacts: Mapping[str, Path]

    @property
    def outputs(self) -> dict[str, str]:
        """The outputs of the action."""
        return dict(OUTPUT.findall(self.log))

    @property
    def code(self) -> int:
        """The exit code, as the action gives it."""
        return int(self.outputs["exit-code"])

    @property
    def summary(self) -> str:
        """The step summary."""
        return "".join(SUMMARY.findall(self.log))

    @property
    def artifact(self) -> Path:
        """The only artifact but the one that later runs are compared with."""
        (folder,) = [folder for name, folder in self.artifacts.items() if not name.startswith("rag-assay-baseline-")]
        return folder

    def answers(self) -> dict[str, Any]:
        """What the pipeline answered, by case; its answers are JSON."""
        records = [json.loads(line) for line in (self.artifact / "records.jsonl").read_text().splitlines()]
        return {record["id"]: json.loads(record["answer"]) for record in records if record["answer"]}

    def everything(self) -> str:
        """All that left the run: log with outputs and summary, and artifacts."""
        files = [path for folder in self.artifacts.values() for path in folder.rglob("*") if path.is_file()]
        return "\n".join([self.log, *(path.read_text() for path in files)])


@dataclass
class Forge:
    """One repository and its runner.

    Attributes:
        inputs: what the workflow gives the action.
        environment: variables of the action's step.
        before: shell commands of a step before the action; it sees the secrets as variables.
        runner: variables of the runner itself.
        secrets: the repository's secrets.
        head_repository: the id of the repository that pull requests come from; ours is 1.
        opened: what is otherwise than usual of the pull request that is opened on ``github``.
        github: where runs publish; None for no such place.
        api: the address of GitHub's API; without one and a token nothing is asked.
        before_run: called when all is committed that a run is of.
        also: what further steps of the job give the action.
        jobs: what a workflow with a job for each level of trust is called with, in place of all this.
    """

    folder: Path
    action: Path
    inputs: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    before: str = "true"
    runner: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    head_repository: int = 1
    opened: dict[str, Any] = field(default_factory=dict)
    github: GitHub | None = None
    api: str = ""
    before_run: Callable[[], None] = field(default=lambda: None)
    also: list[dict[str, str]] = field(default_factory=list)
    jobs: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        self.repo, self.home = (self.folder / name for name in ("repo", "home"))
        for folder in (self.repo, self.home):
            folder.mkdir()
        self.git("init", "--quiet", "--initial-branch", "main")
        self._stand_in("upload", STAND_IN, "name", "path", "retention-days", "if-no-files-found")
        self._stand_in("cache/restore", RESTORES, "path", "key", "restore-keys")
        self._stand_in("cache/save", SAVES, "path", "key")
        self._stand_in("download", TAKES, "name", "path")
        # As on GitHub no two repositories have a run of one number: what runs leave is told apart by it.
        self._first_run, self._runs, self._group_base = 10**9 + secrets.randbelow(10**9), 0, ""

    def _stand_in(self, place: str, script: str, *inputs: str) -> None:
        """An action that does what another one's name says."""
        folder = self.folder / place
        folder.mkdir(parents=True)
        runs = {"using": "node20", "main": "main.js"}
        action = {"name": place, "inputs": {name: {"required": False} for name in inputs}, "runs": runs}
        (folder / "action.yml").write_text(json.dumps(action))
        (folder / "main.js").write_text(script)

    def git(self, *arguments: str) -> str:
        """Run git in the repository."""
        git = [str(shutil.which("git")), "-c", "user.name=t", "-c", "user.email=t@example.org"]
        done = subprocess.run([*git, *arguments], cwd=self.repo, capture_output=True, check=True)
        return done.stdout.decode(errors="replace").strip()

    def commit(self, files: Mapping[str, str], branch: str | None = None) -> str:
        """Commit these files, on a new branch where one is named; the commit."""
        if branch is not None:
            self.git("switch", "--quiet", "--create", branch)
        for name, content in files.items():
            path = self.repo / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", branch or "main")
        return self.git("rev-parse", "HEAD")

    def accept(self, config: str = "rag-assay.yml", baseline: str = "baseline.json") -> None:
        """Run the suite as it stands and commit the run as the baseline, as a person would."""
        out = self.folder / "accepted"
        command = [sys.executable, "-m", "evaluator", "run", "--config", config, "--out", str(out)]
        # A person's machine has no CI, by which a run would ask for the judge.
        environment = {name: value for name, value in os.environ.items() if name != "CI"}
        environment["PYTHONPATH"] = str(self.action)
        subprocess.run(command, cwd=self.repo, env=environment, capture_output=True, check=True)
        self.commit({baseline: (out / "run.json").read_text()})

    def pull_request(self, meanwhile: Callable[[], None] = lambda: None) -> Result:
        """Open a pull request from what is checked out, and let the workflow run on it."""
        return self._run("pull_request", meanwhile)

    def push(self) -> Result:
        """Push what is checked out, and let the workflow run on it."""
        return self._run("push", lambda: None)

    def merge_group(self, base: str) -> Result:
        """Have a merge queue ask about what is checked out, which is merged into ``base``."""
        self._group_base = base
        return self._run("merge_group", lambda: None)

    def schedule(self) -> Result:
        """Let the workflow run at its time, on what is checked out."""
        return self._run("schedule", lambda: None)

    def dispatch(self) -> Result:
        """Have a person start the workflow on what is checked out."""
        return self._run("workflow_dispatch", lambda: None)

    def follow(self, payload: Mapping[str, Any]) -> Result:
        """Let the workflow run on the main branch that waits for the end of another one's run."""
        self.git("switch", "--quiet", "main")
        return self._act("workflow_run", payload, lambda: None)

    @property
    def next_run(self) -> int:
        """The number that the next run will have."""
        return self._first_run * 1000 + self._runs + 1

    def container_of(self, zone: str) -> str:
        """The running container of a zone, once there is one."""
        return str(wait_for(lambda: next((name for name in self._ours("ps") if name.endswith(f"-{zone}")), "")))

    def left(self) -> list[str]:
        """Containers, volumes and networks of this repository's runs; others may run on this machine."""
        return [*self._ours("ps", "--all"), *self._ours("volume", "ls"), *self._ours("network", "ls")]

    def _ours(self, *listing: str) -> list[str]:
        column = "{{.Names}}" if listing[0] == "ps" else "{{.Name}}"
        names = docker(*listing, "--filter", "label=rag-assay.step", "--format", column).split()
        return [name for name in names if name.startswith(f"rag-assay-{self._first_run}")]

    def maintain(self, event: str, **inputs: str) -> Result:
        """Let the workflow that copies and accepts baselines run on what is checked out."""
        return self._run(event, lambda: None, [{"uses": KEEPING, "with": inputs}])

    def _run(
        self, name: str, meanwhile: Callable[[], None], steps: Sequence[Mapping[str, Any]] | None = None
    ) -> Result:  # fmt: skip
        workflow = self._workflow(self._steps() if steps is None else steps)
        self.commit({".github/workflows/rag.yml": json.dumps(workflow)})
        self.before_run()
        return self._act(name, self._event(name), meanwhile)

    def _act(self, name: str, payload: Mapping[str, Any], meanwhile: Callable[[], None]) -> Result:
        run, self._runs = self.next_run, self._runs + 1
        place = self.folder / f"run-{self._runs}"
        (place / "artifacts").mkdir(parents=True)
        (place / "event.json").write_text(json.dumps(payload))
        with (place / "log").open("wb") as log:
            running = subprocess.Popen(
                self._command(name, run, place), cwd=self.repo, stdout=log, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, env={**os.environ, "HOME": str(self.home), **self.runner},
            )  # fmt: skip
            try:
                meanwhile()
                code = running.wait(SECONDS)
            finally:
                running.kill()
                running.wait()
        artifacts = {folder.name: folder for folder in (place / "artifacts").iterdir()}
        return Result(code == 0, (place / "log").read_text(errors="replace"), artifacts)

    def _steps(self) -> list[dict[str, Any]]:
        steps: list[dict[str, Any]] = [
            {"run": self.before, "env": {name: f"${{{{ secrets.{name} }}}}" for name in self.secrets}},
        ]
        # Else every test would look for GitHub itself.
        quiet = {"comment": "off", "status": "false", "github-token": ""} if self.github is None else {}
        for inputs in ({}, *self.also):
            given = {**quiet, **self.inputs, **inputs}
            anyway = {"if": "${{ !cancelled() }}"} if inputs else {}
            steps.append({"uses": ACTION, "with": given, "env": self.environment, **anyway})
        return steps

    def _workflow(self, of_ours: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        checkout = {"uses": CHECKOUT, "with": {"fetch-depth": 0, "persist-credentials": False}}
        steps = [checkout, *of_ours]
        job: dict[str, Any] = {"runs-on": "ubuntu-latest", "permissions": {"contents": "read"}, "steps": steps}
        if self.jobs is not None:
            copy = self.repo / ".github" / "workflows" / "jobs.yml"
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / ".github" / "workflows" / "rag-assay-jobs.yml", copy)
            job = {"uses": "./.github/workflows/jobs.yml", "with": self.jobs, "secrets": "inherit"}
        events = ["pull_request", "push", "merge_group", "schedule", "workflow_dispatch"]
        return {"name": "RAG", "on": events, "permissions": {}, "jobs": {"rag": job}}

    def _event(self, name: str) -> dict[str, Any]:
        repository = {"id": 1, "full_name": "o/r", "default_branch": "main"}
        if name == "merge_group":
            group = {
                "head_sha": self.git("rev-parse", "HEAD"), "base_sha": self._group_base, "base_ref": "refs/heads/main",
                "head_ref": f"refs/heads/{self.git('branch', '--show-current')}",
            }  # fmt: skip
            return {"action": "checks_requested", "merge_group": group, "repository": repository}
        if name != "pull_request":
            return {"repository": repository}
        head = {
            "sha": self.git("rev-parse", "HEAD"), "ref": "change",
            "repo": {"id": self.head_repository, "full_name": "o/r"},
        }  # fmt: skip
        base = {"sha": self.git("rev-parse", "main"), "ref": "main", "repo": {"id": 1, "full_name": "o/r"}}
        if self.github is not None:
            return self._event_of(self.github, head["sha"], base["sha"])
        pull_request = {"number": 7, "state": "open", "head": head, "base": base, "user": {"login": "ann"}}
        return {"number": 7, "pull_request": pull_request, "repository": repository}

    def _event_of(self, github: GitHub, head: str, base: str) -> dict[str, Any]:
        """What GitHub says of the pull request, of which there is one; it has our commits by then."""
        world, shapes = github.world, Shapes(github.world, github.api, github.web)
        for sha, parents in ((base, ()), (head, (base,))):
            names = self.git("ls-tree", "-r", "--name-only", sha).splitlines()
            files = {name: self.git("show", f"{sha}:{name}").encode() for name in names}
            world.commits[sha] = Commit(sha, parents, "a change", world.clock(), files)
        world.branches |= {"main": base, "change": head}
        if not world.pulls:
            world.add_pull(head, "change", **self.opened)
        (pull,) = world.pulls.values()
        pull.head_sha, pull.base_sha = head, base
        return {
            "action": "synchronize", "number": pull.number, "pull_request": shapes.pull(pull, full=True),
            "repository": shapes.repo(world.repo, full=True),
        }  # fmt: skip

    def _command(self, name: str, run: int, place: Path) -> list[str]:
        return [
            "act", name, "--platform", "ubuntu-latest=-self-hosted", "--pull=false",
            "--eventpath", str(place / "event.json"), "--env", "GITHUB_REPOSITORY=o/r",
            "--env", f"ARTIFACTS={place / 'artifacts'}",
            "--env", f"KEPT={self.folder / 'kept'}", "--local-repository", f"{''.join(CACHE)}={self.folder / 'cache'}",
            "--env", f"GITHUB_RUN_ID={run}",
            *(("--env", f"GITHUB_API_URL={api}") if (api := self.github.api if self.github else self.api) else ()),
            *(argument for name, value in self.secrets.items() for argument in ("--secret", f"{name}={value}")),
            "--local-repository", f"{UPLOAD}={self.folder / 'upload'}",
            "--local-repository", f"{DOWNLOAD}={self.folder / 'download'}",
            "--local-repository", f"{ACTION}={self.action}",
        ]  # fmt: skip


def suite(forge: Forge, pipeline: str, questions: int = 3, **settings: Any) -> None:
    """A small suite of a Python pipeline, on the main branch; ``settings`` are keys of ``pipeline``."""
    kind = {"kind": "python", "python": {"target": "app:answer"}, **settings}
    config = {"suite": "small", "golden": "eval/golden.jsonl", "pipeline": kind}
    cases = [
        {"id": f"q{number}", "question": f"What is {number}?", "relevant": ["c1"], "reference": "label-reference"}
        for number in range(questions)
    ]
    golden = "".join(f"{json.dumps(case)}\n" for case in cases)
    forge.commit({"rag-assay.yml": json.dumps(config), "eval/golden.jsonl": golden, "app.py": pipeline})


def stand_in_for_docker(folder: Path, zone: str, command: str, *, after: bool = False) -> str:
    """A PATH whose docker does something else for one zone: in its place, or with what comes out of it."""
    real = shutil.which("docker")
    (folder / "bin").mkdir(parents=True)
    instead = f'"{real}" "$@" | {command}' if after else command
    script = f'#!/bin/sh\ncase " $* " in\n*" action {zone} "*) {instead};;\n*) exec "{real}" "$@";;\nesac\n'
    (folder / "bin" / "docker").write_text(script)
    (folder / "bin" / "docker").chmod(0o755)
    return f"{folder / 'bin'}:{os.environ['PATH']}"
