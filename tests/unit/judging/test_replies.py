"""Reading a reply: the last whole object, exactly as it was asked for, or what is wrong with it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.judging import (
    answer,
    claims,
    context_reading,
    preference,
    questions,
    refusals,
    replies,
    shapes,
    statements,
)
from evaluator.judging.calls import InvalidReply, Refusal

SCHEMAS = {
    "claims": claims.SCHEMA,
    "context": context_reading.SCHEMA,
    "answer": answer.SCHEMA,
    "statements": statements.SCHEMA,
    "questions": questions.SCHEMA,
    "preference": preference.SCHEMA,
}
GOOD = {"reason": 'a } and a " and a {', "better": "first"}
TEXT = json.dumps(GOOD)


def read(text: str) -> dict[str, Any]:
    return replies.read(text, preference.SCHEMA)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"As [1] and [2, 3] show, {{so to speak}}:\n{TEXT}\nThat is {{all}}.",
        f'{{"reason": "a draft", "better": "tie"}} No, rather: {TEXT}',
        f"<think>{{ it says </think>{TEXT}",
        json.dumps(GOOD, indent=2, ensure_ascii=True),
        f"\ufeff{TEXT}\x00",
    ],
)
def test_the_last_object_is_taken_out_of_what_surrounds_it(text: str) -> None:
    """J1: prose that holds brackets, a code fence, a brace inside a string and a draft do not hide the reply."""
    assert read(text) == GOOD


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no JSON object"),
        ("first", "no JSON object"),
        ('{"reason": "cut o', "before it is complete"),
        ('{"reason": "x", "better": "first"', "before it is complete"),
        (f'{{"response": {TEXT}', "before it is complete"),
        (f'{TEXT} {{"reason": "and a second thought that is c', "before it is complete"),
        ('{"reason": "x", "better": "first",}', "broken"),
        (f'{TEXT}\n{{"reason": oops}}', "broken"),
        ('{"reason": "x", "better": "tie", "better": "first"}', "twice"),
        ('{"reason": "x", "better": NaN}', "number 'NaN'"),
        ('{"reason": "x", "better": 0.5}', "number '0.5'"),
        ('{"reason": "\\ud800", "better": "first"}', "half a character"),
        (f"[{TEXT}]", "the reply must be an object"),
        ('{"a":' * 50 + "1" + "}" * 50, "nested too deep"),
        ('{"a":' * 100_000, "before it is complete"),
        (f'{{"a": {"9" * 5000}}}', "too long"),
    ],
)
def test_anything_else_is_invalid_and_says_why(text: str, problem: str) -> None:
    """J1, J2: a reply that is cut, broken or doubled is never read for what came of it."""
    with pytest.raises(InvalidReply, match=problem):
        read(text)


def test_a_wrapped_reply_is_invalid() -> None:
    """J4: {"response": {...}} is not what was asked for, whatever it holds."""
    with pytest.raises(InvalidReply) as caught:
        read(json.dumps({"response": GOOD}))

    assert caught.value.problems == (
        'the reply has a key "response", which is none of reason, better',
        "the reply lacks 'reason'",
        "the reply lacks 'better'",
    )  # fmt: skip


@pytest.mark.parametrize(
    "verdict", ["Yes", "1. Yes. 2. Yes.", "nein", "нет", "是", "FIRST", "first ", "", True, 1, 7, None, ["first"]]
)
def test_only_the_words_of_the_enum_are_verdicts(verdict: Any) -> None:
    """J3, S3: a word in another language or case, a score or a list is invalid and never taken for support."""
    with pytest.raises(InvalidReply, match="better must be one of first, second, tie"):
        read(json.dumps({"reason": "x", "better": verdict}))


def test_flags_are_true_or_false_and_nothing_like_it() -> None:
    """S3: 1, 0.7 and "true" are no yes."""
    found = [list(shapes.faults(shapes.FLAG, value, "relevant")) for value in (1, "true", None, True)]

    assert [[fault.text for fault in each] for each in found] == [
        ["relevant must be true or false, not 1"],
        ['relevant must be true or false, not "true"'],
        ["relevant must be true or false, not null"],
        [],
    ]


REFUSED = [
    "I'm sorry, but I can't help with that.",
    "I cannot assist with this request.",
    "I’m unable to provide an evaluation of this content.",
    "I must decline to judge this.",
    "Jag kan tyvärr inte hjälpa till med det.",
    "Sajnálom, de ebben nem tudok segíteni.",
    "Sajnos nem áll módomban értékelni ezt a választ.",
    "Przykro mi, ale nie mogę w tym pomóc.",
    "Nie jestem w stanie ocenić tej odpowiedzi.",
    "很抱歉，我无法回答这个问题。",
    "抱歉，我不能协助您。",
    "Es tut mir leid, aber ich kann dabei leider nicht helfen.",
    "Leider kann ich diese Anfrage nicht beantworten.",
]


@pytest.mark.parametrize("text", REFUSED)
def test_a_refusal_in_prose_is_named_as_one(text: str) -> None:
    """J5: in each language we have prompts in, and in German."""
    with pytest.raises(Refusal):
        read(text)


@pytest.mark.parametrize("text", REFUSED)
def test_a_refusal_as_the_verdict_is_named_as_one(text: str) -> None:
    """J5: declining where the verdict should stand is no verdict and no slip that a repair would mend."""
    with pytest.raises(Refusal):
        read(json.dumps({"reason": "x", "better": text}))


@pytest.mark.parametrize("text", REFUSED)
def test_a_refusal_as_the_reason_is_named_as_one(text: str) -> None:
    """J5: under a forced schema a model that declines can only say so there, and its verdict means nothing."""
    with pytest.raises(Refusal):
        replies.refuse_declining(["c1 says so", text])


@pytest.mark.parametrize(
    "reason",
    [
        "c1 says that we cannot help with refunds.",
        'The answer declines: "I can\'t help with that".',
        "“I'm sorry, I can't help with that” gives no answer.",
        "c2说明我们不能提供退款。",
        "我们无法处理退款，c1如此说明。",
        "I read c1 as saying that it opens at nine.",
        "Sorry is all it says.",
        "Die Antwort sagt: ich kann nicht helfen.",
        "I can't help reading it so: " + "c1 names the hours, c2 the days. " * 10,
    ],
)
def test_a_reason_that_speaks_of_a_refusal_is_a_reason(reason: str) -> None:
    """An answer that declines has to be spoken of."""
    replies.refuse_declining([reason])


def test_prose_without_a_verdict_is_no_refusal() -> None:
    """What only lacks the object can be repaired."""
    assert not refusals.declines("The first answer is better, as it keeps the condition.")


def test_a_judge_is_told_of_a_few_problems_only() -> None:
    """A repair that lists hundreds would cost more than the question."""
    with pytest.raises(InvalidReply) as caught:
        replies.refuse_invalid([*(f"problem {number}" for number in range(30)), "problem 3"])

    assert len(caught.value.problems) == 13
    assert caught.value.problems[-1] == "there are 18 more problems"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.text(max_size=5)
    | st.sampled_from(["supported", "s1", "c1", "r1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "claims", "no_claim", "sentences", "reason", "verdict", "x"]), inner)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("name", SCHEMAS)
@settings(max_examples=40)
@given(value=JSON, data=st.data())
def test_a_schema_is_read_as_others_read_it(name: str, value: Any, data: st.DataObject) -> None:
    """We find a fault in a value exactly where an independent validator does, in random and in nearly right values."""
    for each in (value, data.draw(like(SCHEMAS[name]))):
        found = list(shapes.faults(SCHEMAS[name], each))

        assert bool(found) != jsonschema.Draft202012Validator(SCHEMAS[name]).is_valid(each)


def like(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a schema allows, now and then with another value somewhere."""
    return st.one_of(*[_right(schema)] * 9, JSON)


