"""The Action's shell: how it ends, and how a zone's end is told."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from evaluator.model.decision import Outcome
from tests.runner import NONCE, Runner, gate, last_step

# Ends


@pytest.mark.parametrize(
    ("fail_on", "codes"),
    [
        ("inconclusive", {"passed": 0, "failed": 1, "inconclusive": 3}),
        ("regression", {"passed": 0, "failed": 1, "inconclusive": 0}),
        ("never", {"passed": 0, "failed": 0, "inconclusive": 0}),
    ],
)
def test_the_last_step_ends_with_the_decision(fail_on: str, codes: dict[str, int], tmp_path: Path) -> None:
    """What fails the job is the workflow's choice; a regression and an undecided run fail it by default."""
    found = {outcome: gate(tmp_path, outcome=outcome, ASSAY_FAIL_ON=fail_on) for outcome in get_args(Outcome)}

    assert found == codes


@pytest.mark.parametrize("fail_on", ["inconclusive", "regression", "never"])
@pytest.mark.parametrize(
    "variables",
    [
        {"ASSAY_ZONES": ""},
        {"ASSAY_ZONES": "failed"},
        {"ASSAY_NONCE": ""},
        {"ASSAY_NONCE": NONCE[:-1]},
        {"ASSAY_REPORT": "/missing"},
        {"ASSAY_ZONES": "", "ASSAY_EXIT_CODE": ""},
        {"ASSAY_ZONES": "", "ASSAY_EXIT_CODE": "4"},
    ],
    ids=str,
)
def test_whatever_is_no_verdict_is_four(variables: dict[str, str], fail_on: str, tmp_path: Path) -> None:
    """A zone that failed, another attempt's decision or none: never green, whatever the workflow chose."""
    assert gate(tmp_path, ASSAY_FAIL_ON=fail_on, **variables) == 4


@pytest.mark.parametrize("nonce", [None, "", "f" * 32, NONCE.upper()])
def test_a_decision_without_this_attempts_nonce_is_four(nonce: str | None, tmp_path: Path) -> None:
    """A green decision that was left over does not count."""
    assert gate(tmp_path, nonce=nonce) == 4


def test_a_mistake_is_two_whatever_fails_the_job(tmp_path: Path) -> None:
    """A job is never green because its configuration is wrong."""
    assert last_step(tmp_path, ASSAY_ZONES="", ASSAY_EXIT_CODE="2", ASSAY_FAIL_ON="never") == 2


@pytest.mark.parametrize(
    "text",
    [
        '{"outcome":"passed","exit_code":0,"nonce":"' + NONCE + '"}',
        '{"outcome":"passed",\n"exit_code":1,\n"nonce":"' + NONCE + '"}',
        '{"outcome":"green",\n"exit_code":0,\n"nonce":"' + NONCE + '"}',
        '{"outcome":"failed",\n"outcome":"passed",\n"exit_code":0,\n"nonce":"' + NONCE + '"}',
        "",
    ],
)
def test_a_decision_that_contradicts_itself_is_four(text: str, tmp_path: Path) -> None:
    """Outcome and exit code have to be there once and to agree."""
    (tmp_path / "decision.json").write_text(text)

    assert last_step(tmp_path) == 4


def test_no_verdict_is_told_in_the_summary(runner: Runner) -> None:
    """The message and what the zone said are shown as text, and the step ends well so that the report is uploaded."""
    runner.attempt("""said=$temporary/said; printf '<b>@org\\n' > "$said"; stop 2 'mend </pre> & more'""")

    assert (runner.outputs["outcome"], runner.outputs["exit-code"]) == ("error", "2")
    assert "mend &lt;/pre&gt; &amp; more" in runner.summary
    assert "&lt;b&gt;@org" in runner.summary
    assert (runner.repo / "rag-assay-report" / "summary.md").read_text() == runner.summary
    assert list((runner.folder / "temporary").iterdir()) == []


def test_a_script_that_breaks_is_no_verdict(runner: Runner) -> None:
    """An error that nobody foresaw ends with 4."""
    runner.shell("prepare_attempt; false")

    assert (runner.outputs["outcome"], runner.outputs["exit-code"]) == ("error", "4")


def test_what_an_earlier_run_left_is_removed(runner: Runner) -> None:
    """The report's folder is new for every attempt."""
    (runner.repo / "rag-assay-report").mkdir()
    (runner.repo / "rag-assay-report" / "decision.json").write_text("{}")

    runner.attempt("true")

    assert list((runner.repo / "rag-assay-report").iterdir()) == []


# Ends of a zone


@pytest.mark.parametrize(
    ("status", "limit", "code", "says"),
    [
        (2, 9, "2", "the zone prepare found a mistake"),
        (3, 9, "4", "the zone prepare ended with exit code 3"),
        (124, 9, "4", "the zone prepare did not end in time"),
        (125, 9, "4", "the zone prepare could not be started"),
        (137, 9, "4", "the zone prepare was killed; out of memory?"),
        (137, 0, "4", "the zone prepare did not end in time"),
    ],
)
def test_how_a_zone_ends_is_told(status: int, limit: int, code: str, says: str, runner: Runner) -> None:
    """A mistake is 2, everything else is no verdict; one that had to be killed at its time was too slow."""
    runner.docker(f"[ $1 != run ] || exit {status}")
    replaced = f'timeout() {{ shift 3; "$@"; }}; seconds_of() {{ echo {limit}; }}'

    runner.attempt(f"{replaced}; run_zone prepare image /dev/null $temporary/x -- prepare")

    assert runner.outputs["exit-code"] == code
    assert says in runner.summary


def test_who_listens_outlives_who_speaks(runner: Runner) -> None:
    """What a pipeline prints is read for as long as it may run, however long the workflow lets it."""
    said = runner.shell("seconds_of collect-log; echo; seconds_of collect", ASSAY_COLLECT_TIMEOUT="90000")

    listens, speaks = map(int, said.splitlines())
    assert listens > speaks > 90_000
