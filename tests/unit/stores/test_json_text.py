from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.stores import json_text

if TYPE_CHECKING:
    from evaluator.errors import Problem

SCALARS = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SCALARS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("data", "code", "message", "line", "column"),
    [
        (b'{"a":1,"a":2}', "duplicate-key", 'duplicate key "a"', 1, 8),
        (b'{"a":1,"\\u0061":2}', "duplicate-key", 'duplicate key "a"', 1, 8),
        (b'{"a": ":\\"", "\\"" : 1, "\\"": 2}', "duplicate-key", 'duplicate key "\\""', 1, 24),
        (b'{\n "a": {"b": 1,\n  "b": 2}}', "duplicate-key", 'duplicate key "b"', 3, 3),
        ('{"åäö": "😀", "b": 1,}'.encode(), "syntax", "not valid JSON: trailing comma", 1, 21),
        (b'{"a": NaN}', "not-finite", "NaN and Infinity are no JSON numbers", 1, 7),
        (b'{"a": -Infinity}', "not-finite", "NaN and Infinity are no JSON numbers", 1, 8),
        (b'{"a": "\xff"}', "encoding", "this is not UTF-8 text", 1, 8),
        (b'{"a": "x', "syntax", "not valid JSON: it ends in the middle of a value", 1, 8),
        (b"[" * 5000, "syntax", "not valid JSON: recursion limit exceeded", 1, 202),
        (b"1" * 5000, "syntax", "not valid JSON: number out of range", 1, 4302),
    ],
)
def test_mistakes_have_a_place(data: bytes, code: str, message: str, line: int, column: int) -> None:
    """Every way not to be JSON is one problem in plain words with line and column, counted in characters."""
    problems: list[Problem] = []
    assert json_text.parse(data, "f.json", problems) is None
    assert [(each.code, each.message, each.file) for each in problems] == [(code, message, "f.json")]
    assert (problems[0].line, problems[0].column) == (line, column)


@pytest.mark.parametrize("text", ['"\\ud800"', '"\\ud800\\ud800"', '"\\udc00"'])
def test_lone_surrogates_are_refused(text: str) -> None:
    """Text that could never be written again is no text."""
    problems: list[Problem] = []
    assert json_text.parse(text.encode(), "f.json", problems) is None
    assert len(problems) == 1


def test_the_message_shows_at_most_a_little_of_a_hostile_key() -> None:
    """A key of a million control characters does not reach a terminal."""
    key = '"' + "\\u001b" * 100_000 + '"'
    problems: list[Problem] = []
    json_text.parse(f"{{{key}:1,{key}:2}}".encode(), "f.json", problems)
    assert len(problems[0].message) < 600
    assert problems[0].message.isprintable()


def paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    """Every path of a value and what it leads to."""
    found = [(path, value)]
    steps: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in steps:
        found.extend(paths(part, (*path, step)))
    return found


@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_every_value_is_found_where_it_stands(value: Any, indent: int | None, ascii_only: bool) -> None:
    """Whatever the layout and the escapes, a path leads to the text of its value."""
    text = " " + json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    for path, part in paths(value):
        member = json_text.find(text, path)
        assert json.loads(text[member.start : member.end]) == part
        if path and isinstance(path[-1], str):
            assert json.JSONDecoder().raw_decode(text, member.key)[0] == path[-1]


def test_places_count_lines_and_characters() -> None:
    """A place is told as an editor shows it, for a key as for its value."""
    data = '{"å": "😀\\ud83d\\ude00",\n  "b": [1, {"c": 2}]}'.encode()
    text = json_text.JsonText(json.loads(data), data, line=7)
    assert text.place(()) == (7, 1)
    assert text.place(("b",), "key") == (8, 3)
    assert text.place(("b", 1, "c")) == (8, 18)
    assert text.place(("b", 1, "c"), "key") == (8, 13)
