"""Tier auto in a real repository: what changed since the first parent, and who asks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from evaluator import config, errors
from evaluator.cli import occasions

if TYPE_CHECKING:
    from pathlib import Path

YAML = "suite: s\ngolden: g.jsonl\nfixture: f\njudge: {provider: openai, model: m, when: [%s]}\n"
KEY = {"OPENAI_API_KEY": "k" * 20, "CI": "true"}


def git(folder: Path, *arguments: str) -> None:
    """Run git as nobody in particular."""
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)  # noqa: S607 - whichever git there is


def repository(folder: Path, *, before: str, after: str) -> Path:
    """Two commits, the second of which touches prompts/a.j2 and may say otherwise what auto looks at."""
    home = folder / "eval"
    (home / "prompts").mkdir(parents=True)
    git(folder, "init", "-q")
    for when, text in ((before, "1"), (after, "2")):
        (home / "rag-assay.yml").write_text(YAML % when)
        (home / "prompts" / "a.j2").write_text(text)
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", text)
    return home / "rag-assay.yml"


def tier(file: Path, environment: dict[str, str]) -> tuple[str, str]:
    """What auto is there."""
    return occasions.choose("auto", config.load_config(file), file, environment)


@pytest.mark.parametrize("glob", ["prompts/**", "eval/prompts/**"])
def test_a_changed_file_that_is_named_asks_for_the_judge(tmp_path: Path, glob: str) -> None:
    """A glob may be written from the configuration's folder or from the repository's root."""
    file = repository(tmp_path, before="", after=glob)
    assert tier(file, KEY)[0] == "full"


def test_a_change_cannot_take_itself_out_of_the_judges_sight(tmp_path: Path) -> None:
    """The globs of the first parent count too."""
    file = repository(tmp_path, before="prompts/**", after="docs/**")
    assert tier(file, KEY)[0] == "full"


def test_a_change_that_deletes_the_judge_is_a_mistake(tmp_path: Path) -> None:
    """It would be measured without one, and nobody would see it."""
    file = repository(tmp_path, before="prompts/**", after="prompts/**")
    file.write_text("suite: s\ngolden: g.jsonl\nfixture: f\n")
    with pytest.raises(errors.UsageError, match="the judge: section was removed"):
        tier(file, KEY)
    git(tmp_path, "commit", "-qam", "3")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "4")
    assert tier(file, KEY) == ("retrieval", "the configuration has no judge")


def test_a_run_in_ci_looks_for_a_judge_that_was_deleted(tmp_path: Path) -> None:
    """A configuration without one is not taken at its word there."""
    file = repository(tmp_path, before="prompts/**", after="prompts/**")
    file.write_text("suite: s\ngolden: g.jsonl\nfixture: f\n")
    command = [sys.executable, "-m", "evaluator", "run", "--config", str(file)]
    environment = {**os.environ, "CI": "true", "GITHUB_EVENT_NAME": "push"}
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, check=False, timeout=60, text=True
    )
    assert (done.returncode, "the judge: section was removed" in done.stderr) == (2, True)


def test_what_nobody_named_is_measured_without_a_judge(tmp_path: Path) -> None:
    """And so needs no key."""
    file = repository(tmp_path, before="docs/**", after="docs/**")
    assert tier(file, {"CI": "true"}) == ("retrieval", "no file changed that judge.when names")


def test_uncommitted_changes_count_on_a_laptop(tmp_path: Path) -> None:
    """What is run is what is in the folder."""
    file = repository(tmp_path, before="docs/**", after="docs/**")
    (file.parent / "docs").mkdir()
    (file.parent / "docs" / "b.md").write_text("b")
    git(tmp_path, "add", "-A")
    assert tier(file, KEY)[0] == "full"


def test_without_a_first_parent_ci_judges_and_a_laptop_does_not(tmp_path: Path) -> None:
    """A change that cannot be seen may be the one that matters; outside a repository is no mistake."""
    (tmp_path / "rag-assay.yml").write_text(YAML % "prompts/**")
    assert tier(tmp_path / "rag-assay.yml", KEY)[0] == "full"
    assert tier(tmp_path / "rag-assay.yml", {}) == ("retrieval", "it is not known which files changed")


def pull(folder: Path, *, head: int | None, actor: str = "ann", author: str = "ann") -> dict[str, str]:
    """The environment of a pull request; ``head`` is the id of its repository, ours is 1."""
    repo = None if head is None else {"id": head}
    event = {"pull_request": {"user": {"login": author}, "head": {"repo": repo}, "base": {"repo": {"id": 1}}}}
    (folder / "event.json").write_text(json.dumps(event))
    place = str(folder / "event.json")
    return {"CI": "true", "GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": place, "GITHUB_ACTOR": actor}


def test_a_strangers_pull_request_gets_tier_retrieval(tmp_path: Path) -> None:
    """A fork, a deleted fork, and Dependabot also when a person runs it again."""
    file = repository(tmp_path, before="", after="prompts/**")
    for arguments in ({"head": 2}, {"head": None}, {"head": 1, "author": "dependabot[bot]"}):
        assert tier(file, pull(tmp_path, **arguments)) == ("retrieval", "a pull request from elsewhere gets no key")
    with pytest.raises(errors.UsageError, match="OPENAI_API_KEY is not set"):
        tier(file, pull(tmp_path, head=1))


def test_an_unknown_provider_is_named(tmp_path: Path) -> None:
    """With the ones there are."""
    (tmp_path / "rag-assay.yml").write_text((YAML % "").replace("openai", "opnai"))
    with pytest.raises(errors.UsageError, match="'opnai' is none of"):
        tier(tmp_path / "rag-assay.yml", {})
