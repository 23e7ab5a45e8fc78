"""Two answers compared in both orders."""

from __future__ import annotations

from typing import Any

import pytest

from evaluator.judging import case
from evaluator.model.judgement import Preference
from evaluator.model.score import Unscored
from tests.judged import Asked, Driven, Judge, drive, subject

OURS, THEIRS = "We open at 9, but not on Mondays.", "We open at 9."


def compared(judge: Any, **fields: Any) -> Driven:
    def reply(asked: Asked) -> Any:
        return (
            judge(asked.message.index(OURS) < asked.message.index(THEIRS + "\n"))
            if asked.part == "preference"
            else Judge()(asked)
        )

    return drive(case.conversation(subject(OURS, {}, against=THEIRS, **fields)), reply)


def says(better: str) -> dict[str, str]:
    return {"reason": "a condition is kept", "better": better}


@pytest.mark.parametrize(
    ("ours_first", "ours_second", "results", "value"),
    [
        ("first", "second", {"win"}, 1.0),
        ("second", "first", {"loss"}, 0.0),
        ("tie", "tie", {"tie"}, 0.5),
        ("first", "first", {"win", "loss"}, 0.5),
        ("second", "second", {"win", "loss"}, 0.5),
        ("first", "tie", {"win", "tie"}, 0.5),
        ("tie", "first", {"tie", "loss"}, 0.5),
    ],
)
def test_only_what_both_orders_say_is_a_win_or_a_loss(
    ours_first: str, ours_second: str, results: set[str], value: float
) -> None:
    """A judge that favours a place says "first" twice: that is no win."""
    driven = compared(lambda is_first: says(ours_first if is_first else ours_second))
    found = driven.found.judgement.preference

    assert driven.parts[1] == ["answer", "preference", "preference"]
    assert {found.first, found.second} == results
    assert found.value == value


def test_seed_and_case_decide_the_first_order() -> None:
    """Either order comes first in some cases; the same seed and case give the same one."""
    firsts = [
        compared(
            lambda is_first: says("first" if is_first else "tie"), case=f"case {place}", seed=seed
        ).found.judgement.preference.first
        for seed in (0, 1)
        for place in range(20)
    ]
    again = compared(
        lambda is_first: says("first" if is_first else "tie"), case="case 7", seed=1
    ).found.judgement.preference.first

    assert {firsts.count("win") in range(8, 33), firsts[:20] != firsts[20:], firsts[27] == again} == {True}


def test_equal_answers_are_a_tie_without_a_call() -> None:
    """The same text cannot be better than itself."""
    driven = drive(case.conversation(subject(" WE open at 9.", {}, against="We open at 9.")), Judge())

    assert "preference" not in [part for round_ in driven.parts for part in round_]
    assert driven.found.judgement.preference == Preference(
        first="tie", second="tie", value=0.5, reason="both answers are the same"
    )


def test_a_comparison_that_could_not_be_had_in_one_order_is_none() -> None:
    """Half a comparison favours a place."""
    driven = compared(lambda is_first: says("first") if is_first else Unscored("too slow"))

    assert driven.found.judgement.preference is None
    assert driven.found.judgement.unscored == {"preference": "too slow"}


def test_what_is_right_is_shown_beside_the_answers() -> None:
    """The reference and the facts say what counts."""
    driven = compared(lambda _: says("tie"), reference="Not on Mondays.", facts={"secret-id": "closed on Mondays"})

    assert all("reference>>\nNot on Mondays." in asked.message for asked in driven.of("preference"))
    assert all('{"id":"f1","text":"closed on Mondays"}' in asked.message for asked in driven.of("preference"))
