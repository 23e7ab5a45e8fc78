"""A Python pipeline as it really runs: worker processes, their ends, and what they may see and leave behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evaluator import errors, templates
from tests import workbench

FAKES = str(workbench.FAKES)


def section(target: str = "fatal", **fields: Any) -> dict[str, Any]:
    python = {"target": f"callables:{target}", "path": [FAKES], **fields.pop("python", {})}
    return {"kind": "python", "python": python, **fields}


@pytest.mark.parametrize(
    ("question", "expected"),
    [("response", "yes"), ("text generator", "thirty days"), ("coroutine", None), ("async generator", None)],
)
def test_a_callable_answers(tmp_path: Path, question: str, expected: str | None) -> None:
    """Plain functions, generators and coroutines answer through a process of their own (P1)."""
    with workbench.opened(tmp_path, section("responses")) as opened:
        found = opened.answer(question)

    assert found.answer == expected
    assert expected is None or not found.warnings
    assert expected is not None or found.retrieved[0].id == "a"


def test_scores_that_are_no_numbers_are_dropped_on_the_way(tmp_path: Path) -> None:
    """Ids and scores of numpy arrive; a NaN among them is dropped and reported (P6)."""
    with workbench.opened(tmp_path, section("responses")) as opened:
        found = opened.answer("numpy")

    assert [(hit.id, hit.score) for hit in found.retrieved] == [("7", 0.5), ("b", None)]
    assert found.warnings == ("scores that are no finite numbers were left out",)


@pytest.mark.parametrize(
    ("question", "kind", "said"),
    [
        ("none", "invalid", "the callable returned None"),
        ("raise", "error", "ValueError: the index is gone"),
        ("raise half a pair", "error", "ValueError: ?"),
        ("half a pair", "invalid", "characters that are no text"),
        ("nameless", "invalid", "result 1 is of type Document without an id"),
    ],
)
def test_a_case_that_goes_wrong_fails_and_the_next_is_answered(
    tmp_path: Path, question: str, kind: str, said: str
) -> None:
    """An exception or a strange return value costs one case, not the worker (P1)."""
    with workbench.opened(tmp_path, section("responses")) as opened:
        failure = opened.failure(question)
        assert opened.answer("text").answer == "thirty days"

    assert failure.kind == kind
    assert said in failure.message
    assert ("Traceback" in failure.detail) == (kind == "error")


@pytest.mark.parametrize(
    ("question", "kind", "said"),
    [
        ("os._exit", "died", "the worker ended with exit code 3"),
        ("segfault", "died", "the worker was killed by SIGSEGV"),
        ("8 GB", "error", "MemoryError (pipeline.limits.memory_mb is 4096)"),
        ("input", "error", "EOFError"),
        ("close", "died", "the worker ended with exit code 1"),
    ],
)
def test_a_worker_that_ends_is_replaced(tmp_path: Path, question: str, kind: str, said: str) -> None:
    """An exit, a crash or too much memory fails the case with the cause, and the run goes on (P2)."""
    with workbench.opened(tmp_path, section()) as opened:
        failure = opened.failure(question)
        assert opened.answer("who").answer

    assert failure.kind == kind
    assert said in failure.message


def test_a_segfault_leaves_its_traceback_in_the_log(tmp_path: Path) -> None:
    """Where the interpreter crashed is in the log, though the process could not say it itself."""
    with workbench.opened(tmp_path, section()) as opened:
        failure = opened.failure("segfault")

    assert any("Segmentation fault" in line for line in opened.log)
    assert "callables.py" in failure.detail


@pytest.mark.parametrize("question", ["endless loop", "endless output"])
def test_a_worker_that_never_returns_is_timed_out(tmp_path: Path, question: str) -> None:
    """A hanging question fails when its time is up, whatever it prints meanwhile, and the log stays small (P2)."""
    with workbench.opened(tmp_path, section(timeout=0.5)) as opened:
        failure = opened.failure(question)
        assert opened.answer("who").answer

    assert failure.kind == "timeout"
    assert failure.message == "no reply within 0.5 s (pipeline.timeout)"
    assert sum(map(len, opened.log)) < 1_100_000


def test_what_outlives_a_call_does_not_outlive_the_worker(tmp_path: Path) -> None:
    """Forks, sessions of their own, daemons and programs without our environment are gone after the close (P2)."""
    with workbench.opened(tmp_path, section()) as opened:
        left = [int(process) for process in str(opened.answer("leave").answer).split()]
        running = [workbench.is_running(process) for process in left]

    assert running == [True] * 4
    assert [workbench.is_running(process) for process in left] == [False] * 4


@pytest.mark.parametrize(
    ("question", "kind"), [("leave and end", "died"), ("leave and hang", "timeout"), ("end the supervisor", "died")]
)
def test_a_daemon_is_gone_however_its_worker_ended(tmp_path: Path, question: str, kind: str) -> None:
    """A daemon is ended with its worker when that exits, hangs, or kills the process that watches over it."""
    with workbench.opened(tmp_path, section(timeout=2)) as opened:
        failure = opened.failure(question)
        daemon = int(opened.log[-1].removeprefix("│ "))
        ended = workbench.wait_for_end(daemon)
        assert opened.answer("who").answer

    assert failure.kind == kind
    assert ended


def test_a_fork_that_comes_back_answers_once(tmp_path: Path) -> None:
    """When a callable forks and both copies return, only the worker itself replies, and it stays usable (P2)."""
    with workbench.opened(tmp_path, section()) as opened:
        assert [opened.answer("fork and return").answer for _ in range(3)] == ["parent"] * 3


def test_too_many_processes_end_the_worker(tmp_path: Path) -> None:
    """A worker that starts processes without end is stopped at the limit, whoever it runs as."""
    with workbench.opened(tmp_path, section(limits={"processes": 20})) as opened:
        failure = opened.failure("many processes")

    assert failure.kind == "died"
    assert failure.message == "the worker started more than 20 processes (pipeline.limits.processes)"


def test_memory_of_all_processes_together_is_limited(tmp_path: Path) -> None:
    """Children that are each within the limit do not exceed it together (P2)."""
    with workbench.opened(tmp_path, section(limits={"memory_mb": 300})) as opened:
        failure = opened.failure("shared out memory")

    assert failure.message == "the worker and what it started used more than 300 MB (pipeline.limits.memory_mb)"


def test_a_worker_that_dies_between_questions_is_replaced(tmp_path: Path) -> None:
    """The question after a silent death is answered by another process."""
    with workbench.opened(tmp_path, section()) as opened:
        first, watcher = opened.answer("who").answer, opened.answer("who watches").answer
        os.kill(int(str(first)), signal.SIGKILL)
        assert workbench.wait_for_end(int(str(watcher)))
        second = opened.answer("who").answer

    assert first != second


def test_a_worker_that_cannot_come_up_again_fails_the_rest(tmp_path: Path) -> None:
    """When the callable cannot be imported a second time, the remaining cases fail with that reason."""
    (tmp_path / "once.py").write_text(
        "import os, pathlib\n"
        "def ask(request):\n"
        "    if request['question'] == 'die':\n"
        "        pathlib.Path('broken').touch()\n"
        "        os._exit(1)\n"
        "    return 'alive'\n"
        "if os.path.exists('broken'):\n"
        "    raise RuntimeError('the model file is gone')\n"
    )
    config = {"kind": "python", "python": {"target": "once:ask"}}
    with workbench.opened(tmp_path, config) as opened:
        assert opened.answer("first").answer == "alive"
        opened.failure("die")
        failures = [opened.failure("next") for _ in range(2)]

    said = "the worker could not be started again: RuntimeError: the model file is gone"
    assert [(failure.kind, failure.message) for failure in failures] == [("died", said)] * 2


def test_workers_answer_side_by_side(tmp_path: Path) -> None:
    """Each slot has a process of its own."""
    with workbench.opened(tmp_path, section(workers=2)) as opened:
        answers = [opened.answer("who", slot=slot).answer for slot in (0, 1, 0, 1)]

    assert answers[0] == answers[2] != answers[1] == answers[3]


def test_a_worker_sees_only_the_variables_it_is_granted(tmp_path: Path) -> None:
    """No token and no key of the caller reaches the callable: what was chosen, and the marker of the worker (P3)."""
    with workbench.opened(tmp_path, section()) as opened:
        found = str(opened.answer("environment").answer).split()

    assert found == ["HOME", "LANG", "PATH", "RAG_ASSAY_WORKER"]


def test_our_own_modules_hide_nothing(tmp_path: Path) -> None:
    """A callable that imports http gets the standard library's, not a pipeline of ours."""
    with workbench.opened(tmp_path, section()) as opened:
        assert "evaluator" not in str(opened.answer("shadowed").answer)


