"""A team of forty questions in eight categories lives with the gate: what each change comes to, and why.

Every question needs one document; the pipeline is a Python function that looks its answers up in a table, so that each
story changes exactly what it says.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

CATEGORIES = ("leave", "travel", "safety", "it", "pay", "sales", "support", "office")
PIPELINE = """
import json, pathlib, threading
TABLE = json.loads(pathlib.Path("table.json").read_text())

def answer(request):
    found = TABLE[request["question"]]
    if found == "hang":
        threading.Event().wait()
    return found[: request["depth"]]
"""
CONFIG: dict[str, Any] = {
    "suite": "team", "golden": "golden.jsonl", "fixture": "fixture",
    "pipeline": {"kind": "python", "python": {"target": "pipeline:answer", "path": ["."]}, "timeout": 2, "workers": 2},
}  # fmt: skip


class Result(NamedTuple):
    """What one run of the command came to."""

    exit_code: int
    decision: dict[str, Any]
    comparison: dict[str, Any]
    comment: str
    stderr: str

    @property
    def codes(self) -> set[str]:
        """The reasons, by code."""
        return {reason["code"] for reason in self.decision["reasons"]}

    def statuses(self, metric: str) -> dict[str, str]:
        """Status per category of one metric; the row over all cases is ``all``."""
        rows = [row for row in self.comparison["rows"] if row["metric"] == metric]
        return {row["category"] or row["scope"]: row["status"] for row in rows}


class Team:
    """A repository in a folder, and the command run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = json.loads(json.dumps(CONFIG))
        names = [(name, n) for name in CATEGORIES for n in range(5)]
        self.cases: list[dict[str, Any]] = [
            {
                "id": f"{name}-{n}",
                "question": f"{name} question {n}",
                "category": name,
                "relevant": [{"doc": name + str(n)}],
            }
            for name, n in names
        ]
        self.chunks = [
            {"id": f"{name}{n}#{part}", "doc": f"{name}{n}", "text": f"{name} text {n} part {part}"}
            for name in CATEGORIES
            for n in range(5)
            for part in range(2)
        ]
        self.table: dict[str, Any] = {case["question"]: self.ranking(case) for case in self.cases}
        self.lose("office-4")

    def ranking(self, case: dict[str, Any]) -> list[str]:
        """The first chunk of the document that is needed, then nine of other documents."""
        doc = case["relevant"][0]["doc"]
        others = [chunk["id"] for chunk in self.chunks if chunk["doc"] != doc and chunk["id"].endswith("#0")]
        return [next(chunk["id"] for chunk in self.chunks if chunk["doc"] == doc), *others[:9]]

    def case(self, name: str) -> dict[str, Any]:
        """A golden case."""
        return next(case for case in self.cases if case["id"] == name)

    def lose(self, *names: str) -> None:
        """The pipeline no longer finds what these cases need."""
        for name in names:
            self.table[self.case(name)["question"]] = self.table[self.case(name)["question"]][1:]

    def accept(self, **entry: Any) -> None:
        """A reviewer accepts something."""
        self.config["accepted"] = "accepted.yml"
        (self.folder / "accepted.yml").write_text(json.dumps([{"reason": "agreed", "until": "2099-01-01", **entry}]))

    def write(self) -> None:
        """Put the repository on disk."""
        fixture = self.folder / "fixture"
        fixture.mkdir(exist_ok=True)
        for path, lines in ((fixture / "chunks.jsonl", self.chunks), (self.folder / "golden.jsonl", self.cases)):
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        (self.folder / "pipeline.py").write_text(PIPELINE)
        (self.folder / "table.json").write_text(json.dumps(self.table))
        (self.folder / "rag-assay.yml").write_text(json.dumps(self.config))

    def run(self, out: str, baseline: str | None = None) -> Result:
        """Run the command as a person would."""
        self.write()
        command = [sys.executable, "-m", "evaluator", "run", "--config", str(self.folder / "rag-assay.yml")]
        command += ["--out", str(self.folder / out)]
        command += ["--baseline", str(self.folder / baseline / "run.json")] if baseline else []
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert done.stdout == ""
        assert "Traceback" not in done.stderr
        files = [self.folder / out / name for name in ("decision.json", "comparison.json", "comment.md")]
        texts = [path.read_text() if path.exists() else "{}" for path in files]
        return Result(done.returncode, json.loads(texts[0]), json.loads(texts[1]), texts[2], done.stderr)


