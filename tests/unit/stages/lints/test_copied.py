from __future__ import annotations

from typing import Any

import pytest

from evaluator.model.fixture import Chunk, Digests, Fixture
from evaluator.model.golden import Case
from evaluator.stages.lints import copied

TEXTS = {
    "w-1": ("w", "The warranty period for the AP410 transmitter is 36 months from delivery, and never longer."),
    "w-2": ("w", "Send the transmitter to Lund."),
    "zh-1": ("zh", "员工每年享有十五天带薪年假，未休年假可以结转到次年三月。"),
}


def found(question: str, *relevant: Any, language: str | None = None) -> list[str]:
    """What is said of a question that is to find these."""
    chunks = tuple(Chunk(id=name, doc=doc, text=text) for name, (doc, text) in TEXTS.items())
    case = Case.model_validate({"id": "q", "question": question, "relevant": list(relevant), "language": language})
    doubts = list(copied.wording([case], Fixture(chunks, Digests(chunks="x", documents=None)), "en"))
    assert {(doubt.code, doubt.path, doubt.severity) for doubt in doubts} <= {
        ("copied-wording", ("question",), "warning")
    }
    return [doubt.message for doubt in doubts]


COPY = "What is the warranty period for the AP410 transmitter?"


@pytest.mark.parametrize(
    "need", ["w-1", {"chunk": "w-1"}, {"any_of": ["w-2", "w-1"]}, {"doc": "w"}, {"quote": TEXTS["w-1"][1]}], ids=str
)
def test_a_question_that_repeats_its_passage_is_told(need: Any) -> None:
    """Eight of nine words stand in the passage together, seven in one piece, however the passage is named."""
    [message] = found(COPY, "w-2", need, "w-1")

    assert message.startswith("89% of the question's words stand together in ")
    assert "warranty" not in message


def test_a_copied_question_in_chinese() -> None:
    """Scripts without spaces are compared by pairs of characters."""
    assert found("员工每年享有十五天带薪年假吗", "zh-1", language="zh") != []
    assert found("我今年还能休几天假，剩下的怎么办", "zh-1", language="zh") == []


@pytest.mark.parametrize(
    "question",
    [
        "how long is my transmitter covered if it breaks",
        "AP410 broke after two years, do I pay",
        "warranty for the AP410 transmitter?",  # too short to say
        "months delivery transmitter period longer warranty from never",  # its words, and nobody's sentence
    ],
)
def test_a_question_in_words_of_its_own_is_not_told(question: str) -> None:
    """Names and a few words around them have to be the same."""
    assert found(question, "w-1") == []


def test_only_what_it_is_to_find_counts() -> None:
    """Another passage with the same words is what makes a question hard, not easy; unknown chunks are left alone."""
    assert found(COPY, "w-2") == []
    assert found(COPY) == []
    assert found(COPY, "gone", {"doc": "gone"}) == []
