from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evaluator.judging import case, tokens
from evaluator.judging.estimate import TOKEN, calls, estimate
from evaluator.model.config import Prices
from tests.court import claim
from tests.judged import subject

if TYPE_CHECKING:
    from evaluator.judging.calls import Call
    from evaluator.judging.subject import Subject

PRICES = Prices.model_construct(input=1_000_000.0, output=2_000_000.0, cached=None)
"""A dollar a token read, two a token written."""

ANSWER = " ".join(f"Fact {number} holds." for number in range(10))
CHUNKS = {"a": "The shop opens at 9.", "b": "It is closed on Mondays."}
REFERENCE = "The shop opens at nine in the morning. It is closed on Mondays and on every holiday."


def asked(one: Subject, **known: Any) -> list[Call[Any]]:
    """The calls of a case; ``known`` are what is found for parts that the cache answers."""
    return list(calls(case.conversation(one), lambda call: known.get(call.part)))


def test_calls_tokens_and_money_of_a_case() -> None:
    """Ten sentences make 13 claims, 21 tokens of reference one statement; what is written is worked out by hand."""
    one = subject(ANSWER, CHUNKS, reference=REFERENCE, facts={"f": "9", "g": "Monday"})
    found = estimate(asked(one), PRICES)

    assert {part: (each.calls, each.written) for part, each in found.parts.items()} == {
        "answer": (1, (2 + 13 + 1 + 2) * 45), "claims": (1, 13 * 30), "context": (1, 13 * 90), "statements": (1, 30),
    }  # fmt: skip
    usd = {part: each.read + 2 * each.written for part, each in found.parts.items()}
    assert {part: each.usd for part, each in found.parts.items()} == pytest.approx(usd)


def test_what_is_read_is_the_question_itself() -> None:
    """Every chunk, claim and word of the prompt counts."""
    found = estimate(asked(subject(ANSWER, CHUNKS)), PRICES).parts["context"].read
    (call,) = [each for each in asked(subject(ANSWER, CHUNKS)) if each.part == "context"]
    assert found == tokens.of_request(call.put(TOKEN))
    more = estimate(asked(subject(ANSWER, {**CHUNKS, "c": "word " * 400})), PRICES).parts["context"].read
    assert more - found == pytest.approx(500, abs=30)


def test_a_text_that_looks_like_a_delimiter_is_put_all_the_same() -> None:
    """Zeros and null bytes are what people and machines fill texts with."""
    nasty = f"Card {'0' * 16} and {TOKEN} hold."
    assert estimate(asked(subject(nasty, {"a": nasty}, reference=f"{nasty} {nasty}")), PRICES).total().calls == 4


def test_what_no_call_is_made_for_costs_nothing() -> None:
    """An empty answer, a stock phrase, and parts that the cache holds."""
    assert asked(subject("")) == []
    assert asked(subject("I don't know.")) == []
    held = case.claims.ClaimsFound((claim("all of it"),), ())
    assert [call.part for call in asked(subject(ANSWER, CHUNKS), claims=held)] == ["context", "answer"]


def test_a_context_beyond_the_window_takes_as_many_calls_as_it_is_asked_in() -> None:
    """J8: four chunks, each near half of what the judge takes beside the prompt."""
    chunks = dict.fromkeys("abcd", "word " * 8000)
    parts = [call.part for call in asked(subject("One thing.", chunks, window=20_000))]
    assert parts.count("context") == 4


def test_what_only_some_metrics_ask_for_is_counted() -> None:
    """Generated questions, both orders of a preference, and what is asked of chunks."""
    one = subject("One thing.", CHUNKS, questions=3, against="Another thing.", sufficiency=True, useful=True)
    found = estimate(asked(one), PRICES).parts
    assert {part: (each.calls, each.written) for part, each in found.items()} == {
        "answer": (1, 2 * 45), "claims": (1, 30), "context": (1, 90 + (2 + 1) * 45), "embedding": (1, 90),
        "preference": (2, 90),
    }  # fmt: skip


def test_a_reference_without_spaces_has_statements_too() -> None:
    """Chinese is cut by characters."""
    one = subject("是。", CHUNKS, reference="门店每天早上九点开门。" * 20, language="zh")
    (answer,) = [call for call in asked(one) if call.part == "answer"]
    assert len(answer.given["values"]["statements"]) >= 5
