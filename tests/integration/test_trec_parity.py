"""trec_eval's own data through the commands: import, run, and every value as NIST's program printed it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.trec import NAMES, printed

DATA = Path(__file__).parents[3] / "shared" / "data" / "trec_eval"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not DATA.is_dir(), reason="trec_eval's own data is not beside this repository"),
]


def rag_assay(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    command = [sys.executable, "-m", "evaluator", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


def measure(folder: Path, qrels: Path) -> Any:
    """Import judgements and NIST's run, measure them without fixture and gate; run.json."""
    names = list(NAMES.values())
    pipeline = {"kind": "recorded", "recorded": {"file": "answers.jsonl"}}
    config = {"suite": "trec", "golden": "golden.jsonl", "metrics": names, "pipeline": pipeline}
    (folder / "rag-assay.yml").write_text(json.dumps(config))
    for arguments in (
        ("import", "trec", "--qrels", qrels, "--run", DATA / "results.test", "--out", folder),
        ("run", "--out", folder / "out"),
    ):
        done = rag_assay(folder, *arguments)
        assert done.returncode == 0, done.stderr
    return json.loads((folder / "out" / "run.json").read_text())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The run over NIST's judgements as they are."""
    return measure(tmp_path_factory.mktemp("trec"), DATA / "qrels.test")


@pytest.mark.parametrize("theirs", NAMES)
def test_every_topic_has_the_value_that_trec_eval_printed(theirs: str, run: Any) -> None:
    """Per-query values of out.test.aq, to the printed digits."""
    expected = {topic: value for topic, value in printed(DATA / "out.test.aq")[theirs].items() if topic != "all"}

    assert {case["id"]: f"{case['scores'][NAMES[theirs]]:.4f}" for case in run["cases"]} == expected


@pytest.mark.parametrize("theirs", NAMES)
def test_every_mean_is_the_one_that_trec_eval_printed(theirs: str, run: Any) -> None:
    """Means of out.test.a, to the printed digits, over as many topics."""
    found = run["summary"]["all"][NAMES[theirs]]

    assert f"{found['mean']:.4f}" == printed(DATA / "out.test.a")[theirs]["all"]
    assert found["n"] == found["of"] == int(printed(DATA / "out.test.a")["num_q"]["all"])


def test_a_topic_that_was_not_run_counts_and_one_without_relevant_documents_does_not(tmp_path: Path) -> None:
    """Means are those of ``trec_eval -c``: a judged topic the run lacks is 0, one without relevant documents is out."""
    qrels = tmp_path / "qrels"
    qrels.write_text((DATA / "qrels.test").read_text() + "998 0 NOBODY-1 1\n999 0 NOBODY-2 0\n")
    found = measure(tmp_path, qrels)
    three, four = printed(DATA / "out.test.aq"), found["summary"]["all"]

    for theirs, ours in {"map": "map", "P_10": "precision@10", "recall_100": "recall@100"}.items():
        values = [float(value) for topic, value in three[theirs].items() if topic != "all"]
        assert four[ours]["mean"] == pytest.approx(sum(values) / 4, abs=5e-5)
        assert four[ours]["n"] == four[ours]["of"] == 4
