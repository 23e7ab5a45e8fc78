"""A pipeline that searches in steps, from its reply to the report."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from evaluator.stages.collect import collect
from evaluator.stages.score import score
from tests.workbench import Bench, recorded, write_lines

if TYPE_CHECKING:
    from pathlib import Path

CHUNKS = [
    {"id": "a#0", "doc": "a", "text": "The warranty lasts"},
    {"id": "a#1", "doc": "a", "text": "two years."},
    {"id": "b#0", "doc": "b", "text": "Returns take 30 days."},
    {"id": "c#0", "doc": "c", "text": "Shipping is free."},
]
METRICS = ["recall@2", "mrr", "fact_coverage@2", "fact_coverage", "context_relevance", "tokens"]
CASE = {
    "id": "q", "question": "?", "relevant": ["b#0", {"doc": "a"}, "far"],
    "facts": [{"id": "y", "text": "warranty lasts two years"}, {"id": "d", "text": "30 days"}],
}  # fmt: skip
STEPS = [
    {"query": "warranty", "retrieved": [{"id": "c#0"}, {"id": "a#1"}, {"id": "a#1"}]},
    {"query": "refund policy 2024", "retrieved": [{"id": "c#0"}, {"id": "a#0"}, {"id": "b#0"}]},
    {"query": "nothing", "retrieved": []},
]


def scored(folder: Path, reply: dict[str, Any], chunks: Any = CHUNKS, case: Any = CASE) -> dict[str, Any]:
    """The only case of run.json."""
    pipeline = recorded(folder, [{"id": "q", **reply}])
    made = Bench(folder, [case], pipeline, chunks, {"metrics": METRICS, "k": 2})
    workspace = made.workspace(allow_stale=True)
    collect(workspace)
    score(workspace)
    [found] = json.loads((made.out / "run.json").read_text(encoding="utf-8"))["cases"]
    return dict(found)


class TestScores:
    """What run.json says of each step, of all together and of what reached the model."""

    def test_each_step_is_measured_by_its_own_ranking(self, tmp_path: Path) -> None:
        """By the metrics that read a ranking; the repeated a#1 of step 1 is an irrelevant result."""
        case = scored(tmp_path, {"retrieved": [{"id": "c#0"}], "context": ["a#0"], "steps": STEPS})

        assert case["steps"] == [
            {"query": "warranty", "retrieved": ["c#0", "a#1", "a#1"],
             "scores": {"recall@2": 1 / 3, "mrr": 0.5, "fact_coverage@2": 0.0}},
            {"query": "refund policy 2024", "retrieved": ["c#0", "a#0", "b#0"],
             "scores": {"recall@2": 1 / 3, "mrr": 0.5, "fact_coverage@2": 0.0}},
            {"query": "nothing", "retrieved": [],
             "scores": {"recall@2": 0.0, "mrr": 0.0, "fact_coverage@2": 0.0}},
        ]  # fmt: skip

    def test_all_steps_together_and_what_reached_the_model(self, tmp_path: Path) -> None:
        """The fact of two chunks was found in two steps; the model got one of them, and one need of three."""
        case = scored(tmp_path, {"retrieved": [{"id": "c#0"}], "context": ["a#0"], "steps": STEPS})

        assert case["gathered"] == {
            "union": {"recall": 2 / 3, "hit": 1.0, "fact_coverage": 1.0},
            "context": {"recall": 1 / 3, "hit": 1.0, "fact_coverage": 0.0},
        }
        assert (case["scores"]["recall@2"], case["scores"]["fact_coverage"]) == (0.0, 0.0)

    def test_a_need_names_the_step_that_found_it(self, tmp_path: Path) -> None:
        """Document a at rank 2 of the first step, b#0 at rank 3 of the second, the third in none."""
        case = scored(tmp_path, {"retrieved": [], "steps": STEPS})

        assert [(need["found"], need["rank"]) for need in case["needs"]] == [
            ({"step": 2, "rank": 3}, None), ({"step": 1, "rank": 2}, None), (None, None),
        ]  # fmt: skip

    def test_without_a_ranking_of_its_own_all_steps_are_it(self, tmp_path: Path) -> None:
        """In the order of first appearance, each result once; the context is the first k of that."""
        case = scored(tmp_path, {"steps": STEPS})

        assert [hit["id"] for hit in case["retrieved"]] == ["c#0", "a#1", "a#0", "b#0"]
        assert (case["context"], case["duplicates"]) == (["c#0", "a#1"], [])
        assert case["scores"]["mrr"] == 0.5

    def test_an_empty_ranking_is_not_a_missing_one(self, tmp_path: Path) -> None:
        """A pipeline that says it ended with nothing ended with nothing."""
        case = scored(tmp_path, {"retrieved": [], "steps": STEPS})

        assert (case["retrieved"], case["context"], case["scores"]["mrr"]) == ([], [], 0.0)

    def test_without_a_fixture_texts_and_documents_come_from_the_steps(self, tmp_path: Path) -> None:
        """What a step found and the model got has its text, and satisfies a need by document."""
        hit = {"id": "x1", "doc": "a", "text": "warranty lasts two years"}
        steps = [{"query": "w", "retrieved": [hit]}]
        case = scored(tmp_path, {"retrieved": [{"id": "z"}], "context": ["x1"], "steps": steps}, [])

        assert case["scores"]["fact_coverage"] == 0.5
        assert case["gathered"]["context"] == {"recall": 1 / 3, "hit": 1.0, "fact_coverage": 0.5}
        assert [need["found"] for need in case["needs"]] == [None, {"step": 1, "rank": 1}, None]

    @pytest.mark.parametrize("steps", [None, []])
    def test_a_pipeline_without_steps(self, tmp_path: Path, steps: Any) -> None:
        """Nothing is said of steps that nobody reported; none at all found nothing."""
        case = scored(tmp_path, {"retrieved": [{"id": "b#0"}], "steps": steps})

        assert case["steps"] == steps
        assert case["gathered"] == (
            None
            if steps is None
            else {
                "union": {"recall": 0.0, "hit": 0.0, "fact_coverage": 0.0},
                "context": {"recall": 1 / 3, "hit": 1.0, "fact_coverage": 0.5},
            }
        )


