"""Metrics of what the model got, by a judge: sufficiency, recall, and chunks of use."""

from __future__ import annotations

import pytest

from evaluator.model.golden import Labels
from evaluator.model.view import Passage
from tests.judgements import judgement, view
from tests.views import outcome, outcomes
from tests.views import view as bare

REFERENCE = Labels(reference="It says this.")
OF_CONTEXTS = ("context_sufficiency", "context_recall", "context_relevance_judged", "context_precision_judged")
ALL = judgement(sufficiency=True, attributable=(True, True), useful={"A": True, "B": True})


@pytest.mark.parametrize("expect", ["answer", "abstain"])
@pytest.mark.parametrize("answer", ["An answer.", "", None])
def test_a_context_is_judged_whatever_was_answered(answer: str | None, expect: str) -> None:
    """Sufficiency is set against abstention, so it is there for both; all of it is exactly 1."""
    case = view("AB", answer=answer, labels=REFERENCE.but(expect=expect), said=ALL)

    assert outcomes(case, OF_CONTEXTS) == dict.fromkeys(OF_CONTEXTS, 1.0)


@pytest.mark.parametrize("context", ["", "AB"])
def test_an_empty_context_is_0_without_asking(context: str) -> None:
    """None at all, or blank chunks only (S5)."""
    blank = {chunk: Passage("doc", " \t\n") for chunk in context}
    case = view(context, labels=REFERENCE, passages=blank, said=judgement())

    assert outcomes(case, OF_CONTEXTS) == dict.fromkeys(OF_CONTEXTS, 0.0)


@pytest.mark.parametrize(
    ("attributable", "expected"),
    [((True, False, False, True), 0.5), ((False,), 0.0), ((True,) * 7, 1.0), ((True, None), "not asked again")],
)
def test_recall_counts_statements_of_the_reference(
    attributable: tuple[bool | None, ...], expected: float | str
) -> None:
    """Those attributable to the context over all; one of which nobody knows leaves no value."""
    said = judgement(attributable=attributable, unscored={"context": "not asked again"})

    assert outcome("context_recall", view(labels=REFERENCE, said=said)) == expected


def test_recall_needs_a_reference_and_its_statements() -> None:
    """N/a without one; unscored where they could not be had."""
    said = judgement(unscored={"statements": "the judge declined"})

    assert outcome("context_recall", view(said=ALL)) == "no reference"
    assert outcome("context_recall", bare("", failed=True)) == "no reference"
    assert outcome("context_recall", view(labels=REFERENCE, said=said)) == "the judge declined"


@pytest.mark.parametrize(
    ("context", "relevance", "precision"),
    [
        # A and C are of use, X and Y are not, B is blank
        ("AC", 1.0, 1.0),
        ("XA", 0.5, 0.5),
        ("AXC", 2 / 3, (1 + 2 / 3) / 2),
        ("AXYC", 0.5, 0.75),
        ("AAC", 2 / 3, (1 + 2 / 3) / 2),
        ("BA", 0.5, 0.5),
        ("XY", 0.0, 0.0),
    ],
)
def test_chunks_of_use(context: str, relevance: float, precision: float) -> None:
    """A repeated chunk and a blank one keep their place and are of no use (S5, S9)."""
    said = judgement(useful={"A": True, "C": True, "X": False, "Y": False})
    passages = {chunk: Passage("doc", "" if chunk == "B" else chunk) for chunk in context}
    case = view(context, said=said, passages=passages)

    assert outcome("context_relevance_judged", case) == pytest.approx(relevance, abs=1e-15)
    assert outcome("context_precision_judged", case) == pytest.approx(precision, abs=1e-15)


@pytest.mark.parametrize("name", OF_CONTEXTS)
def test_what_no_judge_saw_has_no_value(name: str) -> None:
    """A part that failed, a case that was not drawn, chunks without texts, nobody asked."""
    broken = judgement(useful={"A": True}, unscored={"context": "too long for the model"})
    unknown = {"A": Passage("doc", None)}

    assert outcome(name, view("AB", labels=REFERENCE, said=broken)) == "too long for the model"
    assert outcome(name, view("AB", labels=REFERENCE, said=judgement(drawn=False))) == "not drawn by judge.sample"
    assert outcome(name, view("A", labels=REFERENCE, said=ALL, passages=unknown)) == "no chunk text"
    assert outcome(name, bare("A", labels=REFERENCE, passages={"A": Passage(None, "t")})) == "no judge was asked"


def test_a_failed_case_got_nothing() -> None:
    """0, whatever was expected: the context is what failed to come (S1)."""
    case = bare("", failed=True, labels=REFERENCE)

    assert outcomes(case, OF_CONTEXTS) == dict.fromkeys(OF_CONTEXTS, 0.0)
