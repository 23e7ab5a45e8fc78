"""``pipeline.repeats``: every question asked several times, from the pipeline to the verdict."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator import errors
from evaluator.model.decision import Decision
from evaluator.model.noise import CategoryNoise, MetricNoise, Noise
from evaluator.stages import known_noise
from evaluator.stages.check import check
from evaluator.stages.collect import collect
from evaluator.stages.compare import compare
from evaluator.stages.estimating import estimate_run
from evaluator.stages.gate import gate
from evaluator.stages.report import report
from evaluator.stages.score import score
from evaluator.stages.workspace import Workspace
from evaluator.stores.records import iter_records
from evaluator.stores.values import read_value, write_value
from tests.court import calibration
from tests.fakes import wobbling
from tests.workbench import Bench, recorded

TEXT, OTHER = "Repairs take three weeks.", "Gone fishing."
PIPELINE = """
import pathlib

COUNTS = pathlib.Path({counts!r})


def answer(question):
    name, _, plan = question.partition(": ")
    file = COUNTS / name
    turn = int(file.read_text()) if file.exists() else 0
    file.write_text(str(turn + 1))
    step = plan[turn % len(plan)]
    if step == "x":
        raise ValueError("not today")
    found = {{"+": ("k", {text!r}), "-": ("other", {other!r})}}[step]
    usage = {{"input_tokens": 10 * turn, "output_tokens": 0}}
    return {{"retrieved": [{{"id": found[0], "text": found[1]}}], "answer": found[1], "usage": usage}}
