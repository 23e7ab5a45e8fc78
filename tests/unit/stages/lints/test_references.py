from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.model.golden import Case
from evaluator.stages.lints import references
from evaluator.stages.lints.unprotected import critical

CONTRADICTS, WITHOUT = "reference-contradicts-fact", "reference-without-fact"


def found(reference: str | None, *alternatives: str, language: str = "en") -> list[str]:
    """Codes of what is said of a reference beside a fact with these alternatives."""
    fact = {"id": "f", "text": alternatives[0], "any": list(alternatives)}
    case = Case.model_validate({"id": "q", "question": "?", "reference": reference, "facts": [fact]})
    doubts = list(references.contradicting([case], language))
    assert all((doubt.path, doubt.severity) == (("reference",), "warning") for doubt in doubts)
    return [doubt.code for doubt in doubts]


@pytest.mark.parametrize(
    ("reference", "alternative", "language"),
    [
        ("You can return it within 14 days.", "30 days", "en"),
        ("You can return it within 14 days.", "within 30 days", "en"),
        ("It is paid within 14 day.", "30 days", "en"),
        ("Gifts above SEK 4,000 are declined.", "SEK 400", "en"),
        ("The rate is 4.5 percent.", "3.5 percent", "en"),
        ("This is not refundable.", "refundable", "en"),
        ("The deposit is refundable.", "not refundable", "en"),
        ("You can be returned to work.", "cannot be returned", "en"),
        ("It cannot be returned.", "can be returned", "en"),
        ("It can't be returned.", "can be returned", "en"),
        ("It is not covered.", "is covered", "en"),
        ("You must keep it, and it is not refundable.", "refundable", "en"),
        ("Det kan inte lämnas tillbaka.", "kan lämnas", "sv"),
        ("Återlämna inom 14 dagar.", "30 dagar", "sv"),
        ("Det ingår inte.", "ingår", "sv"),
        ("A díj nem visszatéríthető.", "visszatéríthető", "hu"),
        ("Zwrot w ciągu 14 dni.", "30 dni", "pl"),
        ("14天内可以退货。", "30天内", "zh"),
        ("该商品不可以退货。", "退货", "zh"),
    ],
)
def test_another_number_or_a_denial_contradicts(reference: str, alternative: str, language: str) -> None:
    """The words of the fact are there, with another number or under a negation that is on one side only."""
    assert found(reference, alternative, language=language) == [CONTRADICTS]


@pytest.mark.parametrize(
    ("reference", "alternatives", "language"),
    [
        ("You can return it within 30 days.", ["30 days"], "en"),
        ("You have thirty days, or 14 days for food.", ["30 days", "thirty days"], "en"),
        ("You have 14 days to decide and 30 days to return.", ["30 days"], "en"),
        ("The total is 1,000.50 EUR.", ["1000.5 EUR"], "en"),
        ("It cannot be returned.", ["cannot be returned"], "en"),
        ("Not yet. It takes 30 days.", ["30 days"], "en"),
        ("The limit is 5 bar, not 6.", ["5 bar"], "en"),
        ("No later than 30 days after purchase.", ["30 days"], "en"),
        ("Nicht später als 30 Tage nach dem Kauf.", ["30 Tage"], "de"),
        ("退货不超过30天。", ["30天"], "zh"),
        ("Germany went through its worst inflation in 1923.", ["its worst inflation in 1923 ."], "en"),
        ("Man har 30 dagar.", ["30 dagar"], "sv"),
        ("30天内可以退货。", ["30天内"], "zh"),
        ("It says 30 days.", ["/\\b30\\b/"], "en"),
        ("It says nothing.", ["/\\b30\\b/"], "en"),
        ("It says nothing.", ["/(/"], "en"),
        ("Something else in its own words.", ["a long fact that is a sentence of many words"], "en"),
        (None, ["30 days"], "en"),
        (" ", ["30 days"], "en"),
    ],
)
def test_a_reference_that_says_what_is_required_is_silent(
    reference: str | None, alternatives: list[str], language: str
) -> None:
    """One alternative is enough; sentences, patterns and cases without a reference are left alone."""
    assert found(reference, *alternatives, language=language) == []


@pytest.mark.parametrize(
    ("reference", "alternatives"),
    [
        ("Ask the front desk.", ["30 days", "thirty days"]),
        ("It can not ever be returned.", ["cannot be returned"]),  # both deny it, in other words
        ("There are 312 of them.", ["311"]),  # a number alone says nothing of what it counts
        ("", ["x"]),
    ],
)
def test_a_short_fact_that_is_left_out_is_told(reference: str, alternatives: list[str]) -> None:
    """A good answer is held against both, so the reference should say what is required."""
    assert found(reference, *alternatives) == ([WITHOUT] if reference else [])


def test_each_fact_is_told_by_its_name() -> None:
    """Two facts that are missing are two things to mend, and their text is not repeated."""
    facts = [{"id": "a\x1b", "text": "30 days"}, {"id": "b", "text": "free"}, {"id": "c", "text": "by post"}]
    case = Case.model_validate({"id": "q", "question": "?", "reference": "By post, 14 days.", "facts": facts})
    first, second = (doubt.message for doubt in references.contradicting([case], "en"))

    assert first == "the reference has another number than fact 'a\\x1b'"
    assert second == "the reference does not state fact 'b' in any of its alternatives"


@given(st.text(), st.text(min_size=1), st.sampled_from(["en", "sv", "zh", "xx"]))
def test_any_text_can_be_compared(reference: str, alternative: str, language: str) -> None:
    """Hostile text gives at most one remark for each fact."""
    assert len(found(reference, alternative, language=language)) <= 1


@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        ({"critical": True, "relevant": ["c"]}, ["critical-without-facts"]),
        ({"critical": True, "facts": [{"id": "f", "text": "x"}]}, []),
        ({"critical": True, "expect": "abstain"}, []),
        ({"critical": False}, []),
    ],
)
def test_a_critical_case_names_what_must_not_go_missing(fields: dict[str, Any], codes: list[str]) -> None:
    """A chunk that is still found can have lost the text that mattered."""
    case = Case.model_validate({"id": "q", "question": "?", **fields})

    assert [doubt.code for doubt in critical([case])] == codes
