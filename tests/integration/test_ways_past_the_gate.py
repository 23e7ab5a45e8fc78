"""Changes that got past a gate once: each makes something worse and must not be green."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

RULE = {"metric": "recall@5", "per": "category", "max_drop": 0.02}


class Suite:
    """Recorded answers to twenty questions, each of which needs the chunk of its own number."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cases: list[dict[str, Any]] = [
            {"id": f"c{n}", "question": f"question {n}", "category": "a", "relevant": [f"k{n}"]} for n in range(20)
        ]
        self.answers: dict[str, dict[str, Any]] = {case["id"]: self.found(case) for case in self.cases}
        self.config: dict[str, Any] = {
            "suite": "s", "golden": "golden.jsonl", "metrics": ["recall@5", "abstention"],
            "pipeline": {"kind": "recorded", "recorded": {"file": "answers.jsonl"}}, "gate": {"rules": [RULE]},
        }  # fmt: skip

    @staticmethod
    def found(case: dict[str, Any]) -> dict[str, Any]:
        """The right answer to a case."""
        return {"id": case["id"], "retrieved": [{"id": need, "text": "t"} for need in case["relevant"]]}

    def miss(self, *names: str) -> None:
        """Retrieve something else for these cases."""
        for name in names:
            self.answers[name]["retrieved"] = [{"id": "other", "text": "t"}]

    def add(self, count: int, category: str) -> list[str]:
        """New questions, answered rightly."""
        new = [
            {"id": f"{category}{n}", "question": f"{category} {n}", "category": category, "relevant": [f"n{n}"]}
            for n in range(count)
        ]
        self.cases.extend(new)
        self.answers.update({case["id"]: self.found(case) for case in new})
        return [case["id"] for case in new]

    def run(self, out: str, baseline: str | None = None, *options: str) -> int:
        """Run the command; its exit code."""
        lines = {"golden.jsonl": self.cases, "answers.jsonl": list(self.answers.values())}
        for name, found in lines.items():
            (self.folder / name).write_text("".join(json.dumps(line) + "\n" for line in found))
        (self.folder / "rag-assay.yml").write_text(json.dumps(self.config))
        command = [sys.executable, "-m", "evaluator", "run", "-q", "-c", str(self.folder / "rag-assay.yml")]
        command += ["--out", str(self.folder / out), *options]
        command += ["--baseline", str(self.folder / baseline / "run.json")] if baseline else []
        return subprocess.run(command, capture_output=True, check=False, timeout=60).returncode

    def read(self, out: str, name: str) -> Any:
        """A file of a run."""
        return json.loads((self.folder / out / name).read_text())


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """A suite of its own."""
    return Suite(tmp_path)


def test_a_floor_lowered_under_new_cases_that_all_miss(suite: Suite) -> None:
    """Twenty new questions are missed: the mean of 0.5 is below the baseline's floor of 0.9, above the new one."""
    suite.config["gate"]["rules"] = [{**RULE, "min": 0.9}]
    assert suite.run("main") == 0
    suite.miss(*suite.add(20, "a"))
    suite.config["gate"]["rules"] = [{**RULE, "min": 0.3}]
    assert suite.run("lowered", "main") == 3


def test_a_small_new_category_below_the_floor(suite: Suite) -> None:
    """Three new questions are missed: the small categories' row has a mean of 0, whether or not it had a pair."""
    suite.config["gate"]["rules"] = [{**RULE, "min": 0.7}]
    assert suite.run("main") == 0
    suite.miss(*suite.add(3, "new"))
    assert suite.run("added", "main") == 1


def test_cases_that_can_no_longer_be_measured(suite: Suite) -> None:
    """Ten answers no longer say whether they abstained: what was right before is unknown, not right."""
    suite.config["gate"]["rules"] = [RULE, {"metric": "abstention", "per": "all", "max_drop": 0.0}]
    for answer in suite.answers.values():
        answer.update(answer="text", abstained=False)
    assert suite.run("main") == 0
    for name in list(suite.answers)[:10]:
        del suite.answers[name]["abstained"]
    assert suite.run("silent", "main") == 3
    assert "unscored" in {reason["code"] for reason in suite.read("silent", "decision.json")["reasons"]}


@pytest.mark.parametrize("cost", [None, 1e308])
def test_costs_that_are_no_longer_reported(suite: Suite, cost: float | None) -> None:
    """Half of the answers report no cost, or one that is no amount: the rest being as cheap as ever decides nothing."""
    suite.config["metrics"].append("cost_usd")
    suite.config["gate"]["rules"] = [RULE, {"metric": "cost_usd", "per": "all", "max_rise": "20%"}]
    for answer in suite.answers.values():
        answer["usage"] = {"cost_usd": 0.01}
    assert suite.run("main") == 0
    for name in list(suite.answers)[:10]:
        suite.answers[name]["usage"] = {"cost_usd": cost}
    assert suite.run("silent", "main") == 3


def test_a_partial_run_is_no_baseline(suite: Suite) -> None:
    """A run of one case says nothing of the other nineteen."""
    assert suite.run("part", None, "--only", "c0") == 3
    suite.miss("c1", "c2")
    assert suite.run("compared", "part") == 2


