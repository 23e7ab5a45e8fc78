"""The workflow that a team copies, run on pull requests: what passes, what fails, and what is no verdict."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.container.world import ROOT, Forge, docker, stand_in_for_docker, suite

if TYPE_CHECKING:
    from pathlib import Path

HANDBOOK = ROOT / "examples" / "handbook"
REPORT = {"comment.md", "summary.md", "decision.json", "comparison.json"}


@pytest.fixture
def team(forge: Forge) -> Forge:
    """A team with the handbook's suite and its baseline on the main branch."""
    for name in ("golden.jsonl", "fixture", "rag-assay.yml"):
        copy = shutil.copytree if (HANDBOOK / name).is_dir() else shutil.copy2
        copy(HANDBOOK / name, forge.repo / name)
    forge.commit({})
    forge.accept()
    forge.inputs["baseline-file"] = "baseline.json"
    return forge


def test_a_good_change_passes(team: Forge) -> None:
    """The job is green, the report is in the summary and in the artifact, and the outputs say what it is."""
    team.commit({"README.md": "more words\n"}, branch="good")

    result = team.pull_request()

    assert result.passed, result.log
    assert result.outputs["outcome"] == "passed"
    assert (result.code, result.outputs["cases"], result.outputs["failures"]) == (0, "141", "0")
    assert {path.name for path in result.artifact.iterdir()} == REPORT
    assert "Passed: no regression" in result.summary
    assert result.artifact.name == result.outputs["artifact-name"]
    assert "baseline.json as of" in (result.artifact / "comment.md").read_text()


def test_a_regression_fails(team: Forge) -> None:
    """The job is red after the report was uploaded, and the summary says what got worse."""
    team.commit({"rag-assay.yml": (HANDBOOK / "rag-assay.candidate.yml").read_text()}, branch="worse")

    result = team.pull_request()

    assert not result.passed
    assert (result.code, result.outputs["outcome"]) == (1, "failed")
    assert int(result.outputs["regressions"]) > 0
    assert {path.name for path in result.artifact.iterdir()} == REPORT
    assert "exact-identifier" in result.summary


def test_a_change_of_the_baseline_file_decides_nothing(team: Forge) -> None:
    """The baseline is read as of the base commit: a pull request cannot bring its own."""
    worse = (HANDBOOK / "rag-assay.candidate.yml").read_text()
    team.commit({"rag-assay.yml": worse}, branch="worse")
    team.accept()

    result = team.pull_request()

    assert (result.passed, result.code) == (False, 1)


def test_a_broken_pipeline_is_inconclusive(forge: Forge) -> None:
    """A pipeline that fails for every question is never a pass; the job is red by default."""
    suite(forge, "def answer(question):\n    raise RuntimeError('the index is down')\n")
    forge.commit({}, branch="change")

    result = forge.pull_request()

    assert not result.passed
    assert (result.code, result.outputs["outcome"]) == (3, "inconclusive")
    assert "the pipeline failed for 3 of 3 cases" in result.summary
    assert "the index is down" in result.log
    assert {path.name for path in result.artifact.iterdir()} == REPORT


def test_a_killed_container_is_no_verdict(forge: Forge) -> None:
    """Whoever ends a zone, the job ends with 4 and says which zone it was."""
    suite(forge, "import threading\ndef answer(question):\n    threading.Event().wait()\n")
    forge.commit({}, branch="change")

    result = forge.pull_request(meanwhile=lambda: docker("kill", forge.container_of("collect")) and None)

    assert not result.passed
    assert (result.code, result.outputs["outcome"]) == (4, "error")
    assert "the zone collect was killed" in result.summary
    assert [path.name for path in result.artifact.iterdir()] == ["summary.md"]


def test_time_is_limited(forge: Forge) -> None:
    """A pipeline that takes too long is inconclusive, with a report of what it answered, and nothing of it is left."""
    hangs = "    if not question.endswith('0?'):\n        threading.Event().wait()\n    return ['c1']\n"
    suite(forge, f"import threading\ndef answer(question):\n{hangs}", workers=3)
    forge.inputs |= {"collect-timeout": "3", "upload": "full"}
    forge.commit({}, branch="change")

    result = forge.pull_request()

    assert (result.passed, result.code, result.outputs["failures"]) == (False, 3, "0"), result.log
    assert "2 cases not answered before the deadline" in result.summary
    assert '"q0"' in (result.artifact / "records.jsonl").read_text()


def test_mistakes_are_shown_where_people_look(forge: Forge) -> None:
    """A configuration with mistakes ends with 2, and the summary has each with its place."""
    suite(forge, "")
    forge.commit({"rag-assay.yml": "suite: x\ngolden: eval/golden.jsonl\nfixtur: eval/fixture\n"}, branch="change")

    result = forge.pull_request()

    assert (result.passed, result.code) == (False, 2)
    assert "rag-assay.yml:3:1" in result.summary
    assert "fixture" in result.summary
    assert "/work/" not in result.summary


def test_a_green_run_that_was_left_over_counts_for_nothing(team: Forge, tmp_path: Path) -> None:
    """A folder of an earlier green run is removed, and its decision is not taken for this run's."""
    team.commit({}, branch="good")
    green = team.pull_request()
    assert green.passed
    left_over = team.repo / "rag-assay-report"
    shutil.copytree(green.artifact, left_over)
    (team.repo / ".git" / "info" / "exclude").write_text("rag-assay-report\n")
    team.runner["PATH"] = stand_in_for_docker(tmp_path, "score", "cat > /dev/null; exit 137")

    result = team.pull_request()

    assert (result.passed, result.code) == (False, 4)
    assert [path.name for path in result.artifact.iterdir()] == ["summary.md"]


def test_a_decision_of_another_attempt_is_no_verdict(team: Forge, tmp_path: Path) -> None:
    """A stream of an earlier green run, handed on in place of this one's, ends with 4: its nonce is another."""
    kept = tmp_path / "kept.tar"
    team.commit({}, branch="good")
    team.runner["PATH"] = stand_in_for_docker(tmp_path / "a", "decide", f"tee {kept}", after=True)
    assert team.pull_request().passed
    team.runner["PATH"] = stand_in_for_docker(tmp_path / "b", "decide", f"cat > /dev/null; cat {kept}")

    result = team.pull_request()

    assert not result.passed
    assert "decision.json is not of this attempt" in result.log


def test_fail_on_never_reports_and_passes(team: Forge) -> None:
    """A team can look at reports before it lets them block; the outputs keep the decision."""
    team.commit({"rag-assay.yml": (HANDBOOK / "rag-assay.candidate.yml").read_text()}, branch="worse")
    team.inputs["fail-on"] = "never"

    result = team.pull_request()

    assert (result.passed, result.code, result.outputs["outcome"]) == (True, 1, "failed")


def test_the_log_says_which_image_ran(team: Forge) -> None:
    """What measured can be told afterwards."""
    team.commit({}, branch="good")

    assert re.search(r"image: rag-assay:[0-9a-f]{16} \(built", team.pull_request().log)
