"""How long to wait before a call is made again, and when to give it up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluator.model.judge import JudgeBusy

if TYPE_CHECKING:
    from collections.abc import Callable

    import tenacity

FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0

MOST_FAULTS = 10
"""How often a call may fail while others are answered: then the fault is its own. While none is answered the provider
is down, and only the deadline ends the waiting; that it was one too many is never a call's own fault."""


@dataclass
class Patience:
    """What tenacity asks about one call.

    Attributes:
        left: seconds until the deadline.
        random: a number in [0, 1).
        answered: how many calls were answered so far, of all.
        before: how many had been when this call was first made.
        faults: how often it failed for anything but being one too many.
    """

    left: Callable[[], float]
    random: Callable[[], float]
    answered: Callable[[], int]
    before: int
    faults: int = 0

    def wait(self, state: tenacity.RetryCallState) -> float:
        """Seconds before the next attempt: what the provider says, else twice as long each time; never the same."""
        told = told_by(state)
        if told is not None:
            return told + self.random() * FIRST_WAIT
        # An exponent that grew without end would overflow long before the deadline.
        longest = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(state.attempt_number - 1, 16))
        return longest * (0.5 + 0.5 * self.random())

    def stop(self, state: tenacity.RetryCallState) -> bool:
        """Whether to give up: the next attempt would come too late, or the fault is this call's own."""
        error = state.outcome.exception() if state.outcome is not None else None
        self.faults += not (isinstance(error, JudgeBusy) and error.limited)
        own = self.faults >= MOST_FAULTS and self.answered() > self.before
        return own or state.upcoming_sleep >= self.left()


def told_by(state: tenacity.RetryCallState) -> float | None:
    """The seconds that a provider asked to wait, None where it did not say or what it said is no time."""
    error = state.outcome.exception() if state.outcome is not None else None
    after = error.after if isinstance(error, JudgeBusy) else None
    return after if after is not None and not math.isnan(after) and after >= 0 else None
