from __future__ import annotations

import pytest

from evaluator.metrics import load, scoring
from evaluator.model.golden import Fact, Labels
from evaluator.model.score import MetricId, Unscored
from evaluator.model.view import Passage
from tests.views import outcome, read, view

LABELS = Labels(facts=(Fact(id="f", text="30 days"), Fact(id="g", text="no charge", any=("free", "no charge"))))


@pytest.mark.parametrize(
    ("metric", "texts", "expected"),
    [
        ("fact_coverage@2", {"A": "after 30 days", "B": "it is free"}, 1.0),
        ("fact_coverage@1", {"A": "after 30 days", "B": "it is free"}, 1 / 2),
        ("fact_coverage@5", {"A": "nothing"}, 0.0),
        ("fact_coverage@5", {"A": " \n"}, 0.0),
        ("fact_coverage@5", {}, 0.0),
    ],
)
def test_share_of_the_facts_in_the_text_of_the_top(metric: str, texts: dict[str, str], expected: float) -> None:
    """What the chunks say counts, whatever their ids are."""
    assert outcome(metric, read(texts, labels=LABELS)) == expected


def test_without_a_cutoff_the_context_is_read() -> None:
    """What the model got counts, retrieved or not."""
    passages = {"A": Passage(None, "30 days"), "B": Passage(None, "free")}

    assert outcome("fact_coverage", view("A", context=("B",), passages=passages, labels=LABELS)) == 1 / 2


def test_without_facts_it_is_not_applicable() -> None:
    """The question does not arise."""
    assert outcome("fact_coverage@5", read({"A": "30 days"})) == "no facts"


def test_without_any_text_it_is_not_applicable() -> None:
    """Ids alone say nothing about facts."""
    assert outcome("fact_coverage@5", view("AB", labels=LABELS)) == "no chunk text"


def test_one_known_text_is_enough_to_be_measured() -> None:
    """A chunk without text holds no fact that anybody could show."""
    assert outcome("fact_coverage@5", view("AB", passages={"B": Passage(None, "free")}, labels=LABELS)) == 1 / 2


@pytest.mark.parametrize(("language", "expected"), [("sv", 1.0), ("en", 0.0)])
def test_the_language_of_the_case_decides(language: str, expected: float) -> None:
    """A point groups digits in Swedish and is a decimal point in English."""
    labels = Labels(facts=(Fact(id="f", text="1125 kg"),))

    assert outcome("fact_coverage", read({"A": "1.125 kg"}, labels=labels, language=language)) == expected


def test_a_pattern_that_never_ends_leaves_the_case_unscored() -> None:
    """It is neither 0 nor 1: nobody knows."""
    labels = Labels(facts=(Fact(id="f", text="x", any=("/(x+x+)+y/",)), Fact(id="g", text="free")))
    score = scoring.score_case(read({"A": "x" * 5000 + " free"}, labels=labels), [MetricId("fact_coverage")], load())

    assert score == {MetricId("fact_coverage"): Unscored("a pattern of fact 'f' took too long")}
