"""The workflows to copy, by what GitHub would make of them: which runs wait for which, and which are cancelled."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

WORKFLOWS = sorted((Path(__file__).parents[2] / "templates" / "workflows").glob("*.yml"))
ALONE = {"merge_group", "push", "schedule", "workflow_dispatch"}


def rendered(text: str, context: dict[str, str]) -> str:
    """A text with its expressions worked out: names, ``a || b`` and ``a == 'text'`` are all there are."""

    def value(expression: str) -> str:
        left, equal, right = expression.partition(" == ")
        if equal:
            return str(context[left.strip()] == right.strip().strip("'")).lower()
        return next((found for name in expression.split("||") if (found := context[name.strip()])), "")

    return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: value(found[1]), text)


def run(path: Path, event: str, number: int, pull: str = "") -> dict[str, str]:
    """What GitHub says of a run of a workflow."""
    ref = f"refs/pull/{pull}/merge" if pull else "refs/heads/main"
    return {
        "github.workflow": "RAG Assay", "github.workflow_ref": f"o/r/{path.name}@{ref}", "github.event_name": event,
        "github.ref": ref, "github.run_id": str(number), "github.event.pull_request.number": pull,
    }  # fmt: skip


def concurrency(path: Path, context: dict[str, str]) -> tuple[str, bool]:
    """The group of a run, and whether it ends the one that is at work in there."""
    said: dict[str, Any] = yaml.safe_load(path.read_text())["concurrency"]
    return rendered(said["group"], context), rendered(str(said["cancel-in-progress"]), context).lower() == "true"


def triggers(path: Path) -> set[str]:
    """The events of a workflow; YAML reads ``on`` as true."""
    return set(yaml.safe_load(path.read_text())[True])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_only_runs_of_one_pull_request_replace_each_other(path: Path) -> None:
    """Two of a group are one too many even if none is cancelled: a third would take the place of the one that waits.

    So pushes (whose baselines would be missing), groups of a merge queue, nights and what people start are alone.
    """
    for event in triggers(path) & ALONE:
        groups = [concurrency(path, run(path, event, number))[0] for number in (1, 2, 3)]
        assert len(set(groups)) == len(groups), event
    if "pull_request" in triggers(path):
        first, again, other = (
            concurrency(path, run(path, "pull_request", number, pull))
            for number, pull in ((1, "7"), (2, "7"), (3, "8"))
        )
        assert first == again == (first[0], True)
        assert other[0] != first[0]


def test_workflows_of_one_name_do_not_end_each_other() -> None:
    """A group's name is the whole repository's; two files to copy are both called RAG Assay."""
    for one, other in itertools.permutations([path for path in WORKFLOWS if "pull_request" in triggers(path)], 2):
        context = (run(one, "pull_request", 1, "7"), run(other, "pull_request", 2, "7"))
        assert concurrency(one, context[0])[0] != concurrency(other, context[1])[0]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_run_always_comes(path: Path) -> None:
    """A required status whose run was filtered away would wait for ever, and so would a merge queue without one."""
    said = yaml.safe_load(path.read_text())
    filters = {name for settings in said[True].values() if isinstance(settings, dict) for name in settings}

    assert filters & {"paths", "paths-ignore", "branches-ignore"} == set()
    assert ("pull_request" in triggers(path)) == ("merge_group" in triggers(path))
