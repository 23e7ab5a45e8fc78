"""A collect that is stopped in the middle keeps what was answered, and the next one goes on from there."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import workbench
from tests.workbench import Bench

CALLABLE = """
import os, pathlib, signal

def ask(request):
    name = request["id"]
    with open("../asked.txt", "a") as file:
        file.write(name + "\\n")
    if name in pathlib.Path("../stop.txt").read_text().split():
        if name == "q4":
            with open("../reached", "w") as fifo:
                fifo.write("reached")
        signal.pause()
    if name in pathlib.Path("../fail.txt").read_text().split():
        raise ValueError("not today")
    return {"answer": "answer to " + name, "retrieved": [{"id": "a", "score": 1.0}]}
"""
ORDER = ["q1", "q2", "q3", "q4", "q5", "q6"]


class Project:
    """Six questions to a Python pipeline that stops at some of them until it is told not to.

    The code is in ``code``; what it is told and what it tells is outside, so that it is always the same code.
    """

    def __init__(self, folder: Path, workers: int = 1, repeats: int = 1) -> None:
        pipeline = {"kind": "python", "python": {"target": "slow:ask"}, "workers": workers, "repeats": repeats}
        cases: list[dict[str, Any]] = [{"id": name, "question": f"what is {name}"} for name in ORDER]
        self.folder, self.code = folder, folder / "project"
        self.code.mkdir()
        self.bench = Bench(self.code, cases, pipeline)
        (self.code / "slow.py").write_text(CALLABLE)
        self.stop_at()
        self.fail_at()
        os.mkfifo(folder / "reached")

    def stop_at(self, *names: str) -> None:
        """The questions at which the pipeline waits for ever; it tells when it has come to q4."""
        (self.folder / "stop.txt").write_text(" ".join(names))

    def fail_at(self, *names: str) -> None:
        """The questions at which the pipeline raises."""
        (self.folder / "fail.txt").write_text(" ".join(names))

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start the command."""
        self.bench.write()
        command = [sys.executable, "-m", "evaluator", "collect", "--config", str(self.code / "rag-assay.yml")]
        return subprocess.Popen(
            [*command, "--out", str(self.bench.out), *arguments], stderr=subprocess.PIPE, text=True,
            cwd=Path(__file__).parents[2],
        )  # fmt: skip

    def interrupt(self, number: signal.Signals, *arguments: str) -> tuple[int, str]:
        """Send a signal once the pipeline has come to q4; exit code and what was said."""
        # Opened before there is a writer, so that a command that never gets there is noticed instead of waited for.
        reached = os.open(self.folder / "reached", os.O_RDONLY | os.O_NONBLOCK)
        with self.start(*arguments) as process:
            ready, _, _ = select.select([reached], [], [], 60)
            os.close(reached)
            process.send_signal(number if ready else signal.SIGKILL)
            said = process.communicate(timeout=60)[1]
        assert ready, said
        return process.returncode, said

    def finish(self, *arguments: str) -> str:
        """Run it to its end; what was said."""
        self.stop_at()
        with self.start(*arguments) as process:
            said = process.communicate(timeout=60)[1]
        assert process.returncode == 0, said
        return said

    def asked(self) -> list[str]:
        """The questions that came to the pipeline since this was last called."""
        file = self.folder / "asked.txt"
        names = file.read_text().split()
        file.unlink()
        return names

    def parts(self) -> list[str]:
        """The ids of the records that are kept."""
        return [record["id"] for record in workbench.read_lines(self.bench.out / "records.jsonl.part")]

    def files(self) -> list[str]:
        """The names in the output folder."""
        return sorted(file.name for file in self.bench.out.iterdir())


