"""Gets one reply of a judge: as many attempts as it takes, within limits, budget and deadline."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import tenacity

from evaluator import errors
from evaluator.judging.callers import Callers, Hung
from evaluator.judging.calls import TooMuch
from evaluator.judging.limits import Limiter
from evaluator.judging.patience import Patience
from evaluator.model.counting import counted
from evaluator.model.judge import JudgeBroken, JudgeBusy, JudgeDeclined, JudgeTooLong
from evaluator.model.score import Unscored

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evaluator.judging.budget import Budget
    from evaluator.judging.callers import Wait
    from evaluator.model.judge import Judge, JudgeReply, JudgeRequest
    from evaluator.model.verdicts import Part

INTERRUPTED = "interrupted"

GRACE = 1.0
"""Seconds beyond its timeout after which a call is given up whether it returns or not."""

LONGEST_QUOTE = 200
"""Characters of what a judge or a provider said that a reason repeats."""

LEAST_SECONDS = 0.01

MOST_TOLD = 10
"""Reasons for trying again that are told, each once."""

CENT = 0.01


class Terms(NamedTuple):
    """What the calls are bound to: most at once, seconds for each, seconds for all together."""

    most: int
    timeout: float
    deadline: float


@dataclass(frozen=True)
class Around:
    """What the world outside lends.

    Attributes:
        seconds: a clock that never goes back.
        now: the time in seconds since 1970, for the cache.
        random: a number in [0, 1), for the spread of repeated calls.
        delimiter: a random word that stands nowhere in what a call is about.
        wait: waits for an event.
        log: takes a line for a person who wonders why nothing happens.
    """

    seconds: Callable[[], float]
    now: Callable[[], float]
    random: Callable[[], float]
    delimiter: Callable[[Mapping[str, Any]], str]
    wait: Wait = threading.Event.wait
    log: Callable[[str], None] = lambda _: None


class Ended(Exception):
    """A call that is not made, or not again; ``outcome`` is what comes of it."""

    def __init__(self, outcome: Unscored | TooMuch) -> None:
        self.outcome = outcome
        super().__init__(str(outcome))


class Requester:
    """Asks one judge, from many threads.

    Attributes:
        stopped: why no more calls are made; None while they are.
        answered: how many were answered.
    """

    def __init__(self, judge: Judge, terms: Terms, budget: Budget, around: Around) -> None:
        """The deadline begins to run."""
        self.stopped: str | None = None
        self.answered = 0
        self._judge = judge
        self._terms = terms
        self._budget = budget
        self._around = around
        self._until = around.seconds() + terms.deadline
        self._limiter = Limiter(terms.most, around.seconds)
        self._callers = Callers(around.wait)
        self._halt = threading.Event()
        self._told: set[str] = set()
        self._lock = threading.Lock()

    def stop(self, reason: str) -> None:
        """Begin no call any more; those under way go on. The first reason stands."""
        with self._lock:
            self.stopped = self.stopped or reason
        self._halt.set()
        self._budget.close()
        self._limiter.close()

    def abandon(self) -> None:
        """Go on without the replies of the calls under way."""
        self._callers.abandon()

    def close(self) -> None:
        """End the threads that made calls."""
        self._callers.close()

    def request(self, part: Part, request: JudgeRequest) -> JudgeReply:
        """One reply, however many attempts it takes.

        Raises:
            Ended: there is none.
            JudgeError: there will never be one.
        """
        patience = Patience(self._left, self._around.random, lambda: self.answered, self.answered)
        attempts = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(JudgeBusy), wait=patience.wait, stop=patience.stop, reraise=True,
            sleep=self._sleep, before_sleep=lambda state: self._try_again(part, state),
        )  # fmt: skip
        try:
            return attempts(self._attempt, part, request)
        except JudgeBusy as error:
            tried = counted(attempts.statistics.get("attempt_number", 1), "attempt")
            raise Ended(Unscored(f"no reply from the judge after {tried}: {short(error.reason)}")) from error
        except JudgeTooLong as error:
            raise Ended(TooMuch()) from error
        except JudgeDeclined as error:
            raise Ended(refused(str(error))) from error
        except JudgeBroken as error:
            self.stop(f"the judge cannot be asked: {short(str(error))}")
            raise errors.JudgeError(f"the judge cannot be asked: {error}") from error

    def _try_again(self, part: Part, state: tenacity.RetryCallState) -> None:
        self._budget.count(part, retries=1)
        error = state.outcome.exception() if state.outcome is not None else None
        reason = short(error.reason) if isinstance(error, JudgeBusy) else ""
        with self._lock:
            is_new = bool(reason) and reason not in self._told and len(self._told) < MOST_TOLD
            self._told.add(reason)
        if is_new:
            self._around.log(f"a call to the judge failed and is made again: {reason}")

    def _attempt(self, part: Part, request: JudgeRequest) -> JudgeReply:
        with self._limiter.slot():
            self._await_turn()
            expected = self._budget.expected(part, request)
            if not self._budget.reserve(expected):
                self.stop(f"the budget of {_usd(self._budget.cap)} USD is spent")
                raise self._over()
            reply, lost = None, False
            try:
                reply = self._once(request)
            except Hung as error:
                lost = True
                raise (self._over() if self.stopped else JudgeBusy("it does not answer in time")) from error
            finally:
                self._budget.settle(part, expected, reply and reply.usage, lost=lost)
        with self._lock:
            self.answered += 1
        return reply

    def _once(self, request: JudgeRequest) -> JudgeReply:
        seconds = max(LEAST_SECONDS, min(self._terms.timeout, self._left()))
        try:
            reply = self._callers.call(lambda: self._judge.ask(request, seconds), seconds + GRACE)
        except JudgeBusy as busy:
            if busy.limited:
                self._limiter.limited()
            self._limiter.pause(busy.after or 0.0)
            raise
        self._limiter.answered()
        self._limiter.pause(reply.pause)
        return reply

    def _await_turn(self) -> None:
        """Wait while a provider asks for a pause.

        Raises:
            Ended: no more calls are made, or the pause is longer than there is time.
        """
        while not self.stopped and self._left() > 0 and (rest := self._limiter.rest()) > 0:
            if rest >= self._left():
                raise Ended(Unscored(f"the judge's provider asks for a pause of {rest:,.0f} s, beyond the deadline"))
            self._sleep(rest)
        if self._left() <= 0:
            self.stop(f"the deadline of {self._terms.deadline:,.0f} s has passed")
        if self.stopped:
            raise self._over()

    def _over(self) -> Ended:
        return Ended(Unscored(self.stopped or INTERRUPTED))

    def _sleep(self, seconds: float) -> None:
        self._around.wait(self._halt, seconds)

    def _left(self) -> float:
        return self._until - self._around.seconds()


def refused(said: str) -> Unscored:
    """A judge that will not judge, with what it said."""
    return Unscored(
        f"the judge refused to judge this: {short(said)}" if said.strip() else "the judge refused to judge this"
    )


def short(said: str) -> str:
    """What somebody else said, on one line and not longer than a reason may be."""
    text = " ".join(said.split())
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"


def _usd(cap: float | None) -> str:
    return "no" if cap is None else f"{cap:.2f}" if cap >= CENT else f"{cap:g}"