@pytest.fixture(scope="module")
def main_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The accepted run of the main branch."""
    team = Team(tmp_path_factory.mktemp("main"))
    assert team.run("main").exit_code == 0
    return team.folder / "main"


@pytest.fixture
def team(tmp_path: Path, main_run: Path) -> Team:
    """A pull request's working copy; ``main`` names the baseline's folder."""
    (tmp_path / "main").symlink_to(main_run)
    return Team(tmp_path)


def test_the_first_run_passes_and_says_that_there_is_no_baseline(tmp_path: Path) -> None:
    """Nothing to compare with is said first and blocks nobody."""
    result = Team(tmp_path).run("first")
    assert (result.exit_code, result.codes) == (0, {"no-baseline"})
    assert {rule["outcome"] for rule in result.decision["rules"]} == {"not_evaluated"}
    assert "baseline" in result.comment.splitlines()[0].lower()


def test_an_unchanged_system_passes_with_every_row_unchanged(team: Team) -> None:
    """The same pipeline on the same questions changes nothing."""
    result = team.run("same", "main")
    assert (result.exit_code, {row["status"] for row in result.comparison["rows"]}) == (0, {"unchanged"})


def test_a_small_fix_passes_and_is_shown_as_improved(team: Team) -> None:
    """One question more is found."""
    team.table[team.case("office-4")["question"]] = team.ranking(team.case("office-4"))
    result = team.run("fix", "main")
    assert (result.exit_code, result.statuses("recall@5")["office"]) == (0, "improved")


def test_five_rewritten_questions_are_inconclusive_until_a_person_accepts_them(team: Team) -> None:
    """35 of 40 cases still asked alike are fewer than nine tenths."""
    names = [f"{name}-0" for name in CATEGORIES[:5]]
    for name in names:
        case = team.case(name)
        case["question"] += ", please"
        team.table[case["question"]] = team.ranking(case)
    result = team.run("rewritten", "main")
    assert (result.exit_code, result.comparison["changed"]) == (3, names)
    assert "too-few-paired" in result.codes
    team.accept(case=names)
    assert team.run("accepted", "main").exit_code == 0


def test_another_k_passes_and_is_named(team: Team) -> None:
    """The generator gets eight results now; both runs are measured at eight and at five."""
    team.config["k"] = 8
    result = team.run("k8", "main")
    assert (result.exit_code, result.statuses("recall@8")["all"]) == (0, "unchanged")
    assert {"key": "k", "before": 5, "after": 8} in result.comparison["configuration"]


def test_seven_lost_retrievals_fail_and_name_categories_questions_and_chunks(team: Team) -> None:
    """Four of leave and three of travel are gone: recall fell from 1.0 to 0.2 and to 0.4."""
    lost = [*(f"leave-{n}" for n in range(4)), *(f"travel-{n}" for n in range(3))]
    team.lose(*lost)
    result = team.run("lost", "main")
    assert result.exit_code == 1
    statuses = result.statuses("recall@5")
    assert {name for name, status in statuses.items() if status == "regressed"} == {"leave", "travel", "all"}
    rows = {row["category"]: row for row in result.comparison["rows"] if row["metric"] == "recall@5"}
    assert (rows["leave"]["candidate"], rows["travel"]["candidate"]) == (pytest.approx(0.2), pytest.approx(0.4))
    changes = {change["id"]: change for change in result.comparison["cases"] if change["metric"] == "recall@5"}
    assert set(changes) == set(lost)
    assert changes["leave-0"]["lost"] == [
        {"need": {"doc": "leave0"}, "chunk": "leave0#0", "rank_before": 1, "rank_after": None}
    ]
    assert "leave question 0" in result.comment
    assert "travel" in result.comment


def test_three_time_outs_fail_by_the_drop_and_are_listed(team: Team) -> None:
    """What timed out scores 0: pay falls to 0.4; three of forty is more than max_failures as well."""
    for name in ("pay-0", "pay-1", "pay-2"):
        team.table[team.case(name)["question"]] = "hang"
    result = team.run("slow", "main")
    assert (result.exit_code, result.statuses("recall@5")["pay"]) == (1, "regressed")
    assert "too-many-failures" in result.codes
    assert all(name in result.comment for name in ("pay-0", "pay-1", "pay-2"))


def test_three_deleted_duplicates_are_inconclusive_until_a_person_accepts_them(team: Team) -> None:
    """Cases that leave the exam are named first; accepted.yml lets them go."""
    names = ["it-0", "it-1", "sales-0"]
    team.cases = [case for case in team.cases if case["id"] not in names]
    result = team.run("deleted", "main")
    assert (result.exit_code, result.comparison["removed"]) == (3, names)
    assert {entry["case"] for entry in result.comparison["loosened"]} == set(names)
    team.accept(case=names)
    assert team.run("agreed", "main").exit_code == 0


def test_a_renamed_suite_has_no_baseline_of_that_name(team: Team) -> None:
    """A baseline of another suite is refused in one sentence."""
    team.config["suite"] = "crew"
    result = team.run("renamed", "main")
    assert (result.exit_code, result.decision) == (2, {})
    assert "team" in result.stderr
    assert "crew" in result.stderr


def test_a_loosened_rule_does_not_make_a_regression_pass(team: Team) -> None:
    """Red under the baseline's rules and green under its own: inconclusive, and said before anything else."""
    team.lose("leave-0", "leave-1")
    team.config["gate"] = {
        "rules": [{"metric": "recall@5", "per": "category", "max_drop": 0.9}],
        "drift": {"max_drop": 0.9},
    }
    result = team.run("loosened", "main")
    assert result.exit_code == 3
    assert {("rule", "leave"), ("rule", None)} == {
        (entry["kind"], entry["category"]) for entry in result.comparison["loosened"] if entry["metric"] == "recall@5"
    }
    team.accept(metric="recall@5", category="leave", floor=0.6)
    assert team.run("half", "main").exit_code == 3


