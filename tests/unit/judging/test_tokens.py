"""How many tokens a text is, about."""

from __future__ import annotations

from evaluator.judging import tokens
from evaluator.model.judge import Block, JudgeRequest


def test_an_estimate_of_english_is_at_least_a_token_a_word() -> None:
    """Never far below: a call that is estimated to fit should fit."""
    assert 10 <= tokens.estimate("The quick brown fox jumps over the lazy dog.") <= 14


def test_a_request_is_all_that_is_read() -> None:
    """System, blocks and schema count."""
    request = JudgeRequest("x", "a" * 400, (Block("b" * 400, cached=True), Block("中" * 10)), {}, 99)

    assert tokens.of_request(request) == 100 + 100 + 10 + 1 + tokens.MESSAGE


def test_scripts_are_counted_apart() -> None:
    """Four Latin letters, two Cyrillic or marked ones, one character of Chinese, two digits are a token."""
    assert [tokens.estimate(each * 100) for each in ("a", "ж", "ő", "中", "7")] == [25, 50, 50, 100, 50]
