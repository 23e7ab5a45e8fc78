"""What is lost by a judge's word, once it was asked again of this run and of the baseline."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.comparison.critical import Held, JudgedCase, Sides, outcomes
from evaluator.comparison.suspicions import State, Suspicion
from evaluator.model.judgement import Further

Y, N = True, False
SAID = st.none() | st.lists(st.booleans(), max_size=3)


def suspected(again: Sequence[bool] | None, before: Sequence[bool] | None) -> Suspicion:
    """Of a fact."""
    return Suspicion("lost_answer_facts", "f", "f", again, before)


@pytest.mark.parametrize(
    ("again", "before", "state"),
    [
        # Nobody has to be asked where no judge decides: an empty answer now, the reference itself before.
        (None, None, "lost"),
        ((N, N), None, "lost"),
        (None, (Y, Y), "lost"),
        ((N, N), (Y, Y), "lost"),
        # Two that disagree take a third, and the majority decides.
        ((N, N), (Y, N), "open"),
        ((N, N), (Y, N, Y), "lost"),
        ((N, N), (N, Y, N), "never"),
        ((N, N), (N, N), "never"),
        (None, (N, N), "never"),
        # One further judging that finds it is enough for this run.
        ((Y, N), None, "found"),
        ((N, Y), (), "found"),
        ((Y,), None, "found"),
        # What could not be had leaves it open.
        ((), (), "open"),
        ((N,), (), "open"),
        ((N,), None, "open"),
        ((N, N), (), "open"),
        ((N, N), (Y,), "open"),
        ((N, N), (N,), "open"),
    ],
)
def test_what_has_become_of_it(again: Sequence[bool] | None, before: Sequence[bool] | None, state: State) -> None:
    """Worked out by hand."""
    assert suspected(again, before).state == state


@given(SAID, SAID)
def test_too_few_judgings_never_lose_a_thing_and_never_excuse_it(
    again: Sequence[bool] | None, before: Sequence[bool] | None
) -> None:
    """Lost takes two that agree on each side that a judge decides; the excuse takes one here, or two there."""
    state = suspected(again, before).state
    if state == "lost":
        assert again is None or (len(again) >= 2 and Y not in again)
        assert before is None or list(before).count(Y) >= 2
    if state == "found":
        assert again is not None
        assert Y in again
    if state == "never":
        assert before is not None
        assert list(before).count(N) >= 2


def held(present: str, abstention: float = 1.0, **further: Further) -> Held:
    """A case in whose answer a judge finds these facts, one letter each."""
    told = {"" if name == "decision" else name: each for name, each in further.items()}
    said = JudgedCase(frozenset(present), (), decides=True, reads=True, further=told)
    return Held(frozenset(), frozenset(), abstention, said)


def further(*before: bool, again: Sequence[bool] = (N, N)) -> Further:
    """Two judgings that do not find it now, and some of the baseline."""
    return Further(fact=None, again=tuple(again), before=before)


def test_each_fact_is_decided_by_itself_and_the_reason_says_how() -> None:
    """Of five facts one is lost, one never was there, one is found again and one is open."""
    now = held("e", a=further(Y, Y), b=further(N, Y, N), c=further(again=(N, Y)), d=further(Y))
    found = {outcome.rule: outcome for outcome in outcomes(Sides("c0", held("abcde"), now))}
    outcome = found["lost_answer_facts"]
    assert (outcome.before, outcome.after, outcome.lost, outcome.unconfirmed) == (5, 1, 1, 1)
    assert outcome.reason == (
        "no longer in the answer: a; "
        "1 lost fact not confirmed by further judgings, which score --against BASELINE asks for: d; "
        "the baseline's judge called it present once, and asked again does not: b; "
        "asked again, the judge calls it present: c"
    )
    assert (found["wrong_abstention"].lost, found["wrong_abstention"].reason) == (0, "nothing was lost")


@pytest.mark.parametrize(
    ("said", "lost", "unconfirmed", "reason"),
    [
        (further(Y, Y), 1, 0, "answered where it should abstain, or abstained where it should answer"),
        (further(N, N), 0, 0, "the baseline's judge called it right once, and asked again does not"),
        (further(again=(Y, N)), 0, 0, "asked again, the judge calls it right"),
        (
            further(again=()), 0, 1,
            "1 wrong abstention not confirmed by further judgings, which score --against BASELINE asks for",
        ),
    ],
)  # fmt: skip
def test_a_wrong_abstention_counts_like_a_lost_fact(said: Further, lost: int, unconfirmed: int, reason: str) -> None:
    """By the same judgings."""
    sides = Sides("c0", held("", 1.0), held("", 0.0, decision=said))
    outcome = next(each for each in outcomes(sides) if each.rule == "wrong_abstention")
    assert (outcome.lost, outcome.unconfirmed, outcome.reason) == (lost, unconfirmed, reason)


def test_without_a_judge_a_wrong_abstention_counts_at_once() -> None:
    """In tier retrieval the pipeline's own report decides, and there is nobody to ask."""
    plain = Held(frozenset(), frozenset(), 1.0)
    outcome = next(
        each for each in outcomes(Sides("c0", plain, plain._replace(abstention=0.0)))
        if each.rule == "wrong_abstention"
    )  # fmt: skip
    assert (outcome.lost, outcome.unconfirmed) == (1, 0)


def test_a_failed_case_has_lost_what_it_had_without_anybody_being_asked() -> None:
    """Whatever the baseline's judge may have been wrong about."""
    failed = Held(frozenset(), frozenset(), 0.0, JudgedCase(frozenset(), (), failed=True))
    found = {outcome.rule: outcome for outcome in outcomes(Sides("c0", held("ab"), failed))}
    assert (found["lost_answer_facts"].lost, found["lost_answer_facts"].unconfirmed) == (2, 0)
    assert found["wrong_abstention"].lost == 1


def test_facts_that_could_not_be_judged_now_are_missing_and_a_new_case_has_lost_nothing() -> None:
    """Neither raises a suspicion."""
    broke = held("")._replace(judged=JudgedCase(None, (), "no valid reply", broke=True))
    found = {outcome.rule: outcome for outcome in outcomes(Sides("c0", held("a"), broke))}
    outcome = found["lost_answer_facts"]
    assert (outcome.lost, outcome.missing, outcome.reason) == (None, True, "not judged: no valid reply")
    new = outcomes(Sides("c0", None, held("", 0.0), "new case"))
    assert {(each.lost, each.reason) for each in new} == {(None, "new case")}
