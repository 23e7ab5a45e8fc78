from __future__ import annotations

from typing import Any

import pytest

from evaluator.model.golden import Fact, Labels
from evaluator.model.judgement import Judgement, Opinion, Statement
from evaluator.model.view import Replied
from tests.judgements import judgement, labels, replied, view
from tests.views import outcome
from tests.views import view as bare

FACTS = labels("30 days", "by post")
BOTH, ONE, NONE = ({"30 days": first, "by post": second} for first, second in ((1, 1), (1, 0), (0, 0)))
REFERENCE = Labels(reference="Thirty days, by post.")
SHARE_NOTHING = "the cases of the group share no facts and no reference"


def consistency(*others: Replied | None, of: Labels = FACTS, **said: Any) -> float | str:
    """The value of a root with these paraphrases; what the judge said of the root is given by name."""
    return outcome("paraphrase_consistency", view(labels=of, said=judgement(**said), paraphrases=others))


def told(facts: dict[str, Any]) -> Replied:
    """An answer that contains some of the facts."""
    return replied(FACTS, facts={name: bool(value) for name, value in facts.items()})


ROOT = {"facts": {"30 days": True, "by post": False}}
SILENT = replied(FACTS, answer="")


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ((told(ONE),), 1.0),
        ((told(BOTH),), 0.0),
        ((told(ONE), told(BOTH)), 1 / 3),
        ((told(BOTH), told(BOTH)), 1 / 3),
        ((told(ONE), told(ONE), told(NONE)), 0.5),
        ((SILENT,), 0.0),
        ((SILENT, SILENT), 1 / 3),
        ((replied(FACTS, abstained=True), SILENT), 1 / 3),
        ((None,), 0.0),
        ((None, None), 0.0),
        ((None, told(ONE)), 1 / 3),
    ],
)
def test_pairs_that_contain_the_same_facts(others: tuple[Replied | None, ...], expected: float) -> None:
    """The root contains the first fact alone; abstentions are alike, and a failed case is like nothing."""
    assert consistency(*others, **ROOT) == expected


def test_facts_are_the_same_by_what_they_say() -> None:
    """Each case numbers its facts for itself; those that only one has are not compared."""
    other = Labels(facts=(Fact(id="f1", text="by  POST"), Fact(id="f2", text="free of charge")))

    assert consistency(replied(other, facts={"f1": False, "f2": True}), **ROOT) == 1.0
    assert consistency(replied(other, facts={"f1": True, "f2": True}), **ROOT) == 0.0
    assert consistency(replied(other, same=True), facts={"30 days": False, "by post": True}) == 1.0


def test_without_facts_statements_of_the_reference_are_compared() -> None:
    """Present or not; whether it is missing or contradicted makes no difference."""
    root = {"of": REFERENCE, "statements": ("present", "missing")}

    assert consistency(replied(REFERENCE, statements=("present", "contradicted")), **root) == 1.0
    assert consistency(replied(REFERENCE, statements=("present", "present")), **root) == 0.0


def test_the_text_of_the_reference_contains_every_fact() -> None:
    """Without asking."""
    assert consistency(replied(FACTS, same=True), **ROOT) == 0.0
    assert consistency(replied(FACTS, same=True), facts={"30 days": True, "by post": True}) == 1.0
    assert consistency(replied(REFERENCE, same=True), of=REFERENCE, statements=("present", "missing")) == 0.0
    assert consistency(replied(REFERENCE, same=True), of=REFERENCE, statements=("present",)) == 1.0
    assert consistency(replied(REFERENCE, same=True), of=REFERENCE, same=True) == 1.0


def test_a_reference_that_was_taken_apart_in_two_ways_decides_nothing() -> None:
    """Answers with no statement in common are neither alike nor different."""
    other = replied(REFERENCE)
    said = Judgement(
        abstained=Opinion(value=False), statements=(Statement(id="r1", text="otherwise", answer="present"),)
    )

    assert consistency(other._replace(judgement=said), of=REFERENCE, statements=("present",)) == (
        "the reference was taken apart in two ways"
    )


def test_where_no_answer_is_expected_behaviour_alone_is_compared() -> None:
    """Both abstained, or both answered what they should not."""
    abstain = Labels(expect="abstain")

    assert consistency(replied(abstain, abstained=True), of=abstain, abstained=True) == 1.0
    assert consistency(replied(abstain), of=abstain) == 1.0
    assert consistency(replied(abstain), of=abstain, abstained=True) == 0.0


def test_what_shares_no_labels_is_not_compared() -> None:
    """A pair is left out; without any pair, or without labels, it is n/a whatever was answered."""
    assert consistency(replied(REFERENCE), **ROOT) == SHARE_NOTHING
    assert consistency(replied(REFERENCE), told(ONE), **ROOT) == 1.0
    assert consistency(replied(abstained=True), of=Labels()) == SHARE_NOTHING


def test_a_failed_root_is_a_failed_member() -> None:
    """Its pairs are lost, those of the others are not; its labels still decide whether it applies."""
    case = bare("", failed=True, labels=FACTS, paraphrases=(told(ONE), told(ONE)))

    assert outcome("paraphrase_consistency", case) == 1 / 3
    assert outcome("paraphrase_consistency", bare("", failed=True, labels=FACTS)) == (
        "not the root of a group of paraphrases"
    )


def test_who_was_not_drawn_is_in_no_pair() -> None:
    """A sample leaves the others; one alone is no pair."""
    missing = replied(FACTS, drawn=False)

    assert consistency(told(ONE), missing, **ROOT) == 1.0
    assert consistency(missing, **ROOT) == "not drawn by judge.sample"
    assert consistency(told(ONE), drawn=False) == "not drawn by judge.sample"


def test_what_no_judge_saw_has_no_value() -> None:
    """One member of whom nobody knows leaves the whole group unscored."""
    broken = replied(FACTS, abstained=None, unscored={"answer": "cut off"})

    assert consistency(told(ONE), broken, **ROOT) == "cut off"
    assert consistency(replied(FACTS, unscored={"answer": "cut off"}), **ROOT) == "cut off"
    assert consistency(Replied(()), **ROOT) == "no judge was asked"
    assert consistency(Replied((), FACTS, "An answer.", abstained=False), **ROOT) == "no judge was asked"
    assert consistency(replied(FACTS, answer=None), **ROOT) == "the pipeline gave no answer"
    assert outcome("paraphrase_consistency", bare("A", answer="a", labels=FACTS, paraphrases=(Replied(()),))) == (
        "no judge was asked"
    )
