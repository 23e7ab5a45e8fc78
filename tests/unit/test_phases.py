"""A run in several jobs: who decides, and what of one job is taken by the next."""

from __future__ import annotations

import hashlib
import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import documents
from tests.runner import NONCE, Runner, gate, last_step

ROOT = Path(__file__).parents[2]
WORKFLOW: dict[Any, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / "rag-assay-jobs.yml").read_text())
JOBS: dict[str, Any] = WORKFLOW["jobs"]


def step(job: str) -> dict[str, Any]:
    """The step of a job that is ours."""
    return dict(JOBS[job]["steps"][-1])


@pytest.mark.parametrize(("outcome", "code"), [("passed", 0), ("failed", 1), ("inconclusive", 3)])
def test_the_last_job_ends_with_the_decision(tmp_path: Path, outcome: Any, code: int) -> None:
    """The one before it is green whatever was decided, for it has nobody told yet."""
    assert gate(tmp_path, outcome=outcome, ASSAY_PHASE="publish") == code
    assert gate(tmp_path, outcome=outcome, ASSAY_PHASE="score") == 0


@pytest.mark.parametrize("phase", ["begin", "collect", "score", "publish", "all", "nonsense", ""])
def test_no_phase_is_green_whose_zones_did_not_end_well(tmp_path: Path, phase: str) -> None:
    """Nor one that there is not, nor a decision of another attempt."""
    assert last_step(tmp_path, ASSAY_PHASE=phase, ASSAY_ZONES="") == 4
    assert last_step(tmp_path, ASSAY_PHASE=phase, ASSAY_ZONES="", ASSAY_EXIT_CODE="2") == 2
    if phase not in {"begin", "collect"}:
        assert gate(tmp_path, "f" * 32, ASSAY_PHASE=phase) == 4


def test_what_is_handed_over_is_taken_as_it_was(runner: Runner) -> None:
    """By its digest, which the job that made it says; the next one finds one file and removes it."""
    (runner.folder / "stream").write_text("answers")

    runner.attempt(f"hand_over answers {runner.folder}/stream", ASSAY_PHASE="collect")
    said = json.loads(runner.outputs["handed"])

    folder = Path(runner.outputs["handed-folder"])
    assert (said["name"], [path.name for path in folder.iterdir()]) == (runner.outputs["handed-name"], ["handed.tar"])
    assert said["sha256"] == hashlib.sha256(b"answers").hexdigest()
    folder.rename(runner.folder / "temporary" / "handed")
    runner.attempt(f"take_handed {runner.folder}/taken", ASSAY_PHASE="score", ASSAY_HANDED_DIGEST=said["sha256"])
    assert (runner.folder / "taken").read_text() == "answers"
    assert not (runner.folder / "temporary" / "handed").exists()


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("other", "is not what the job before named"),
        ("link", "is not there"),
        ("folder", "is not there"),
        ("nothing", "is not there"),
    ],
)
def test_nothing_else_is_taken(runner: Runner, kind: str, says: str) -> None:
    """Another file, a link to one of the machine, no file: no verdict."""
    folder = runner.folder / "temporary" / "handed"
    (runner.folder / "secret").write_text("answers")
    if kind != "nothing":
        folder.mkdir()
    if kind == "link":
        (folder / "handed.tar").symlink_to(runner.folder / "secret")
    elif kind == "folder":
        (folder / "handed.tar").mkdir()
    elif kind == "other":
        (folder / "handed.tar").write_text("others")

    wanted = hashlib.sha256(b"answers").hexdigest()
    runner.attempt(f"take_handed {runner.folder}/taken", ASSAY_PHASE="score", ASSAY_HANDED_DIGEST=wanted)

    assert runner.outputs["exit-code"] == "4"
    assert says in runner.summary


def test_a_verdict_that_never_came_is_told_as_an_error(runner: Runner) -> None:
    """The job that has the token is there whatever became of the others."""
    said = runner.attempt(
        'tell() { echo told "$@"; }; publish_phase', ASSAY_PHASE="publish", ASSAY_COMMENT="always"
    )  # fmt: skip

    assert "told publish -- --failure a job before this one ended without a verdict: its log says why" in said
    assert (runner.outputs["exit-code"], "zones" in runner.outputs) == ("4", False)


def test_phases_of_one_run_are_one_job_to_who_is_told(runner: Runner) -> None:
    """Else the one that says "pending" would be a rival of the one that says "success", and the worse stays."""
    legs = {
        (phase, job): runner.attempt(
            'echo "$leg"', ASSAY_PHASE=phase, GITHUB_JOB=job, ASSAY_VARIANT=variant, ASSAY_CALL=call
        )
        for phase, job, variant, call in (
            ("begin", "a", "x", "{}"), ("publish", "b", "x", "{}"), ("publish", "c", "y", "{}"),
            # Legs of a matrix that calls the workflow, without a variant: the worse of them stays.
            ("publish", "d", "x", '{"python": "3.13"}'),
        )
    }  # fmt: skip

    assert legs["begin", "a"] == legs["publish", "b"]
    assert len(set(legs.values())) == 3


