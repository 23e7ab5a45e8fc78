"""Stand-ins for what judging is handed: a judge that answers by a function, a clock that only the test moves."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, TypeAlias

from evaluator.judging.asking import Asker
from evaluator.judging.budget import FREE, Budget
from evaluator.judging.cache import Cache, Identity
from evaluator.judging.calls import Call, InvalidReply, Refusal
from evaluator.judging.requesting import Around, Terms
from evaluator.model.config import Prices
from evaluator.model.judge import Block, Finish, JudgeReply, JudgeRequest, TokenUsage

IDENTITY = Identity("scripted", "model-1", {"seed": 0})

Answers: TypeAlias = "Callable[[JudgeRequest], JudgeReply]"


def build_reply(
    text: str = '{"verdict": "supported"}',
    finish: Finish = "stop",
    usage: tuple[int, int] = (100, 10),
    pause: float = 0,
) -> JudgeReply:
    """A reply of model-1 as of a day."""
    return JudgeReply(text, finish, "model-1-2026", TokenUsage(*usage), pause)


def read(text: str) -> str:
    """A verdict; what is no JSON is invalid, and a refusal a refusal."""
    if text.startswith("I cannot"):
        raise Refusal(text)
    try:
        return str(json.loads(text)["verdict"])
    except ValueError as error:
        raise InvalidReply("it is no JSON") from error


def build_call(question: str = "q", **fields: Any) -> Call[str]:
    """A call about a question, whose request is the question."""

    def put(delimiter: str) -> JudgeRequest:
        return JudgeRequest("verdict", "system", (Block(f"<<{delimiter}>>"), Block(question)), {}, 1000)

    def mend(delimiter: str, reply: str, problems: Sequence[str]) -> JudgeRequest:
        request = put(delimiter)
        return request._replace(blocks=(*request.blocks, Block(reply), Block(" ".join(problems))))

    base: dict[str, Any] = {
        "case": question, "part": "claims", "prompt": "p1", "given": {"question": question}, "put": put, "read": read,
        "mend": mend,
    }  # fmt: skip
    return Call(**{**base, **fields})


def question_of(request: JudgeRequest) -> str:
    """What :func:`build_call` was about."""
    return request.blocks[1].text


class FakeJudge:
    """Answers by a function and remembers the requests, and how many it was asked at once."""

    def __init__(self, answers: Answers | None = None) -> None:
        self.requests: list[JudgeRequest] = []
        self.timeouts: list[float] = []
        self.most = 0
        self._answers = answers or (lambda _: build_reply())
        self._now = 0
        self._lock = threading.Lock()

    def ask(self, request: JudgeRequest, timeout: float) -> JudgeReply:
        with self._lock:
            self.requests.append(request)
            self.timeouts.append(timeout)
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            return self._answers(request)
        finally:
            with self._lock:
                self._now -= 1

    def adapted(self) -> Sequence[str]:
        return ("no temperature",)

    def close(self) -> None: ...


def scripted(*steps: JudgeReply | Exception) -> Answers:
    """Gives these replies one after the other, or raises them."""
    left = list(steps)

    def answer(_: JudgeRequest) -> JudgeReply:
        step = left.pop(0)
        if isinstance(step, Exception):
            raise step
        return step

    return answer


class FakeTime:
    """A clock that stands still but for waiting: whoever waits for an event that does not come moves it on."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []
        self.hangs: Callable[[], bool] = lambda: False
        self._lock = threading.Lock()

    def seconds(self) -> float:
        return self.now

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """A call in another thread is really waited for, unless it is said to hang."""
        if event in self.sleeping:
            return self._pass(event, seconds)
        while not event.wait(0.001):
            if self.hangs():
                return self._pass(event, seconds)
        return True

    def _pass(self, event: threading.Event, seconds: float) -> bool:
        with self._lock:
            if not event.is_set():
                self.waits.append(seconds)
                self.now += seconds
        return event.is_set()

    sleeping: set[threading.Event] = set()  # noqa: RUF012 - each instance gets its own in build_asker


def build_asker(
    judge: FakeJudge,
    *,
    time: FakeTime | None = None,
    cache: Cache | None = None,
    cap: float | None = None,
    prices: Prices = FREE,
    **terms: Any,
) -> Asker:
    """An asker with a clock of the test's, and requests that are taken for a hundred tokens."""
    time = time or FakeTime()
    around = Around(time.seconds, lambda: 1000.0 + time.now, lambda: 0.0, _delimiter, time.wait)
    budget = Budget(cap, prices, lambda _: 100)
    given = Terms(**{"most": 4, "timeout": 60.0, "deadline": 3600.0, **terms})
    asker = Asker(judge, IDENTITY, given, budget=budget, cache=cache, around=around)
    time.sleeping = {asker._requester._halt}
    return asker


def _delimiter(given: Mapping[str, Any]) -> str:
    return "f" * 16 if "0" * 16 in json.dumps(given) else "0" * 16


def talk(*rounds: Sequence[Call[Any]]) -> Generator[Sequence[Call[Any]], Sequence[Any], list[Any]]:
    """A conversation that makes these calls round by round and finds their outcomes."""
    found: list[Any] = []
    for calls in rounds:
        found.extend((yield calls))
    return found
