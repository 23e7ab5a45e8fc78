from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.model.golden import Case
from evaluator.stages.lints import alike
from evaluator.stores.golden import GoldenSet, Place

OTHERS = (
    "Who pays for the return of a damaged kettle?",
    "Can I change the delivery address after ordering?",
    "what is the warranty on a refurbished toaster",
    "Do you ship batteries abroad?",
    "How do I cancel a subscription before renewal?",
)
"""Questions of a set, all about something else."""


def golden(*cases: dict[str, Any]) -> GoldenSet:
    """A golden set of these cases, one a line, and of five others after them."""
    filled = [*cases, *({"id": f"o{number}", "question": text} for number, text in enumerate(OTHERS))]
    made = tuple(Case.model_validate({"id": f"q{number}", **fields}) for number, fields in enumerate(filled))
    return GoldenSet(made, {case.id: Place("/eval/golden.jsonl", line) for line, case in enumerate(made, 1)}, "")


def found(*cases: dict[str, Any], language: str = "en") -> list[tuple[str, str | None]]:
    """Code and case of what is said."""
    return [(doubt.code, doubt.case) for doubt in alike.questions(golden(*cases), language)]


@pytest.mark.parametrize(
    ("one", "two", "language"),
    [
        ("How long can I return a product?", "how long can i return a product", "en"),
        ("How long can I return a product?", "How long can I return products??", "en"),
        ("How long can I return a product?", "how long can i retrun a prodcut", "en"),
        ("How long can I return a product?", "A product: how long can I return it", "en"),
        ("Hur många semesterdagar har jag kvar?", "hur många semesterdagar har jag kvar", "sv"),
        ("Mikor kapom meg a számlámat?", "mikor kapom meg a számlát", "hu"),
        ("Jak długo trwa zwrot pieniędzy?", "jak długo trwa zwrot pieniedzy", "pl"),
        ("年假有多少天?", "年假有多少天呢", "zh"),
        ("退货需要多长时间", "退货需要多长时间？", "zh"),
    ],
)
def test_the_same_question_in_nearly_the_same_words_is_told(one: str, two: str, language: str) -> None:
    """Case, marks, endings, slips of the keyboard and word order do not make another question, in any language."""
    assert found({"question": one}, {"question": two}, language=language) == [("near-duplicate", "q1")]


@pytest.mark.parametrize(
    ("one", "two", "language"),
    [
        ("How long can I return a product?", "How long can I exchange a voucher?", "en"),
        ("How many days of leave are there in 2025?", "How many days of leave are there in 2026?", "en"),
        ("What is the torque of the AP400?", "What is the torque of the AP410?", "en"),
        ("Which of these can I return?", "Which of these can I not return?", "en"),
        ("年假有多少天", "病假工资怎么算", "zh"),
        ("哪些商品可以退货", "哪些商品不可以退货", "zh"),
        ("Vem godkänner ledighet?", "Vem godkänner resor?", "sv"),
        ("Where do I find the house?", "Where do I find the horse?", "en"),
        (
            "What is the largest load of the alpha hoist in rain",
            "What is the largest load of the beta hoist in rain",
            "en",
        ),
    ],
)
def test_another_number_a_negation_or_another_thing_is_another_question(one: str, two: str, language: str) -> None:
    """What tells two questions apart may be a single word."""
    assert found({"question": one}, {"question": two}, language=language) == []


def test_a_frame_that_many_questions_share_does_not_make_them_alike() -> None:
    """Twelve words of thirteen are the same in each, and the one that matters is not."""
    things = ["kettle", "toaster", "blender", "freezer", "radio", "lamp"]
    frame = "What is the maximum allowed pressure of the {} valve in the standard configuration?"

    assert found(*({"question": frame.format(thing)} for thing in things)) == []


def test_paraphrases_are_alike_on_purpose() -> None:
    """A group of paraphrases is no mistake; a case outside of it that asks the same is."""
    text = "How long can I return a product?"
    group = [{"question": text}, {"question": text, "paraphrase_of": "q0"}, {"question": text, "paraphrase_of": "q0"}]

    assert found(*group) == []
    assert found(*group, {"question": text}) == [("near-duplicate", "q3")]


def test_across_the_split_it_is_a_leak() -> None:
    """A held-out question that is asked in dev as well is no longer unseen, not even as a paraphrase."""
    text, held = "How long can I return a product?", {"question": "how long can i return products", "split": "holdout"}

    assert found({"question": text}, held) == [("holdout-leak", "q1")]
    assert found({"question": text}, {**held, "paraphrase_of": "q0"}) == [("holdout-leak", "q1")]
    assert found(held, {"question": text}) == [("holdout-leak", "q1")]


def test_the_other_case_is_named_by_its_place() -> None:
    """A held-out case is named by file and line alone, another one by its id too; no text is repeated."""
    text = "How long can I return a product?"
    cases = golden({"question": text}, {"question": text}, {"question": text, "split": "holdout"})
    messages = [doubt.message for doubt in alike.questions(cases, "en")]

    assert [message.partition(" (")[0] for message in messages] == ["this asks nearly the same as case 'q0'"] * 2
    assert all("(golden.jsonl:1)" in message and "return" not in message for message in messages)

    [leak] = alike.questions(golden({"question": text, "split": "holdout"}, {"question": text}), "en")
    assert "a held-out case (golden.jsonl:1)" in leak.message


def test_the_same_words_in_another_conversation_ask_something_else() -> None:
    """What was said before is part of the question."""
    kettle, refund = ({"role": "user", "content": text} for text in ("I sent the kettle back.", "My invoice is wrong."))
    follow_up = "And when do I get the money?"

    assert found({"question": follow_up, "history": [kettle]}, {"question": follow_up, "history": [refund]}) == []
    assert found({"question": follow_up, "history": [kettle]}, {"question": follow_up, "history": [kettle]}) != []


def test_every_copy_is_told_once() -> None:
    """A question that stands there five times is told four times, also if only marks are left of it."""
    assert len(found(*[{"question": "How long can I return a product?"}] * 5)) == 4
    assert found({"question": "?"}, {"question": "?"}) == []


WORDS = st.lists(
    st.sampled_from(["return", "retrun", "kettle", "toaster", "days", "money", "invoice", "not", "30", "14"]),
    min_size=1,
)


@given(st.lists(WORDS.map(" ".join), min_size=1, max_size=8))
def test_pairs_are_the_same_as_by_comparing_all_with_all(asked: list[str]) -> None:
    """The index leaves no pair out that a comparison of all pairs finds."""
    cases = tuple(Case(id=str(number), question=text) for number, text in enumerate(asked))
    questions = list(alike._read(cases, "en"))
    index = alike._Index(questions)
    entries = [index._entry(question)[1] for question in questions]
    expected = {
        question.case.id
        for place, question in enumerate(questions)
        if any(alike._overlap(entries[place], entries[other], index._weights) for other in range(place))
    }

    assert {question.case.id for question, _ in alike._matches(questions)} == expected


@pytest.mark.slow
def test_ten_thousand_questions_take_seconds() -> None:
    """The work grows with the pairs that are alike: a set of the largest size, all alike or all different, is read."""
    same = [{"question": "How long can I return a product?"}] * 10_000
    other = [{"question": f"how {chr(97 + number % 23)}{number:x} often w{number // 7}"} for number in range(10_000)]

    assert len(found(*same)) == 9_999
    assert found(*other) == []
