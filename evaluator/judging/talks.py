"""Conversations put together: one call as a conversation, and several that go on side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from evaluator.judging.calls import TooMuch
from evaluator.model.score import Unscored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluator.judging.calls import Call, Conversation

Found = TypeVar("Found")

TOO_MUCH = Unscored("it is more than the judge takes at once")


def one(call: Call[Found]) -> Conversation[Found | Unscored]:
    """Make one call that cannot be asked in smaller parts."""
    (outcome,) = yield [call]
    return TOO_MUCH if isinstance(outcome, TooMuch) else outcome


def nothing(found: Found) -> Conversation[Found]:
    """A conversation that needs no call."""
    yield from ()
    return found


def together(*talks: Conversation[Any]) -> Conversation[list[Any]]:
    """Go on with several conversations side by side, round by round; what each found, in their order."""
    found: list[Any] = [None] * len(talks)
    waiting: dict[int, Sequence[Call[Any]]] = {}

    def go_on(place: int, outcomes: Sequence[Any] | None) -> None:
        try:
            waiting[place] = talks[place].send(outcomes)  # type: ignore[arg-type] # None starts a generator
        except StopIteration as end:
            found[place] = end.value

    for place in range(len(talks)):
        go_on(place, None)
    while waiting:
        asked, waiting = waiting, {}
        outcomes = list((yield [call for calls in asked.values() for call in calls]))
        for place, calls in asked.items():
            mine, outcomes = outcomes[: len(calls)], outcomes[len(calls) :]
            go_on(place, mine)
    return found
