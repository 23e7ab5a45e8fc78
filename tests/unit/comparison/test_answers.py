"""Critical cases that were asked several times, by a judge's word: what most answers have lost."""

from __future__ import annotations

from typing import Any

import pytest

from evaluator.comparison.claims import NewClaim
from evaluator.comparison.critical import Held, JudgedCase, Sides, outcomes
from evaluator.model.comparison import CriticalOutcome, CriticalRule
from evaluator.model.judgement import Further
from evaluator.stages.claims import new_in_answers
from tests.court import claim
from tests.exams import ASKED, held, said

WRONG = "answered where it should abstain, or abstained where it should answer"
BROKE = JudgedCase(None, None, "no valid reply", broke=True)
GONE, NEVER = Further(fact="f", again=(False, False), before=(True, True)), Further(fact="f", again=(False,) * 2)
FACT: CriticalRule = "lost_answer_facts"


def facts(first: JudgedCase, *others: str | None, alike: int = 0) -> Held:
    """A run whose other answers contain these facts, one letter each; None: not known."""
    found = [held(judged=BROKE if each is None else said(each, reads=True)) for each in others]
    return held(judged=first)._replace(alike=alike, others=tuple(found))


def has(letters: str, *further: Further) -> JudgedCase:
    """What a judge says of a first answer."""
    return said(letters, reads=True, further={each.fact or "": each for each in further})


def outcome(rule: CriticalRule, before: Held | None, after: Held, **fields: Any) -> CriticalOutcome:
    """Of one critical rule."""
    return next(each for each in outcomes(Sides("c", before, after, **fields)) if each.rule == rule)


ONCE = held(judged=has("f"))


@pytest.mark.parametrize(
    ("before", "after", "lost", "unconfirmed", "reason"),
    [
        pytest.param(
            ONCE, facts(has("f"), "", "", "", ""), 0, 1, "no longer in the answer, in 4 of 5 answers: f", id="most"
        ),
        pytest.param(ONCE, facts(has("f"), "", "", "f", "f"), 0, 0, "nothing was lost", id="two of five"),
        pytest.param(ONCE, facts(has("f"), "", alike=2), 0, 0, "nothing was lost", id="the first three times"),
        pytest.param(ONCE, facts(has("f"), ""), 0, 0, "nothing was lost", id="half"),
        pytest.param(
            ONCE, facts(has("", GONE), *"ffff"), 1, 0, "no longer in the answer: f (in 1 of 5 answers)", id="the first"
        ),
        pytest.param(
            ONCE, facts(has("", GONE), "", "", "f", alike=1), 1, 0, "no longer in the answer: f (in 4 of 5 answers)",
            id="the first and others",
        ),
        # A judge that is wrong about an answer is so wherever that answer is given again.
        pytest.param(
            ONCE, facts(has("", Further(fact="f", again=(False, True))), "f", alike=3), 0, 0,
            "asked again, the judge calls it present: f", id="a slip about what is said four times",
        ),
        pytest.param(
            ONCE, facts(has("", Further(fact="f", again=(True, True))), "", "", ""), 0, 1,
            "asked again, the judge calls it present: f; no longer in the answer, in 3 of 4 answers: f",
            id="a slip, and a loss",
        ),
        pytest.param(
            ONCE, facts(has(""), "", "f"), 0, 1,
            f"1 lost fact not confirmed by further judgings, {ASKED}: f (in 1 to 2 of 3 answers)",
            id="a first that nobody asked about again",
        ),
        pytest.param(
            ONCE, facts(has("f"), "", "", None, "f"), 0, 1, "no longer in the answer, in 2 to 3 of 5 answers: f",
            id="one that could not be judged",
        ),
        pytest.param(ONCE, facts(has("f"), "", None, "f", "f"), 0, 0, "nothing was lost", id="one too few"),
        # The baseline's own several answers.
        pytest.param(
            facts(has(""), "f", "f"), facts(has(""), "", ""), 0, 1,
            "no longer in the answer, in 2 to 3 of 3 answers: f", id="what most had before",
        ),
        pytest.param(facts(has("f"), "f", "", "", ""), facts(has("f"), "", ""), 0, 0, "nothing was lost", id="few had"),
        pytest.param(
            facts(has("f"), "", alike=3), facts(has("", NEVER.but(before=(False, False))), "", ""), 0, 0,
            "the baseline's judge called it present once, and asked again does not: f", id="never had",
        ),
        # Fact by fact: every answer lacks one, and none is lacking in most.
        pytest.param(held(judged=has("fgh")), facts(has("fgh"), "fg", "gh", "fh"), 0, 0, "nothing was lost", id="each"),
    ],
)  # fmt: skip
def test_what_most_answers_lack_is_in_doubt(
    before: Held, after: Held, lost: int, unconfirmed: int, reason: str
) -> None:
    """What the first alone lost is lost, as far as further judgings go; counted by hand."""
    found = outcome(FACT, before, after)
    assert (found.lost, found.unconfirmed, found.reason) == (lost, unconfirmed, reason)


def decisions(*values: float | None, further: Further | None = None) -> Held:
    """A run that was right (1) or wrong by a judge's word, answer by answer."""
    judged = said(decides=True, further={} if further is None else {"": further})
    each = [held(abstention=value, judged=judged) for value in values]
    return each[0]._replace(others=tuple(each[1:]))


SURE = Further(fact=None, again=(False, False), before=(True, True))


