"""Metrics of the whole answer: relevance, completeness, correctness, abstention, preference, and the facts in it."""

from __future__ import annotations

import pytest

from evaluator.metrics.scoring import facts_in_answer
from evaluator.model.golden import Labels
from evaluator.model.score import NotApplicable, Unscored
from tests.judgements import judgement, labels, view
from tests.views import outcome, outcomes
from tests.views import view as bare

REFERENCE = Labels(reference="Thirty days, by post.")
ABSTAIN = labels("30 days", expect="abstain", reference="We do not publish that.")
FULL = labels("30 days", reference="Thirty days, by post.")
OF_ANSWERS = ("answer_relevance", "answer_completeness", "correctness", "answer_relevance_embedding")


@pytest.mark.parametrize("relevant", [True, False])
def test_relevance_is_what_the_judge_says(relevant: bool) -> None:
    """1 or 0, whether the answer is true or not."""
    assert outcome("answer_relevance", view(said=judgement(relevance=relevant))) == float(relevant)


def test_relevance_that_was_not_asked() -> None:
    """Is no value, though whether it was an abstention is known."""
    assert outcome("answer_relevance", view(said=judgement(relevance=None))) == "the judge was not asked for it"


class TestAbstaining:
    """What an abstention and an unexpected answer are worth."""

    @pytest.mark.parametrize("said", [judgement(abstained=True), judgement(sure=True, abstained=None, relevance=None)])
    def test_where_an_answer_was_expected_all_of_it_is_missing(self, said: object) -> None:
        """A system that says "I don't know" to everything loses every answer metric, and abstention (S8)."""
        case = view(answer="I don't know.", labels=FULL, said=said)  # type: ignore[arg-type] - a judgement

        assert outcomes(case, (*OF_ANSWERS, "abstention")) == dict.fromkeys((*OF_ANSWERS, "abstention"), 0.0)

    def test_where_none_was_expected_it_is_right_and_nothing_else_arises(self) -> None:
        """A right "I don't know" is 1 for abstention and n/a for the rest (S8)."""
        case = view(answer="I don't know.", labels=ABSTAIN, said=judgement(sure=True), claimed=None)

        assert outcome("abstention", case) == 1.0
        assert set(outcomes(case, OF_ANSWERS).values()) == {"no answer was expected"}
        assert outcome("faithfulness", case) == "the pipeline abstained"

    def test_an_answer_where_none_was_expected_gains_nothing(self) -> None:
        """Beginning to answer what cannot be answered raises no mean but that of claims that are supported."""
        case = view(labels=ABSTAIN, claimed="-", said=judgement(relevance=True, facts={"30 days": True}))

        assert outcomes(case, ("abstention", "faithfulness")) == {"abstention": 0.0, "faithfulness": 0.0}
        assert set(outcomes(case, OF_ANSWERS).values()) == {"no answer was expected"}

    def test_an_empty_answer_abstains_whatever_was_judged(self) -> None:
        """Nobody needs to be asked about nothing."""
        assert outcome("abstention", view(answer=" \n", said=judgement(abstained=False))) == 0.0
        assert outcome("answer_relevance", view(answer="", said=judgement(relevance=True))) == 0.0

    def test_the_judge_goes_before_the_report(self) -> None:
        """In tier full the pipeline's own word counts only where it gives no answer at all."""
        case = view(abstained=True, said=judgement(abstained=False))

        assert outcome("abstention", case) == 1.0
        assert outcome("abstention", view(answer=None, abstained=True)) == 0.0
        assert outcome("abstention", bare("A", answer="No.", abstained=True)) == 0.0

    def test_a_judge_who_failed_is_neither_yes_nor_no(self) -> None:
        """Unscored with the reason, as is all that hangs on it; not drawn is n/a, though the pipeline reported."""
        said = judgement(abstained=None, relevance=None, unscored={"answer": "no valid reply"})
        case = view(labels=FULL, said=said, abstained=False)

        assert outcomes(case, ("abstention", "answer_relevance", "answer_completeness", "correctness")) == {
            "abstention": "no valid reply", "answer_relevance": "no valid reply",
            "answer_completeness": "no valid reply", "correctness": "no valid reply",
        }  # fmt: skip
        assert outcome("abstention", view(abstained=False, said=judgement(drawn=False))) == "not drawn by judge.sample"


