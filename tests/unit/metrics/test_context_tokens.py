from __future__ import annotations

import pytest

from evaluator.model.view import Passage
from tests.views import outcome, read, view


@pytest.mark.parametrize(
    ("text", "expected"),
    [("abcd", 1), ("abcde", 2), ("", 0), ("你好", 2), ("你好ab", 3), ("สวัสดี", 6), ("カナ 한국", 5), ("a" * 400, 100)],
)
def test_four_characters_or_one_of_a_script_without_spaces_make_a_token(text: str, expected: int) -> None:
    """The estimate is by characters, rounded up."""
    assert outcome("context_tokens", read({"A": text})) == expected


def test_every_chunk_of_the_context_counts_as_often_as_it_is_there() -> None:
    """Chunks are rounded up one by one, and a repeated one was sent twice."""
    passages = {"A": Passage(None, "abcde"), "B": Passage(None, "ab")}

    assert outcome("context_tokens", view("X", context=("A", "B", "A"), passages=passages)) == 5


def test_a_chunk_without_text_makes_the_sum_unknown() -> None:
    """Part of a context is not taken for the whole of it."""
    passages = {"A": Passage(None, "abcde"), "B": Passage(None, None)}

    assert outcome("context_tokens", view("AB", passages=passages)) == "no chunk text"


def test_an_empty_context_has_no_tokens() -> None:
    """A pipeline that finds nothing does not look thrifty."""
    assert outcome("context_tokens", view("A", context=())) == "nothing retrieved"
