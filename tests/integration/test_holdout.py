"""Of held-out cases there are means, and nothing else, in anything that is published."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from evaluator import report
from evaluator.report.view import build_view
from tests import reports
from tests.court import Court, calibration, case
from tests.recorded import Done, Recorded

MARK = "zebra"
"""Is in every text of every held-out case, and in none of another."""

HITS = [{"id": "k"}]
SUITE_FILES = ("comment.md", "summary.md", "comparison.json", "decision.json", "exam.json")


def shown(id: str) -> dict[str, Any]:  # noqa: A002 - the field's name
    """A case that anybody may look at."""
    return {"id": id, "question": f"What of {id}?", "relevant": ["k"], "category": "c"}


def secret(number: int, **fields: Any) -> dict[str, Any]:
    """A held-out case that says so wherever it can."""
    name = f"{MARK}-{number}"
    return {
        "id": name, "question": f"What of the {name}?", "relevant": [f"{MARK} chunk", {"doc": f"{MARK} doc"}],
        "irrelevant": [f"{MARK} other"], "category": f"{MARK} category", "critical": True, "split": "holdout",
        "facts": [{"id": f"{MARK} fact", "text": f"a {MARK} has stripes"}], "reference": f"A {MARK} has stripes.",
        "history": [{"role": "user", "content": f"I saw a {MARK}."}], "notes": MARK, "tags": [MARK], "source": MARK,
        **fields,
    }  # fmt: skip


def lines(done: Done) -> list[str]:
    """The table of the held-out cases."""
    part = done.text().split("<summary>Held-out cases</summary>")[1].split("</details>")[0]
    return [line for line in part.splitlines() if line]


def test_means_are_shown_before_and_now_over_the_cases_that_both_runs_hold_out(tmp_path: Path) -> None:
    """Four cases, of which one lost its passage: 1.000 to 0.750. One that is new, or was not held out, is left out."""
    cases = [shown("a"), *({**shown(f"h{n}"), "split": "holdout"} for n in range(5))]
    found = Recorded(tmp_path, cases)
    found.cases[5]["split"] = "dev"
    base = found.run("base", {})
    found.cases[5]["split"] = "holdout"
    found.cases.append({**shown("h9"), "split": "holdout"})
    lost = {"retrieved": [{"id": "x"}]}
    done = found.run("new", {"h0": lost, "h5": lost, "h9": lost}, baseline=base.run)
    assert lines(done) == [
        "- 4 cases of 6 that are held out now, asked alike in both runs.",
        "| Metric | Cases | Baseline | This change | Δ |", "| :-- | --: | --: | --: | --: |",
        "| recall@5 | 4 | 1.000 | 0.750 | −0.250 |",
    ]  # fmt: skip


def test_without_a_baseline_there_are_this_runs_means(tmp_path: Path) -> None:
    """With how many cases were scored, of how many."""
    found = Recorded(tmp_path, [shown("a"), {**shown("h"), "split": "holdout"}])
    assert lines(found.run("new", {})) == [
        "| Metric | Mean | Scored |",
        "| :-- | --: | :-- |",
        "| recall@5 | 1.000 | 1 of 1 |",
    ]


def test_they_decide_nothing(tmp_path: Path) -> None:
    """Every held-out case fell, critical or not: the run passes as it would without them."""
    found = Recorded(
        tmp_path,
        [
            *(shown(f"a{n}") for n in range(9)),
            *({**shown(f"h{n}"), "split": "holdout", "critical": True} for n in range(9)),
        ],
    )
    base = found.run("base", {})
    done = found.run("new", {f"h{n}": {"retrieved": [{"id": "x"}]} for n in range(9)}, baseline=base.run)
    assert (done.exit_code, done.outcome) == (0, "passed")


def test_what_another_judge_said_of_them_is_not_compared(tmp_path: Path) -> None:
    """Recall is shown, faithfulness is not."""
    court = Court(tmp_path)
    court.calibrate(calibration())
    held = [case(f"h{n}", "supported", split="holdout") for n in range(3)]
    dev = [case(f"c{n}", "supported") for n in range(6)]
    same, other = court.run("same", [*dev, *held]), court.run("other", [*dev, *held], fingerprint="o" * 64)
    court.run("new", [*dev, *(case(f"h{n}", "unsupported", split="holdout") for n in range(3))])
    found = {}
    for name, baseline in (("same", same), ("other", other)):
        court.decide("new", baseline)
        rows = court.exam("new").exhibits.holdout
        found[name] = {row.metric: (row.baseline, row.candidate) for row in rows}
    assert found["same"]["faithfulness"] == (1.0, 0.0)
    assert "faithfulness" not in found["other"]


class TestLeaks:
    """Everything that could be said of a held-out case happens to one."""

    def published(self, done: Done) -> dict[str, str]:
        """Every text that leaves the machine; run.json and records.jsonl are what the next run is compared with."""
        found = {name: done.text(name) for name in SUITE_FILES}
        return {**found, "terminal": done.stderr}

    def test_no_id_and_no_text_of_a_held_out_case_is_published(self, tmp_path: Path) -> None:
        """Lost, failed, abstained, new, removed, changed, relabelled, in a group, retrieved twice, not in the index."""
        chunks = [
            {"id": name, "text": f"{name} text", "doc": f"{name} doc"} for name in ("k", f"{MARK} chunk", f"{MARK} x")
        ]
        cases = [shown(f"a{n}") for n in range(9)]
        held = [secret(n) for n in range(8)] + [secret(8, paraphrase_of=f"{MARK}-0"), secret(9, expect="abstain")]
        names = [case["id"] for case in held]
        good = {"retrieved": [{"id": f"{MARK} chunk"}, {"id": "k"}], "answer": f"A {MARK}.", "abstained": False}
        metrics = ["recall@5", "context_precision@5", "fact_coverage@5", "abstention", "paraphrase_overlap@5"]
        found = Recorded(tmp_path, [*cases, *held], chunks=chunks, config={"metrics": metrics})
        base = found.run("base", dict.fromkeys(names, good), "--allow-stale")
        bad: dict[str, dict[str, Any]] = {name: {**good, "retrieved": [{"id": f"{MARK} x"}] * 2} for name in names}
        bad[names[1]] = {"failure": {"kind": "error", "message": f"no {MARK} today"}}
        bad[names[2]] = {**good, "answer": f"I know no {MARK}.", "abstained": True}
        held[3]["question"] += "?"
        held[4]["relevant"] = ["k"]
        held[5]["critical"] = False
        found.cases = [*cases, *held[:6], *held[7:], secret(10)]
        done = found.run("new", {**bad, f"{MARK}-10": good}, "--allow-stale", baseline=base.run)
        assert done.exit_code in (0, 3), done.stderr
        texts = self.published(done)
        assert MARK in done.text("run.json")
        assert {name for name, text in texts.items() if MARK in text.lower()} == set()
        assert "Held-out cases" in texts["comment.md"]
        table = lines(done)
        assert table[0] == "- 8 cases of 10 that are held out now, asked alike in both runs."
        assert any(line.startswith("| recall@5 | 8 | ") for line in table)

    def test_nor_is_it_where_every_other_text_is_an_attack(self, tmp_path: Path) -> None:
        """Hostile questions and answers beside it change nothing of that."""
        held = [secret(n) for n in range(3)]
        others = [{**shown(f"a{n}"), "question": f"{reports.HOSTILE} {n}", "critical": True} for n in range(6)]
        found = Recorded(tmp_path, [*others, *held])
        base = found.run("base", {each["id"]: {"retrieved": HITS, "answer": reports.HOSTILE} for each in found.cases})
        done = found.run(
            "new", {each["id"]: {"retrieved": [], "answer": reports.HOSTILE} for each in found.cases}, baseline=base.run
        )
        assert done.exit_code == 1
        assert {name for name, text in self.published(done).items() if MARK in text.lower()} == set()

    def test_the_decision_on_standard_output_names_none(self, tmp_path: Path) -> None:
        """--format json prints decision.json, and nothing of a held-out case."""
        found = Recorded(tmp_path, [shown("a"), secret(1)])
        found.run("base", {}, "--allow-stale")
        command = [sys.executable, "-m", "evaluator", "run", "--out", "new", "--format", "json"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=60, text=True)
        assert json.loads(done.stdout)["format"] == 1
        assert MARK not in done.stdout + done.stderr

    def test_no_format_shows_a_case_whose_text_it_was_not_handed(self) -> None:
        """A comparison that names a case wrongly, whatever the format, publishes no text of it."""
        inputs = reports.failed()
        hidden = {name: text for name, text in inputs.cases.items() if name != "safety-01"}
        view = build_view(type(inputs)(**{**vars(inputs), "cases": hidden}))
        texts = [reporter.render(view) for reporter in report.load().values()]
        assert len(texts) == 3
        assert not [text for text in texts if "fire alarm" in text or "front desk" in text]
