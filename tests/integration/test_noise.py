"""``noise``: a suite run several times, and what varied in it."""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator import errors
from evaluator.model.noise import Noise
from evaluator.stages import noise
from evaluator.stores.values import read_value
from tests.fakes import llm_brain, wobbling
from tests.fakes.llm_brain import Asked
from tests.fakes.llm_server import Fault, LlmServer
from tests.shop import Shop
from tests.workbench import Bench, recorded, write_lines

ROOT = Path(__file__).parents[2]
SURE, WOBBLY = "Repairs take three weeks.", "Wobbly repairs take three weeks."
PIPELINE = """
import pathlib

COUNTS = pathlib.Path({counts!r})


def answer(question):
    file = COUNTS / question.rstrip("?").replace(" ", "-")
    times = int(file.read_text()) + 1 if file.exists() else 1
    file.write_text(str(times))
    found = "other" if question == "Question 0?" and times == 2 else "k"
    return {{"retrieved": [{{"id": found, "text": "{sure}"}}], "answer": "{sure}" if found == "k" else "Gone fishing."}}
"""


@pytest.fixture(autouse=True)
def _from_the_beginning() -> None:
    wobbling.asked_about.clear()


def cases(count: int) -> list[dict[str, Any]]:
    """Questions of two categories, the last one held out."""
    found = [
        {"id": f"c{n}", "question": f"Question {n}?", "relevant": ["k"], "category": "even" if n % 2 == 0 else "odd"}
        for n in range(count)
    ]
    return [*found, {"id": "held", "question": "Held?", "relevant": ["k"], "split": "holdout"}]


def judged(folder: Path, *answers: str, **config: Any) -> Bench:
    """Recorded answers, and a judge that changes its mind about one of them."""
    replies = [
        {"id": each["id"], "retrieved": [{"id": "k", "text": WOBBLY}], "answer": answer}
        for each, answer in zip(cases(len(answers)), (*answers, WOBBLY), strict=True)
    ]
    config = {
        "metrics": ["recall@5", "faithfulness"], "judge": {"provider": "scripted", "model": wobbling.MODEL, **config},
    }  # fmt: skip
    return Bench(folder, cases(len(answers)), recorded(folder, replies), config=config)


def live(folder: Path, **config: Any) -> Bench:
    """A pipeline that retrieves something else the second time it is asked about the first question."""
    counts, home = folder / "counts", folder / "home"
    counts.mkdir()
    home.mkdir()
    (home / "rag.py").write_text(PIPELINE.format(counts=str(counts), sure=SURE))
    section = {"kind": "python", "python": {"target": "rag:answer"}}
    return Bench(home, cases(4), section, config={"metrics": ["recall@5", "mrr@10"], **config})


def test_a_judge_that_changes_its_mind_once_in_five_is_measured(tmp_path: Path) -> None:
    """Values 1, 1, 0, 1, 1 of one case in six: squares 0.8 over 24 degrees of freedom, over 12 in its category."""
    bench = judged(tmp_path, WOBBLY, *[SURE] * 5)
    path, found = noise.measure(bench.workspace(tier="full"), 5)
    assert path == tmp_path / "noise.json"
    assert read_value(path, Noise) == found
    faithfulness = found.metrics["faithfulness"]
    assert faithfulness.sd == pytest.approx(math.sqrt(0.8 / 24))
    assert {name: (each.n, each.sd) for name, each in faithfulness.categories.items()} == {
        "even": (3, pytest.approx(math.sqrt(0.8 / 12))), "odd": (3, 0.0),
    }  # fmt: skip
    assert (faithfulness.judge, faithfulness.pipeline) == (faithfulness.sd, 0.0)
    assert found.metrics["recall@5"].sd == 0.0
    assert found.cases == {"c0": {"faithfulness": 0.4}}
    assert (found.date, found.repeats) == ("2026-03-01", 5)


def test_a_judge_that_fails_is_not_one_that_never_varies(tmp_path: Path) -> None:
    """Two of eight answers could not be judged: the other six would say that nothing ever moves."""
    bench = judged(tmp_path, *["Garbled."] * 2, *[SURE] * 6)
    with pytest.raises(errors.JudgeError, match=r"^faithfulness could not be scored for 2 of 8 cases in run-1, more"):
        noise.measure(bench.workspace(tier="full"), 2)
    assert not (tmp_path / "noise.json").exists()
    bench = judged(tmp_path, *["Garbled."] * 2, *[SURE] * 6)
    bench.config["gate"] = {"max_unscored": 0.25}
    assert noise.measure(bench.workspace(tier="full"), 2)[1].metrics["faithfulness"].sd == 0


