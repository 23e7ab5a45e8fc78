"""Metrics of what an answer claims: faithfulness, context utilisation, noise sensitivity and citations."""

from __future__ import annotations

from typing import Any

import pytest

from evaluator.model.golden import Labels
from evaluator.model.view import Passage
from tests.judgements import claims, judgement, view
from tests.views import outcome, outcomes
from tests.views import view as bare

REFERENCE = Labels(reference="It says this.")
ABSTAIN = Labels(expect="abstain")
ABSTAINED = judgement(abstained=True)
NOISE = ("noise_sensitivity", "noise_sensitivity_relevant", "noise_sensitivity_irrelevant")
OF_CLAIMS = ("faithfulness", "context_utilisation", *NOISE, "citation_precision", "citation_recall")


class TestFaithfulness:
    """Supported claims over claims."""

    @pytest.mark.parametrize(
        ("claimed", "expected"),
        [
            ("+A", 1.0),
            ("+A, +A, +A, +A, +A, +A, +A", 1.0),
            ("+A, -", 0.5),
            ("+A, -, ?", 1 / 3),
            ("?, ?", 0.0),
            ("&AB, -, -, -", 0.25),
            ("-", 0.0),
        ],
    )
    def test_unclear_is_unsupported(self, claimed: str, expected: float) -> None:
        """Only what the context clearly says counts, and all of it is exactly 1."""
        assert outcome("faithfulness", view("AB", claimed=claimed)) == expected

    def test_an_answer_without_claims_is_not_faithful_and_not_unfaithful(self) -> None:
        """A polite refusal claims nothing: n/a, never 1 (S4)."""
        assert outcome("faithfulness", view(answer="I'm sorry, I can't help with that.", said=ABSTAINED)) == (
            "the pipeline abstained"
        )
        assert outcome("faithfulness", view(claimed="")) == "the answer claims nothing"

    @pytest.mark.parametrize("context", ["", "A"])
    def test_nothing_in_the_context_supports_a_confident_answer(self, context: str) -> None:
        """Neither an empty context nor one of blank chunks, judged claim by claim or not at all (S5)."""
        blank = {"A": Passage("doc", " \n", 0)}

        assert outcome("faithfulness", view(context, claimed="-, -", passages=blank)) == 0.0
        assert outcome("faithfulness", view(context, claimed="., .", passages=blank)) == 0.0

    def test_chunks_of_unknown_text_support_and_deny_nothing(self) -> None:
        """A pipeline that names chunks without their texts, and no fixture that knows them: n/a."""
        unknown = {"A": Passage("doc", None)}

        assert outcome("faithfulness", view("A", claimed="-", passages=unknown)) == "no chunk text"

    def test_an_answer_where_none_was_expected_is_scored(self) -> None:
        """What it makes up shows, and a right abstention is n/a (S8)."""
        assert outcome("faithfulness", view(labels=ABSTAIN, claimed="+A, -")) == 0.5
        assert outcome("faithfulness", view(labels=ABSTAIN, said=ABSTAINED)) == "the pipeline abstained"

    def test_off_topic_and_true_to_the_context(self) -> None:
        """Faithful and beside the question at once (S11)."""
        case = view(claimed="+A, +A", said=judgement(relevance=False))

        assert outcomes(case, ("faithfulness", "answer_relevance")) == {"faithfulness": 1.0, "answer_relevance": 0.0}

    def test_one_claim_without_a_verdict_leaves_no_value(self) -> None:
        """Nothing is scored on what happened to come back (S12)."""
        said = judgement(unscored={"context": "one claim came back without a verdict"})

        assert outcome("faithfulness", view(claimed="+A, .", said=said)) == "one claim came back without a verdict"


def test_context_utilisation_counts_needs_whose_chunk_is_used() -> None:
    """Needs A and B are there, C is not; a claim rests on A alone, or on A and B together, or on none of them."""
    needs = ("A", "B", "C")

    def found(claimed: str, **fields: Any) -> float | str:
        return outcome("context_utilisation", view("ABX", *needs, claimed=claimed, **fields))

    assert found("+A, +X") == 0.5
    assert found("&AB") == 1.0
    assert found("+X, -, ?") == 0.0
    assert found("-A, ?B") == 0.0
    assert found("", said=ABSTAINED) == 0.0
    assert found("", said=ABSTAINED, labels=ABSTAIN) == "the pipeline abstained"
    assert found("", answer=" ") == 0.0


def test_context_utilisation_needs_needs_in_the_context() -> None:
    """Without labels, and where retrieval brought nothing that is wanted, the question does not arise."""
    assert outcome("context_utilisation", view("A", claimed="+A")) == "no needs"
    assert outcome("context_utilisation", view("X", "A", claimed="-")) == "no need in the context"
    assert outcome("context_utilisation", view("", "A", claimed="-")) == "no need in the context"


