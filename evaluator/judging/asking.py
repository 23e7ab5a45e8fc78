"""Makes the calls: from the cache, else within budget, limits and deadline; again where that helps, repaired once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.judging.cache import Entry, key_of
from evaluator.judging.calls import InvalidReply, Refusal, TooMuch
from evaluator.judging.flights import Flights
from evaluator.judging.requesting import Ended, Requester, refused, short
from evaluator.model.counting import counted
from evaluator.model.score import Unscored
from evaluator.model.spent import Spent

if TYPE_CHECKING:
    from evaluator.judging.budget import Budget
    from evaluator.judging.cache import Cache, Identity
    from evaluator.judging.calls import Call, Outcome
    from evaluator.judging.requesting import Around, Terms
    from evaluator.model.judge import Judge, JudgeReply, JudgeRequest
    from evaluator.model.verdicts import Part


class _Given(NamedTuple):
    """What became of a call for all who ask it at once: an accepted reply's text, or why there is none."""

    text: str | None
    outcome: Any


class _Faulty(Exception):
    """A reply that a repair may mend: the request to make instead, and the reason if that fails too."""

    def __init__(self, instead: JudgeRequest, reason: str) -> None:
        self.instead = instead
        self.reason = reason
        super().__init__(reason)


class Asker:
    """Makes the calls of one run to one judge, from many threads.

    Attributes:
        budget: what it costs.
        most: how many calls are made at once.
    """

    def __init__(
        self, judge: Judge, identity: Identity, terms: Terms, *, budget: Budget, cache: Cache | None, around: Around
    ) -> None:
        """The deadline begins to run."""
        self.budget = budget
        self.most = terms.most
        self._judge = judge
        self._identity = identity
        self._cache = cache
        self._around = around
        self._requester = Requester(judge, terms, budget, around)
        self._flights: Flights[_Given] = Flights()
        self._models: set[str] = set()
        self._adapted: set[str] = set()
        self._lock = threading.Lock()

    @property
    def stopped(self) -> str | None:
        """Why no more calls are made; None while they are."""
        return self._requester.stopped

    def resolve(self, call: Call[Any]) -> Outcome[Any]:
        """What becomes of a call, which is asked once however many ask for it at the same time.

        Raises:
            JudgeError: the judge can answer nothing; no more calls are made.
        """
        key = key_of(self._identity, call)
        given, mine = self._flights.once(key, lambda: self._given(call, key))
        if mine or given.text is None:
            return given.outcome
        try:
            found = call.read(given.text)
        except (InvalidReply, Refusal):
            # Good enough for the other case, and not for this one: it gets a repair of its own.
            return self._given(call, key).outcome
        self.budget.count(call.part, cached=1)
        return found

    def stop(self, reason: str) -> None:
        """Begin no call any more; those under way go on. The first reason stands."""
        self._requester.stop(reason)

    def abandon(self) -> None:
        """Go on without the replies of the calls under way."""
        self._requester.abandon()

    def close(self) -> None:
        """End what was started to make calls. Judge and cache belong to those who opened them."""
        self._requester.close()

    def spent(self) -> Spent:
        """What all of it took so far."""
        ignored = 0 if self._cache is None else self._cache.ignored
        return Spent(parts=dict(self.budget.tallies()), stopped=self.stopped, ignored=ignored)

    def models(self) -> tuple[str, ...]:
        """The models that answered, as the provider named them, cached replies included; sorted."""
        with self._lock:
            return tuple(sorted(self._models))

    def adapted(self) -> tuple[str, ...]:
        """What the judge would not take, now or when a cached reply was given; sorted."""
        with self._lock:
            return tuple(sorted(self._adapted.union(self._judge.adapted())))

    def _given(self, call: Call[Any], key: bytes) -> _Given:
        entry = None if self._cache is None else self._cache.get(key)
        if entry is not None:
            try:
                found = call.read(entry.text)
            except (InvalidReply, Refusal):
                # It was accepted by rules that have become stricter since.
                pass
            else:
                self._note(entry.model, entry.adapted)
                self.budget.count(call.part, cached=1)
                return _Given(entry.text, found)
        try:
            reply, found = self._judged(call)
        except Ended as ended:
            return _Given(None, ended.outcome)
        self._keep(call, key, reply)
        return _Given(reply.text, found)

    def _judged(self, call: Call[Any]) -> tuple[JudgeReply, Any]:
        """A reply and what it means, from the first try or from the one repair."""
        delimiter = self._around.delimiter(call.given)
        request = call.put(delimiter)
        reply = self._asked(call.part, request)
        try:
            return reply, self._read(call, reply, request, delimiter)
        except _Faulty as fault:
            again, reason = fault.instead, fault.reason
        self.budget.count(call.part, repairs=1)
        try:
            reply = self._asked(call.part, again)
            return reply, self._read(call, reply, again, delimiter)
        except _Faulty as fault:
            raise Ended(Unscored(f"{fault.reason}, twice" if fault.reason == reason else fault.reason)) from fault
        except Ended as ended:
            # That the repair is too long says nothing of the question itself.
            if isinstance(ended.outcome, TooMuch):
                raise Ended(Unscored(reason)) from ended
            raise

    def _asked(self, part: Part, request: JudgeRequest) -> JudgeReply:
        reply = self._requester.request(part, request)
        # Who answered is known of replies that nobody can use, too.
        self._note(reply.model)
        return reply

    def _read(self, call: Call[Any], reply: JudgeReply, request: JudgeRequest, delimiter: str) -> Any:
        if reply.finish == "length":
            cut = f"the judge's reply was cut off at {counted(request.room, 'token')}"
            raise _Faulty(request._replace(room=2 * request.room), cut)
        if reply.finish == "refusal":
            raise Ended(refused(reply.text))
        try:
            return call.read(reply.text)
        except Refusal as error:
            raise Ended(refused(str(error))) from error
        except InvalidReply as error:
            if delimiter in reply.text:
                # A judge that repeats the delimiter must not end the block that its own reply is shown in.
                delimiter = self._around.delimiter({**call.given, "reply": reply.text})
            mended = call.mend(delimiter, reply.text, error.problems)
            raise _Faulty(mended, f"the judge's reply was not what was asked for: {short(str(error))}") from error

    def _keep(self, call: Call[Any], key: bytes, reply: JudgeReply) -> None:
        if self._cache is not None:
            adapted = tuple(sorted(self._judge.adapted()))
            entry = Entry(call.part, reply.text, reply.finish, reply.model, reply.usage, adapted, self._around.now())
            self._cache.put(key, entry)

    def _note(self, model: str, adapted: tuple[str, ...] = ()) -> None:
        with self._lock:
            self._models.add(model)
            self._adapted.update(adapted)
