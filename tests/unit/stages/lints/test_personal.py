from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.model.fixture import Chunk, Digests, Fixture
from evaluator.model.golden import Case
from evaluator.stages import labels
from evaluator.stages.lints import personal
from evaluator.stores import golden
from evaluator.stores.json_text import JsonText

if TYPE_CHECKING:
    from pathlib import Path

MAIL = "anna.berg@firma.se"


def case(**fields: Any) -> Case:
    """A golden case."""
    return Case.model_validate({"id": "q", "question": "?", **fields})


def fixture(*texts: str) -> Fixture:
    """A fixture of these texts."""
    chunks = tuple(Chunk(id=str(number), text=text) for number, text in enumerate(texts))
    return Fixture(chunks, Digests(chunks="x", documents=None))


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"question": f"why does {MAIL} not answer"}, ("question",)),
        ({"reference": f"Ask {MAIL}."}, ("reference",)),
        ({"notes": f"from {MAIL}"}, ("notes",)),
        ({"source": f"mail of {MAIL}"}, ("source",)),
        ({"tags": ["a", MAIL]}, ("tags", 1)),
        ({"history": [{"role": "user", "content": f"I am {MAIL}"}]}, ("history", 0, "content")),
        ({"facts": [{"id": "f", "text": MAIL}]}, ("facts", 0, "text")),
        ({"facts": [{"id": "f", "text": "x", "any": ["y", MAIL]}]}, ("facts", 0, "any", 1)),
    ],
)
def test_every_text_that_people_write_is_looked_at(fields: dict[str, Any], path: tuple[str | int, ...]) -> None:
    """Questions, references, facts, earlier turns and remarks alike; the message does not repeat what it found."""
    [doubt] = personal.data([case(**fields)], None)

    assert (doubt.code, doubt.severity, doubt.path) == ("personal-data", "warning", path)
    assert MAIL not in doubt.message


def test_a_kind_is_told_once_for_each_text() -> None:
    """Three addresses in one note are one thing to mend, and a number beside them another."""
    found = list(personal.data([case(notes=f"{MAIL}, b{MAIL}, c{MAIL}, +46 70 123 45 67")], None))

    assert [doubt.offset for doubt in found] == [0, 62]


def test_what_the_documents_hold_is_theirs() -> None:
    """The company's own number may be what an answer has to name, however it is written."""
    asked = [case(reference="Call +46-8-1234567 or write to Sales.North@firma.se.")]

    assert list(personal.data(asked, fixture("Call", "+46 8 123 45 67 or sales.north@firma.se"))) == []
    assert len(list(personal.data(asked, fixture("Call +46 8 123 45 68")))) == 2


@given(before=st.text(), after=st.text(), ascii_only=st.booleans())
def test_the_place_is_that_of_the_first_character(before: str, after: str, *, ascii_only: bool) -> None:
    """Line and column lead to what was found, whatever stands before it and however that is escaped."""
    before = before.encode(errors="replace").decode().replace("@", "")
    written = json.dumps({"id": "q", "notes": f"{before} {MAIL} {after}"}, ensure_ascii=ascii_only)
    place = JsonText(None, written.encode(errors="replace"), 7).inside(("notes",), len(before) + 1)

    assert place.line == 7
    assert written[place.column - 1 :].startswith(MAIL)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f"- id: q\n  question: ask {MAIL}\n", (2, 17)),
        (f"- id: q\n  question: 'ask {MAIL}'\n", (2, 18)),
        (f'- id: q\n  question: "ask {MAIL}"\n', (2, 18)),
        (f'- id: q\n  question: "\\u0061sk {MAIL}"\n', (2, 13)),
        (f"- id: q\n  question: |\n    ask\n    {MAIL}\n", (2, 13)),
    ],
)
def test_the_place_in_yaml_is_exact_where_text_stands_as_it_is(
    text: str, place: tuple[int, int], tmp_path: Path
) -> None:
    """Plain and quoted texts lead to the character, escaped and folded ones to the text."""
    (tmp_path / "golden.yml").write_text(text)
    cases, _ = golden.look([tmp_path / "golden.yml"])
    [problem] = labels.problems(cases, personal.data(cases.cases, None))

    assert (problem.line, problem.column) == place