AGENT = '''
import json, os
FOUND = json.load(open("found.json"))

def answer(request):
    """An agent: one search a query; it hands on only what the last one found."""
    steps = [{"query": query, "retrieved": ids} for query, ids in FOUND[request["id"]]]
    return {"steps": steps, "context": steps[-1]["retrieved"], "answer": "30 days [1]"}
'''


def run(folder: Path, found: dict[str, Any], *options: str) -> subprocess.CompletedProcess[str]:
    """Run the command on what the agent finds for each question."""
    (folder / "found.json").write_text(json.dumps(found), encoding="utf-8")
    command = [sys.executable, "-m", "evaluator", "run", "-c", str(folder / "rag-assay.yml"), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_the_report_says_where_an_agent_lost_a_passage(tmp_path: Path) -> None:
    """A change that searches once more and hands on less: found as before, and no longer in what the model got."""
    cases = [
        {"id": f"q{number}", "question": f"question {number}?", "relevant": ["b#0"]} for number in range(6)
    ]  # fmt: skip
    found = {each["id"]: [["refund", ["c#0"]], ["refund policy | 2024", ["a#0", "b#0"]]] for each in cases}
    pipeline = {"kind": "python", "python": {"target": "agent:answer"}}
    rule = {"metric": "context_relevance", "max_drop": 0.02}
    metrics = ["recall@5", "context_relevance", "grounded_values", "citation_recall_labels"]
    config = {"metrics": metrics, "gate": {"rules": [rule]}}
    (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
    Bench(tmp_path, cases, pipeline, CHUNKS, config).write()
    write_lines(tmp_path / "golden.jsonl", cases)
    assert run(tmp_path, found, "--out", str(tmp_path / "old")).returncode == 0

    found["q1"] = [*found["q1"], ["shipping", ["c#0"]]]
    done = run(tmp_path, found, "--out", str(tmp_path / "new"), "--baseline", str(tmp_path / "old" / "run.json"))
    comment = (tmp_path / "new" / "comment.md").read_text(encoding="utf-8")
    [case] = [
        case
        for case in json.loads((tmp_path / "new" / "run.json").read_text(encoding="utf-8"))["cases"]
        if case["id"] == "q1"
    ]

    assert done.returncode == 1, done.stderr
    assert case["scores"] == {
        "recall@5": 1.0, "context_relevance": 0.0, "grounded_values": 0.0, "citation_recall_labels": None,
    }  # fmt: skip
    assert "b#0: found in step 2 ('refund policy | 2024'), rank 2; not in what the model got" in done.stderr
    assert "<summary>Steps of the agent: 6 questions</summary>" in comment
    assert "| step 2 | 6 | 5 |" in comment
    [line] = [line for line in comment.splitlines() if "needed b" in line and "found in step" in line and "q1" in line]
    assert line.endswith("rank 2; not in what the model got")
