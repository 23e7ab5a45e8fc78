"""Drives the judging of many cases at once: the one place with threads that judge."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from evaluator.judging.requesting import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from evaluator.judging.asking import Asker
    from evaluator.judging.calls import Call, Conversation

Found = TypeVar("Found")

CREW = 2
"""Threads for each call that may be made at once: those that wait to try again, read a reply, or wait for the same
question of another case take no call's place."""

PATIENCE = 3.0
"""Seconds that calls under way have to end in after an interrupt: they are paid for, and what they say is kept."""


def converse(
    conversations: Iterable[tuple[str, Conversation[Found]]],
    asker: Asker,
    told: Callable[[], None] = lambda: None,
    ended: Callable[[str, Found], None] = lambda _name, _found: None,
) -> dict[str, Found]:
    """Drive each conversation to its end; what each found, by its name, in the order they came in.

    Conversations that were begun are finished before others begin, so that what a budget or an interrupt leaves is
    whole cases. ``told`` is called after every call and ``ended`` after every conversation, one at a time, in threads
    of ours. After an interrupt (KeyboardInterrupt) all of them still come to an end, without further calls:
    ``asker.stopped`` says so.

    Raises:
        JudgeError: the judge can answer nothing.
        KeyboardInterrupt: a second one came.
        Exception: whatever a conversation, a judge or one of the callbacks raised that is no outcome.
    """
    crew = _Crew(iter(conversations), asker, told, ended)
    try:
        for _ in range(CREW * asker.most):
            threading.Thread(target=crew.work, daemon=True).start()
        crew.over.wait()
    except KeyboardInterrupt:
        asker.stop(INTERRUPTED)
        # It may have come before any thread was there.
        threading.Thread(target=crew.work, daemon=True).start()
        if not crew.over.wait(PATIENCE):
            asker.abandon()
        crew.over.wait()
    if crew.error is not None:
        asker.stop(f"{type(crew.error).__name__}: {crew.error}")
        asker.abandon()
        raise crew.error
    return {name: crew.found[name] for name in crew.names}


class _Talk(Generic[Found]):
    """A conversation that is under way, and the calls that it waits for."""

    def __init__(self, name: str, conversation: Conversation[Found]) -> None:
        self.name = name
        self.conversation = conversation
        self.calls: Sequence[Call[Any]] = ()
        self.outcomes: list[Any] = []
        self.left = 0
        self.began = False

    def go_on(self) -> list[Found]:
        """Take the outcomes and make the next calls known; what was found in a list if this was the end."""
        try:
            calls = self.conversation.send(self.outcomes) if self.began else next(self.conversation)
            while not calls:
                calls = self.conversation.send([])
        except StopIteration as end:
            return [end.value]
        self.began = True
        self.calls, self.outcomes, self.left = calls, [None] * len(calls), len(calls)
        return []


class _Crew(Generic[Found]):
    """Threads that share conversations, and the calls of those that were begun."""

    def __init__(
        self,
        todo: Iterator[tuple[str, Conversation[Found]]],
        asker: Asker,
        told: Callable[[], None],
        ended: Callable[[str, Found], None],
    ) -> None:
        self.over = threading.Event()
        self.error: BaseException | None = None
        self.found: dict[str, Found] = {}
        self.names: list[str] = []
        self._todo = todo
        self._asker = asker
        self._told = told
        self._ended = ended
        self._going: deque[tuple[_Talk[Found], int]] = deque()
        self._underway = 0
        self._more = True
        self._changed = threading.Condition()

    def work(self) -> None:
        """Make one step after the other until none is left."""
        try:
            while (step := self._next()) is not None:
                talk, number = step
                if number < 0 or self._make(talk, number):
                    self._advance(talk)
        except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits for this one
            with self._changed:
                self.error = self.error or error
                self._end()

    def _next(self) -> tuple[_Talk[Found], int] | None:
        """A call of a conversation by its number, or a new conversation and -1; waits where all wait for replies."""
        with self._changed:
            while not self.over.is_set():
                if self._going:
                    return self._going.popleft()
                if (talk := self._begun()) is not None:
                    return talk, -1
                if not self._underway:
                    self._end()
                    break
                self._changed.wait()
            return None

    def _begun(self) -> _Talk[Found] | None:
        new = next(self._todo, None) if self._more else None
        if new is None:
            self._more = False
            return None
        self.names.append(new[0])
        self._underway += 1
        return _Talk(*new)

    def _make(self, talk: _Talk[Found], number: int) -> bool:
        """Make a call; whether it was the last one that its conversation waits for."""
        outcome = self._asker.resolve(talk.calls[number])
        with self._changed:
            talk.outcomes[number] = outcome
            talk.left -= 1
            self._told()
            return not talk.left

    def _advance(self, talk: _Talk[Found]) -> None:
        found = talk.go_on()
        with self._changed:
            if found:
                self._underway -= 1
                self.found[talk.name] = found[0]
                self._ended(talk.name, found[0])
            else:
                self._going.extend((talk, number) for number in range(len(talk.calls)))
            self._changed.notify_all()

    def _end(self) -> None:
        self.over.set()
        self._changed.notify_all()