def test_too_few_cases_do_not_say_that_nothing_varies(tmp_path: Path) -> None:
    """Four of five that are needed: not written, so it counts as not measured; what varied in four did vary."""
    heard: list[str] = []
    bench = judged(tmp_path, WOBBLY, *[SURE] * 3)
    _, found = noise.measure(replace(bench.workspace(tier="full"), log=heard.append), 3)
    assert found.metrics.keys() == {"faithfulness"}
    assert "recall@5: does not vary in 4 cases, fewer than gate.min_cases (5): not written, so it counts as not " in (
        next(line for line in heard if line.startswith("recall@5"))
    )


def test_the_runs_that_follow_are_of_the_same_fingerprint(tmp_path: Path) -> None:
    """What score writes is what noise.json says, so that the file is believed; tier retrieval has a part of it."""
    bench = judged(tmp_path, *[SURE] * 5)
    _, found = noise.measure(bench.workspace(tier="full"), 2)
    bench.config["noise"] = "noise.json"
    for tier, expected in (("full", found.fingerprint), ("retrieval", found.pipeline_fingerprint)):
        workspace = bench.workspace(tier=tier)
        bench.collect()
        noise.score(workspace)
        head = json.loads((bench.out / "run.json").read_text())
        assert head["fingerprint"]["noise"] == expected
        assert head["noise"]["metrics"].keys() == {"recall@5", "faithfulness"}
    assert found.fingerprint != found.pipeline_fingerprint


def test_a_live_pipeline_is_asked_in_every_run_and_its_noise_told_from_the_judges(tmp_path: Path) -> None:
    """Recall 1, 0, 1 of one case in four: squares 2/3 over 8 degrees of freedom; the judge does not waver."""
    bench = live(
        tmp_path, metrics=["recall@5", "faithfulness"], judge={"provider": "scripted", "model": wobbling.MODEL}
    )
    _, found = noise.measure(bench.workspace(tier="full"), 3)
    for metric in ("recall@5", "faithfulness"):
        assert found.metrics[metric].sd == pytest.approx(math.sqrt(2 / 3 / 8))
        assert found.metrics[metric].judge == 0.0
        assert found.metrics[metric].pipeline == found.metrics[metric].sd
    assert found.cases == {"c0": {"recall@5": pytest.approx(2 / 3), "faithfulness": pytest.approx(2 / 3)}}


def test_an_interrupted_measurement_goes_on_from_where_it_was(tmp_path: Path) -> None:
    """The pipeline is asked three times in all; a measurement after that is one of its own."""
    bench = live(tmp_path)
    out = bench.folder / ".rag-assay" / "out"

    def stop(line: str) -> None:
        if line == "noise: run 3 of 3":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        noise.measure(replace(bench.workspace(log=stop), out=out), 3)
    counts = [int(file.read_text()) for file in (tmp_path / "counts").iterdir()]
    assert counts == [2] * 5
    assert not (bench.folder / "noise.json").exists()
    _, found = noise.measure(replace(bench.workspace(), out=out), 3)
    assert [int(file.read_text()) for file in (tmp_path / "counts").iterdir()] == [3] * 5
    assert found.metrics["recall@5"].sd == pytest.approx(math.sqrt(2 / 3 / 8))
    assert bench.log.count("the answers of an interrupted measurement are used again") == 2
    noise.measure(replace(bench.workspace(), out=out), 2)
    assert [int(file.read_text()) for file in (tmp_path / "counts").iterdir()] == [5] * 5


def test_a_budget_that_is_spent_ends_it_and_nothing_is_written(tmp_path: Path) -> None:
    """The limit is on all repeats together; the next time their replies are in the cache."""
    bench = judged(tmp_path, *[SURE] * 3, prices={"input": 100.0, "output": 100.0}, max_cost_usd=0.9)
    with pytest.raises(errors.UsageError, match=r"judging stopped before it was done: .*the same command goes on"):
        noise.measure(bench.workspace(tier="full"), 5)
    assert not (tmp_path / "noise.json").exists()


def test_one_run_shows_nothing(tmp_path: Path) -> None:
    """It takes two values to differ."""
    with pytest.raises(errors.UsageError, match="--repeats 1: it takes 2 runs"):
        noise.measure(judged(tmp_path, SURE).workspace(tier="full"), 1)


