"""600 real questions from one end to the other, every metric recomputed by a program that shares nothing with ours."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SUITE = Path(__file__).parents[3] / "shared" / "suites" / "clapnq"
CONFIG: dict[str, Any] = {
    "suite": "clapnq", "golden": str(SUITE / "golden.jsonl"), "fixture": str(SUITE / "fixture"), "k": 5,
    "metrics": [
        "recall@5", "hit@5", "mrr@10", "ndcg@10", "map@10", "context_precision@5", "precision@5", "fact_coverage@5",
    ],
    "pipeline": {"kind": "builtin", "retriever": "bm25"},
    "gate": {
        "rules": [
            {"metric": "recall@5", "per": "category", "max_drop": 0.02},
            {"metric": "ndcg@10", "per": "all", "max_drop": 0.02},
        ],
        "min_cases": 5,
    },
}  # fmt: skip

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not SUITE.is_dir(), reason="the clapnq suite is not beside this repository"),
]


def run(folder: Path, name: str, baseline: Path | None = None, **changes: Any) -> int:
    """Run the command with some keys changed; the exit code. Files are in ``folder/name``."""
    config = folder / f"{name}.yml"
    config.write_text(json.dumps({**CONFIG, **changes}))
    command = [sys.executable, "-m", "evaluator", "run", "-q", "--config", str(config), "--out", str(folder / name)]
    command += ["--baseline", str(baseline)] if baseline else []
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert "Traceback" not in done.stderr
    return done.returncode


def read(path: Path) -> Any:
    """A JSON file."""
    return json.loads(path.read_text())


def golden() -> list[dict[str, Any]]:
    """The golden set as it stands in the file."""
    return [json.loads(line) for line in (SUITE / "golden.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def main_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of the unchanged suite."""
    folder = tmp_path_factory.mktemp("clapnq")
    assert run(folder, "main") == 0
    return folder / "main"


def recomputed(needs: set[str], ranking: list[str]) -> dict[str, float]:
    """Textbook definitions over a plain ranking without repeats."""
    hits = [position for position, chunk in enumerate(ranking, 1) if chunk in needs]
    top5, top10 = [hit for hit in hits if hit <= 5], [hit for hit in hits if hit <= 10]
    precisions = [sum(other <= hit for other in top5) / hit for hit in top5]
    ideal = sum(1 / math.log2(position + 1) for position in range(1, min(len(needs), 10) + 1))
    return {
        "recall@5": len(top5) / len(needs),
        "hit@5": float(bool(top5)),
        "mrr@10": 1 / top10[0] if top10 else 0.0,
        "ndcg@10": sum(1 / math.log2(hit + 1) for hit in top10) / ideal,
        "map@10": sum(count / hit for count, hit in enumerate(top10, 1)) / len(needs),
        "context_precision@5": sum(precisions) / len(precisions) if precisions else 0.0,
        "precision@5": len(top5) / 5,
    }


def test_every_value_and_mean_is_what_an_independent_program_computes(main_run: Path) -> None:
    """All 600 cases and all means, to 1e-9; cases without needs are not applicable, not 0 and not 1."""
    found = read(main_run / "run.json")
    labels = {case["id"]: set(case.get("relevant", ())) for case in golden()}
    assert [case["id"] for case in found["cases"]] == list(labels)
    means: dict[str, list[float]] = {}
    for case in found["cases"]:
        needs = labels[case["id"]]
        if not needs:
            assert case["scores"]["recall@5"] is None
            continue
        for name, value in recomputed(needs, [hit["id"] for hit in case["retrieved"]]).items():
            assert case["scores"][name] == pytest.approx(value, abs=1e-9), (case["id"], name)
            means.setdefault(name, []).append(value)
    for name, values in means.items():
        assert found["summary"]["all"][name] == {
            "mean": pytest.approx(sum(values) / len(values), abs=1e-9), "n": 300, "of": 300,
        }  # fmt: skip
    assert found["summary"]["all"]["recall@5"]["mean"] >= 0.73


def test_facts_are_found_where_a_plain_search_finds_them(main_run: Path) -> None:
    """These facts are sentences of the passages: with white space folded each is in the top five or it is not.

    Sentences that span two chunks that are not adjacent in the ranking cannot be told by a plain search of one chunk,
    so the plain search gives a lower bound that must hold for every case.
    """
    found = read(main_run / "run.json")
    facts = {case["id"]: [fact["any"] for fact in case.get("facts", ())] for case in golden()}
    for case in found["cases"]:
        wanted = facts[case["id"]]
        if not wanted:
            assert case["scores"]["fact_coverage@5"] is None
            continue
        texts = [" ".join(found["texts"][hit["text"]].split()).casefold() for hit in case["retrieved"][:5]]
        folded = [[" ".join(text.split()).casefold() for text in fact] for fact in wanted]
        plain = sum(any(each in text for each in fact for text in texts) for fact in folded)
        assert case["scores"]["fact_coverage@5"] >= plain / len(wanted) - 1e-9, case["id"]


def test_a_second_run_is_the_same_but_for_timing_and_changes_nothing(main_run: Path, tmp_path: Path) -> None:
    """Equal bytes outside ``timing``; compared with the first, every row is unchanged."""
    (tmp_path / "again").mkdir()
    assert run(tmp_path, "again") == 0
    first, second = ((folder / "run.json").read_bytes() for folder in (main_run, tmp_path / "again"))
    assert without_timing(first) == without_timing(second)
    assert run(tmp_path, "compared", main_run / "run.json") == 0
    assert {row["status"] for row in read(tmp_path / "compared" / "comparison.json")["rows"]} == {"unchanged"}