def test_a_rechunked_fixture_passes_by_document_needs(team: Team) -> None:
    """One chunk a document instead of two: recall holds, and what counts chunks is advisory."""
    team.chunks = [
        {"id": f"{name}{n}/whole", "doc": f"{name}{n}", "text": f"{name} text {n} part 0 {name} text {n} part 1"}
        for name in CATEGORIES
        for n in range(5)
    ]
    ids = [chunk["id"] for chunk in team.chunks]
    for case in team.cases:
        own = f"{case['relevant'][0]['doc']}/whole"
        others = [name for name in ids if name != own]
        team.table[case["question"]] = [others[0], own, *others[1:9]]
    team.table[team.case("office-4")["question"]] = ids[:10]
    result = team.run("rechunked", "main")
    assert (result.exit_code, result.statuses("recall@5")["all"]) == (0, "unchanged")
    advisory = [row for row in result.comparison["rows"] if row["metric"] == "context_precision@5"]
    assert {row["advisory"] for row in advisory} == {True}


def test_chunk_ids_that_died_with_a_rechunking_are_an_error_that_names_them(team: Team) -> None:
    """Labels by chunk id do not survive another chunking, and the command says which and where."""
    team.case("leave-0")["relevant"] = ["leave0#9"]
    result = team.run("stale", "main")
    assert result.exit_code == 2
    assert "leave0#9" in result.stderr
    assert "golden.jsonl:1" in result.stderr
