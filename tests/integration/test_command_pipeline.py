"""A command as it really runs: lines in, lines out, and what happens when it does not keep to that."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.model.record import Hit
from tests import workbench

if TYPE_CHECKING:
    from pathlib import Path


def section(*arguments: str, **fields: Any) -> dict[str, Any]:
    run = [sys.executable, "-S", str(workbench.FAKES / "answering.py"), *arguments]
    return {"kind": "command", "command": {"run": run}, **fields}


def test_one_process_answers_every_question(tmp_path: Path) -> None:
    """The command is started once and asked line by line."""
    with workbench.opened(tmp_path, section()) as opened:
        answers = [str(opened.answer("why", identifier).answer).split() for identifier in ("q1", "q2", "q3")]

    assert len({process for process, _ in answers}) == 1
    assert [count for _, count in answers] == ["1", "2", "3"]
    assert not workbench.is_running(int(answers[0][0]))


def test_the_request_is_the_same_as_everywhere(tmp_path: Path) -> None:
    """The line that goes in has exactly the keys of a request."""
    with workbench.opened(tmp_path, section()) as opened:
        found = json.loads(str(opened.answer("request").answer))

    assert found == {"id": "q1", "question": "request", "history": [], "k": 5, "depth": 20, "language": "en"}


def test_lines_that_are_no_replies_are_reported_once_and_skipped(tmp_path: Path) -> None:
    """A banner, a log line and an empty line before a reply cost nothing but one warning; the log has them all (P4)."""
    with workbench.opened(tmp_path, section("--banner")) as opened:
        assert opened.answer("why").retrieved == (Hit(id="a", score=1.0),)
        assert opened.answer("noise").answer

    (warning,) = opened.warnings
    assert warning.startswith("the command prints lines on standard output that are no replies")
    assert "'Loading the index ...'" in warning
    shown = {line.removeprefix("│ ") for line in opened.log}
    assert {"Loading the index ...", "{ port: 8000 }", "[1, 2]", '{"level": "info"}', "thinking", "ready"} <= shown


@pytest.mark.parametrize(
    ("question", "kind", "said"),
    [
        ("error", "error", "no luck today"),
        ("error object", "error", '{"code": 5}'),
        ("other id", "invalid", "the reply has the id 'another', but 'q1' was asked"),
        ("no id", "invalid", "the reply has no id, but 'q1' was asked"),
        ("half a pair", "invalid", "characters that are no text"),
        ("torn", "invalid", "it is not valid JSON"),
    ],
)
def test_a_wrong_reply_fails_its_case_only(tmp_path: Path, question: str, kind: str, said: str) -> None:
    """An error, a reply to something else or broken JSON fails the case; the same process answers the next."""
    with workbench.opened(tmp_path, section()) as opened:
        failure = opened.failure(question)
        count = str(opened.answer("why").answer).split()[1]

    assert failure.kind == kind
    assert said in failure.message
    assert count == "2"


def test_small_oddities_are_understood(tmp_path: Path) -> None:
    """An error of null is none, a numeric id is its text, and a NaN score is dropped."""
    with workbench.opened(tmp_path, section()) as opened:
        assert opened.answer("no error").answer == "yes"
        assert opened.answer("number id", "7").answer == "yes"
        assert opened.answer("nan").retrieved == (Hit(id="a"),)


def test_a_second_reply_does_not_answer_the_next_question(tmp_path: Path) -> None:
    """A line nobody asked for is skipped: no later answer belongs to the question before it, and none is lost."""
    with workbench.opened(tmp_path, section()) as opened:
        counts = [str(opened.answer("twice", f"q{number}").answer).split()[1] for number in range(20)]

    assert counts == [str(number) for number in range(1, 21)]


def test_a_death_costs_its_case_and_the_next_is_answered(tmp_path: Path) -> None:
    """A command that dies at question 57 is started again for question 58 (P4)."""
    with workbench.opened(tmp_path, section()) as opened:
        for number in range(56):
            opened.answer("why", f"q{number}")
        failure = opened.failure("die", "q57")
        count = str(opened.answer("why", "q58").answer).split()[1]

    assert failure.kind == "died"
    assert failure.message == "the worker ended with exit code 7; its last words: OutOfCoffee: no more"
    assert failure.detail.splitlines()[-2:] == ["Traceback: the index", "OutOfCoffee: no more"]
    assert count == "1"


def test_after_the_second_death_the_rest_fails_with_its_last_words(tmp_path: Path) -> None:
    """A command is started again once; then the remaining cases fail at once, each with what it said last (P4)."""
    with workbench.opened(tmp_path, section()) as opened:
        opened.failure("die")
        opened.answer("why")
        opened.failure("die")
        failures = [opened.failure("why") for _ in range(3)]

    said = (
        "not asked, because the worker had ended 2 times: the worker ended with exit code 7; "
        "its last words: OutOfCoffee: no more"
    )
    assert [(failure.kind, failure.message) for failure in failures] == [("died", said)] * 3


def test_a_timeout_counts_as_a_death(tmp_path: Path) -> None:
    """A command that hangs is ended and started again once."""
    with workbench.opened(tmp_path, section(timeout=0.5)) as opened:
        first = opened.failure("hang")
        opened.answer("why")
        second = opened.failure("hang")
        third = opened.failure("why")

    assert [first.kind, second.kind, third.kind] == ["timeout", "timeout", "died"]
    assert "no reply within 0.5 s" in third.message


def test_a_flood_of_lines_is_out_of_time_like_silence(tmp_path: Path) -> None:
    """A command that prints without end fails its question at the deadline, and the log holds only the first lines."""
    with workbench.opened(tmp_path, {"kind": "command", "command": {"run": ["yes"]}, "timeout": 0.5}) as opened:
        failures = [opened.failure("why") for _ in range(3)]

    assert [failure.kind for failure in failures] == ["timeout", "timeout", "died"]
    assert len(opened.log) < 250
    assert "are not shown" in opened.log[-1]
    assert failures[0].detail.splitlines()[-1] == "y"


def test_no_question_fails_while_another_slot_works(tmp_path: Path) -> None:
    """A slot whose command was given up is served by the others instead of failing every question it takes."""
    with workbench.opened(tmp_path, section(workers=2)) as opened:
        opened.failure("die", slot=0)
        opened.failure("die", slot=0)
        assert opened.answer("why", slot=0).answer
        opened.failure("die", slot=1)
        opened.failure("die", slot=1)
        assert opened.failure("why", slot=0).kind == "died"


def test_lines_without_end_are_timed_out_and_fill_nothing(tmp_path: Path) -> None:
    """A command that prints faster than it is read is stopped in time; neither the log nor the memory grows with it."""
    with workbench.opened(tmp_path, section(timeout=0.5)) as opened:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        failure = opened.failure("endless noise")
        grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert opened.answer("why").answer

    assert failure.kind == "timeout"
    assert sum(map(len, opened.log)) < 1_500_000
    assert grown_kib < 64 * 1024


def test_a_command_that_talks_on_after_the_last_question_is_ended(tmp_path: Path) -> None:
    """Closing the pipeline does not collect what a chatty command still writes, nor wait for it to stop."""
    with workbench.opened(tmp_path, section()) as opened:
        process = int(str(opened.answer("answer and talk on").answer).split()[0])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before

    assert not workbench.is_running(process)
    assert grown_kib < 64 * 1024


@pytest.mark.parametrize(
    ("question", "kind", "said"),
    [
        ("close output", "died", "the worker closed its output without a reply"),
        ("endless line", "invalid", "the reply is larger than 64 MB"),
    ],
)
def test_a_command_that_stops_talking_is_replaced(tmp_path: Path, question: str, kind: str, said: str) -> None:
    """A closed output or a line without end is noticed before the time is up."""
    with workbench.opened(tmp_path, section()) as opened:
        failure = opened.failure(question)
        assert opened.answer("why").answer

    assert failure.kind == kind
    assert failure.message.startswith(said)


def test_an_answer_before_the_end_counts(tmp_path: Path) -> None:
    """A reply that was written in full is not lost when its writer ends right after it."""
    with workbench.opened(tmp_path, section()) as opened:
        assert opened.answer("reply and die").answer


def test_a_command_that_is_killed_says_by_what(tmp_path: Path) -> None:
    """The message names the signal."""
    with workbench.opened(tmp_path, section(timeout=30)) as opened:
        process = int(str(opened.answer("why").answer).split()[0])
        os.kill(process, signal.SIGSTOP)
        os.kill(process, signal.SIGTERM)
        os.kill(process, signal.SIGCONT)
        assert workbench.wait_for_end(process)
        replies = [opened.ask("why") for _ in range(2)]

    # Whether the first question came before the news of the death is not decided.
    assert {getattr(reply, "message", "") for reply in replies} <= {
        "",
        "the worker was killed by SIGTERM (Terminated); its last words: ready",
    }
    assert any(not hasattr(reply, "message") for reply in replies)


def test_a_command_that_ends_at_once_fails_every_case(tmp_path: Path) -> None:
    """A command that starts and gives up is no crash of ours: every case fails with what it said."""
    with workbench.opened(tmp_path, section("--dead")) as opened:
        failures = [opened.failure("why") for _ in range(3)]

    assert {failure.kind for failure in failures} == {"died"}
    assert "no index here" in failures[-1].message


@pytest.mark.parametrize("name", ["no-such-program", "./no-such-program"])
def test_a_command_that_does_not_exist_stops_before_any_question(tmp_path: Path, name: str) -> None:
    """The sentence names the program and where it was looked for."""
    config = {"kind": "command", "command": {"run": [name]}}
    said = f"pipeline.command.run cannot be started: {name}: No such file or directory; it is looked for on PATH"
    with pytest.raises(errors.PipelineError, match=said), workbench.opened(tmp_path, config):
        pass


def test_a_command_sees_exactly_the_variables_it_is_granted(tmp_path: Path) -> None:
    """Not even what our own interpreter adds for itself reaches the command (P3)."""
    with workbench.opened(tmp_path, section(), environment={"HOME": "/h", "LC_ALL": "C", "RAG_KEY": "k"}) as opened:
        found = str(opened.answer("environment").answer).split()

    assert found == ["HOME", "LC_ALL", "RAG_ASSAY_WORKER", "RAG_KEY"]


def test_a_command_that_is_not_python_answers(tmp_path: Path) -> None:
    """Any program that reads and writes lines will do, under the default limits."""
    (tmp_path / "rag.sh").write_text(
        "while read -r line; do\n"
        """  id=${line#*'"id":"'}\n"""
        """  echo '{"id":"'"${id%%'"'*}"'","answer":"sh"}'\n"""
        "done\n"
    )
    config = {"kind": "command", "command": {"run": ["sh", "rag.sh"]}}
    with workbench.opened(tmp_path, config) as opened:
        assert opened.answer("why", "ä|1").answer == "sh"