def _right(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "anyOf" in schema:
        return st.none() | like(schema["anyOf"][0])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema["type"] == "object":
        return st.fixed_dictionaries({name: like(inner) for name, inner in schema["properties"].items()})
    if schema["type"] == "array":
        return st.lists(like(schema["items"]), max_size=3)
    return st.booleans() if schema["type"] == "boolean" else st.text(max_size=4)


def parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema and all within it."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    for each in (*inner, *([schema["items"]] if "items" in schema else [])):
        yield from parts(each)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_stays_within_what_every_provider_takes(name: str) -> None:
    """Objects name all their properties as required and allow no others; there are no bounds and no references."""
    allowed = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf"}
    found = list(parts(SCHEMAS[name]))
    objects = [each for each in found if each.get("type") == "object"]

    assert all(each.keys() <= allowed for each in found)
    assert all(each["required"] == list(each["properties"]) for each in objects)
    assert all(each["additionalProperties"] is False for each in objects)


@pytest.mark.parametrize("name", ["context", "answer", "preference"])
def test_a_judge_has_to_give_its_grounds_before_it_decides(name: str) -> None:
    """Wherever a decision stands, a reason, or the statements that decide it, stands before it."""
    decisions = {"verdict", "sufficient", "attributable", "useful", "relevant", "abstained", "present", "better"}
    orders = [list(each.get("properties", ())) for each in parts(SCHEMAS[name]) if "id" in each.get("properties", {})]
    orders += [
        list(each["properties"]) for each in parts(SCHEMAS[name]) if {"reason"} < each.get("properties", {}).keys()
    ]

    assert orders
    for order in orders:
        (decision,) = decisions & set(order)
        assert {"reason", "statements"} & set(order[: order.index(decision)])


@given(st.text(st.sampled_from('{}[]"\\:, \nab1\ud800eE.-ntrue'), max_size=40))
def test_whatever_a_reply_says_it_is_read_or_refused(text: str) -> None:
    """No text at all raises anything else."""
    with contextlib.suppress(InvalidReply, Refusal):
        assert read(text)["better"] in {"first", "second", "tie"}
