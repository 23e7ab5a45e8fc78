from __future__ import annotations

from typing import Any

import pytest

from evaluator.metrics._citations import find_citations
from evaluator.model.golden import Labels
from evaluator.model.view import CaseView, Passage
from tests.views import all_of, outcome, outcomes, view

BOTH = ("citation_precision_labels", "citation_recall_labels")


def named(answer: str, context: tuple[str, ...], pattern: str | None = None) -> list[tuple[str, bool]]:
    """What an answer cites, each with whether the context holds it."""
    case = CaseView(
        labels=Labels(), needs=(), ranking=context, context=context, passages={}, answer=answer, citations=pattern
    )
    return [(found.name, found.known) for found in find_citations(case)]


NAMES = ("refunds#2", "refunds#3", "fees, 2024")


class TestWhatIsCited:
    """Marks of an answer and what they name."""

    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            ("Free [refunds#2].", [("refunds#2", True)]),
            ("Free [1][2].", [("refunds#2", True), ("refunds#3", True)]),
            ("Free [1, 3].", [("refunds#2", True), ("fees, 2024", True)]),
            ("Free [1-3].", [("refunds#2", True), ("refunds#3", True), ("fees, 2024", True)]),
            ("Free [^2], free ［2］.", [("refunds#3", True), ("refunds#3", True)]),
            ("Free [fees, 2024].", [("fees, 2024", True)]),
            ("Free [refunds#2; 2].", [("refunds#2", True), ("refunds#3", True)]),
            ("Free [7] and [0].", [("7", False), ("0", False)]),
            ("Free [3-7].", [("fees, 2024", True), *((str(number), False) for number in range(4, 8))]),
            ("Free [9-3], [1-999].", [("9-3", False), ("1-999", False)]),
            ("Free [sic], [2024], [a link](http://e.example), [refunds#9], [].", []),
        ],
    )
    def test_without_a_pattern(self, answer: str, expected: list[tuple[str, bool]]) -> None:
        """Ids of the context and positions in it; other brackets mean something else."""
        assert named(answer, NAMES) == expected

    def test_where_ids_are_numbers_a_number_is_an_id(self) -> None:
        """A position would be another chunk."""
        assert named("[2] and [1]", ("2", "7")) == [("2", True), ("1", False)]

    def test_a_position_counts_a_repeated_result(self) -> None:
        """The third thing the model saw is the third in its context."""
        assert named("[3]", ("a", "a", "b")) == [("b", True)]

    def test_the_configured_pattern_finds_whatever_it_finds(self) -> None:
        """What names nothing is a citation all the same; brackets are none unless it says so."""
        pattern = r"<cite:(?P<id>[^>]*)>"

        assert named("[1] <cite:a> <cite: 2 > <cite:nobody> <cite:>", ("a", "b"), pattern) == [
            ("a", True), ("b", True), ("nobody", False), ("", False),
        ]  # fmt: skip

    def test_a_group_that_takes_no_part_names_nothing(self) -> None:
        """An alternative without an id is still a mark."""
        assert named("x [1]", ("a",), r"x|\[(?P<id>\d)\]") == [("", False), ("a", True)]


class TestPrecision:
    """Cited and relevant over cited."""

    @pytest.mark.parametrize(
        ("answer", "expected"),
        [
            ("[A]", 1.0),
            ("[A][A][X]", 0.5),
            ("[A][B][X][9]", 0.5),
            ("[X]", 0.0),
            ("no mark", "the answer cites nothing"),
            ("", "the answer cites nothing"),
        ],
    )
    def test_values(self, answer: str, expected: float | str) -> None:
        """Needs A and one of B and C; each thing that is cited counts once."""
        assert outcome("citation_precision_labels", view("AXB", "A", "BC", answer=answer)) == expected

    def test_a_chunk_the_model_did_not_get_is_not_relevant(self) -> None:
        """Under a configured pattern a mark is a citation whatever it names."""
        case = view("AB", "A", "B", context=("A",), answer="[A] [B]", citations=r"\[(?P<id>\w)\]")

        assert outcome("citation_precision_labels", case) == 0.5


class TestRecall:
    """Needs with a cited chunk over needs in the context."""

    @pytest.mark.parametrize(
        ("answer", "expected"), [("[A]", 0.5), ("[A][C]", 1.0), ("[3]", 0.5), ("[X]", 0.0), ("none", 0.0), ("", 0.0)]
    )
    def test_values(self, answer: str, expected: float) -> None:
        """Needs A and one of B and C are in the context, D is not and does not count."""
        assert outcome("citation_recall_labels", view("AXC", "A", "BC", "D", answer=answer)) == expected

    def test_one_chunk_of_a_run_will_do(self) -> None:
        """A passage that was cut in two is cited by either half."""
        case = view("AB", all_of("A", "B"), answer="[2]")

        assert outcome("citation_recall_labels", case) == 1.0

    def test_without_a_need_in_the_context_there_is_nothing_to_cite(self) -> None:
        """That is the retriever's loss, and recall says so."""
        assert outcome("citation_recall_labels", view("X", "A", answer="[X]")) == "no need in the context"


class TestOutcomes:
    """What a case gets that has nothing to look at."""

    def test_without_needs_or_answer_they_do_not_apply(self) -> None:
        """No label, no answer."""
        assert outcomes(view("A", answer="[A]"), BOTH) == dict.fromkeys(BOTH, "no needs")
        assert outcomes(view("A", "A"), BOTH) == dict.fromkeys(BOTH, "the pipeline gave no answer")

    def test_a_failed_case_is_at_its_worst_where_an_answer_was_expected(self) -> None:
        """A failure never takes a case out of a mean that it was in."""
        abstain = view("", "A", failed=True, labels=Labels(expect="abstain"))

        assert outcomes(view("", "A", failed=True), BOTH) == dict.fromkeys(BOTH, 0.0)
        assert outcomes(abstain, BOTH) == dict.fromkeys(BOTH, "the pipeline failed where it was to abstain")

    def test_a_pattern_that_never_ends_is_no_value(self) -> None:
        """Neither zero nor one: nobody knows what it would have found."""
        fields: dict[str, Any] = {"answer": "1" * 60, "passages": {"A": Passage(None, "t")}}
        case = view("A", "A", citations=r"(?P<id>(1|1|1)+(1|1)+)x", **fields)

        assert outcomes(case, BOTH) == dict.fromkeys(BOTH, "citations.pattern took too long")