@pytest.mark.parametrize(
    ("before", "after", "lost", "unconfirmed", "reason"),
    [
        pytest.param((1,), decisions(1, 0, 0, 0, 0), 1, 0, f"{WRONG}, in 4 of 5 answers", id="most"),
        pytest.param((1,), decisions(1, 0, 0, 1, 1), 0, 0, "nothing was lost", id="two of five"),
        pytest.param((1,), decisions(0, 1, 1, 1, further=SURE), 1, 0, f"{WRONG} (in 1 of 4 answers)", id="the first"),
        pytest.param((0, 0, 1), decisions(1, 0, 0), 0, 0, "nothing was lost", id="wrong before"),
        pytest.param((0, 1, 1), decisions(0, 0, 0), 1, 0, f"{WRONG}, in 2 to 3 of 3 answers", id="right before"),
        pytest.param((0, 1, 1), decisions(0), 0, 1, f"{WRONG}, in 0 to 1 of 1 answers", id="one verdict"),
        pytest.param((1,), decisions(1, 0, None), 0, 1, f"{WRONG}, in 1 to 2 of 3 answers", id="not known of one"),
        pytest.param(
            (1,), decisions(0, 0, 0), 1, 0, f"{WRONG}, in 2 to 3 of 3 answers", id="the first not asked about again"
        ),
        pytest.param(
            (1,), decisions(0, 1, 1), 0, 1,
            f"1 wrong abstention not confirmed by further judgings, {ASKED} (in 0 to 1 of 3 answers)", id="in doubt",
        ),
    ],
)  # fmt: skip
def test_a_decision_that_is_mostly_wrong_is_lost(
    before: tuple[float, ...], after: Held, lost: int, unconfirmed: int, reason: str
) -> None:
    """As it is in tier retrieval."""
    found = outcome("wrong_abstention", decisions(*before), after)
    assert (found.lost, found.unconfirmed, found.reason) == (lost, unconfirmed, reason)


def test_without_a_baseline_a_decision_that_is_mostly_wrong_is_wrong() -> None:
    """Absolutely; and a judge that is not believed does not fail it."""
    found = outcome(
        "wrong_abstention", None, decisions(1, 0, 0), is_absolute=True, doubts={"wrong_abstention": "not calibrated"}
    )
    assert (found.lost, found.reason, found.unenforced) == (1, f"{WRONG}, in 2 of 3 answers", "not calibrated")


BAD, OLD, GOOD = claim("We close at 5.", "unsupported"), claim("We are shut.", "unsupported"), claim("We sell tea.")


def claims(*answers: Any) -> Held:
    """A run whose answers make these claims; None: not known."""
    each = [held(judged=BROKE if found is None else said("", *found, known=found)) for found in answers]
    return each[0]._replace(others=tuple(each[1:]))


def made(before: Held, after: Held) -> CriticalOutcome:
    """As the stage hands it over."""
    assert before.judged is not None
    assert after.judged is not None
    first = [NewClaim(each, ()) for each in after.judged.claims or () if each.verdict == "unsupported"]
    known = {each.text for each in before.judged.known if each.verdict == "unsupported"}
    return outcome(
        "new_unsupported_claims", before, after, new_claims=[each for each in first if each.claim.text not in known],
        new_in=new_in_answers(before, after, "en"),
    )  # fmt: skip


SURELY = BAD.but(again=("unsupported", "unsupported"))
NONE = "no claim is new and unsupported"
MOST = "new and unsupported, in 4 of 5 answers: We close at 5."


@pytest.mark.parametrize(
    ("before", "after", "lost", "unconfirmed", "reason"),
    [
        pytest.param([[GOOD]], [[GOOD], *[[BAD]] * 4], 0, 1, MOST, id="most"),
        pytest.param([[GOOD]], [[GOOD], *[[BAD]] * 2, *[[GOOD]] * 2], 0, 0, NONE, id="few"),
        pytest.param([[GOOD]], [[GOOD], *[[BAD, OLD.but(id="s2.1")]] * 4], 0, 2, MOST, id="two in each"),
        pytest.param([[OLD]], [[OLD], *[[OLD]] * 4], 0, 0, NONE, id="known before"),
        pytest.param(
            [[OLD], [OLD], [GOOD]], [[GOOD], [OLD], [OLD]], 0, 0, NONE, id="mostly known"
        ),
        pytest.param(
            [[OLD], [GOOD], [GOOD]], [[OLD], [OLD], [OLD]], 0, 1,
            "new and unsupported, in 2 to 3 of 3 answers: We are shut.", id="seldom before",
        ),
        pytest.param(
            [[GOOD]], [[SURELY], *[[GOOD]] * 4], 1, 0, "new and unsupported: We close at 5. (in 1 of 5 answers)",
            id="the first",
        ),
        pytest.param(
            [[GOOD]], [[GOOD], [BAD], None], 0, 1, "new and unsupported, in 1 to 2 of 3 answers: We close at 5.",
            id="not known of one",
        ),
        pytest.param(
            [None], [[GOOD], [BAD], [BAD]], 0, 1,
            "not judged in the baseline: no valid reply; new and unsupported, in 2 of 3 answers: We close at 5.",
            id="not known before",
        ),
    ],
)  # fmt: skip
def test_new_unsupported_claims_in_most_answers_are_in_doubt(
    before: list[Any], after: list[Any], lost: int, unconfirmed: int, reason: str
) -> None:
    """However each answer words its own."""
    found = made(claims(*before), claims(*after))
    assert (found.lost, found.unconfirmed, found.reason) == (lost, unconfirmed, reason)


def test_an_answer_that_could_not_be_judged_leaves_the_first_as_it_is() -> None:
    """A first answer of which nothing is known is missing already."""
    found = outcome(FACT, ONCE, facts(BROKE, "", ""))
    assert (found.lost, found.missing, found.reason) == (None, True, "not judged: no valid reply")
