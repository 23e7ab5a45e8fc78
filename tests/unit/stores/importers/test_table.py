from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.stages import importing
from evaluator.stores.importers.table import FORMAT as TABLE

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.model.exchange import Intake


def read(folder: Path, text: str, name: str = "t.csv", **settings: Any) -> Intake:
    """What a table holds."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return importing.read(TABLE, {"file": file, **settings})


@pytest.mark.parametrize(
    ("text", "name", "delimiter", "said"),
    [
        ("id;question\nq;a, b\n", "t.csv", None, "separated by semicolons, not by commas; .* --delimiter ';'"),
        ("id\tquestion\nq\twhy\n", "t.csv", None, "separated by tabs, not by commas; .* --delimiter tab"),
        ("id,question\nq,why\n", "t.tsv", None, "separated by commas, not by tabs; .* --delimiter ','"),
        ("id,question\nq,why\n", "t.csv", ";", "separated by commas, not by semicolons"),
        ("id,question\nq,why\n", "t.csv", "^", r"separated by commas, not by '\^'"),
    ],
)
def test_a_table_with_another_separator_is_said_to_be_one(
    tmp_path: Path, text: str, name: str, delimiter: str | None, said: str
) -> None:
    """One sentence, however many rows have cells of another number."""
    with pytest.raises(errors.InputError, match=said) as caught:
        read(tmp_path, text, name, delimiter=delimiter)
    assert [(each.code, each.line) for each in caught.value.problems] == [("syntax", 1)]


def test_a_table_of_one_column_is_a_table(tmp_path: Path) -> None:
    """A question needs no company, and its name may hold what separates cells."""
    found = read(tmp_path, '"question, as typed"\nwhy?\n', map=("question=question, as typed",))
    assert [draft.value["question"] for draft in found.cases] == ["why?"]


def test_a_broken_pattern_is_refused_with_its_line(tmp_path: Path) -> None:
    """As in a golden file: a fact that nothing could ever satisfy is no label, and a quote without a letter neither."""
    facts = json.dumps([{"id": "f", "text": "t", "any": ["ok", "/b[/"]}]).replace('"', '""')
    text = f'id,question,facts,relevant_texts\nq1,why,/a(/,\nq2,why,/a+/,x\nq3,why,"{facts}",\nq4,why,,--\n'
    with pytest.raises(errors.InputError) as caught:
        read(tmp_path, text)
    assert [(each.code, each.line) for each in caught.value.problems] == [
        ("unsound-fact", 2), ("unsound-fact", 4), ("unsound-quote", 5)
    ]  # fmt: skip
    assert "the alternative '/a(/' is not a valid regular expression" in caught.value.problems[0].message


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "no field says which is the question; there are id, Question: say which, as in --map question=Question"),
        ({"map": ("question=Questoin",)}, "did you mean 'Question'\\? there are id, Question"),
        ({"map": ("question=wording",)}, "no record has such a field; there are id, Question"),
        ({"map": ("qestion=Question",)}, "did you mean 'question'\\?"),
    ],
)
def test_a_column_that_is_not_there_is_answered_with_those_that_are(
    tmp_path: Path, settings: dict[str, Any], said: str
) -> None:
    """The nearest name, and all of them."""
    with pytest.raises(errors.UsageError, match=said):
        read(tmp_path, "id,Question\nq,why\n", **settings)


def test_a_column_that_is_nearly_ours_is_named_with_it(tmp_path: Path) -> None:
    """It is kept in notes either way, and another one is not guessed at."""
    found = read(tmp_path, "id,question,Relevent,team\nq,why,c1,ops\nr,how,c2,ops\n")
    kept = "has no place in a golden case; kept in notes"
    near = f"field 'Relevent' {kept}; if 'relevant' is meant, --map relevant=Relevent"
    assert found.remarks == {near: 2, f"field 'team' {kept}": 2}


def test_passages_in_place_of_ids_are_noticed(tmp_path: Path) -> None:
    """Text that reads like a sentence is no id, though it becomes one; an id with spaces is left alone."""
    text = (
        "id,question,relevant\n1,a,The notice period is thirty days.|c1\n2,b,chapter 2 page 7\n3,c,期限为三十天。\n"
        "4,d,Thirty days. Not more.\n"
    )
    found = read(tmp_path, text)
    [(said, count)] = found.remarks.items()
    assert count == 3
    assert "such as 'The notice period is thirty days.'; " in said
    assert said.endswith("--map relevant_texts=relevant")

    chunks = tmp_path / "chunks.jsonl"
    chunks.write_text('{"id": "The notice period is thirty", "text": "x"}\n')
    found = read(tmp_path, "id,question,relevant\n1,a,The notice period is thirty\n", chunks=chunks)
    assert found.remarks == {}
