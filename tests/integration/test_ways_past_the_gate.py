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
        new: list[dict[str, Any]] = [
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


class Answers(Suite):
    """Answers that state two values of the context, in a configuration with one metric that reads them."""

    def __init__(self, folder: Path, metric: str, answer: str) -> None:
        super().__init__(folder)
        self.config["metrics"] = ["recall@5", metric]
        self.config["gate"]["rules"] = [RULE, {"metric": metric, "per": "all", "max_drop": 0.02}]
        for found in self.answers.values():
            found["retrieved"].append({"id": "1", "text": "Returns within 30 days cost 40 EUR."})
        self.say(answer)

    def say(self, answer: str) -> None:
        """Answer every question with this."""
        for found in self.answers.values():
            found["answer"] = answer


@pytest.mark.parametrize("before", [None, r"<(?P<id>\w+)>"])
def test_a_pattern_of_citations_that_takes_away_what_an_answer_makes_up(tmp_path: Path, before: str | None) -> None:
    """Every answer now states 77 EUR, which no result does; by the new pattern 77 is a citation and no value."""
    suite = Answers(tmp_path, "grounded_values", "Within 30 days, for 40 EUR.")
    suite.config |= {"citations": {"pattern": before}} if before else {}
    assert suite.run("main") == 0
    suite.say("Within 30 days, for 77 EUR.")
    assert suite.run("worse", "main") == 1
    suite.config["citations"] = {"pattern": r"(?P<id>7\d)"}
    assert suite.run("hidden", "main") == 3

    found = suite.read("hidden", "comparison.json")["loosened"][0]
    assert (found["kind"], found["metric"]) == ("rule", "grounded_values")
    assert found["where"] == rf"citations.pattern: {before or 'none'} → (?P<id>7\d)"
    assert found["entry"] == {"metric": "grounded_values", "floor": 0.5}


def test_a_pattern_of_citations_that_reads_the_right_ones_only(tmp_path: Path) -> None:
    """Half of the citations turn wrong: the baseline's pattern reads both, the new one the right one alone."""
    suite = Answers(tmp_path, "citation_precision_labels", "So it is [1].")
    for case, found in zip(suite.cases, suite.answers.values(), strict=True):
        case |= {"relevant": ["1"], "irrelevant": ["other"]}
        found["retrieved"].append({"id": "other", "text": "t"})
    assert suite.run("main") == 0
    suite.say("So it is [1] [other].")
    assert suite.run("worse", "main") == 1
    suite.config["citations"] = {"pattern": r"\[(?P<id>1)\]"}
    assert suite.run("hidden", "main") == 3


def test_another_way_to_cite_is_accepted_by_name(tmp_path: Path) -> None:
    """The answers cite in other brackets, which the old pattern cannot read: a person says so, with a floor."""
    suite = Answers(tmp_path, "citation_precision_labels", "So it is [1].")
    for case in suite.cases:
        case["relevant"] = ["1"]
    suite.config["accepted"] = "accepted.yml"
    (suite.folder / "accepted.yml").write_text("[]\n")
    assert suite.run("main") == 0
    suite.say("So it is <1>.")
    suite.config["citations"] = {"pattern": "<(?P<id>[^>]+)>"}
    assert suite.run("other", "main") == 3
    entry = {"metric": "citation_precision_labels", "floor": 1.0, "reason": "agreed", "until": "2099-01-01"}
    (suite.folder / "accepted.yml").write_text(json.dumps([entry]))
    assert suite.run("agreed", "main") == 0


def test_a_pattern_that_changes_nothing(tmp_path: Path) -> None:
    """A pattern is written down where there was none, and no answer is read otherwise by it."""
    suite = Answers(tmp_path, "grounded_values", "Within 30 days, for 40 EUR.")
    assert suite.run("main") == 0
    suite.config["citations"] = {"pattern": "<(?P<id>[^>]+)>"}
    assert suite.run("written", "main") == 0


class Frozen(Suite):
    """Twenty needs of documents, or of passages, over a fixture that holds one chunk of each."""

    def __init__(self, folder: Path, kind: str = "doc") -> None:
        super().__init__(folder)
        self.texts = {
            f"k{n - 1}": f"Clause {n * 7919} binds tenant {n * 104729} to row {n * 31337}." for n in range(1, 21)
        }
        self.docs = {f"k{n}": f"d{n}" for n in range(20)}
        for n, case in enumerate(self.cases):
            need = {"doc": f"d{n}"} if kind == "doc" else {"quote": self.texts[f"k{n}"]}
            case["relevant"] = [need]
            self.answers[case["id"]]["retrieved"] = [{"id": f"k{n}"}]
        self.config["fixture"] = "fixture"
        self.freeze()

    def freeze(self) -> None:
        """Write the fixture."""
        (self.folder / "fixture").mkdir(exist_ok=True)
        chunks = [{"id": chunk, "text": text, "doc": self.docs[chunk]} for chunk, text in self.texts.items()]
        lines = "".join(json.dumps(chunk) + "\n" for chunk in chunks)
        (self.folder / "fixture" / "chunks.jsonl").write_text(lines)


@pytest.mark.parametrize("kind", ["doc", "quote"])
def test_a_fixture_that_is_gone(tmp_path: Path, kind: str) -> None:
    """Invented results bring the document or the passage along: only a fixture tells that there are none such."""
    suite = Frozen(tmp_path, kind)
    assert suite.run("main") == 0
    for n, answer in enumerate(suite.answers.values()):
        answer["retrieved"] = [{"id": f"made-up-{n}", "doc": f"d{n}", "text": suite.texts[f"k{n}"]}]
    assert suite.run("invented", "main") == 1
    del suite.config["fixture"]
    assert suite.run("unfrozen", "main") == 3

    [found] = suite.read("unfrozen", "comparison.json")["loosened"]
    comment = (suite.folder / "unfrozen" / "comment.md").read_text()
    assert found["kind"] == "undecided"
    assert "makes its own exam easier" in comment.partition("\n")[0]
    assert "was measured with a fixture and this run without" in comment


def test_documents_that_trade_their_names(tmp_path: Path) -> None:
    """Every label by document is met by the chunk of another one: the comment says so before any number."""
    suite = Frozen(tmp_path)
    assert suite.run("main") == 0
    suite.docs = {f"k{n}": f"d{(n + 1) % 20}" for n in range(20)}
    suite.freeze()
    for n, answer in enumerate(suite.answers.values()):
        answer["retrieved"] = [{"id": f"k{(n - 1) % 20}"}]
    suite.run("traded", "main")

    top = (suite.folder / "traded" / "comment.md").read_text().partition("###")[0]
    assert "20 labels mean other text than in the baseline, under the same id: 'd0' (case 'c0')" in top


def test_a_document_cut_anew_is_the_same_one(tmp_path: Path) -> None:
    """Its chunks have other ids and borders, and a sentence more."""
    suite = Frozen(tmp_path)
    assert suite.run("main") == 0
    suite.texts = {f"n{n}": f"{suite.texts[f'k{n}'][:-20]} and more of it." for n in range(20)}
    suite.docs = {f"n{n}": f"d{n}" for n in range(20)}
    suite.freeze()
    for n, answer in enumerate(suite.answers.values()):
        answer["retrieved"] = [{"id": f"n{n}"}]
    assert suite.run("recut", "main") == 0
    assert suite.read("recut", "exam.json")["alerts"] == []