@pytest.mark.parametrize(
    ("facts", "statements", "expected"),
    [
        ({"a": True, "b": True}, (), 1.0),
        ({"a": True, "b": False}, ("present",), 0.5),
        ({"a": False}, ("present",), 0.0),
        ({}, ("present", "missing", "contradicted"), 1 / 3),
        ({}, ("present", "present"), 1.0),
    ],
)
def test_completeness_counts_facts_or_else_statements(
    facts: dict[str, bool], statements: tuple[str, ...], expected: float
) -> None:
    """Where facts are required they alone count; a contradicted statement is not there."""
    case = view(labels=labels(*facts, reference="r"), said=judgement(facts=facts, statements=statements))

    assert outcome("answer_completeness", case) == expected


def test_completeness_needs_something_to_be_complete_of() -> None:
    """Without facts and reference, or with a blank one, n/a; a fact that was not judged leaves no value."""
    nothing = "no facts and no reference"

    assert outcome("answer_completeness", view()) == nothing
    assert outcome("answer_completeness", view(labels=Labels(reference=" "))) == nothing
    said = judgement(facts={"a": True})
    assert outcome("answer_completeness", view(labels=labels("a", "b"), said=said)) == "the judge was not asked for it"


class TestCorrectness:
    """F1 of statements present and claims in the reference."""

    @pytest.mark.parametrize(
        ("statements", "claimed", "expected"),
        [
            # recall 2/2, precision 2/2
            ("present present", "+A in, +A in", 1.0),
            # beyond does not count: recall 1, precision 1
            ("present", "+A in, - beyond, - beyond, - beyond", 1.0),
            # recall 1/2, precision 1/1: 2 x 0.5 / 1.5
            ("present missing", "+A in", 2 / 3),
            # recall 2/3, precision 2/4: 2 x (1/3) / (7/6)
            ("present present contradicted", "in in against against", 4 / 7),
            # recall 0
            ("missing missing", "+A beyond", 0.0),
            ("contradicted", "+A against", 0.0),
            # precision 0
            ("present missing", "+A against", 0.0),
            # no claim is in or against: precision by the statements, 1/1 and 1/2
            ("present missing", "+A beyond", 2 / 3),
            ("present contradicted", "+A beyond", 0.5),
            ("present", "", 1.0),
        ],
    )
    def test_by_hand(self, statements: str, claimed: str, expected: float) -> None:
        """Claims beyond the reference are neither right nor wrong."""
        short = claimed if "," in claimed or "+" in claimed else ", ".join(f"+A {word}" for word in claimed.split())
        case = view(labels=REFERENCE, said=judgement(statements=statements.split()), claimed=short)

        assert outcome("correctness", case) == pytest.approx(expected, abs=1e-15)

    @pytest.mark.parametrize("count", range(1, 30))
    def test_all_of_it_is_exactly_1(self, count: int) -> None:
        """However many statements and claims, so that ``min: 1.0`` passes (S6)."""
        case = view(
            labels=REFERENCE,
            said=judgement(statements=["present"] * count),
            claimed=", ".join(["+A in"] * (31 - count)),
        )

        assert outcome("correctness", case) == 1.0

    @pytest.mark.parametrize("text", ["五味子", "yes"])
    def test_the_text_of_the_reference_is_exactly_1_without_asking(self, text: str) -> None:
        """Whatever else the judge said or failed to say (S7)."""
        said = judgement(same=True, abstained=None, relevance=None, unscored={"answer": "down", "claims": "down"})
        case = view(answer=text, labels=labels("f", reference=text), said=said, claimed=None)

        assert outcomes(case, ("correctness", "answer_completeness")) == {
            "correctness": 1.0, "answer_completeness": 1.0,
        }  # fmt: skip
        assert outcome("answer_relevance", case) == "down"

    def test_an_empty_answer_is_no_reference(self) -> None:
        """Nothing is the same as no reference, and complete of nothing."""
        case = view(answer="", labels=labels("f"), said=judgement(same=True, sure=True))

        assert outcome("answer_completeness", case) == 0.0

    def test_what_is_missing_of_the_judges_word_leaves_no_value(self) -> None:
        """Claims, the reference's word of a claim, statements, or what the answer says of one."""
        reasons = {"claims": "no claims", "statements": "no statements", "answer": "no answer"}

        def found(claimed: str | None, *statements: str | None, **parts: str) -> float | str:
            said = judgement(statements=statements, unscored=parts)
            return outcome("correctness", view(labels=REFERENCE, said=said, claimed=claimed))

        assert found(None, "present", claims=reasons["claims"]) == "no claims"
        assert found("+A, +A in", "present", answer=reasons["answer"]) == "no answer"
        assert found("+A in", statements=reasons["statements"]) == "no statements"
        assert found("+A in", "present", None, answer=reasons["answer"]) == "no answer"

    def test_without_a_reference(self) -> None:
        """N/a, failed or not."""
        assert outcome("correctness", view(claimed="+A")) == "no reference"
        assert outcome("correctness", bare("", failed=True)) == "no reference"


