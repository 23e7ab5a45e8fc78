from __future__ import annotations

from typing import Any

import pytest

from evaluator.model.fixture import Chunk, Digests, Fixture
from evaluator.model.golden import Case
from evaluator.stages import lint


def fixture(**chunks: str | None) -> Fixture:
    """A fixture of these chunk ids (underscores for dashes) and their documents."""
    made = tuple(Chunk(id=name.replace("_", "-"), text="x", doc=doc) for name, doc in chunks.items())
    return Fixture(made, Digests(chunks="x", documents=None))


def case(name: str = "q", **fields: Any) -> Case:
    """A golden case."""
    return Case.model_validate({"id": name, "question": "?", **fields})


class TestStaleIds:
    """Labels that name what the fixture does not hold."""

    def test_every_kind_of_label_is_looked_at(self) -> None:
        """Needs by chunk, by alternatives and by document, and irrelevant chunks, each with its place."""
        needs = ["gone-1", {"chunk": "gone-2", "grade": 2}, {"any_of": ["here-1", "gone-3"]}, {"doc": "lost"}]
        found = list(
            lint.stale_ids([case(relevant=needs, irrelevant=["here-1", "gone-4"])], fixture(here_1="kept"), "en")
        )

        assert [(doubt.code, doubt.path, doubt.severity) for doubt in found] == [
            ("unknown-chunk", ("relevant", 0), "error"),
            ("unknown-chunk", ("relevant", 1), "error"),
            ("unknown-chunk", ("relevant", 2), "error"),
            ("unknown-chunk", ("irrelevant", 1), "error"),
            ("unknown-document", ("relevant", 3), "error"),
        ]

    def test_the_likely_new_chunk_is_named(self) -> None:
        """After cutting documents anew, the nearest id that is there is the hint."""
        chunks = fixture(**{f"manual_{number:03}": "manual" for number in range(500)}, returns_1="returns")
        [doubt] = lint.stale_ids([case(relevant=["Returns-01"])], chunks, "en")

        assert doubt.message == "the fixture holds no chunk 'Returns-01'; the nearest id is 'returns-1'"

    def test_where_the_facts_of_the_case_stand_now_is_named_too(self) -> None:
        """Ids that were numbered anew look alike and mean something else: the facts show where the text went."""
        texts = [
            "Post arrives daily.",
            "Return it within 1 000,50 km or 30 days.",
            "A refund takes 5 days.",
            "Nothing.",
        ]
        chunks = tuple(Chunk(id=f"part-{number}", text=text) for number, text in enumerate(texts))
        facts = [
            {"id": "a", "text": "x", "any": ["30 days", "5 days"]},
            {"id": "b", "text": "1.000,50 km"},
            {"id": "c", "text": "a refund"},
        ]
        stale = case(relevant=["part-33", "part-2"], irrelevant=["part-44"], facts=facts, language="de")
        kept = case("kept", relevant=["part-1"], facts=facts)
        found = lint.stale_ids([kept, stale], Fixture(chunks, Digests(chunks="x", documents=None)), "en")

        assert [doubt.message for doubt in found] == [
            "the fixture holds no chunk 'part-33'; the nearest id is 'part-3'; the case's facts stand in 'part-1'",
            "the fixture holds no chunk 'part-44'; the nearest id is 'part-3'",
        ]

    def test_what_is_there_gives_no_doubt(self) -> None:
        """Labels that can be satisfied are not reported."""
        assert list(lint.stale_ids([case(relevant=["a", {"doc": "d"}])], fixture(a="d"), "en")) == []

    def test_a_hostile_id_is_shown_escaped(self) -> None:
        """An id that holds control characters does not reach a terminal as it is."""
        [doubt] = lint.stale_ids([case(relevant=["a\x1b[31m"])], fixture(), "en")

        assert "\x1b" not in doubt.message


class TestFacts:
    """Required facts that cannot be found."""

    def test_an_invalid_pattern_is_an_error_at_its_place(self) -> None:
        """A regular expression that does not compile would lose the fact in every run."""
        facts = [{"id": "f", "text": "30 days", "any": ["30 days", "/[/"]}, {"id": "g", "text": "/(/"}]
        found = list(lint.unsound_facts([case(facts=facts)]))

        assert [doubt.path for doubt in found] == [("facts", 0, "any", 1), ("facts", 1, "text")]
        assert {(doubt.code, doubt.severity) for doubt in found} == {("unsound-fact", "error")}

    def test_a_pattern_that_compiles_is_sound(self) -> None:
        """A regular expression that can be used is not reported."""
        assert list(lint.unsound_facts([case(facts=[{"id": "f", "text": r"/\b30[- ]day/"}])])) == []


class TestContradictions:
    """Labels of one case that do not fit together."""

    def test_an_answer_without_a_need_is_doubtful(self) -> None:
        """A question that should be answered, from nothing that is labelled, is not measured."""
        assert [doubt.code for doubt in lint.contradictions([case(), case("r", expect="abstain")])] == ["no-needs"]

    def test_relevant_and_irrelevant_at_once(self) -> None:
        """A chunk that is needed and labelled irrelevant is pointed at."""
        [doubt] = lint.contradictions([case(relevant=[{"any_of": ["a", "b"]}], irrelevant=["c", "b"])])

        assert (doubt.code, doubt.path) == ("relevant-and-irrelevant", ("irrelevant", 1))


class TestCoverage:
    """What the set as a whole cannot say."""

    @pytest.mark.parametrize(("count", "codes"), [(1, ["thin-category"]), (2, ["thin-category"]), (3, [])])
    def test_a_category_with_few_cases_is_pooled(self, count: int, codes: list[str]) -> None:
        """A category below gate.min_cases is named, one of a single case included (L7)."""
        cases = [case(str(number), category="c", expect="abstain") for number in range(count)]

        assert [doubt.code for doubt in lint.coverage(cases, 3)] == codes

    def test_the_place_is_the_first_case_of_the_category(self) -> None:
        """The warning about a category stands where the category first appears."""
        cases = [case("a", category="x", expect="abstain"), case("b", category="y"), case("c", category="y")]

        assert [doubt.case for doubt in lint.coverage(cases, 3)] == ["a", "b"]

    def test_nothing_that_should_be_refused(self) -> None:
        """A set that always expects an answer cannot notice a system that always gives one."""
        assert [doubt.code for doubt in lint.coverage([case()], 1)] == ["no-abstention"]

    def test_every_case_held_out(self) -> None:
        """Totals only: one warning, and none about categories nobody is shown."""
        assert [doubt.code for doubt in lint.coverage([case(split="holdout")], 5)] == ["all-holdout"]
