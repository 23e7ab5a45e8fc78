"""Suites that are odd but right, by whole commands: strange ids, a category of one case, nothing but held-out cases."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.forge import Page

IDS = [
    "a|b",
    "a/b",
    "../../x",
    "#1",
    "two  words",
    "😀",
    "x" * 300,
    "Case",
    "case",
    "@org/team",
    "$x$",
    "</td>",
    "::e::",
]


class Suite:
    """Recorded answers, each of which finds its own chunk."""

    def __init__(self, folder: Path, ids: list[str], **fields: Any) -> None:
        self.folder = folder
        self.cases = [
            {"id": name, "question": f"What about {n}?", "category": "c", "relevant": [f"k {name}"], **fields}
            for n, name in enumerate(ids)
        ]
        self.lost: list[str] = []

    def run(self, out: str, baseline: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run the command."""
        answers = [
            {"id": case["id"], "retrieved": [{"id": "other" if case["id"] in self.lost else case["relevant"][0]}]}
            for case in self.cases
        ]
        config = {
            "suite": "s", "golden": "golden.jsonl", "metrics": ["recall@5"],
            "pipeline": {"kind": "recorded", "recorded": {"file": "answers.jsonl"}},
            "gate": {"rules": [{"metric": "recall@5", "per": "category", "max_drop": 0.02}]},
        }  # fmt: skip
        for name, lines in (("golden.jsonl", self.cases), ("answers.jsonl", answers)):
            (self.folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
        (self.folder / "rag-assay.yml").write_text(json.dumps(config))
        command = [sys.executable, "-m", "evaluator", "run", "-c", str(self.folder / "rag-assay.yml")]
        command += ["--out", str(self.folder / out)]
        command += ["--baseline", str(self.folder / baseline / "run.json")] if baseline else []
        return subprocess.run(command, capture_output=True, check=False, timeout=60, text=True)

    def read(self, out: str, name: str) -> Any:
        """A JSON file of a run."""
        return json.loads((self.folder / out / name).read_text())

    def comment(self, out: str) -> str:
        """The comment of a run."""
        return (self.folder / out / "comment.md").read_text()


def test_strange_ids_go_through_exactly_and_harmlessly(tmp_path: Path) -> None:
    """Case and chunk ids are the same in every file, name no file themselves, and are text in the comment (L4)."""
    suite = Suite(tmp_path, IDS)
    assert suite.run("main").returncode == 0
    suite.lost = IDS
    done = suite.run("lost", "main")
    comparison, page = suite.read("lost", "comparison.json"), Page.of(suite.comment("lost"))

    assert done.returncode == 1, done.stderr
    assert [case["id"] for case in suite.read("lost", "run.json")["cases"]] == IDS
    assert [change["id"] for change in comparison["cases"]] == IDS
    assert [change["lost"][0]["chunk"] for change in comparison["cases"]] == [f"k {name}" for name in IDS]
    assert {file.name for file in tmp_path.rglob("*") if file.is_file()} == {
        "answers.jsonl", "collect.json", "comment.md", "comparison.json", "decision.json", "exam.json", "golden.jsonl",
        "rag-assay.yml", "records.jsonl", "run.json", "summary.md",
    }  # fmt: skip
    assert page.references == []
    summary = Page.of((tmp_path / "lost" / "summary.md").read_text())
    assert all(name in summary.text for name in IDS)


def test_a_category_of_one_case_is_too_small_for_a_row_of_its_own(tmp_path: Path) -> None:
    """What happened to it is in the row over all cases; alone it decides nothing (L7)."""
    suite = Suite(tmp_path, [f"q{n}" for n in range(60)])
    suite.cases[0]["category"] = "lonely"
    suite.run("main")
    suite.lost = ["q0"]
    done = suite.run("lost", "main")
    rows = {(row["scope"], row["category"]): row["status"] for row in suite.read("lost", "comparison.json")["rows"]}

    assert done.returncode == 1
    assert rows == {
        ("all", None): "within noise", ("category", "c"): "unchanged", ("category", "lonely"): "too few cases",
        ("small", None): "regressed",
    }  # fmt: skip


@pytest.mark.parametrize("lost", [[], ["secret-1"]])
def test_a_suite_of_held_out_cases_shows_aggregates_only(tmp_path: Path, lost: list[str]) -> None:
    """No case is named anywhere that is published, and a comparison that compared nothing is not passed (L7)."""
    suite = Suite(tmp_path, ["secret-1", "secret-2"], split="holdout")
    first = suite.run("main")
    suite.lost = lost
    second = suite.run("second", "main")
    mean = {"mean": 1 - len(lost) / 2, "n": 2, "of": 2}

    assert (first.returncode, second.returncode) == (0, 3)
    assert suite.read("second", "run.json")["summary"]["holdout"] == {"recall@5": mean}
    assert suite.read("second", "comparison.json")["rows"] == []
    published = [suite.comment("second"), *(
        (tmp_path / "second" / name).read_text() for name in ("summary.md", "comparison.json", "decision.json")
    ), second.stderr]  # fmt: skip
    assert not any("secret" in text or "What about" in text for text in published)
    assert f"| recall@5 | 2 | 1.000 | {mean['mean']:.3f} | {'−0.500' if lost else '0'} |" in published[0]
