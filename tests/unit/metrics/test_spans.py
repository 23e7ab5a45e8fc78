from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.metrics._normal import normal
from evaluator.metrics.facts import facts_in, span_in
from evaluator.model.golden import Fact, Labels
from evaluator.model.view import CaseView, Passage


def spans(alternative: str, *texts: str, language: str = "en") -> list[str] | None:
    """What a fact was found as: the part of its one text, or the end of the first and the beginning of the second."""
    labels = Labels(facts=(Fact(id="f", text=alternative),))
    passages = {f"c{place}": Passage("d", text, place) for place, text in enumerate(texts)}
    view = CaseView(labels, (), tuple(passages), tuple(passages), passages, language=language)
    [found] = facts_in(view, view.context)
    span = span_in(view, found)
    if span is None:
        return None
    chunks = [passages[chunk].text or "" for chunk in found.chunks]
    return [chunks[0][slice(*span)]] if len(chunks) == 1 else [chunks[0][span[0] :], chunks[1][: span[1]]]


@pytest.mark.parametrize(
    ("alternative", "text", "language", "expected"),
    [
        ("30 days", "within 30 days.", "en", "30 days"),
        ("30 days", "  within\u00a0 30\n\n DAYS of it", "en", "30\n\n DAYS"),
        ("five days", "It is  \ufb01ve or ﬁve days, ﬁve", "en", "ﬁve days"),
        ("cooperate", "“We co\u00adoperate”", "en", "co\u00adoperate"),
        ("1000.5 kr", "priset –\u2009 1 000,50 kr", "sv", "1 000,50 kr"),
        ("1000.50", "pris:  1 000,50 kr", "sv", "1 000,50"),
        ("3.5%", "it’s  3,5 % of it", "en", "3,5 %"),
        ("strasse", "in der  Große Straße 5", "de", "Straße"),
        ("/\\d+ days/", "it’s  30 \n days", "en", "30 \n days"),
        ("refund within 30 days", "So: Within  30 days you get a refund.", "en", "Within  30 days you get a refund"),
        ("30天内可以退款", "在 ３０ 天之内可退款。", "zh", "３０ 天之内可退款"),
        ("40 days", "within 30 days.", "en", None),
    ],
)
def test_the_part_of_the_text_itself_is_told(alternative: str, text: str, language: str, expected: str | None) -> None:
    """Whatever was made alike to find it: the offsets are those of the chunk as it was retrieved."""
    assert spans(alternative, text, language=language) == (None if expected is None else [expected])


@pytest.mark.parametrize(
    ("alternative", "texts", "expected"),
    [
        ("warranty lasts two years", ("The warranty  lasts", " two years."), ["warranty  lasts", " two years"]),
        ("12300 kr", ("Priset är 12", "300 kr"), ["12", "300 kr"]),
        ("/lasts\\s+two/", ("The warranty lasts", "two years."), ["lasts", "two"]),
    ],
)
def test_two_chunks_are_told_by_the_end_of_one_and_the_beginning_of_the_other(
    alternative: str, texts: tuple[str, str], expected: list[str]
) -> None:
    """The first number is of the first chunk and the second of the last."""
    assert spans(alternative, *texts, language="sv") == expected


@given(
    st.text("ab 1\u00a0 .\u00df\ufb01\u00ad\n\u2009\u0301", max_size=20),
    st.text("ab \u00df\ufb01\u00ad", min_size=1, max_size=6),
    st.text("ab 1\u00a0 .\u00df\ufb01\u00ad\n\u2009\u0301", max_size=20),
)
def test_what_stands_there_reads_as_what_was_looked_for(before: str, alternative: str, after: str) -> None:
    """If a place is told at all, it is one where the alternative stands."""
    found = spans(alternative, before + " " + alternative + " " + after) if alternative.strip(" \u00ad") else None

    assert found is None or normal(found[0], False).flat == normal(alternative, False).flat