def test_another_list_of_what_is_accepted(suite: Suite) -> None:
    """A change may add its reasons to the list that is guarded, not bring a list of its own."""
    (suite.folder / "accepted.yml").write_text("[]\n")
    suite.config["accepted"] = "accepted.yml"
    assert suite.run("main") == 0
    entry = {"case": "c0", "reason": "mine", "until": "2099-01-01"}
    (suite.folder / "mine.yml").write_text(json.dumps([entry]))
    suite.config["accepted"] = "mine.yml"
    del suite.cases[0], suite.answers["c0"]
    assert suite.run("own", "main") == 3


def test_deleting_a_metric_with_the_rule_that_could_not_be_decided(suite: Suite) -> None:
    """The pipeline stops answering and the change stops asking: under the baseline's rules the row is removed."""
    suite.config["gate"]["rules"] = [RULE, {"metric": "abstention", "per": "all", "max_drop": 0.0}]
    for answer in suite.answers.values():
        answer.update(answer="text", abstained=False)
    assert suite.run("main") == 0
    for answer in suite.answers.values():
        del answer["answer"], answer["abstained"]
    suite.config["metrics"], suite.config["gate"]["rules"] = ["recall@5"], [RULE]
    assert suite.run("silent", "main") == 3


def test_a_cut_off_that_the_candidate_no_longer_reaches(suite: Suite) -> None:
    """The baseline's rule reads fifty results, the candidate stores twenty: not comparable, rather than lost."""
    suite.config["metrics"] = ["recall@50"]
    suite.config["gate"]["rules"] = [{"metric": "recall@50", "per": "all", "max_drop": 0.02}]
    assert suite.run("main") == 0
    suite.config["metrics"] = ["recall@5"]
    suite.config["gate"]["rules"] = [{"metric": "recall@5", "per": "all", "max_drop": 0.02}]
    assert suite.run("shallow", "main") == 3
    found = suite.read("shallow", "comparison.json")["loosened"]
    assert {(entry["kind"], entry["metric"]) for entry in found} == {("undecided", "recall@50")}


def test_the_comment_says_where_it_was_loosened_and_what_would_accept_it(suite: Suite) -> None:
    """Rule, label, flag and case are each found in their file, and the lines to copy, with a reason, are enough."""
    suite.config["accepted"] = "accepted.yml"
    suite.config["gate"]["rules"] = [{**RULE, "max_drop": 0.0}, {"metric": "mrr@10", "per": "all", "max_drop": 0.0}]
    suite.config["metrics"] = ["recall@5", "mrr@10"]
    suite.config["gate"] |= {"critical": {"lost_needs": None}, "drift": {"max_drop": 1.0}}
    (suite.folder / "accepted.yml").write_text("[]\n")
    suite.cases[3]["critical"] = True
    assert suite.run("main") == 0
    suite.miss("c0")
    suite.config["gate"]["rules"] = [{**RULE, "max_drop": 0.5}, {"metric": "mrr@10", "per": "all", "max_drop": 0.0}]
    suite.cases[0]["relevant"] = ["other"]
    del suite.cases[3]["critical"]
    assert suite.cases.pop()["id"] == "c19"
    assert suite.run("easier", "main") == 3
    found = suite.read("easier", "comparison.json")["loosened"]

    assert [(entry["case"], entry["metric"], entry["category"], entry["where"]) for entry in found] == [
        (None, "recall@5", "a", "gate.rules[0].max_drop: 0 → 0.5"),
        (None, "recall@5", None, "gate.rules[0].max_drop: 0 → 0.5"),
        (None, "mrr@10", None, "labels changed: c0 (golden.jsonl:1)"),
        ("c19", None, None, "category a"),
        ("c3", None, None, "golden.jsonl:4, category a"),
    ]
    comment = (suite.folder / "easier" / "comment.md").read_text()
    block = comment.partition("To accept it, add to accepted.yml, with a reason:\n\n```\n")[2].partition("```")[0]
    assert len(block.splitlines()) == 4
    (suite.folder / "accepted.yml").write_text(block)
    assert suite.run("no-reason", "main") == 2
    (suite.folder / "accepted.yml").write_text(block.replace('reason: ""', "reason: agreed"))
    assert suite.run("accepted", "main") == 0


def test_a_run_of_uncommitted_changes_does_not_pass_for_its_commit(suite: Suite) -> None:
    """Both runs say that they are of more than their commit, by whole commands from a working tree."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(suite.folder)]
    suite.run("out/main")
    for arguments in (["init", "-q"], ["add", "golden.jsonl", "answers.jsonl"], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *arguments], check=True)
    suite.run("out/main")
    suite.miss("c0")
    suite.run("out/edited", "out/main")
    suite.run("out/twice", "out/edited")
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    said = {name: (suite.folder / "out" / name / "comment.md").read_text() for name in ("main", "edited", "twice")}

    assert suite.read("out/edited", "collect.json")["commit"] == head
    assert {name: text.count("with uncommitted changes") for name, text in said.items()} == {
        "main": 0, "edited": 1, "twice": 3,
    }  # fmt: skip
    assert f"· commit `{head[:12]}` with uncommitted changes ·" in said["edited"]