def test_what_a_worker_prints_commands_nothing(tmp_path: Path) -> None:
    """Workflow commands that a callable prints are text in the log, with the log's own care and without (P2, G15)."""
    with workbench.opened(tmp_path, section()) as opened:
        assert opened.answer("print").answer == "printed"

    assert opened.log == [
        "│ ::set-output name=x::y",
        "│    ::add-mask::word",
        "│ before # #[error]after",
        "│ no line end",
    ]
    assert not any(workbench.runner_obeys(line) for line in opened.log)
    assert not any(workbench.runner_obeys(templates.log_line(line)) for line in opened.log)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("nowhere:ask", "ModuleNotFoundError: No module named 'nowhere'"),
        ("callables:fatally", "AttributeError: callables has no fatally; fatal may be meant"),
        ("callables:FAKES", "has no FAKES"),
        ("callables:RESPONSES", "TypeError: callables:RESPONSES is of type dict and cannot be called"),
    ],
)
def test_a_target_that_cannot_be_imported_stops_before_any_question(tmp_path: Path, target: str, said: str) -> None:
    """The sentence has the interpreter's last error line, where was looked and what to check."""
    config = {"kind": "python", "python": {"target": target, "path": [FAKES]}}
    log: list[str] = []
    with pytest.raises(errors.PipelineError) as caught, workbench.opened(tmp_path, config, log=log.append):
        pass

    assert log == []  # no frames of the import system's
    assert f"pipeline.python.target {target} cannot be imported: " in str(caught.value)
    assert said in str(caught.value)
    assert f"looked in {FAKES}, the configuration's folder" in str(caught.value)