@pytest.mark.parametrize(
    ("claimed", "expected"),
    [
        ("+A in, +X beyond", (0.0, 0.0, 0.0)),
        ("+A against, +A in", (0.5, 0.5, 0.0)),
        ("+X against, +A in, +A in, +A in", (0.25, 0.0, 0.25)),
        ("+AX against", (1.0, 1.0, 0.0)),
        ("&XY against, +A against", (1.0, 0.5, 0.5)),
        ("- against, ? against, +A in", (0.0, 0.0, 0.0)),
    ],
)
def test_noise_sensitivity_counts_what_is_wrong_and_supported(claimed: str, expected: tuple[float, ...]) -> None:
    """Lower is better; a claim that a relevant chunk supports is not one of the irrelevant ones, so the two add up."""
    case = view("AXY", "A", labels=REFERENCE, claimed=claimed)

    assert tuple(outcomes(case, NOISE).values()) == expected


def test_noise_sensitivity_needs_a_reference_and_a_context() -> None:
    """Nothing is wrong without a reference, or comes from an empty context, or is relevant without labels."""
    assert outcome("noise_sensitivity", view(claimed="+A beyond")) == "no reference"
    assert outcome("noise_sensitivity", view("", labels=REFERENCE, claimed="- against")) == "nothing retrieved"
    assert outcome("noise_sensitivity", view(labels=REFERENCE, claimed="+A against")) == 1.0
    assert outcome("noise_sensitivity_relevant", view(labels=REFERENCE, claimed="+A against")) == "no needs"


def test_noise_sensitivity_without_the_references_word_is_unscored() -> None:
    """A reference whose statements could not be had says nothing of a claim; the same text says all."""
    said = judgement(unscored={"statements": "the judge declined"})

    assert outcome("noise_sensitivity", view(labels=REFERENCE, claimed="+A", said=said)) == "the judge declined"
    assert outcome("noise_sensitivity", view(labels=REFERENCE, claimed="+A", said=judgement(same=True))) == 0.0


def test_a_failed_case_is_at_the_worst_end() -> None:
    """Where an answer was expected and the labels are there: 1 for noise, 0 for the others; nobody asks the judge."""
    failed = bare("", "A", failed=True, labels=REFERENCE)
    expected = dict.fromkeys(OF_CLAIMS, 0.0) | dict.fromkeys(NOISE, 1.0)

    assert outcomes(failed, OF_CLAIMS) == expected
    unlabelled = bare("", failed=True)
    assert {name for name in OF_CLAIMS if outcome(name, unlabelled) == 0.0} == {
        "faithfulness", "citation_precision", "citation_recall",
    }  # fmt: skip
    abstaining = bare("", "A", failed=True, labels=Labels(expect="abstain", reference="r"))
    assert set(outcomes(abstaining, OF_CLAIMS).values()) == {"the pipeline failed where it was to abstain"}


SENTENCES = ("Refunds take 30 days [A].", "Shipping is free [B][A].", "Ask us.")


def cited(answer: str, sentences: tuple[str, ...], claimed: str, context: str = "AB", **fields: Any) -> tuple[Any, Any]:
    """Precision and recall of citations."""
    case = view(context, answer=answer, said=judgement(sentences=sentences), claimed=claimed, **fields)
    return outcome("citation_precision", case), outcome("citation_recall", case)