def test_the_files_of_a_verdict_are_taken_by_their_names(runner: Runner) -> None:
    """And the decision is held to the nonce that came with them."""
    folder = runner.folder / "temporary" / "handed"
    folder.mkdir()
    with tarfile.open(folder / "handed.tar", "w") as tar:
        for name in ("comment.md", "decision.json", "publication.json", "suite", "evil.sh"):
            (runner.folder / name).write_text(name)
            tar.add(runner.folder / name, arcname=name)
    sum_ = hashlib.sha256((folder / "handed.tar").read_bytes()).hexdigest()

    said = runner.attempt(
        'tell() { echo told "$@" of "$suite_name"; }; publish_phase',
        ASSAY_PHASE="publish", ASSAY_HANDED="{}", ASSAY_HANDED_DIGEST=sum_, ASSAY_HANDED_NONCE=NONCE,
    )  # fmt: skip

    assert said.endswith(f"told publish comment.md decision.json publication.json -- --nonce {NONCE} of suite")
    assert runner.outputs["nonce"] == NONCE
    assert sorted(path.name for path in (runner.repo / "rag-assay-report").iterdir()) == ["comment.md", "decision.json"]


def test_a_verdict_that_could_not_be_taken_is_no_outcome() -> None:
    """Whoever goes on by the workflow's output is told of the error, and not of what the job before had decided."""
    outputs = JOBS["publish"]["outputs"]

    assert step("publish")["id"] == "phase"
    assert outputs == {"outcome": "${{ steps.phase.outputs.outcome || needs.score.outputs.outcome }}"}


def test_every_network_can_be_asked_for() -> None:
    """By egress nothing is reached without its hosts."""
    assert step("collect")["with"]["egress-hosts"] == "${{ inputs.egress-hosts }}"


def test_each_job_has_what_it_needs_and_no_more() -> None:
    """User's code beside neither the judge's key nor a token; the token that writes beside nothing of these."""
    given = {job: JOBS[job].get("permissions") for job in JOBS}

    assert {step(job)["with"]["phase"] for job in JOBS} == set(JOBS) == {"begin", "collect", "score", "publish"}
    # What publishes has what the caller grants: if it asked for checks, no workflow could start that does not.
    assert given == {
        "begin": {"contents": "read", "statuses": "write"}, "collect": {"contents": "read"},
        "score": {"contents": "read", "actions": "read"}, "publish": None,
    }  # fmt: skip
    assert "permissions" not in WORKFLOW
    assert step("collect")["with"]["github-token"] == ""
    assert {job: sorted(step(job).get("env", {})) for job in JOBS} == {
        "begin": ["ASSAY_CALL"], "collect": ["PIPELINE_KEY"], "score": ["JUDGE_KEY"], "publish": ["ASSAY_CALL"],
    }  # fmt: skip
    assert step("begin")["env"] == step("publish")["env"] == {"ASSAY_CALL": "${{ toJSON(inputs) }}"}
    assert JOBS["score"]["needs"] == "collect"
    assert JOBS["publish"]["if"] == "${{ always() }}"
    shared = ("config", "variant")
    assert all(len({json.dumps(step(job)["with"][name]) for job in JOBS}) == 1 for name in shared)


NOT_OF_JOBS = {
    "include": "no job has anything that git does not track",
    "pipeline-env": "pipeline-key, for a workflow has to name its secrets",
    "judge-key-env": "judge, for the same reason",
    "out": "nobody sees the folder of a job that has ended",
    "github-token": "each job has the token of its own permissions",
    "phase": "each job is one",
    "handed": "what the jobs give each other",
}
"""Inputs of the action that the workflow does not take, and why."""


def test_the_workflow_takes_what_the_action_does() -> None:
    """By the same names and with the same defaults, but for what jobs cannot have."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    taken = WORKFLOW[True]["workflow_call"]["inputs"]

    assert set(action) - set(taken) == set(NOT_OF_JOBS)
    assert set(taken) - set(action) == {"pipeline-key", "judge"}
    for name in set(taken) & set(action):
        default = taken[name]["default"]
        assert (str(default).lower() if isinstance(default, bool) else str(default)) == action[name]["default"], name


def test_every_input_of_the_workflow_is_used_and_every_other_one_told() -> None:
    """What a caller may give reaches the job that it is for; the text says what he may not, and egress is in it."""
    inputs = set(WORKFLOW[True]["workflow_call"]["inputs"])
    used = set(re.findall(r"\binputs\.([a-z-]+)", json.dumps([step(job)["with"] for job in JOBS])))
    section = documents.sections("action.md")["A job for each level of trust"]

    assert used == inputs
    assert [name for name in (*NOT_OF_JOBS, "pipeline-key", "judge") if f"`{name}`" not in section] == []
    assert "egress-hosts" in inputs
    # An image that belongs to the change runs beside nothing but its answers.
    assert [job for job in JOBS if step(job)["with"]["image"] == "${{ inputs.image }}"] == ["collect"]