@pytest.mark.parametrize(
    ("interpreter", "said"),
    [
        (".venv/bin/python", ".venv/bin/python: No such file or directory"),
        ("/bin/true", "the interpreter ended with exit code 0"),
    ],
)
def test_an_interpreter_that_is_none_is_named(tmp_path: Path, interpreter: str, said: str) -> None:
    """A wrong path to the interpreter, relative to the configuration's folder, is an error before any question."""
    with (
        pytest.raises(errors.PipelineError, match=said),
        workbench.opened(tmp_path, section(python={"python": interpreter})),
    ):
        pass


def interpreters() -> list[str]:
    """Every interpreter from 3.8 on that is on the path and works, and the one our own environment was made from."""
    names = [str(Path(sys.base_prefix) / "bin" / "python3"), *(f"python3.{minor}" for minor in range(8, 15))]
    found = [path for path in map(shutil.which, names) if path]
    return [
        path for path in found if subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0
    ]


@pytest.mark.parametrize("interpreter", interpreters())
def test_another_interpreter_needs_nothing_of_ours(tmp_path: Path, interpreter: str) -> None:
    """A plain interpreter, without a package of ours or of anybody's, runs the callable."""
    (tmp_path / "plain.py").write_text(
        "async def ask(question: str, k): return [f'{question}-{n}' for n in range(k)]\n"
    )
    config = {"kind": "python", "python": {"target": "plain:ask", "python": interpreter}}
    with workbench.opened(tmp_path, config) as opened:
        assert [hit.id for hit in opened.answer("c").retrieved] == ["c-0", "c-1", "c-2", "c-3", "c-4"]


def test_the_working_directory_is_the_configurations_folder(tmp_path: Path) -> None:
    """Relative files of the user's code are found, and so are its modules, wherever the command was started."""
    (tmp_path / "data.txt").write_text("thirty days")
    (tmp_path / "here.py").write_text("def ask(request): return open('data.txt').read()\n")
    with workbench.opened(tmp_path, {"kind": "python", "python": {"target": "here:ask"}}) as opened:
        assert opened.answer("why").answer == "thirty days"


def test_nothing_is_left_when_we_are_killed(tmp_path: Path) -> None:
    """A worker and its daemons end even when our own process is killed without a chance to end them."""
    script = (
        "import sys, signal; from pathlib import Path; from tests import workbench\n"
        f"with workbench.opened(Path({str(tmp_path)!r}), {section()!r}) as opened:\n"
        "    print(opened.answer('who').answer, opened.answer('leave').answer, flush=True)\n"
        "    signal.pause()\n"
    )
    ours = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )
    with ours:
        assert ours.stdout is not None
        left = [int(process) for process in ours.stdout.readline().split()]
        ours.send_signal(signal.SIGKILL)

    assert len(left) == 5
    assert all(workbench.wait_for_end(process) for process in left)


def test_a_reply_larger_than_allowed_fails_its_case(tmp_path: Path) -> None:
    """A callable that returns more than 64 MB costs that case only."""
    with workbench.opened(tmp_path, section("responses")) as opened:
        failure = opened.failure("too large")
        assert opened.answer("text").answer

    assert (failure.kind, failure.message) == ("invalid", "what the callable returned is larger than 64 MB")


def test_closing_twice_is_closing_once(tmp_path: Path) -> None:
    """An interrupted run closes the pipeline before it leaves its context; a later question fails at once."""
    with workbench.opened(tmp_path, section()) as opened:
        worker = int(str(opened.answer("who").answer))
        opened.pipeline.close()
        assert not workbench.is_running(worker)
        assert opened.failure("who").kind == "died"
    assert os.getpid() != worker
