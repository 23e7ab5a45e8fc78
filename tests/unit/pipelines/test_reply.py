from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.model.record import Answer, AnswerFailure, Hit
from evaluator.pipelines import _reply


def reply(value: Any) -> Answer | AnswerFailure:
    return _reply.to_reply(value, 100)


def answer(value: Any) -> Answer:
    found = reply(value)
    assert isinstance(found, Answer), found
    return found


def message(value: Any, size: int = 100) -> str:
    found = _reply.to_reply(value, size)
    assert isinstance(found, AnswerFailure)
    assert found.kind == "invalid"
    return found.message


def test_a_whole_response_is_taken_as_it_is() -> None:
    """Every key of a response arrives, results with all they have, in the order given."""
    found = answer(
        {
            "retrieved": [{"id": "b", "text": "B", "doc": "d", "score": 2.0}, {"id": "a"}],
            "context": ["a"],
            "answer": "thirty days",
            "abstained": False,
            "steps": [{"query": "first", "retrieved": [{"id": "z"}], "thought": "ignored"}],
            "usage": {"input_tokens": 12},
            "meta": {"model": "m", "list": [1, None]},
        }
    )

    assert found.retrieved == (Hit(id="b", text="B", doc="d", score=2.0), Hit(id="a"))
    assert found.context == ("a",)
    assert (found.answer, found.abstained) == ("thirty days", False)
    assert found.steps is not None
    assert [(step.query, step.retrieved) for step in found.steps] == [("first", (Hit(id="z"),))]
    assert (found.usage, found.meta) == ({"input_tokens": 12}, {"model": "m", "list": [1, None]})
    assert found.warnings == ()


def test_what_is_not_said_is_none() -> None:
    """A response without a context, an answer or usage does not pretend to have them."""
    found = answer({"retrieved": []})

    assert (found.context, found.answer, found.abstained, found.steps, found.usage) == (None, None, None, None, None)


def test_other_keys_of_a_result_are_ignored() -> None:
    """Whatever else a search returns with a result does no harm."""
    assert answer({"retrieved": [{"id": "a", "embedding": [1.0], "rank": 1}]}).retrieved == (Hit(id="a"),)


@pytest.mark.parametrize("identifier", ["c|1", "naïve/#1", " space ", "🦊" * 300, "Ä", "ä", "0"])
def test_a_text_id_is_kept_exactly(identifier: str) -> None:
    """No character of an id is changed."""
    assert answer({"retrieved": [{"id": identifier}]}).retrieved[0].id == identifier


def test_a_number_as_id_is_its_decimal_text() -> None:
    """Databases that number their chunks need no conversion."""
    found = answer({"retrieved": [{"id": 7, "doc": 12}, {"id": -1}], "context": [7]})

    assert [(hit.id, hit.doc) for hit in found.retrieved] == [("7", "12"), ("-1", None)]
    assert found.context == ("7",)


@pytest.mark.parametrize("identifier", ["", None, True, 1.5, [], {}])
def test_anything_else_is_no_id(identifier: Any) -> None:
    """An id that is missing, empty or of another type makes the reply invalid, with the place of the result."""
    assert "result 2 of retrieved" in message({"retrieved": [{"id": "a"}, {"id": identifier}]})


@pytest.mark.parametrize("score", ["0.9", math.nan, math.inf, -math.inf, True, [1], 10**400])
def test_a_score_that_is_no_finite_number_is_dropped_and_reported(score: Any) -> None:
    """The result stays where it is; only its score goes, and one sentence says so (P6)."""
    found = answer({"retrieved": [{"id": "a", "score": score}, {"id": "b", "score": score}, {"id": "c", "score": 1}]})

    assert [(hit.id, hit.score) for hit in found.retrieved] == [("a", None), ("b", None), ("c", 1.0)]
    assert found.warnings == (_reply.BAD_SCORE,)


def test_the_order_given_is_the_truth() -> None:
    """Scores that rise down the ranking change nothing and are reported once (P6)."""
    found = answer({"retrieved": [{"id": "a", "score": 0.1}, {"id": "b"}, {"id": "c", "score": 0.9}]})

    assert [hit.id for hit in found.retrieved] == ["a", "b", "c"]
    assert found.warnings == (_reply.RISING_SCORES,)


def test_equal_scores_do_not_contradict_the_order() -> None:
    """Ties are in order."""
    assert answer({"retrieved": [{"id": "a", "score": 1}, {"id": "b", "score": 1}]}).warnings == ()


