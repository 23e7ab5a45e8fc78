from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator import errors
from evaluator.model.exchange import Suite
from evaluator.model.golden import Case
from evaluator.stores import exchanging, importers

BEIR = importers.load()["beir"]
GOLD = Path(__file__).parents[3] / "gold" / "import" / "beir" / "scifact"


def test_what_was_imported_is_exported_value_by_value() -> None:
    """Documents with their titles and metadata, the split's queries and judgements."""
    intake = exchanging.read(BEIR, {"folder": GOLD})
    suite = Suite(
        [Case.model_validate(draft.value) for draft in intake.cases],
        chunks=[draft.value for draft in intake.chunks or ()],
    )
    files = exchanging.files_of(BEIR, suite, {})
    documents = [json.loads(line) for line in (GOLD / "corpus.jsonl").read_text().splitlines()]

    assert [json.loads(line) for line in files["corpus.jsonl"].splitlines()] == [
        {"title": "", "metadata": {}} | {name: value for name, value in document.items() if name != "url"}
        for document in documents
    ]
    assert files["qrels/test.tsv"] == (GOLD / "qrels" / "test.tsv").read_bytes()
    assert [json.loads(line)["text"] for line in files["queries.jsonl"].splitlines()] == [
        "Zinc shortens a cold.", "Vitamin C prevents colds.",
    ]  # fmt: skip


def test_a_split_that_is_not_there_is_answered_with_those_that_are() -> None:
    """Most data sets have two or three."""
    with pytest.raises(errors.UsageError, match="--split may be test"):
        exchanging.read(BEIR, {"folder": GOLD, "split": "dev"})


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("qrels/test.tsv", "query\tdocument\n1\td1\n", ("missing-field", 1)),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\n1\td1\thigh\n", ("wrong-value", 2)),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\n1\td1\t1\n1\td1\t2\n", ("wrong-value", 3)),
        ("corpus.jsonl", '{"_id": "d1", "text": "x"}\n{"_id": "d1", "text": "y"}\n', ("duplicate-id", 2)),
        ("corpus.jsonl", '{"_id": "d1"}\n', ("missing-field", 1)),
        ("queries.jsonl", '{"_id": 1, "text": "x"}\n', ("missing-field", 1)),
        ("queries.jsonl", '{"_id": "1", "text": }\n', ("syntax", 1)),
    ],
)
def test_mistakes_are_named_with_their_lines(name: str, text: str, found: tuple[str, int], tmp_path: Path) -> None:
    """In whichever file they are."""
    for file in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes((GOLD / file).read_bytes())
    (tmp_path / name).write_text(text)
    with pytest.raises(errors.InputError) as caught:
        exchanging.read(BEIR, {"folder": tmp_path})

    assert found in [(problem.code, problem.line) for problem in caught.value.problems]