def without_timing(run_json: bytes) -> list[bytes]:
    """The lines of a run.json but the one that holds timing."""
    return [line for line in run_json.splitlines() if not line.startswith(b'"timing":')]


def test_words_that_all_count_alike_fail_the_gate_by_name(main_run: Path, tmp_path: Path) -> None:
    """With k1 = b = 0 the comment names categories and a question with its lost chunk."""
    flat = {"kind": "builtin", "retriever": {"bm25": {"k1": 0.0, "b": 0.0}}}
    assert run(tmp_path, "flat", main_run / "run.json", pipeline=flat) == 1
    comparison = read(tmp_path / "flat" / "comparison.json")
    regressed = {row["category"] for row in comparison["rows"] if row["status"] == "regressed"} - {None}
    comment = (tmp_path / "flat" / "comment.md").read_text()
    assert regressed
    assert all(category in comment for category in regressed)
    lost = [entry for change in comparison["cases"] for entry in change["lost"]]
    assert any(entry["chunk"] in comment for entry in lost)


def recorded(main_run: Path, folder: Path, failing: int) -> dict[str, Any]:
    """A pipeline that repeats the main run but fails for every tenth case, so many in all."""
    lines = (main_run / "records.jsonl").read_text().splitlines()
    failed = set(range(0, len(lines), len(lines) // failing)) if failing else set()
    kept = [line for place, line in enumerate(lines) if place not in list(failed)[:failing]]
    assert len(kept) == len(lines) - failing
    (folder / "answers.jsonl").write_text("".join(line + "\n" for line in kept))
    return {"kind": "recorded", "recorded": {"file": "answers.jsonl"}}


@pytest.mark.parametrize(
    ("failing", "with_baseline", "exit_code"),
    [(20, False, 0), (20, True, 1), (60, False, 3), (60, True, 1), (600, False, 3), (600, True, 1)],
)
def test_a_pipeline_that_fails_keeps_its_cases_in_the_means(
    main_run: Path, tmp_path: Path, failing: int, with_baseline: bool, exit_code: int
) -> None:
    """Failed cases score 0 where a metric applies, are listed, and the means fall by exactly that."""
    pipeline = recorded(main_run, tmp_path, failing)
    assert run(tmp_path, "failing", main_run / "run.json" if with_baseline else None, pipeline=pipeline) == exit_code
    found, whole = read(tmp_path / "failing" / "run.json"), read(main_run / "run.json")
    failed = {case["id"] for case in found["cases"] if case["failure"]}
    assert len(failed) == failing
    values = [case["scores"]["recall@5"] for case in whole["cases"] if case["scores"]["recall@5"] is not None]
    lost = sum(case["scores"]["recall@5"] or 0.0 for case in whole["cases"] if case["id"] in failed)
    assert found["summary"]["all"]["recall@5"] == {
        "mean": pytest.approx((sum(values) - lost) / 300, abs=1e-9), "n": 300, "of": 300,
    }  # fmt: skip
    assert "failed" in (tmp_path / "failing" / "comment.md").read_text()


def test_the_exam_cannot_be_made_easier(main_run: Path, tmp_path: Path) -> None:
    """A lowered rule, an edited label and a deleted case over a real regression: never passed, and said."""
    flat = {"kind": "builtin", "retriever": {"bm25": {"k1": 0.0, "b": 0.0}}}
    lax = {"rules": [{"metric": "recall@5", "per": "all", "max_drop": 0.9}], "drift": {"max_drop": 0.9}}
    assert run(tmp_path, "lowered", main_run / "run.json", pipeline=flat, gate=lax) == 3
    edited = golden()
    for case in edited:
        case["relevant"] = case.get("relevant", [])[:0]
    (tmp_path / "golden.jsonl").write_text("".join(json.dumps(case) + "\n" for case in edited))
    assert run(tmp_path, "edited", main_run / "run.json", pipeline=flat, golden="golden.jsonl") == 3
    (tmp_path / "golden.jsonl").write_text("".join(json.dumps(case) + "\n" for case in golden()[1:]))
    assert run(tmp_path, "deleted", main_run / "run.json", golden="golden.jsonl") == 3
    (entry,) = read(tmp_path / "deleted" / "comparison.json")["loosened"]
    assert (entry["kind"], entry["case"]) == ("removed", golden()[0]["id"])


@pytest.mark.parametrize(("floor", "exit_code"), [(0.73, 0), (0.74, 1)])
def test_a_floor_under_the_mean(tmp_path: Path, floor: float, exit_code: int) -> None:
    """Mean recall@5 is 0.739: a floor of 0.73 holds, one of 0.74 does not."""
    assert run(tmp_path, "floor", gate={"rules": [{"metric": "recall@5", "per": "all", "min": floor}]}) == exit_code


def test_check_finds_no_error_and_warns_of_what_is_there(tmp_path: Path) -> None:
    """Each of these warnings was looked at: sentence fragments as facts, and three questions in their chunk's words."""
    (tmp_path / "rag-assay.yml").write_text(json.dumps(CONFIG))
    command = [
        sys.executable,
        "-m",
        "evaluator",
        "check",
        "-q",
        "--format",
        "json",
        "-c",
        str(tmp_path / "rag-assay.yml"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    found = [each for each in json.loads(done.stdout) if each["severity"] != "info"]
    lines = {
        code: [each["line"] for each in found if each["code"] == code] for code in {each["code"] for each in found}
    }

    assert done.returncode == 0
    assert lines["copied-wording"] == [168, 202, 300]
    assert set(lines) <= {"copied-wording", "no-manifest", "reference-without-fact"}
    assert set(lines.get("reference-without-fact", ())) <= {95, 115, 154, 167, 173, 219, 248, 254}
