"""Drift over many runs through the command: each is compared with the last one that was accepted."""

from __future__ import annotations

import io
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from evaluator.cli import outcome
from evaluator.cli.console import Console
from evaluator.cli.session import Session
from tests.court import calibration

CLAIMS = 10
RECALL = {"metric": "recall@5", "per": "category", "max_drop": 0.02}
FAITHFUL = {"metric": "faithfulness", "per": "category", "max_drop": 0.03, "min_lost": 2}


class Chain:
    """Runs of a suite of recorded answers, one after the other."""

    def __init__(self, folder: Path, **config: Any) -> None:
        self.folder = folder
        self.count = 0
        self.accepted: str | None = None
        self.config: dict[str, Any] = {
            "suite": "s", "golden": "golden.jsonl", "pipeline": {"kind": "recorded", "recorded": {"file": "a.jsonl"}},
            "metrics": ["recall@5"], "gate": {"rules": [RECALL], "drift": {"max_drop": 0.05}}, **config,
        }  # fmt: skip

    def run(self, cases: list[dict[str, Any]], answers: list[dict[str, Any]], *options: str) -> tuple[int, set[str]]:
        """Run the command; its exit code and the rules that failed. A run that passes is the next one's baseline."""
        for name, lines in (("golden.jsonl", cases), ("a.jsonl", answers)):
            (self.folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
        (self.folder / "rag-assay.yml").write_text(json.dumps(self.config))
        out, self.count = f"run{self.count}", self.count + 1
        command = ["run", "-c", str(self.folder / "rag-assay.yml"), "--out", str(self.folder / out), *options]
        command += ["--baseline", str(self.folder / self.accepted / "run.json")] if self.accepted else []
        heard = io.StringIO()
        code = outcome(command, Session(environment={"PATH": os.defpath}, console=Console(heard)))
        assert code in (0, 1), heard.getvalue()
        if code == 0:
            self.accepted = out
        decision = json.loads((self.folder / out / "decision.json").read_text())
        return code, {rule["rule"] for rule in decision["rules"] if rule["outcome"] == "failed"}

    def head(self, out: str) -> dict[str, Any]:
        """What a run's file holds beside its cases."""
        found: dict[str, Any] = json.loads((self.folder / out / "run.json").read_text())
        return found

    def anchor(self, metric: str) -> dict[str, float]:
        """The anchor that the last accepted run hands on."""
        assert self.accepted is not None
        found: dict[str, float] = self.head(self.accepted)["history"]["anchor"][metric]
        return found


def hundred(found: int, extra: int = 0) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A hundred questions, so many of which find what they need; and some more that find nothing."""
    cases = [
        {"id": f"c{n}", "question": f"question {n}", "category": "a", "relevant": [f"k{n}"]} for n in range(100 + extra)
    ]
    answers = [
        {"id": case["id"], "retrieved": [{"id": f"k{n}" if n < found else "other", "text": "t"}]}
        for n, case in enumerate(cases)
    ]
    return cases, answers


def test_ten_small_drops_are_caught_when_together_they_are_more_than_is_allowed(tmp_path: Path) -> None:
    """From 0.90 down by 0.01, of which 0.02 are allowed: 0.85 is 0.05 below the anchor, 0.84 is more.

    A red run is no baseline, so the next ones stand against 0.85, and only drift sees them; the last four fall by more
    than is allowed from there, too.
    """
    chain = Chain(tmp_path)
    results = [chain.run(*hundred(90 - drop)) for drop in range(11)]
    drift, drop = {"recall@5 drift"}, {"recall@5 drift", "recall@5 max_drop"}
    assert results == [(0, set())] * 6 + [(1, drift)] * 2 + [(1, drop)] * 3
    history = chain.head(chain.accepted or "")["history"]
    assert sum(chain.anchor("recall@5").values()) == 90
    assert len(history["chain"]) == 5
    # Whoever lets it through must see it again: nothing that failed lowers what is asked.
    assert chain.run(*hundred(85)) == (0, set())


def test_an_improvement_raises_the_anchor_the_second_time_and_cannot_be_lost_in_small_steps(tmp_path: Path) -> None:
    """From 0.80 to 0.90 and 0.89: then the anchor is 0.89, and 0.83 is 0.06 below, though 0.80 was the old level."""
    chain = Chain(tmp_path)
    assert chain.run(*hundred(80)) == (0, set())
    assert chain.run(*hundred(90)) == (0, set())
    assert (sum(chain.anchor("recall@5").values()), chain.head("run1")["history"]["pending"]) == (
        80, {"recall@5": ["a"]},
    )  # fmt: skip
    assert chain.run(*hundred(89)) == (0, set())
    assert sum(chain.anchor("recall@5").values()) == 89
    for found in (88, 87, 86, 85, 84):
        assert chain.run(*hundred(found)) == (0, set())
    assert chain.run(*hundred(83)) == (1, {"recall@5 drift"})
    assert sum(chain.anchor("recall@5").values()) == 89


def test_an_improvement_that_did_not_last_is_no_level_to_be_held_to(tmp_path: Path) -> None:
    """0.80, once 0.82, and 0.80 again: the anchor never was more than 0.80, and 0.75 is just within reach of it."""
    chain = Chain(tmp_path)
    results = [chain.run(*hundred(found)) for found in (80, 82, 80, 78, 76, 75, 74)]
    assert results == [(0, set())] * 6 + [(1, {"recall@5 drift"})]
    assert chain.head(chain.accepted or "")["history"]["pending"] == {}


def test_new_questions_enter_at_their_first_accepted_value(tmp_path: Path) -> None:
    """Twenty that find nothing: their anchor is 0, those of the others stay, and neither hides the other's fall."""
    chain = Chain(tmp_path)
    chain.run(*hundred(100))
    assert chain.run(*hundred(98, extra=20)) == (0, set())
    anchor = chain.anchor("recall@5")
    assert (sum(anchor.values()), len(anchor), anchor["c110"]) == (100, 120, 0.0)
    # Of 120: 0.0167 each time; 1.0 less 0.95 is 0.0417 of all, and 7 of 120 are 0.0583.
    assert [chain.run(*hundred(found, extra=20)) for found in (96, 94, 93)] == [
        (0, set()), (0, set()), (1, {"recall@5 drift"}),
    ]  # fmt: skip


def test_a_question_that_is_labelled_anew_starts_anew(tmp_path: Path) -> None:
    """What it was held to was another answer; the others are held to what they were."""
    chain = Chain(tmp_path)
    chain.run(*hundred(100))
    assert chain.run(*hundred(98)) == (0, set())
    cases, answers = hundred(98)
    for case in cases[98:]:
        case["relevant"] = ["other"]
    assert chain.run(cases, answers) == (0, set())
    anchor = chain.anchor("recall@5")
    assert (anchor["c98"], anchor["c0"], sum(anchor.values())) == (1.0, 1.0, 100)


def test_labels_that_say_nothing_to_a_metric_hide_no_drift(tmp_path: Path) -> None:
    """Another category in every run, and other chunks that are known to be irrelevant, which recall does not read."""
    chain = Chain(tmp_path)
    chain.run(*hundred(100))
    found = []
    for turn in range(1, 5):
        cases, answers = hundred(100 - 2 * turn)
        for case in cases:
            case |= {"category": f"a{turn}", "irrelevant": [f"i{turn}"]}
        found.append(chain.run(cases, answers))
    assert found == [(0, set()), (0, set()), (1, {"recall@5 drift"}), (1, {"recall@5 drift", "recall@5 max_drop"})]


def judged(folder: Path) -> Chain:
    """A suite of ten answers of ten claims with a judge that is believed and noise that was measured."""
    judge = {"provider": "scripted", "model": "tests.fakes.wobbling:reply"}
    chain = Chain(
        folder, metrics=["faithfulness"], judge=judge, gate={"rules": [FAITHFUL], "drift": {"max_drop": 0.05}}
    )
    assert chain.run(*ten([CLAIMS] * 10), "--tier", "full")[0] == 0
    prints = chain.head("run0")["fingerprint"]
    (folder / "calibration.json").write_text(calibration(fingerprint=prints["judge"]).model_dump_json())
    known = {"sd": 0.03, "categories": {"a": {"sd": 0.03, "n": 10}}}
    noise = {
        "format": 1, "fingerprint": prints["noise"], "date": "2026-11-01", "repeats": 5,
        "metrics": {"faithfulness": known},
    }  # fmt: skip
    (folder / "noise.json").write_text(json.dumps(noise))
    chain.config |= {"noise": "noise.json", "judge": {**judge, "calibration": "calibration.json"}}
    chain.accepted = None
    return chain


def ten(supported: list[int]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Ten questions; of the ten claims of each answer so many are in its context."""
    cases = [
        {"id": f"c{n}", "question": f"question {n}", "category": "a", "relevant": [f"k{n}"]}
        for n in range(len(supported))
    ]
    words = [f"w{n}" for n in range(CLAIMS)]
    answers = [
        {
            "id": case["id"], "retrieved": [{"id": f"k{n}", "text": f"It holds {' '.join(words[:count])}."}],
            "answer": " ".join(f"It holds {word}." for word in words),
        }
        for n, (case, count) in enumerate(zip(cases, supported, strict=True))
    ]  # fmt: skip
    return cases, answers


def test_ten_small_drops_of_what_a_judge_says_are_caught(tmp_path: Path) -> None:
    """From 1.00 down by 0.02, of which 0.03 are allowed: 0.96 is 0.04 below the anchor, 0.94 is 0.06, beyond the noise.

    t(0.05 / 4, 40) x 0.03 x root(2 / 10) = 2.33 x 0.0134 = 0.031, in which four rows share: two, and two of drift.
    """
    chain = judged(tmp_path)
    counts = [CLAIMS] * 10
    results = []
    for place in range(0, 20, 2):
        results.append(chain.run(*ten(counts), "--tier", "full"))
        for case in (place % 10, place % 10 + 1):
            counts[case] -= 1
    drift = {"faithfulness drift"}
    assert results[:4] == [(0, set())] * 3 + [(1, drift)]
    assert all(code == 1 and failed >= drift for code, failed in results[4:])
    assert sum(chain.anchor("faithfulness").values()) == pytest.approx(10)


def test_ten_runs_that_only_vary_by_themselves_are_no_drift_and_move_no_anchor(tmp_path: Path) -> None:
    """Each answer has eight of its claims supported, or one more or less; the mean moves by less than the band."""
    chain = judged(tmp_path)
    seeded = random.Random(20261130)  # noqa: S311 - the same runs for ever
    results = []
    for _ in range(11):
        steps = [-1] * 2 + [1] * 2 + [0] * 6
        seeded.shuffle(steps)
        steps[0] = max(-1, min(1, steps[0] + seeded.choice([-1, 0, 1])))
        results.append(chain.run(*ten([8 + step for step in steps]), "--tier", "full"))
    assert results == [(0, set())] * 11
    first = {case["id"]: case["scores"]["faithfulness"] for case in chain.head("run1")["cases"]}
    assert chain.anchor("faithfulness") == first


def test_an_improvement_beyond_the_noise_raises_the_judged_anchor_the_second_time(tmp_path: Path) -> None:
    """From 0.7 to 1.0 twice; a rise of 0.01, which chance makes, never counts."""
    chain = judged(tmp_path)
    for counts in ([7] * 10, [8] + [7] * 9, [8] + [7] * 9):
        assert chain.run(*ten(counts), "--tier", "full") == (0, set())
    assert sum(chain.anchor("faithfulness").values()) == pytest.approx(7)
    for expected in (7, 10):
        assert chain.run(*ten([CLAIMS] * 10), "--tier", "full") == (0, set())
        assert sum(chain.anchor("faithfulness").values()) == pytest.approx(expected)