"""
LOOSE = {"rules": [{"metric": "recall@5", "max_drop": 1.0}], "drift": {"max_drop": 1.0}}
JUDGED = {"provider": "scripted", "model": wobbling.MODEL}


@pytest.fixture(autouse=True)
def _from_the_beginning() -> None:
    wobbling.asked_about.clear()


class Suite:
    """Questions that say what the pipeline does each time: finds the chunk (+), another (-), or fails (x)."""

    def __init__(self, folder: Path, *plans: str, repeats: int = 3, **config: Any) -> None:
        self.counts, home = folder / "counts", folder / "home"
        self.counts.mkdir()
        home.mkdir()
        (home / "rag.py").write_text(PIPELINE.format(counts=str(self.counts), text=TEXT, other=OTHER))
        cases = [
            {"id": f"c{place}", "question": f"Q{place}: {plan}", "relevant": ["k"], "critical": True}
            for place, plan in enumerate(plans)
        ]
        section = {"kind": "python", "python": {"target": "rag:answer"}, "repeats": repeats}
        self.bench = Bench(home, cases, section, config={"metrics": ["recall@5"], **config})

    def run(self, out: str, baseline: str | None = None, **fields: Any) -> Decision:
        """Every stage, each from the files of the one before."""
        collect(self.workspace(out, **fields))
        score(self.workspace(out, **fields), self._baseline(baseline))
        return self.decide(out, baseline, **fields)

    def decide(self, out: str, baseline: str | None = None, **fields: Any) -> Decision:
        """The verdict and the comment of a run that is there."""
        workspace = self.workspace(out, **fields)
        compare(workspace, self._baseline(baseline))
        gate(workspace)
        report(workspace)
        return read_value(workspace.out / "decision.json", Decision)

    def workspace(self, out: str, **fields: Any) -> Workspace:
        """What a stage of a run is handed."""
        return replace(self.bench.workspace(**fields), out=self.bench.folder / out)

    def _baseline(self, out: str | None) -> Path | None:
        return None if out is None else self.bench.folder / out / "run.json"

    def read(self, out: str, name: str = "run.json") -> dict[str, Any]:
        """A file of a run."""
        found: dict[str, Any] = json.loads((self.bench.folder / out / name).read_text())
        return found

    def asked(self) -> list[int]:
        """How often each question was asked so far."""
        return [int(file.read_text()) for file in sorted(self.counts.iterdir())]


def values(run: dict[str, Any], metric: str) -> list[float | None]:
    """Of every case."""
    return [case["scores"][metric] for case in run["cases"]]


def test_every_value_is_a_mean_and_what_is_shown_is_the_first_time(tmp_path: Path) -> None:
    """Found in 3, 2 and 0 of 3 times, and in 2 of 3 with one failure, which counts as 0."""
    suite = Suite(tmp_path, "+", "-++", "-", "+x+", metrics=["recall@5", "tokens", "latency_ms"])
    suite.run("out")
    run = suite.read("out")
    assert suite.asked() == [3, 3, 3, 3]
    assert values(run, "recall@5") == [1.0, pytest.approx(2 / 3), 0.0, pytest.approx(2 / 3)]
    # 0, 10 and 20 tokens; the failure used none that is known.
    assert values(run, "tokens") == [10.0, 10.0, 10.0, 10.0]
    assert run["summary"]["all"]["recall@5"] == {"mean": pytest.approx(7 / 12), "n": 4, "of": 4}
    assert set(run["timing"]["latency_ms"]) == set(run["timing"]["scores"]["latency_ms"]) == {"c0", "c1", "c2", "c3"}
    shown = run["cases"][1]
    assert (shown["answer"], [hit["id"] for hit in shown["retrieved"]]) == (OTHER, ["other"])
    assert [each["answer"] for each in shown["repeats"]] == [TEXT, TEXT]
    lines = (suite.bench.folder / "out" / "records.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["c0", "c1", "c2", "c3"]
    assert [each["failure"] is not None for each in json.loads(lines[3])["repeats"]] == [True, False]
    assert "those of the first time" in (suite.bench.folder / "out" / "comment.md").read_text()


def test_a_run_that_is_compared_with_itself_did_not_change(tmp_path: Path) -> None:
    """Both runs are measured anew, every time of every case: from its files the means are the same again."""
    suite = Suite(tmp_path, "+-+", "++x", "-", "+", "-+-", "+")
    suite.run("base")
    assert suite.decide("base", "base").outcome == "passed"
    rows = suite.read("base", "comparison.json")["rows"]
    assert {row["status"] for row in rows} == {"unchanged"}
    [whole] = [row for row in rows if row["scope"] == "all"]
    assert whole["baseline"] == whole["candidate"] == pytest.approx((2 / 3 + 2 / 3 + 0 + 1 + 1 / 3 + 1) / 6)


def test_stages_that_hand_on_in_memory_say_the_same_as_their_files(tmp_path: Path) -> None:
    """``run`` reads nothing back that it has just measured."""
    suite = Suite(tmp_path, "+-+", "++x", "-", "+", "-+-", "+")
    suite.run("base")
    workspace = suite.workspace("base")
    workspace.handed.records = list(iter_records(workspace.out / "records.jsonl"))
    score(workspace)
    assert workspace.handed.run is not None
    compare(workspace, workspace.out / "run.json")
    held = (workspace.out / "comparison.json").read_bytes()
    compare(suite.workspace("base"), workspace.out / "run.json")
    assert (workspace.out / "comparison.json").read_bytes() == held


@pytest.mark.parametrize(("plan", "outcome"), [("+++++-", "passed"), ("+++---", "failed"), ("+++-+-", "failed")])
def test_a_critical_case_has_what_it_had_most_of_its_times(tmp_path: Path, plan: str, outcome: str) -> None:
    """Three of three times before; two of three now, none, or one."""
    suite = Suite(tmp_path, plan, *["+"] * 5, gate=LOOSE)
    suite.run("base")
    decision = suite.run("new", "base")
    assert decision.outcome == outcome
    [lost] = [case for case in decision.cases if case.id == "c0" and case.rule == "critical lost_needs"]
    assert lost.status == outcome


def _read(answer: str, *, says: bool) -> dict[str, Any]:
    """What a script says of an answer: that it states the fact and is one, or neither."""
    reply = {
        "relevance": {"reason": "read", "relevant": says}, "abstention": {"reason": "read", "abstained": not says},
        "statements": [], "claims": [], "facts": [{"id": "f1", "reason": "read", "present": says}],
    }  # fmt: skip
    return {"name": "answer", "contains": answer, "times": None, "reply": reply}


@pytest.mark.parametrize(
    ("plan", "outcome", "lost", "times"),
    [
        ("+-+++", "passed", [(0, 0), (0, 0)], "nothing was lost"),
        ("+----", "failed", [(1, 0), (0, 1)], "in 4 of 5 answers"),
        ("+xxx+", "failed", [(1, 0), (0, 1)], "in 3 of 5 answers"),
        ("-++++", "failed", [(1, 0), (1, 0)], "(in 1 of 5 answers)"),
    ],
)
def test_a_judge_is_heard_of_every_answer_to_a_critical_case(
    tmp_path: Path, plan: str, outcome: str, lost: list[tuple[int, int]], times: str
) -> None:
    """Five times right before: how much is lost and how much may be, by the first answer and by most of them."""
    rules = {"critical": {"lost_needs": None, "lost_facts": None, "new_unsupported_claims": None}}
    judge = {"provider": "scripted", "model": "replies.json", "calibration": "calibration.json"}
    suite = Suite(
        tmp_path, f"{'+' * 5}{plan}", *["+"] * 5, repeats=5, metrics=["recall@5", "answer_completeness", "abstention"],
        judge=judge, gate={**LOOSE, **rules},
    )  # fmt: skip
    suite.bench.cases = [{**each, "facts": [{"id": "time", "text": "three weeks"}]} for each in suite.bench.cases]
    home = suite.bench.folder
    (home / "replies.json").write_text(json.dumps([_read(OTHER, says=False), _read(TEXT, says=True)]))
    write_value(home / "calibration.json", calibration())
    suite.run("base", tier="full")
    write_value(home / "calibration.json", calibration(fingerprint=suite.read("base")["fingerprint"]["judge"]))
    verdict = suite.run("new", "base", tier="full")
    found = {each["rule"]: each for each in suite.read("new", "exam.json")["exam"]["critical"] if each["id"] == "c0"}
    assert verdict.outcome == outcome
    told = [found["wrong_abstention"], found["lost_answer_facts"]]
    assert [(each["lost"], each["unconfirmed"]) for each in told] == lost
    assert all(times in each["reason"] for each in told)
    # From the files it is the same as from what was in memory.
    assert suite.decide("new", "base", tier="full") == verdict


@pytest.mark.parametrize(("plan", "is_failed"), [("xx+", True), ("x++", False)])
def test_a_case_is_failed_that_mostly_failed(tmp_path: Path, plan: str, is_failed: bool) -> None:
    """One in six is more than max_failures; its value is what the times it was answered give it."""
    suite = Suite(tmp_path, plan, *["+"] * 5)
    decision = suite.run("out")
    assert any(reason.code == "too-many-failures" for reason in decision.reasons) == is_failed
    assert values(suite.read("out"), "recall@5")[0] == pytest.approx(plan.count("+") / 3)


def test_each_distinct_answer_is_judged_and_equal_ones_once(tmp_path: Path) -> None:
    """Two answers to the first question, one to the others: the judge is asked about four in all."""
    suite = Suite(tmp_path, "+-+", "+", "+", metrics=["recall@5", "faithfulness"], judge=JUDGED)
    suite.run("out", tier="full")
    run = suite.read("out")
    spent = run["timing"]["judge"]
    assert spent["claims"]["calls"] == 4
    assert values(run, "faithfulness") == [1.0, 1.0, 1.0]
    assert [each["judgement"] is not None for each in run["cases"][0]["repeats"]] == [True, True]
    assert suite.decide("out", "out", tier="full").outcome == "passed"


def test_estimate_counts_every_time_before_there_are_answers_and_distinct_ones_after(tmp_path: Path) -> None:
    """Three supposed answers a question; then the four that are there."""
    suite = Suite(tmp_path, "+-+", "+", "+", metrics=["faithfulness"], judge=JUDGED)
    assert estimate_run(suite.bench.workspace(tier="full")).spent.parts["claims"].calls == 9
    suite.bench.collect()
    assert estimate_run(suite.bench.workspace(tier="full")).spent.parts["claims"].calls == 4


def test_what_answers_the_same_every_time_is_asked_once_and_check_says_so(tmp_path: Path) -> None:
    """A recorded pipeline; the records of one that was asked three times can be such."""
    suite = Suite(tmp_path, "+-+", "+", "+", "+", "+")
    suite.bench.collect()
    bench = Bench(tmp_path, suite.bench.cases, {}, config={"metrics": ["recall@5"]})
    bench.pipeline = {**recorded(tmp_path, suite.bench.records()), "repeats": 3}
    assert all("repeats" not in each for each in bench.collect())
    found = check(bench.write(), today="2026-03-01")
    [problem] = [each for each in found if each.code == "pointless-repeats"]
    assert (problem.severity, problem.message) == (
        "warning", "pipeline.repeats: recorded answers the same every time, and is asked once; leave it out"
    )  # fmt: skip


def test_records_that_were_asked_another_number_of_times_are_refused(tmp_path: Path) -> None:
    """Whoever leaves out the times that went badly must not raise the mean."""
    suite = Suite(tmp_path, "+-+", "+")
    suite.bench.collect()
    path = suite.bench.out / "records.jsonl"
    first, *rest = suite.bench.records()
    path.write_text("".join(json.dumps(each) + "\n" for each in ({**first, "repeats": first["repeats"][1:]}, *rest)))
    with pytest.raises(errors.FileProblem, match="case 'c0' was asked 2 times, not 3; run collect again"):
        score(suite.bench.workspace())


def test_another_number_of_repeats_is_a_change_of_the_configuration_and_comparable(tmp_path: Path) -> None:
    """Once before, three times now."""
    suite = Suite(tmp_path, *["+"] * 6, repeats=1)
    suite.run("base")
    suite.bench.pipeline["repeats"] = 3
    assert suite.run("new", "base").outcome == "passed"
    found = suite.read("new", "comparison.json")
    assert found["configuration"] == [{"key": "pipeline.repeats", "before": 1, "after": 3}]
    assert found["paired"] == 6


def test_measured_noise_counts_for_more_beside_a_baseline_that_asked_less_often(tmp_path: Path) -> None:
    """One time has three times the variance of a mean of three: the band is root((1 + 3) / 2) times as wide."""
    suite = Suite(tmp_path, *["+"] * 5, "+" * 4 + "-" * 6, repeats=1, gate=LOOSE)
    suite.run("once")
    suite.bench.pipeline["repeats"] = 3
    suite.run("base")
    own = known_noise.fingerprint(suite.workspace("new").config, None)
    known = MetricNoise(sd=0.1, categories={"uncategorised": CategoryNoise(sd=0.1, n=6)})
    noise = Noise(fingerprint=own, pipeline_fingerprint=own, date="2026-03-01", repeats=5, metrics={"recall@5": known})
    write_value(suite.bench.folder / "noise.json", noise)
    suite.bench.config["noise"] = "noise.json"
    bands = []
    suite.run("new", "base")
    for baseline in ("base", "once"):
        suite.decide("new", baseline)
        [row] = [row for row in suite.read("new", "comparison.json")["rows"] if row["scope"] == "all"]
        bands.append(row["noise"])
    assert bands[1] == pytest.approx(bands[0] * 2**0.5)