def test_a_file_that_is_named_and_not_there_is_refused(tmp_path: Path) -> None:
    """A misspelt path must not look like noise that nobody measured."""
    bench = judged(tmp_path, SURE)
    bench.config["noise"] = "gone.json"
    bench.collect()
    with pytest.raises(errors.FileProblem, match=r"noise names .*gone\.json, which does not exist; write it with"):
        noise.score(bench.workspace())
    write_lines(tmp_path / "gone.json", [{"format": 1, "fingerprint": "f", "date": "d", "repeats": 1, "metrics": {}}])
    with pytest.raises(errors.FileProblem, match=r"gone\.json:1:\d+: repeats"):
        noise.score(bench.workspace())


MOODY = """
import pathlib

from tests.fakes.llm_brain import Asked, literal

COUNTS = pathlib.Path(__file__).parent / "counts"


def reply(request):
    text = "\\n".join(block.text for block in request.blocks)
    asked = Asked(request.name, request.system, text, dict(request.schema), "moody")
    found = literal(asked)
    if request.name == "context":
        number = asked.blocks["question"].removeprefix("Question ").removesuffix("?")
        file = COUNTS / number
        times = int(file.read_text()) if file.exists() else 0
        file.write_text(str(times + 1))
        if times % 2 == 1 and number == str(times // 2):
            for claim in found["claims"]:
                claim.update(verdict="unsupported", quote=None, chunks=[])
    return found
"""


def test_a_set_that_is_judged_twice_stays_green(tmp_path: Path) -> None:
    """N1: the mean is 1.0, 0.9, 1.0, 0.9, ... by turns, because the judge thinks otherwise of another case each time.

    In four judgings two cases are 1, 1, 1 and once 0: squares 2 x 0.75 over 30 degrees of freedom. Without the noise a
    fall by 0.1 where 0.03 is allowed would not pass.
    """
    bench = judged(tmp_path, *[SURE] * 10)
    bench.cases.pop()
    (tmp_path / "moody.py").write_text(MOODY)
    (tmp_path / "counts").mkdir()
    bench.config |= {
        "judge": {"provider": "scripted", "model": "moody:reply"},
        "gate": {"rules": [{"metric": name, "max_drop": 0.03} for name in ("faithfulness", "recall@5")]},
    }  # fmt: skip
    bench.write()
    done = command(tmp_path, "noise", "--repeats", "4")
    assert done.returncode == 0, done.stderr
    assert "faithfulness: a case varies by 0.2236 from run to run (0.2236 by the judge)" in done.stderr
    assert "flaky: c0, faithfulness: two runs disagree 50% of the time" in done.stderr
    assert "noise: the judge answered 120 calls for 0.00 USD" in done.stderr
    bench.config["noise"] = "noise.json"
    bench.write()
    judgings = [command(tmp_path, "run", "--tier", "full", "--out", "base", past_cache=True)]
    judgings.append(
        command(tmp_path, "run", "--tier", "full", "--out", "new", "--baseline", "base/run.json", past_cache=True)
    )
    assert [each.returncode for each in judgings] == [0, 0], judgings[1].stderr
    rows = json.loads((tmp_path / "new" / "comparison.json").read_text())["rows"]
    [row] = [row for row in rows if row["metric"] == "faithfulness" and row["scope"] == "all"]
    assert row["delta"] == pytest.approx(-0.1)
    # t(0.95, 30) x 0.2236 x root(2 / 10) is 0.170, and rare jumps reach farther.
    assert 0.169 < row["noise"] < 0.25
    assert row["status"] == "within noise"
    assert "chance alone makes" in row["reason"]


def command(folder: Path, *arguments: str, past_cache: bool = False) -> subprocess.CompletedProcess[str]:
    """Run ``rag-assay`` in a folder, whose modules can be imported."""
    if past_cache:
        shutil.rmtree(folder / ".rag-assay")
    return subprocess.run(
        [sys.executable, "-m", "evaluator", *arguments], cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(folder)))}, timeout=60,
    )  # fmt: skip