@pytest.mark.parametrize(
    ("cosines", "expected"),
    [((0.5, 0.75, 1.0), 0.75), ((1.0, 1.0, 1.0), 1.0), ((1.0000000000000002,), 1.0), ((-0.25, 0.125), 0.0)],
)
def test_relevance_by_embeddings_is_a_mean_cosine(cosines: tuple[float, ...], expected: float) -> None:
    """Of generated questions to the one that was asked, within 0 and 1."""
    assert outcome("answer_relevance_embedding", view(said=judgement(similarities=cosines))) == expected


def test_relevance_by_embeddings_without_any() -> None:
    """Says why there are none."""
    said = judgement(unscored={"embedding": "the endpoint was busy"})

    assert outcome("answer_relevance_embedding", view(said=said)) == "the endpoint was busy"


class TestPreference:
    """This answer against the baseline's."""

    @pytest.mark.parametrize(
        ("orders", "expected"),
        [
            ("win win", 1.0), ("loss loss", 0.0), ("tie tie", 0.5), ("win loss", 0.5), ("loss win", 0.5),
            ("win tie", 0.5), ("tie loss", 0.5),
        ],
    )  # fmt: skip
    def test_only_agreement_decides(self, orders: str, expected: float) -> None:
        """A judge who likes what stands first says win and then loss: a tie."""
        assert outcome("preference", view(said=judgement(preference=orders))) == expected

    def test_nothing_to_compare_with(self) -> None:
        """Without a baseline n/a, failed or not; where the judge broke unscored."""
        missing = "not compared: needs `score --against` and a paired case of the baseline"
        broken = judgement(unscored={"preference": "no valid reply"})

        assert outcome("preference", view()) == missing
        assert outcome("preference", bare("", failed=True)) == missing
        assert outcome("preference", view(said=broken)) == "no valid reply"
        assert outcome("preference", bare("A", answer="a")) == "no judge was asked"

    def test_a_failed_case_loses_against_an_answer(self) -> None:
        """Its place in the mean is kept (S1)."""
        assert outcome("preference", view("", failed=True, said=judgement(preference="loss loss"))) == 0.0


@pytest.mark.parametrize(("expect", "expected"), [("answer", 0.0), ("abstain", "no answer was expected")])
def test_a_failed_case_has_no_answer(expect: str, expected: float | str) -> None:
    """0 where one was expected and the labels are there, without a judge (S1)."""
    case = bare("", failed=True, labels=FULL.but(expect=expect))

    assert outcomes(case, OF_ANSWERS) == dict.fromkeys(OF_ANSWERS, expected)


class TestFactsInAnswer:
    """What the rule lost_answer_facts reads."""

    LABELS = labels("a", "b", reference="r")

    def test_by_the_judges_word(self) -> None:
        """Whatever else was asked."""
        said = judgement(facts={"a": True, "b": False, "other": True})

        assert facts_in_answer(view(labels=self.LABELS, said=said)) == {"a"}

    def test_where_nobody_needs_to_be_asked(self) -> None:
        """The text of the reference holds them all; failures, empty answers and sure abstentions none."""
        assert facts_in_answer(view(labels=self.LABELS, said=judgement(same=True))) == {"a", "b"}
        assert facts_in_answer(view(labels=self.LABELS, said=judgement(sure=True))) == set()
        assert facts_in_answer(view(labels=self.LABELS, answer=" ")) == set()
        assert facts_in_answer(bare("", labels=self.LABELS, failed=True)) == set()
        assert facts_in_answer(view()) == set()

    def test_what_is_not_known_is_not_lost(self) -> None:
        """Says so rather than that it is missing."""
        said = judgement(facts={"a": True}, unscored={"answer": "cut off"})

        assert facts_in_answer(view(labels=self.LABELS, said=said)) == Unscored("cut off")
        assert facts_in_answer(view(labels=self.LABELS, answer=None)) == NotApplicable("the pipeline gave no answer")
        assert facts_in_answer(bare("A", labels=self.LABELS, answer="a")) == Unscored("no judge was asked")