class TestCitations:
    """Cited chunks that support what they stand with, and claims that are so cited."""

    @pytest.mark.parametrize(
        ("claimed", "expected"),
        [
            ("1:+A, 2:+B", (2 / 3, 1.0)),
            ("1:+A, 2:+AB", (1.0, 1.0)),
            ("1:+A, 2:&AB", (1.0, 1.0)),
            ("1:&AB, 2:+B", (1 / 3, 0.5)),
            ("1:+B, 2:-", (0.0, 0.0)),
            ("1:+A, 1:+B, 2:?, 3:+A", (1 / 3, 0.25)),
        ],
    )
    def test_each_citation_is_held_against_its_sentence(self, claimed: str, expected: tuple[float, float]) -> None:
        """What only several chunks support together counts where all of them are cited."""
        assert cited(" ".join(SENTENCES), SENTENCES, claimed) == expected

    @pytest.mark.parametrize(
        ("answer", "sentences"),
        [
            ("Within 30 days. [A] Shipping is free. [B]", ("Within 30 days.", "[A] Shipping is free.", "[B]")),
            ("Within 30 days. [A] Shipping is free. [B]", ("Within 30 days. [A]", "Shipping is free. [B]")),
            ("Within 30 days.[A]\nShipping is free.\n[B]", ("Within 30 days.", "[A]", "Shipping is free.", "[B]")),
            ("[A] Within 30 days.\n[B] Shipping is free.", ("[A] Within 30 days.", "[B] Shipping is free.")),
            ("[A]: Within  30\ndays. Shipping [2] is free.", ("[A]: Within 30 days.", "Shipping [2] is free.")),
            ("Within 30 days. Shipping is free. [B]", ("Within 30 days.", "Shipping is free.")),
        ],
    )
    def test_where_a_citation_stands(self, answer: str, sentences: tuple[str, ...]) -> None:
        """Behind the full stop it belongs to what it follows, at the beginning of a line to what it leads."""
        spoken = [number for number, text in enumerate(sentences, 1) if any(map(str.islower, text))]
        precision, recall = cited(answer, sentences, f"{spoken[0]}:+A, {spoken[1]}:+B")

        assert (precision, recall) == (1.0, 1.0 if "A" in answer else 0.5)

    def test_several_in_one_mark_and_one_twice(self) -> None:
        """``[A, B]`` is two citations, the same again is none, and what the context lacks supports nothing."""
        assert cited("So it is [A, B] [A].", ("So it is [A, B] [A].",), "+A") == (0.5, 1.0)
        assert cited("So it is [A] [9].", ("So it is [A] [9].",), "+A") == (0.5, 1.0)

    def test_what_the_context_does_not_hold_supports_nothing(self) -> None:
        """Though a judgement from elsewhere names it."""
        assert cited("So [B].", ("So [B].",), "+B", context="A", citations=r"\[(?P<id>\w)\]") == (0.0, 0.0)

    def test_an_answer_that_cites_nothing(self) -> None:
        """Nothing is cited wrongly, and no claim is cited."""
        assert cited("So it is.", ("So it is.",), "+A, -") == ("the answer cites nothing", 0.0)

    def test_nothing_supports_over_an_empty_context(self) -> None:
        """A citation of nothing supports nothing (S5)."""
        assert cited("So it is [1].", ("So it is [1].",), "-", context="") == (0.0, 0.0)

    def test_an_abstention_has_nothing_to_cite(self) -> None:
        """Both are n/a."""
        case = view(answer="I don't know [A].", said=judgement(abstained=True, sentences=("I don't know [A].",)))

        assert set(outcomes(case, ("citation_precision", "citation_recall")).values()) == {"the pipeline abstained"}

    @pytest.mark.parametrize("sentences", [(), ("Something else.",)])
    def test_sentences_of_another_answer_are_refused(self, sentences: tuple[str, ...]) -> None:
        """Where nobody can say which sentence a citation stands in, there is no value."""
        problem = "the judged sentences are not those of the answer"

        assert cited("So it is [A].", sentences, "+A") == (problem, problem)

    def test_a_pattern_that_takes_too_long(self) -> None:
        """It leaves the case unscored."""
        problem = "citations.pattern took too long"
        answer = "1" * 60

        assert cited(answer, (answer,), "+A", citations=r"(?P<id>(1|1|1)+(1|1)+)x") == (problem, problem)


@pytest.mark.parametrize("name", OF_CLAIMS)
def test_what_no_judge_saw_has_no_value(name: str) -> None:
    """Not asked, not drawn, not answered, or an extraction that broke: each says so, and none is a number."""
    asked = {"labels": REFERENCE, "answer": "So it is [A]."}
    broken = judgement(unscored={"claims": "reply cut off twice"})

    assert outcome(name, view("A", "A", claimed=None, said=broken, **asked)) == "reply cut off twice"
    assert outcome(name, view("A", "A", said=judgement(drawn=False), **asked)) == "not drawn by judge.sample"
    assert outcome(name, view("A", "A", **asked | {"answer": None})) == "the pipeline gave no answer"
    assert outcome(name, bare("A", "A", **asked, passages={"A": Passage(None, "text")})) == "no judge was asked"


def test_another_part_that_failed_leaves_faithfulness_scored() -> None:
    """What was claimed and judged counts, though nobody knows whether it was an abstention."""
    said = judgement(abstained=None, relevance=None, unscored={"answer": "the judge declined"})
    case = view(said=said, claimed="+A, -")

    assert outcomes(case, ("faithfulness", "answer_relevance", "abstention")) == {
        "faithfulness": 0.5, "answer_relevance": "the judge declined", "abstention": "the judge declined",
    }  # fmt: skip


def test_the_short_forms_of_claims() -> None:
    """The factory says what it is asked to say."""
    one, two = claims("2:&AB against", "-")

    assert (one.sentence, one.verdict, one.chunks, one.jointly, one.reference) == (
        2, "supported", ("A", "B"), True, "contradicts",
    )  # fmt: skip
    assert (two.sentence, two.verdict, two.reference) == (2, "unsupported", None)