def test_what_cannot_vary_is_not_measured(tmp_path: Path) -> None:
    """A recorded pipeline without a judge: one sentence, and nothing is run."""
    bench = judged(tmp_path, SURE)
    with pytest.raises(errors.UsageError, match="kind recorded answers the same every time, and tier retrieval asks"):
        noise.measure(bench.workspace(), 5)
    del bench.config["judge"]
    bench.config["metrics"] = ["recall@5"]
    with pytest.raises(errors.UsageError, match=r"nothing to measure: .* and there is no judge: section"):
        noise.measure(bench.workspace(), 5)
    assert not bench.out.exists()


def test_a_pipeline_that_is_down_has_no_noise(tmp_path: Path) -> None:
    """It fails every time, which would look like no noise at all."""
    bench = live(tmp_path)
    (bench.folder / "rag.py").write_text("def answer(question):\n    raise ValueError('down')\n")
    with pytest.raises(errors.PipelineError, match="the pipeline failed for 5 of 5 cases in run-1"):
        noise.measure(bench.workspace(), 2)
    assert not (bench.folder / "noise.json").exists()


def test_what_it_will_take_is_said_first(tmp_path: Path) -> None:
    """Three judged runs of four answers, three calls each, then without those that the cache holds."""
    bench = judged(tmp_path, *[SURE] * 3, prices={"input": 100.0, "output": 100.0}, max_cost_usd=0.1)
    with pytest.raises(errors.UsageError):
        noise.measure(bench.workspace(tier="full"), 3)
    assert bench.log[0].startswith("noise: 3 judged runs, about 36 calls, ")
    assert bench.log[0].endswith("USD, by supposed answers as long as the references")
    assert bench.log[1].startswith("warning: that is more than judge.max_cost_usd (0.1 USD)")
    bench.config["judge"].pop("max_cost_usd")
    bench.log.clear()
    noise.measure(bench.workspace(tier="full"), 3)
    bench.log.clear()
    noise.measure(bench.workspace(tier="full"), 3)
    assert bench.log[0] == "noise: 3 judged runs, about 0 calls, 0 tokens read and 0 written, 0.00 USD"


class Wavering:
    """A judge that finds the fact in every answer, but in that of one question not the third time it is asked."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def __call__(self, asked: Asked) -> dict[str, Any]:
        """The reply."""
        question = asked.blocks["question"]
        self.asked[question] += 1
        reply = llm_brain.literal(asked)
        wavers = "0" in question and self.asked[question] == wobbling.TURN
        reply["facts"] = [{**fact, "present": not wavers} for fact in reply["facts"]]
        return reply


@pytest.mark.parametrize("at", [12, 29], ids=["in the second run", "at the last reply"])
def test_an_interrupted_measurement_asks_no_judge_twice_and_comes_to_the_same(tmp_path: Path, at: int) -> None:
    """Ctrl-C during a reply of three runs of ten questions: exit 3, no file; the same command goes on from there."""
    with LlmServer(brain=Wavering()) as server:
        written = []
        for name in ("whole", "stopped"):
            (tmp_path / name).mkdir()
            shop = Shop(tmp_path / name, server)
            shop.labels = [{"facts": [{"id": "time", "text": "thirty days"}]} for _ in shop.answers]
            shop.config |= {
                "metrics": ["recall@5", "answer_completeness"], "gate": {"critical": {"new_unsupported_claims": None}},
            }  # fmt: skip
            server.brain = judge = Wavering()
            before = len(server.answered)
            if name == "stopped":
                _interrupt(shop, server, before + at)
                assert not (shop.folder / "noise.json").exists()
            done = shop.command("noise", "--repeats", "3")
            assert done.code == 0, done.told
            assert set(judge.asked.values()) == {3}
            assert len(server.answered) - before == 30
            written.append(json.loads((shop.folder / "noise.json").read_text()))
    assert written[0] == written[1]
    assert written[1]["cases"] == {"c0": {"answer_completeness": pytest.approx(2 / 3)}}


def _interrupt(shop: Shop, server: LlmServer, at: int) -> None:
    """Start to measure, and interrupt while that call is answered."""
    reached, go_on = threading.Event(), threading.Event()

    def fault(count: int, _: dict[str, Any]) -> Fault | None:
        if count == at:
            reached.set()
            go_on.wait(20)
        return None

    server.fault = fault
    process = shop.start("noise", "--repeats", "3")
    assert reached.wait(60)
    process.send_signal(signal.SIGINT)
    threading.Timer(0.3, go_on.set).start()
    _, told = process.communicate(timeout=60)
    server.fault = lambda *_: None
    assert process.returncode == 3, told
