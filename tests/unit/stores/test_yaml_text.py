from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evaluator.stores import yaml_text

if TYPE_CHECKING:
    from evaluator.errors import Problem


def read(text: str) -> tuple[Any, list[tuple[str, int, int]]]:
    """The value and, for each problem, its code, line and column."""
    problems: list[Problem] = []
    found = yaml_text.parse(text, "f.yml", problems)
    return (found and found.value), [(each.code, each.line, each.column) for each in problems]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("Off", "Off"),
        ("2030-12-31", "2030-12-31"),
        ("12:30:45", "12:30:45"),
        ("1_000", "1_000"),
        ("0b1", "0b1"),
        ("<<", "<<"),
        ("TRUE", True),
        ("false", False),
        ("~", None),
        ("", None),
        ("007", 7),
        ("-12", -12),
        ("0o17", 15),
        ("0x1F", 31),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("!!str 5", "5"),
        ("'5'", "5"),
    ],
)
def test_plain_scalars_are_those_of_yaml_1_2(text: str, value: object) -> None:
    """Words such as yes and dates are text; numbers are those of the core schema."""
    found, problems = read(f"a: {text}")
    assert problems == []
    assert found == {"a": value}
    assert type(found["a"]) is type(value)


@pytest.mark.parametrize("text", ["", "# nothing but a comment\n", "---\n"])
def test_an_empty_document_is_null(text: str) -> None:
    """A file without a value is no mistake of YAML."""
    assert read(text) == (None, [])


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("a: 1\nb: 2\na: 3", [("duplicate-key", 3, 1)]),
        ("ö: {b: 1, b: 2}\n5: x\n? [1]\n: y", [("duplicate-key", 1, 11), ("wrong-value", 2, 1), ("wrong-value", 3, 3)]),
        ("a: .inf\nb: -.INF\nc: .NaN\nd: 1e999", [("not-finite", line, 4) for line in (1, 2, 3, 4)]),
        ("x: &a 1\ny: *a", [("yaml-alias", 1, 4), ("yaml-alias", 2, 4)]),
        ("a: !!python/object/apply:os.system [x]", [("syntax", 1, 4)]),
        ("a: !mine b\nb: !!set {x}", [("syntax", 1, 4), ("syntax", 2, 4)]),
        ("a: !!int abc\nb: !!bool 1", [("wrong-value", 1, 4), ("wrong-value", 2, 4)]),
        ("a: " + "9" * 5000, [("wrong-value", 1, 4)]),
        ('a: "\\0"', [("wrong-value", 1, 4)]),
        ("a: 1\n---\nb: 2", [("syntax", 2, 1)]),
        ("a: [1,\n  b: }", [("syntax", 2, 6)]),
        ("a: 1\n\tb: 2", [("syntax", 2, 1)]),
        ('åäö: "\x07"', [("syntax", 1, 7)]),
        ('a: "\\ud800"', [("syntax", 1, 7)]),
        ("[" * 200 + "]" * 200, [("syntax", 1, 102)]),
        ("[" * 100_000, [("syntax", 1, 1001)]),
    ],
)
def test_mistakes_have_a_place(text: str, problems: list[tuple[str, int, int]]) -> None:
    """Everything that is refused is a problem with its line and column, several at once where that can be."""
    assert read(text) == (None, problems)


def test_a_billion_laughs_are_not_heard() -> None:
    """Nested aliases are refused before anything is made of them."""
    laughs = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 30))
    _, problems = read("l0: &l0 lol\n" + laughs)
    assert {code for code, _, _ in problems} == {"yaml-alias"}


def test_an_ampersand_in_text_is_no_anchor() -> None:
    """Only YAML's own anchors are refused."""
    assert read("a: R&D *really*\nb: '&x'") == ({"a": "R&D *really*", "b": "&x"}, [])


def test_places_of_keys_and_values() -> None:
    """Any part of a document can be pointed at, by its key or its value."""
    found = yaml_text.parse("a:\n  - b: 1\n    😀: {c: [x, y]}\n", "f.yml", [])
    assert found is not None
    assert found.line == 1
    assert found.place(("a", 0, "😀", "c", 1)) == (3, 16)
    assert found.place(("a", 0, "😀"), "key") == (3, 5)
    assert found.place(("a", 0)) == (2, 5)