def test_a_question_that_was_not_asked_often_enough_is_asked_again(tmp_path: Path) -> None:
    """Three cases were asked twice each, the fourth once when it was stopped: that one begins anew."""
    project = Project(tmp_path, repeats=2)
    project.stop_at("q4")
    _, said = project.interrupt(signal.SIGINT)
    assert "interrupted; 3 of 6 cases are answered" in said
    assert project.asked() == ["q1", "q1", "q2", "q2", "q3", "q3", "q4"]
    project.fail_at("q5")
    project.finish()
    assert project.asked() == ["q4", "q4", "q5", "q5", "q6", "q6"]
    records = {each["id"]: each for each in project.bench.records()}
    assert [len(each["repeats"]) for each in records.values()] == [1] * 6
    assert [name for name, each in records.items() if each["repeats"][0]["failure"] is not None] == ["q5"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_collect_goes_on_from_where_it_was(tmp_path: Path, number: signal.Signals) -> None:
    """What was answered is kept, the next run asks the rest, and the result is as if nothing had happened."""
    project = Project(tmp_path)
    project.stop_at("q4")
    code, said = project.interrupt(number)

    assert code == 3
    assert f"interrupted; 3 of 6 cases are answered and kept in {project.bench.out}/records.jsonl.part" in said
    assert "Traceback" not in said
    assert project.parts() == ["q1", "q2", "q3"]
    assert project.asked() == ["q1", "q2", "q3", "q4"]

    said = project.finish()
    assert "going on from an interrupted collect: 3 of 6 cases are answered" in said
    assert project.asked() == ["q4", "q5", "q6"]
    assert project.files() == ["collect.json", "records.jsonl"]
    assert list(project.bench.collection()["timing"]["latency_ms"]) == ORDER

    resumed = (project.bench.out / "records.jsonl").read_bytes()
    project.finish()
    assert project.asked() == ORDER
    assert (project.bench.out / "records.jsonl").read_bytes() == resumed


def test_workers_that_are_interrupted_lose_only_what_was_open(tmp_path: Path) -> None:
    """With two workers, every reply that had come is kept, and the final file is in golden order all the same."""
    project = Project(tmp_path, workers=2)
    project.stop_at("q2", "q4")
    code, _ = project.interrupt(signal.SIGINT)

    assert code == 3
    assert sorted(project.parts()) == ["q1", "q3"]

    project.finish()
    assert [record["id"] for record in project.bench.records()] == ORDER
    assert [record["answer"] for record in project.bench.records()] == [f"answer to {name}" for name in ORDER]


def test_even_a_killed_collect_keeps_what_was_answered(tmp_path: Path) -> None:
    """A process that had no chance to say anything has kept its records all the same."""
    project = Project(tmp_path)
    project.stop_at("q4")
    code, _ = project.interrupt(signal.SIGKILL)

    assert code == -signal.SIGKILL
    assert project.parts() == ["q1", "q2", "q3"]
    project.asked()
    project.finish()
    assert project.asked() == ["q4", "q5", "q6"]


def test_a_collect_under_other_conditions_starts_afresh(tmp_path: Path) -> None:
    """Answers under another configuration are not mixed with new ones, and the log says so."""
    project = Project(tmp_path)
    project.stop_at("q4")
    project.interrupt(signal.SIGINT)
    project.asked()
    project.bench.config["k"] = 7

    said = project.finish()
    assert "starting afresh: an interrupted collect was found that asked under other conditions" in said
    assert project.asked() == ORDER
    assert project.files() == ["collect.json", "records.jsonl"]


@pytest.mark.parametrize("name", ["slow.py", "prompts/system.txt"])
def test_answers_of_other_code_are_not_taken_up(tmp_path: Path, name: str) -> None:
    """Code or a prompt that changed after the interrupt makes every question be asked again, and the log says why."""
    project = Project(tmp_path)
    project.stop_at("q4")
    project.interrupt(signal.SIGTERM)
    project.asked()
    (project.code / "prompts").mkdir()
    (project.code / name).write_text(CALLABLE.replace("answer to ", "no idea of "))

    said = project.finish()
    assert "an interrupted collect was found that asked under other conditions or other code" in said
    assert project.asked() == ORDER
    assert "interrupted run" not in str(project.bench.collection()["timing"]["warnings"])


def test_the_report_hears_of_answers_that_were_taken_up(tmp_path: Path) -> None:
    """A run that went on says so where the comment takes its warnings from."""
    project = Project(tmp_path)
    project.stop_at("q4")
    project.interrupt(signal.SIGTERM)
    project.finish()

    said = project.bench.collection()["timing"]["warnings"]
    assert said[0] == "3 of 6 answers are from an interrupted run of the same code"


def test_a_second_run_in_the_same_folder_is_refused_while_the_first_is_at_work(tmp_path: Path) -> None:
    """It neither takes the first one's answers nor touches its files, and a killed run holds nobody back."""
    project = Project(tmp_path)
    project.stop_at("q4")
    reached = os.open(project.folder / "reached", os.O_RDONLY | os.O_NONBLOCK)
    with project.start() as first:
        try:
            assert select.select([reached], [], [], 60)[0]
            before = project.parts()
            with project.start() as second:
                said = second.communicate(timeout=60)[1]
            assert (second.returncode, project.parts()) == (2, before)
            assert f"another run is at work in {project.bench.out}; wait until it has ended" in said
        finally:
            os.close(reached)
            first.kill()
    assert "going on from an interrupted collect: 3 of 6" in project.finish()


def test_a_case_that_failed_before_the_interrupt_is_asked_again(tmp_path: Path) -> None:
    """A failure may have been the outage that made somebody stop the run."""
    project = Project(tmp_path)
    project.fail_at("q2")
    project.stop_at("q4")
    _, said = project.interrupt(signal.SIGINT)

    assert "interrupted; 2 of 6 cases are answered" in said
    assert "q2: ValueError: not today [error]" in said
    project.asked()
    project.fail_at()
    project.finish()
    assert project.asked() == ["q2", "q4", "q5", "q6"]
    assert [record["failure"] for record in project.bench.records()] == [None] * 6


def test_an_interrupt_keeps_the_results_of_the_run_before(tmp_path: Path) -> None:
    """A complete earlier run stays readable until a new one is complete."""
    project = Project(tmp_path)
    project.finish()
    before = (project.bench.out / "records.jsonl").read_bytes()
    project.stop_at("q4")
    project.interrupt(signal.SIGINT)

    assert (project.bench.out / "records.jsonl").read_bytes() == before
    assert project.files() == ["collect.json", "collect.json.part", "records.jsonl", "records.jsonl.part"]


def test_an_interrupt_before_the_first_question_keeps_nothing(tmp_path: Path) -> None:
    """A run that is stopped while its pipeline is being imported leaves no files that the next one would trip over."""
    project = Project(tmp_path)
    (project.code / "slow.py").write_text("import signal\nopen('../reached', 'w').write('reached')\nsignal.pause()\n")
    code, said = project.interrupt(signal.SIGINT)

    assert code == 3
    assert "interrupted; nothing is kept" in said
    assert not project.bench.out.exists() or project.files() == []


def test_records_stand_in_golden_order_whoever_answers_first(tmp_path: Path) -> None:
    """Workers finish in any order; the records, the latencies and the progress are those of the golden set."""
    names = [f"q{number}" for number in range(30)]
    python = {"target": "callables:responses", "path": [str(workbench.FAKES)]}
    cases = [{"id": name, "question": "raise" if name == "q7" else "hits"} for name in names]
    bench = Bench(tmp_path, cases, {"kind": "python", "python": python, "workers": 3})
    found = bench.collect()

    assert [record["id"] for record in found] == names
    assert [record["id"] for record in found if record["failure"]] == ["q7"]
    assert sorted(bench.progress.steps) == [False] * 29 + [True]
    assert list(bench.collection()["timing"]["latency_ms"]) == [name for name in names if name != "q7"]
    assert "│ ValueError: the index" in bench.log
    assert not list(bench.out.glob("*.part"))


def test_every_record_is_asked_for_once_when_all_are_kept_already(tmp_path: Path) -> None:
    """A run that was stopped while it wrote its last file does not start the pipeline again."""
    project = Project(tmp_path)
    project.stop_at("q4")
    project.interrupt(signal.SIGINT)
    part = project.bench.out / "records.jsonl.part"
    line = part.read_text().splitlines()[0]
    part.write_text("".join(line.replace('"id":"q1"', f'"id":"{name}"') + "\n" for name in ORDER))
    project.asked()
    said = project.finish()

    assert "6 of 6 cases are answered" in said
    assert not (tmp_path / "asked.txt").exists()
    assert [record["id"] for record in project.bench.records()] == ORDER
