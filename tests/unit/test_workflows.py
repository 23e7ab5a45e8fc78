"""The workflows to copy, by what GitHub would make of them: which runs wait for which, and which are cancelled."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / "templates" / "workflows").glob("*.yml"))
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


def steps_of_ours() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Every job to copy or to call that has a step of ours, and the step; examples in texts too."""
    texts = {path.name: path.read_text() for path in (*WORKFLOWS, ROOT / ".github/workflows/rag-assay-jobs.yml")}
    for document in (ROOT / "README.md", ROOT / "docs" / "action.md"):
        shown = re.findall(r"^```yaml\n(.*?)^```$", document.read_text(), re.MULTILINE | re.DOTALL)
        texts |= {f"{document.name}-{place}": text for place, text in enumerate(shown)}
    for name, text in texts.items():
        found = yaml.safe_load(text)
        for job in found.get("jobs", {}).values() if isinstance(found, dict) else ():
            for step in job.get("steps", ()):
                if step.get("uses", "").startswith("rag-assay/rag-assay"):
                    yield name, job, step


def defaults(*names: str) -> list[int]:
    """The defaults of inputs that are numbers."""
    inputs = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    return [int(inputs[name]["default"]) for name in names]


def test_a_deadline_is_over_before_the_job_is_cancelled() -> None:
    """What was answered and judged by then is reported; of a job that GitHub ends nobody sees a report."""
    collecting, judging = defaults("collect-timeout", "judge-timeout")
    checked = set()
    for name, job, step in steps_of_ours():
        given, is_whole = step.get("with", {}), step["uses"].startswith("rag-assay/rag-assay@")
        collects = is_whole and given.get("phase", "all") in {"all", "collect"}
        judges = "judge-key-env" in given and given.get("phase") != "collect"
        checked.add(name)
        assert job["timeout-minutes"] * 60 > collecting * collects + judging * judges, name

    assert {"README.md-0", "action.md-0", "rag-assay-jobs.yml"} < checked


def test_whoever_looks_for_a_baseline_may() -> None:
    """The list of artifacts of a private repository takes a permission, without which the baseline counts as lost."""
    looking = [
        (name, job)
        for name, job, step in steps_of_ours()
        if step.get("with", {}).get("phase", "all") in {"all", "score"} and "== 'requested'" not in job.get("if", "")
    ]

    assert [name for name, job in looking if job["permissions"].get("actions") != "read"] == []
    assert {"README.md-0", "action.md-0"} < {name for name, _ in looking}


def test_what_the_texts_show_is_the_file_to_copy() -> None:
    """The README's workflow measures what the file does; the caller of jobs runs when the file does."""
    copied = yaml.safe_load((ROOT / "templates" / "workflows" / "rag-assay.yml").read_text())
    readme, document = ((ROOT / name).read_text() for name in ("README.md", "docs/action.md"))
    shown = yaml.safe_load(readme.split("```yaml\n")[1].split("```")[0])
    [calls] = [yaml.safe_load(each) for each in re.findall(r"```yaml\n(name: .*?)```", document, re.DOTALL)]
    copied["jobs"]["rag-assay"].pop("name")

    assert shown == copied
    assert {**copied, "jobs": ""} == {**calls, "jobs": ""}


def test_a_pull_request_is_measured_anew_when_its_base_is_changed() -> None:
    """What it came to against the old base would stay on its head otherwise."""
    asked = [path for path in WORKFLOWS if "pull_request" in triggers(path)]

    assert len(asked) == 4
    for path in asked:
        [types] = re.findall(r"^  pull_request:\n    types: \[(.*?)\]", path.read_text(), re.MULTILINE)
        assert types == "opened, synchronize, reopened, edited", path.name
