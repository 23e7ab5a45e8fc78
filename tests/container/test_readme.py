"""The README's way from an empty folder to a red check, command by command as it stands there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.container.world import CACHE, DOWNLOAD, ROOT, SECONDS, UPLOAD, Forge, copy_action

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

README = (ROOT / "README.md").read_text(encoding="utf-8")
SECTION = README.split("### From an empty folder to a red check\n")[1].split("\n## ")[0]
[STEPS] = re.findall(r"^```yaml\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
COMMANDS = re.findall(r"^ {4}(\S.*)$", SECTION.replace(STEPS, ""), re.MULTILINE)
FIRST_SET = README.split("## Your first golden set\n")[1].split("\n## ")[0]
FILES = re.findall(r"^```\w+ (\S+)\n(.*?)^```$", FIRST_SET, re.MULTILINE | re.DOTALL)
SHORTENED = " Express delivery arrives the next morning."
WHO = {
    f"GIT_{role}_{name}": value
    for role in ("AUTHOR", "COMMITTER")
    for name, value in {"NAME": "t", "EMAIL": "t@example.org"}.items()
}


class Reader(NamedTuple):
    """Who types what the README says, in a folder; ``home`` has the settings of act."""

    folder: Path
    home: Path
    clone: Path

    def types(self, *commands: str) -> None:
        """Each of these succeeds."""
        for command in commands:
            done = self.runs(command)
            assert done.returncode == 0, f"{command}\n{done.stdout}"

    def runs(self, command: str) -> subprocess.CompletedProcess[str]:
        """What came of one command."""
        command = command.replace("PATH/TO/rag-assay", str(self.clone))
        return subprocess.run(
            [str(shutil.which("bash")), "-c", command], cwd=self.folder, check=False, timeout=SECONDS, text=True,
            env={**os.environ, **WHO, "HOME": str(self.home), "PIP_NO_CACHE_DIR": "1"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def writes_the_files(self) -> None:
        """The first golden set, and the workflow with the steps that the README shows."""
        workflow = (self.clone / "templates" / "workflows" / "rag-assay.yml").read_text()
        head = workflow.split("    steps:\n")[0]
        for name, text in (*FILES, (".github/workflows/rag-assay.yml", head + STEPS)):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text)


def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder."""
    command = [str(shutil.which("git")), *arguments]
    subprocess.run(command, cwd=folder, env={**os.environ, **WHO}, check=True, capture_output=True)


@pytest.fixture
def reader(forge: Forge) -> Reader:
    """A clone of this repository, an empty folder, and an act that has been told what it runs on."""
    clone, folder = copy_action(forge.folder / "rag-assay"), forge.folder / "shop"
    for name in ("pyproject.toml", "README.md", "LICENSE", "docs/messages.md"):
        (clone / name).parent.mkdir(exist_ok=True)
        (clone / name).write_bytes((ROOT / name).read_bytes())
    git(clone, "init", "--quiet")
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--message", "this version")
    folder.mkdir()
    settings = [
        "--platform ubuntu-latest=-self-hosted", "--pull=false", f"--env GITHUB_RUN_ID={forge.next_run}",
        f"--local-repository {UPLOAD}={forge.folder / 'upload'}",
        f"--local-repository {DOWNLOAD}={forge.folder / 'download'}",
        f"--local-repository {''.join(CACHE)}={forge.folder / 'cache'}",
    ]  # fmt: skip
    (forge.home / ".actrc").write_text("\n".join(settings))
    return Reader(folder, forge.home, clone)


def outcome(done: subprocess.CompletedProcess[str]) -> Sequence[object]:
    """How a run of the workflow ended: its code, and the two lines that the README names."""
    verdict = re.findall(r"│ (Failed: recall@3 fell in \w+|Passed: no regression in 8 cases)", done.stdout)
    return (done.returncode, verdict, re.findall(r"Job \w+$", done.stdout, re.MULTILINE))


def test_the_commands_end_red_and_an_unchanged_branch_green(reader: Reader) -> None:
    """Ten commands: the change fails for the reason that the README gives, and one that changes nothing passes."""
    assert len(COMMANDS) == 10
    reader.types(*COMMANDS[:3])
    reader.writes_the_files()
    reader.types(*COMMANDS[3:7])
    chunks = reader.folder / "eval" / "fixture" / "chunks.jsonl"
    assert SHORTENED in chunks.read_text()
    chunks.write_text(chunks.read_text().replace(SHORTENED, ""))
    reader.types(*COMMANDS[7:9])

    red = reader.runs(COMMANDS[9])
    reader.types("git switch main", "git switch -c same && git commit --allow-empty -m 'Nothing'")
    reader.types(COMMANDS[8].replace("feature", "same"))
    green = reader.runs(COMMANDS[9])

    for done in (red, green):
        # It is no stranger's, its baseline names its commit, and nobody is to be told.
        assert re.findall(r".*(?:stranger|names no commit|pull state|publish).*", done.stdout) == [], done.stdout
    assert outcome(red) == (1, ["Failed: recall@3 fell in shipping"], ["Job failed"]), red.stdout
    assert outcome(green) == (0, ["Passed: no regression in 8 cases"], ["Job succeeded"]), green.stdout