@given(st.lists(st.tuples(st.text("ab", min_size=1), st.none() | st.floats() | st.text())))
def test_no_score_ever_reorders(pairs: list[tuple[str, Any]]) -> None:
    """Whatever the scores are, ids come out in the order they went in, and every score is finite or gone (P6)."""
    found = answer({"retrieved": [{"id": identifier, "score": score} for identifier, score in pairs]})

    assert [hit.id for hit in found.retrieved] == [identifier for identifier, _ in pairs]
    assert all(hit.score is None or math.isfinite(hit.score) for hit in found.retrieved)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "the reply is null"),
        ([], "the reply is a list"),
        ("text", "the reply is a text"),
        ({}, "it has nothing"),
        ({"result": "x", "source_documents": []}, "it has result, source_documents"),
        ({"retrieved": None}, "retrieved is null, not a list"),
        ({"retrieved": {"id": "a"}}, "retrieved is an object, not a list"),
        ({"retrieved": ["a"]}, "result 1 of retrieved is a text, not an object with an id"),
        ({"retrieved": [{"id": "a", "text": 5}]}, "the text of result 1 of retrieved is a number"),
        ({"retrieved": [{"id": "a", "doc": 1.5}]}, "the doc of result 1 of retrieved is a number"),
        ({"retrieved": [], "context": "a"}, "context is a text, not a list of ids"),
        ({"retrieved": [], "context": [None]}, "item 1 of context is null"),
        ({"answer": 42}, "answer is a number, not a text"),
        ({"answer": "a", "abstained": "no"}, "abstained is a text, not true or false"),
        ({"answer": "a", "abstained": 0}, "abstained is a number, not true or false"),
        ({"answer": "a", "steps": {}}, "steps is an object, not a list"),
        ({"answer": "a", "steps": ["q"]}, "step 1 is not an object with a query"),
        ({"answer": "a", "steps": [{"retrieved": []}]}, "step 1 is not an object with a query"),
        ({"answer": "a", "steps": [{"query": "q", "retrieved": [{}]}]}, "result 1 of step 1"),
        ({"answer": "a", "usage": [1]}, "usage is a list"),
        ({"answer": "a", "meta": "m"}, "meta is a text"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(value: Any, said: str) -> None:
    """A reply of the wrong shape is invalid, and the message names what is wrong and where."""
    assert said in message(value)
    assert "\n" not in message(value)


def test_a_misspelt_key_is_reported_with_the_right_one() -> None:
    """A key that is nearly one of ours would silently lose the ranking."""
    found = answer({"retreived": [{"id": "a"}], "answer": "yes", "input": "ignored"})

    assert found.retrieved == ()
    assert found.warnings == ("the unknown key 'retreived' of the reply was ignored; 'retrieved' may be meant",)


def test_usage_keeps_numbers_only() -> None:
    """Token counts stay; what is no finite number is left out and reported."""
    found = answer({"answer": "a", "usage": {"in": 3, "cost": 0.5, "model": "m", "bad": math.nan, "details": None}})

    assert found.usage == {"in": 3, "cost": 0.5}
    assert found.warnings == (_reply.BAD_USAGE,)


def test_numbers_in_meta_that_are_none_become_null() -> None:
    """NaN and Infinity deep inside meta never reach a file."""
    found = answer({"answer": "a", "meta": {"x": [1.5, math.inf], "y": {"z": math.nan}}})

    assert found.meta == {"x": [1.5, None], "y": {"z": None}}
    assert found.warnings == (_reply.BAD_META,)


@pytest.mark.parametrize("where", ["usage", "meta"])
def test_a_reported_latency_is_taken_out_of_where_it_stood(where: str) -> None:
    """A time differs between identical runs, so it may not stay in what is compared byte by byte."""
    found = answer({"answer": "a", where: {"latency_ms": 12.5, "tokens": 3}})

    assert found.latency_ms == 12.5
    assert getattr(found, where) == {"tokens": 3}


@pytest.mark.parametrize("latency", [-1, "fast", None])
def test_a_latency_that_is_none_is_left_out_and_reported(latency: Any) -> None:
    """A negative or textual latency is no measurement."""
    found = answer({"answer": "a", "meta": {"latency_ms": latency}})

    assert found.latency_ms is None
    assert found.warnings == (_reply.BAD_LATENCY,)


@pytest.mark.parametrize(
    "value", [{"answer": "x"}, {"retrieved": [{"id": "a", "text": "x"}]}, {"answer": "", "context": ["x"]}]
)
def test_texts_have_a_largest_length(value: dict[str, Any]) -> None:
    """A text of two million characters is accepted, one more is not."""
    most, more = (
        json.loads(json.dumps(value).replace('"x"', f'"{"x" * length}"')) for length in (2_000_000, 2_000_001)
    )

    assert isinstance(_reply.to_reply(most, 2_000_100), Answer)
    assert "longer than 2,000,000 characters" in message(more, 2_000_101)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (rb'{"answer": "\ud800 and more text"}', "characters that are no text"),
        (rb'{"answer": "\udc00 and more text"}', "characters that are no text"),
        (b'{"answer": "\xed\xa0\x80"}', "characters that are no text"),
        (b'{"answer": "\xff"}', "characters that are no text"),
        (b'{"answer": 1, "answer": 2}', "duplicate key"),
        (b"[" * 1000, "not valid JSON"),
        (b"hello", "not valid JSON"),
        (b"", "not valid JSON"),
    ],
)
def test_what_is_no_json_is_refused(line: bytes, said: str) -> None:
    """Half a surrogate pair, a duplicate key, endless nesting and plain text are no reply."""
    with pytest.raises(_reply.Invalid, match="(?i)" + said):
        _reply.decode(line)


def test_nan_is_left_for_the_reader_to_judge() -> None:
    """A reply with a NaN score is not lost for it."""
    assert math.isnan(_reply.decode(b'{"score": NaN}')["score"])


def test_a_stated_failure_stays_that_failure() -> None:
    """Kind and message of a recorded failure are kept, on one line."""
    failure = _reply.to_failure({"kind": "timeout", "message": "no reply\nwithin 60 s"})

    assert (failure.kind, failure.message) == ("timeout", "no reply within 60 s")


@pytest.mark.parametrize(
    "value", [None, {}, {"kind": "bored", "message": "m"}, {"kind": "error"}, {"kind": "error", "message": 1}]
)
def test_a_failure_that_says_nothing_is_invalid(value: Any) -> None:
    """A failure without a known kind and a message still counts as one."""
    assert _reply.to_failure(value).kind == "invalid"


def test_a_long_message_is_cut() -> None:
    """A message of a megabyte does not fill the records."""
    assert len(_reply.one_line("x" * 1_000_000)) == 300
