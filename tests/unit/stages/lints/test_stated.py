from __future__ import annotations

from typing import Any

import pytest

from evaluator.model.fixture import Chunk, Digests, Fixture
from evaluator.model.golden import Case
from evaluator.stages.lints import stated

DAYS = {"id": "days", "text": "within 30 days", "any": ["30 days", "thirty days"]}


def fixture(*texts: str, doc: str | None = "d") -> Fixture:
    """A fixture of one document with these chunks."""
    chunks = tuple(Chunk(id=f"c{number}", text=text, doc=doc) for number, text in enumerate(texts))
    return Fixture(chunks, Digests(chunks="x", documents=None))


def found(chunks: Fixture, *facts: dict[str, Any], **fields: Any) -> list[tuple[str, tuple[str | int, ...]]]:
    """Code and path of what is said of a case with these facts."""
    case = Case.model_validate({"id": "q", "question": "?", "facts": list(facts), **fields})
    return [(doubt.code, doubt.path) for doubt in stated.facts_in([case], chunks, "en")]


class TestNowhere:
    """Facts that no change of the retrieval can find."""

    def test_a_fact_that_is_not_in_the_documents_is_a_gap(self) -> None:
        """It is told at its place, also where the case names the chunk it should be in."""
        chunks = fixture("Returns are free within 14 days.", "Refunds take a week.")

        assert found(chunks, DAYS) == [("content-gap", ("facts", 0))]
        assert found(chunks, {"id": "w", "text": "a week"}, DAYS, relevant=["c0", "gone"]) == [
            ("content-gap", ("facts", 1))
        ]

    @pytest.mark.parametrize(
        "chunks",
        [
            fixture("Within 30 days.", "x"),
            fixture("x", "Returns take thirty days."),
            fixture("You have 30", "days for it."),
        ],
    )
    def test_a_fact_that_is_anywhere_is_none(self, chunks: Fixture) -> None:
        """Any alternative, in any chunk or across two that follow one another, is enough."""
        assert found(chunks, DAYS) == []
        assert found(chunks, DAYS, relevant=["c0"]) == []

    def test_chunks_of_no_document_do_not_follow_one_another(self) -> None:
        """What stands half in each is found by no run either."""
        assert found(fixture("You have 30", "days for it.", doc=None), DAYS) == [("content-gap", ("facts", 0))]

    def test_a_negated_fact_is_not_stated(self) -> None:
        """What the documents deny is not what they say."""
        assert found(fixture("It is not refundable."), {"id": "r", "text": "refundable"}) == [
            ("content-gap", ("facts", 0))
        ]

    def test_facts_are_read_in_the_language_of_their_case(self) -> None:
        """A comma parts decimals in Swedish and thousands in English."""
        chunks = fixture("Det väger 1,5 kg.")

        assert found(chunks, {"id": "w", "text": "1.5 kg"}, language="sv") == []

    def test_the_text_of_the_fact_is_not_repeated(self) -> None:
        """The name of the fact is enough, escaped."""
        case = Case.model_validate({"id": "q", "question": "?", "facts": [{"id": "a\x1bb", "text": "secret"}]})
        [doubt] = stated.facts_in([case], fixture("x"), "en")

        assert "secret" not in doubt.message
        assert "\x1b" not in doubt.message


class TestEverywhere:
    """Facts that are found whatever is retrieved."""

    @pytest.mark.parametrize(
        ("holding", "others", "codes"),
        [
            (5, 20, ["fact-everywhere"]),
            (5, 21, []),
            (4, 0, []),
            (5, 0, ["fact-everywhere"]),
            (200, 800, ["fact-everywhere"]),
            (180, 820, []),
        ],
    )
    def test_a_fifth_of_the_chunks_is_everywhere(self, holding: int, others: int, codes: list[str]) -> None:
        """At least a fifth of the chunks, and five: from there on five chunks drawn blindly most likely hold it."""
        total = holding + others
        held = {number * total // holding for number in range(holding)}
        chunks = fixture(*("Brantvik says so." if number in held else "x" for number in range(total)))

        assert [code for code, _ in found(chunks, {"id": "b", "text": "Brantvik"})] == codes

    def test_many_frequent_facts_are_counted_in_a_part_of_the_chunks(self) -> None:
        """The work is bounded, and the message says in how many chunks was looked: 2,400 / 200 is every twelfth."""
        chunks = fixture(*("Brantvik " * 3 for _ in range(2_400)))
        facts = [{"id": str(number), "text": f"Brantvik {'Brantvik ' * number}"} for number in range(3)]
        cases = [Case.model_validate({"id": "q", "question": "?", "facts": facts})]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stated, "LOOKS", 300)
            said = [doubt.message for doubt in stated.facts_in(cases, chunks, "en")]
        assert len(said) == 3
        assert all("is stated in 200 of 200 chunks that were looked at: " in each for each in said)


class TestPatterns:
    """Alternatives that are patterns."""

    def test_they_are_looked_for_too(self) -> None:
        """A pattern that matches is stated."""
        assert found(fixture("You have 30 days."), {"id": "f", "text": r"/\b\d+ days/"}) == []
        assert found(fixture("You have a month."), {"id": "f", "text": r"/\b\d+ days/"}) == [
            ("content-gap", ("facts", 0))
        ]

    def test_one_that_is_no_pattern_is_told_elsewhere(self) -> None:
        """It is an error of its own; whether it would be found is not known."""
        assert found(fixture("x"), {"id": "f", "text": "/(/"}) == []

    def test_one_that_takes_for_ever_is_told_and_given_up(self) -> None:
        """A hostile pattern costs a moment, not a moment for every chunk."""
        chunks = fixture(*["x" * 5_000] * 50)
        slow = {"id": "f", "text": "/(x+x+)+y/"}

        assert found(chunks, slow) == [("unsound-fact", ("facts", 0))]


def test_alike_facts_of_many_cases_are_looked_for_once_and_told_each() -> None:
    """A set that repeats a fact gets a line for each case."""
    cases = [Case.model_validate({"id": str(number), "question": "?", "facts": [DAYS]}) for number in range(3)]

    assert [doubt.case for doubt in stated.facts_in(cases, fixture("x"), "en")] == ["0", "1", "2"]
