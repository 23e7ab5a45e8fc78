"""Which of two answers to a question is the better one, asked in both orders: judges favour a place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from evaluator.judging import fencing, replies
from evaluator.judging.fencing import Datum
from evaluator.judging.prompts import Ask
from evaluator.judging.shapes import TEXT, obj, one_of
from evaluator.model.judgement import Preference, is_first

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluator.judging.calls import Call
    from evaluator.judging.subject import Subject
    from evaluator.model.score import Unscored

SCHEMA = obj(reason=TEXT, better=one_of("first", "second", "tie"))

Result: TypeAlias = Literal["win", "tie", "loss"]

_VALUES: dict[Result, float] = {"win": 1.0, "tie": 0.5, "loss": 0.0}


SAME = Preference(first="tie", second="tie", value=0.5, reason="both answers are the same")
"""What is said of two answers that are the same text, without a judge."""


class Compared(NamedTuple):
    """What one comparison says of our answer, and why."""

    result: Result
    reason: str


def calls(subject: Subject, against: str) -> tuple[Call[Compared], Call[Compared]]:
    """Compare the answer with another one in both orders; case and seed decide which order is the first."""
    drawn = is_first(subject.seed, subject.case)
    return _call(subject, against, ours_first=drawn), _call(subject, against, ours_first=not drawn)


def decided(outcomes: Sequence[Compared | Unscored]) -> Preference | Unscored:
    """Both comparisons together: a win or a loss in both, else a half."""
    found = []
    for each in outcomes:
        if not isinstance(each, Compared):
            return each
        found.append(each)
    first, second = found
    value = _VALUES[first.result] if first.result == second.result else 0.5
    return Preference(first=first.result, second=second.result, value=value, reason=first.reason)


def _call(subject: Subject, against: str, *, ours_first: bool) -> Call[Compared]:
    answers = (subject.answered, against) if ours_first else (against, subject.answered)
    reference = subject.reference or ""
    facts = fencing.listed((f"f{place}", fact.text) for place, fact in enumerate(subject.facts, 1))
    data = [
        *subject.asked_for(),
        *([Datum("reference", reference)] if reference.strip() else []),
        *([Datum("facts", facts)] if facts else []),
        Datum("answer first", answers[0]),
        Datum("answer second", answers[1]),
    ]
    ask = Ask(subject.case, "preference", data, {}, 256, repeat=subject.repeat)
    return subject.prompt("preference", SCHEMA).call(ask, lambda text: _read(text, ours_first=ours_first))


def _read(text: str, *, ours_first: bool) -> Compared:
    found = replies.read(text, SCHEMA)
    replies.refuse_invalid([] if found["reason"].strip() else ["reason is empty"])
    replies.refuse_declining([found["reason"]])
    if found["better"] == "tie":
        return Compared("tie", found["reason"].strip())
    return Compared("win" if (found["better"] == "first") == ours_first else "loss", found["reason"].strip())
