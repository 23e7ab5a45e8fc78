"""25 questions, exported by each tool itself, come out the same from every importer and go back as they were."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[3] / "shared" / "data" / "tool_exports"
TRACES = DATA.parent / "tool_traces" / "deepeval"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not DATA.is_dir(), reason="the tools' own exports are not beside this repository"),
]
ABSTAIN = ("--abstain", "category=unanswerable")
WITHOUT_CATEGORY = ("--abstain", "reference=")


def rag_assay(folder: Path, *arguments: str | Path) -> str:
    """Run the command in a folder; what it says."""
    command = [sys.executable, "-m", "evaluator", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stderr


def lines(file: Path) -> list[dict[str, Any]]:
    """JSON Lines."""
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.fixture
def source() -> Any:
    """What the questions, passages and answers were before any tool wrote them."""
    return json.loads((DATA / "inputs_rag.json").read_text())


@pytest.fixture
def work(tmp_path: Path, source: Any) -> Path:
    """A folder with the corpus as chunks and the questions as topics."""
    chunks = [{"id": chunk["id"], "text": chunk["text"]} for chunk in source["corpus"]]
    (tmp_path / "chunks.jsonl").write_text("".join(f"{json.dumps(chunk)}\n" for chunk in chunks))
    (tmp_path / "topics.tsv").write_text("".join(f"{item['qid']}\t{item['question']}\n" for item in source["items"]))
    return tmp_path


def expected(source: Any, fields: set[str]) -> list[dict[str, Any]]:
    """Every question as it should come out, as far as a format holds it."""
    found = []
    for item in source["items"]:
        whole = {
            "id": item["qid"], "question": item["question"], "relevant": item["gold"], "reference": item["reference"],
            "expect": "answer" if item["category"] == "answerable" else "abstain", "category": item["category"],
        }  # fmt: skip
        found.append({name: value for name, value in whole.items() if name in fields and value})
    return found


def chosen(cases: list[dict[str, Any]], fields: set[str]) -> list[dict[str, Any]]:
    """The same fields of what was imported."""
    return [
        {name: value for name, value in {"expect": "answer", **case}.items() if name in fields and value}
        for case in cases
    ]


TREC = ("trec", "--qrels", DATA / "trec/qrels.trec", "--run", DATA / "trec/run.trec", "--topics", "topics.tsv")
CHUNKS = ("--chunks", "chunks.jsonl")
ALL = {"id", "question", "relevant", "reference", "expect", "category"}


@pytest.mark.parametrize(
    ("arguments", "fields"),
    [
        (TREC, {"id", "question", "relevant"}),
        *(
            (("ragas", DATA / f"ragas/evaluation_dataset.{suffix}", *CHUNKS, *WITHOUT_CATEGORY),
             {"question", "relevant", "reference", "expect"})
            for suffix in ("jsonl", "csv")
        ),
        *(
            (("deepeval", DATA / f"deepeval/goldens.{suffix}", *CHUNKS, *ABSTAIN), ALL)
            for suffix in ("json", "jsonl", "csv")
        ),
        *(
            (("promptfoo", DATA / f"promptfoo/{name}", *ABSTAIN), ALL - {"relevant"})
            for name in ("results.json", "results.jsonl", "promptfooconfig.json")
        ),
        (("promptfoo", DATA / "promptfoo/results.csv"), {"id", "question"}),
    ],
    ids=lambda value: "" if isinstance(value, set) else Path(value[1] if value[0] != "trec" else "trec").name,
)  # fmt: skip
def test_all_questions_come_out_the_same(arguments: Any, fields: set[str], work: Path, source: Any) -> None:
    """Ids, questions, needs, references, categories and expectations, as far as the format holds them; in order."""
    rag_assay(work, "import", *arguments, "--out", "out")

    assert chosen(lines(work / "out" / "golden.jsonl"), fields) == expected(source, fields)


@pytest.mark.parametrize(
    "arguments",
    [
        TREC,
        ("ragas", DATA / "ragas/evaluation_dataset.jsonl", *CHUNKS),
        ("ragas", DATA / "ragas/evaluation_dataset.csv", *CHUNKS),
        ("deepeval", DATA / "deepeval/goldens.json", *CHUNKS),
        ("deepeval", DATA / "deepeval/goldens.csv", *CHUNKS),
        ("promptfoo", DATA / "promptfoo/results.json"),
        ("promptfoo", DATA / "promptfoo/results.jsonl"),
    ],
    ids=lambda value: Path(value[1]).name,
)
def test_all_rankings_and_answers_come_out_the_same(arguments: Any, work: Path, source: Any) -> None:
    """The five results of each question in their order, and its answer; what promptfoo saw fail is a failure."""
    rag_assay(work, "import", *arguments, "--out", "out")
    answers = lines(work / "out" / "answers.jsonl")
    items = source["items"]

    assert len(answers) == len(items)
    for item, answer in zip(items, answers, strict=True):
        if "failure" in answer:
            assert answer["failure"] == {"kind": "error", "message": "simulated upstream timeout"}
            continue
        # The run in TREC's form is deeper than what the other tools were handed.
        assert [hit["id"] for hit in answer["retrieved"]][:5] == [hit["id"] for hit in item["retrieved"]]
        assert answer.get("answer", item["answer"]) == item["answer"]
    failed = sum("failure" in answer for answer in answers)
    assert failed == (3 if arguments[0] == "promptfoo" else 0)


@pytest.mark.parametrize(
    "arguments",
    [
        TREC,
        ("ragas", DATA / "ragas/evaluation_dataset.jsonl"),
        ("deepeval", DATA / "deepeval/goldens.csv"),
        ("deepeval", DATA / "deepeval/goldens.json", *CHUNKS),
    ],
    ids=lambda value: f"{value[0]}-{len(value)}",
)
def test_the_same_questions_measure_the_same(arguments: Any, work: Path, source: Any) -> None:
    """By ids, by quotes and by looking texts up: a run of what was imported has the recall that can be counted."""
    rag_assay(work, "import", *arguments, "--out", work)
    pipeline = {"kind": "recorded", "recorded": {"file": "answers.jsonl"}}
    config = {"suite": "same", "golden": "golden.jsonl", "metrics": ["recall@5"], "pipeline": pipeline}
    (work / "rag-assay.yml").write_text(json.dumps(config))
    rag_assay(work, "run", "--out", "run")
    answerable = [item for item in source["items"] if item["gold"]]
    found = [item for item in answerable if item["gold"][0] in [hit["id"] for hit in item["retrieved"][:5]]]

    assert json.loads((work / "run" / "run.json").read_text())["summary"]["all"]["recall@5"] == {
        "mean": len(found) / len(answerable), "n": len(answerable), "of": len(answerable),
    }  # fmt: skip


class TestBack:
    """An export of what was imported."""

    def test_trec_is_the_same(self, work: Path) -> None:
        """Judgements and topics byte by byte; the run, with its own name, but for zeros at the end of a score."""
        rag_assay(work, "import", *TREC, "--out", "out")
        given = ("--golden", "out/golden.jsonl", "--answers", "out/answers.jsonl", "--tag", "bm25")
        rag_assay(work, "export", "trec", *given, "--out", "back")

        assert (work / "back" / "qrels.trec").read_bytes() == (DATA / "trec" / "qrels.trec").read_bytes()
        back, own = (
            [[*line.split()[:4], float(line.split()[4]), line.split()[5]] for line in file.read_text().splitlines()]
            for file in (work / "back" / "run.trec", DATA / "trec" / "run.trec")
        )
        assert back == own
        assert (work / "back" / "topics.tsv").read_bytes() == (work / "topics.tsv").read_bytes()

    def test_ragas_is_the_same_byte_by_byte(self, work: Path) -> None:
        """An evaluation dataset as Ragas writes it."""
        file = DATA / "ragas" / "evaluation_dataset.jsonl"
        rag_assay(work, "import", "ragas", file, "--out", "out")
        given = ("--golden", "out/golden.jsonl", "--answers", "out/answers.jsonl")
        said = rag_assay(work, "export", "ragas", *given, "--out", "back")

        assert (work / "back" / "evaluation_dataset.jsonl").read_bytes() == file.read_bytes()
        assert "field 'id', which ragas cannot hold (25 times)" in said

    def test_results_of_ragas_keep_their_scores(self, work: Path) -> None:
        """Columns of scores come back, value by value."""
        file = DATA / "ragas" / "result_to_pandas.jsonl"
        rag_assay(work, "import", "ragas", file, "--out", "out")
        given = ("--golden", "out/golden.jsonl", "--answers", "out/answers.jsonl")
        rag_assay(work, "export", "ragas", *given, "--out", "back")

        assert lines(work / "back" / "evaluation_dataset.jsonl") == lines(file)

    @pytest.mark.parametrize("file", [DATA / "deepeval" / "goldens.json", TRACES / "goldens.json"], ids=str)
    def test_deepeval_is_the_same_value_by_value(self, file: Path, work: Path) -> None:
        """Goldens with metadata, comments and sources; fields that a golden lacks come back empty."""
        mapped = "additional_metadata.qid" if file.parent.parent == DATA else "name"
        rag_assay(work, "import", "deepeval", file, "--map", f"id={mapped}", "--out", "out")
        given = ("--golden", "out/golden.jsonl", "--answers", "out/answers.jsonl", "--map", f"id={mapped}")
        rag_assay(work, "export", "deepeval", *given, "--out", "back")
        back = json.loads((work / "back" / "goldens.json").read_text())

        assert [{name: value for name, value in golden.items() if value is not None} for golden in back] == [
            {name: value for name, value in golden.items() if value is not None}
            for golden in json.loads(file.read_text())
        ]

    def test_promptfoo_is_the_same_value_by_value(self, work: Path) -> None:
        """Tests with their descriptions, metadata and every assertion."""
        file = DATA / "promptfoo" / "promptfooconfig.json"
        rag_assay(work, "import", "promptfoo", file, "--out", "out")
        mapped = ("--map", "question=vars.query", "--map", "id=metadata.qid")
        rag_assay(work, "export", "promptfoo", "--golden", "out/golden.jsonl", *mapped, "--out", "back")

        assert json.loads((work / "back" / "tests.json").read_text()) == json.loads(file.read_text())["tests"]

    @pytest.mark.parametrize("kind", ["csv", "tsv"])
    def test_a_table_holds_all_of_a_golden_set(self, kind: str, work: Path) -> None:
        """What is exported to a table and imported from it is the same golden set, byte by byte."""
        rag_assay(work, "import", "deepeval", DATA / "deepeval/goldens.json", *CHUNKS, *ABSTAIN, "--out", "out")
        given = ("--golden", "out/golden.jsonl", "--answers", "out/answers.jsonl")
        rag_assay(work, "export", "csv", *given, *(["--delimiter", "tab"] if kind == "tsv" else []), "--out", "table")
        rag_assay(work, "import", "csv", f"table/golden.{kind}", "--out", "back")

        assert lines(work / "back" / "golden.jsonl") == lines(work / "out" / "golden.jsonl")
        assert [answer["retrieved"] for answer in lines(work / "back" / "answers.jsonl")] == [
            answer["retrieved"] for answer in lines(work / "out" / "answers.jsonl")
        ]
        with (work / "table" / f"golden.{kind}").open(newline="") as file:
            assert len(list(csv.reader(file, delimiter="\t" if kind == "tsv" else ","))) == 26
