"""The Action's shell: what is printed and handed on, and how attempts are told apart."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from evaluator.model.publication import Publication, Remark
from evaluator.stages.publication import commands
from tests.runner import Runner


def test_what_a_zone_prints_commands_nothing(runner: Runner) -> None:
    """Every line is prefixed, ``##[`` is broken wherever it stands or comes to stand, and controls are gone."""
    lines = [
        "::set-output name=x::y",
        "  ::add-mask::y",
        "a##[error]x",
        "a\r::error::x",
        "\x1b[31m::x",
        "/work/tree/a.py:1",
        "##/work/tree/[error]x",
        "##/work/tr/work/tree/ee/[error]x",
        "ü 文",
    ]
    (runner.folder / "printed").write_text("\n".join(lines))

    said = runner.shell(f"inert {runner.folder}/said < {runner.folder}/printed").splitlines()

    assert said == [
        "│ ::set-output name=x::y", "│   ::add-mask::y", "│ a## [error]x", "│ a ::error::x", "│  [31m::x",
        "│ a.py:1", "│ ## [error]x", "│ ##/work/tree/[error]x", "│ ü 文",
    ]  # fmt: skip


def test_a_log_without_end_is_cut(runner: Runner) -> None:
    """Whatever a zone prints, the log stays of a size that can be read."""
    said = runner.shell(f"head -c 5000000 /dev/zero | tr '\\0' 'x' | fold | inert {runner.folder}/said | tail -n 2")

    assert len((runner.folder / "said").read_bytes()) < 4_100_000
    assert said.splitlines()[-1] == "│ (what it prints from here on is not shown)"


def test_names_differ_where_runs_do(runner: Runner) -> None:
    """Two suites, two workflows, the legs of a matrix and a second attempt each have an artifact of their own."""

    def name(**variables: str) -> str:
        runner.attempt("true", **variables)
        return runner.outputs["artifact-name"]

    names = [
        name(), name(ASSAY_CONFIG="other.yml"), name(GITHUB_WORKFLOW="v"), name(ASSAY_JOB_INDEX="1"),
        name(GITHUB_RUN_ATTEMPT="2"), name(GITHUB_JOB="k"), name(ASSAY_OUT="another"),
    ]  # fmt: skip
    assert len(set(names)) == len(names)
    assert name() == names[0]


def test_a_job_keeps_its_name_when_it_is_repeated(runner: Runner) -> None:
    """Another runner has other folders, another day another reservation; else it were a rival of its own status."""
    later = {"ASSAY_JUDGE_CACHE": "/b/judge", "ASSAY_HANDED_FOLDER": "/b/handed", "ASSAY_RESERVATION": "judged-2"}
    legs = {runner.attempt('echo "$leg"', GITHUB_RUN_ATTEMPT=n, **more) for n, more in (("1", {}), ("2", later))}

    assert len(legs) == 1


def test_each_attempt_has_a_nonce_of_its_own(runner: Runner) -> None:
    """Nobody can know it before."""
    nonces = []
    for _ in range(3):
        runner.attempt("true")
        nonces.append(runner.outputs["nonce"])

    assert len(set(nonces)) == 3
    assert all(len(nonce) == 32 for nonce in nonces)


@pytest.mark.parametrize("event", ["pull_request_target", "workflow_run"])
def test_events_with_more_rights_are_refused(event: str, runner: Runner) -> None:
    """The Action exists to run the pull request's code; where that has secrets it does not run."""
    runner.shell("main", GITHUB_EVENT_NAME=event)

    assert runner.outputs["exit-code"] == "2"
    assert event in runner.summary


def test_a_machine_without_docker_is_no_verdict(runner: Runner, tmp_path: Path) -> None:
    """The message says what is missing."""
    (tmp_path / "bin").mkdir()
    for program in (
        "bash", "env", "sort", "grep", "sha256sum", "cut", "mktemp", "od", "tr", "sed", "git", "rm", "mkdir", "cat",
        "tee", "tail", "dirname", "realpath", "cp",
    ):  # fmt: skip
        (tmp_path / "bin" / program).symlink_to(str(shutil.which(program)))

    runner.shell("main", PATH=str(tmp_path / "bin"))

    assert runner.outputs["exit-code"] == "4"
    assert "docker is not on this machine" in runner.summary


def test_the_stream_of_decide_is_taken_by_names(runner: Runner) -> None:
    """Only known files reach the report's folder, and only outputs of a known form the workflow."""
    source = runner.folder / "decided"
    source.mkdir()
    for name in ("comment.md", "summary.md", "decision.json", "comparison.json", "publication.json", "evil.sh"):
        (source / name).write_text(json.dumps(name))
    annotation = "::error file=eval/golden.jsonl,line=3,title=q1::lost%0A::set-output name=x::y"
    (source / "annotations").write_text(f"{annotation}\n")
    (source / "outputs").write_text("outcome=passed\nexit-code=0\ncases=3\n")
    hand_on = f'tar --create --directory {source} --file "$temporary/decided.tar" $(ls {source}); hand_on'

    said = runner.attempt(hand_on)

    assert annotation in said.splitlines()
    assert sorted(path.name for path in (runner.repo / "rag-assay-report").iterdir()) == [
        "comment.md", "comparison.json", "decision.json", "summary.md",
    ]  # fmt: skip
    assert runner.outputs["zones"] == "passed"
    (source / "outputs").write_text("outcome=passed\nPATH=/evil\n")
    runner.attempt(hand_on)
    assert runner.outputs["exit-code"] == "4"


@pytest.mark.parametrize(
    "written", ["::set-output name=x::y\n", "::add-mask::x\n", "a ##[error]\n", "::error file=a,line=1::b\n" * 11]
)
def test_only_annotations_annotate(written: str, runner: Runner) -> None:
    """Other commands, other text and more lines than GitHub shows are no verdict (G15)."""
    said = runner.attempt(f"printf '{written}' >\"$temporary/annotations\"; annotate")

    assert runner.outputs["exit-code"] == "4"
    assert written.splitlines()[0] not in said.splitlines() or written.startswith("::error")


@pytest.mark.parametrize("path", ["eval/a\tb.jsonl", "eval/a\x07.jsonl", "eval/a\nb.jsonl", "eval/a\x85\u2028.jsonl"])
def test_whatever_a_golden_file_is_called_there_is_a_verdict(path: str, runner: Runner) -> None:
    """A failed case in it was no verdict (4) instead of a failure (1): its remark has no place, and is there."""
    remark = Remark(path=path, line=3, level="failure", title="q1", message="lost")
    told = Publication(outcome="failed", sentence="Failed", changed=True, remarks=(remark,), more=0)
    (runner.folder / "lines").write_text("".join(f"{line}\n" for line in commands(told)))

    said = runner.attempt(f'cp {runner.folder}/lines "$temporary/annotations"; annotate; end_well')

    assert "::error title=q1::lost" in said.splitlines()
    assert runner.outputs["zones"] == "passed"
