from __future__ import annotations

import pytest

from evaluator.stores import words


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain åäö 漢字 😀", "plain åäö 漢字 😀"),
        ("a\nb\x1b[31m", "a\\nb\\x1b[31m"),
        ("\u202eevil\ud800", "\\u202eevil\\ud800"),
        ("x" * 81, "x" * 79 + "…"),
        ("x" * 80, "x" * 80),
    ],
)
def test_foreign_text_is_made_visible(text: str, shown: str) -> None:
    """Foreign text is cut to 80 characters and shows what would not print."""
    assert words.visible(text) == shown


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("relevent", ["relevant", "reference"], "; did you mean 'relevant'?"),
        ("zzz", ["b", "a"], "; known are b, a"),
        ("zzz", [f"metric-{number}" for number in range(26)], ""),
        ("a1", [f"a{number}" for number in range(1001)], ""),
        ("a" * 81, ["a" * 80], ""),
        ("zzz", [], ""),
    ],
)
def test_unknown_names_get_the_nearest_known_one(name: str, known: list[str], hint: str) -> None:
    """The nearest name is offered, or a short list; never a long list, and never after a long search."""
    assert words.did_you_mean(name, known) == hint


def test_paths_read_as_people_write_them() -> None:
    """Keys are joined by dots and indexes stand in brackets."""
    assert words.spelled(("gate", "rules", 1, "max_drop")) == "gate.rules[1].max_drop"
    assert words.spelled((0, "x\n")) == "[0].x\\n"
