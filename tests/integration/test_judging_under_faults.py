"""Judging through a real client and a real server that limits, drops, breaks and restarts."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from evaluator import judges
from evaluator.judging.asking import Asker
from evaluator.judging.budget import ASSUMED, Budget
from evaluator.judging.cache import Cache, Identity, derive, key_of
from evaluator.judging.calls import Call
from evaluator.judging.pool import converse
from evaluator.judging.requesting import Around, Terms
from evaluator.model.judge import Block, Judge, JudgeRequest, JudgeSetting
from tests.fakes.llm_server import BROKEN, DROPPED, KEY, OVERLOADED, RESET, Fault, LlmServer, limited
from tests.judges import talk

FAST = 50
"""How many seconds of the judging's go by in one of ours."""

SCHEMA = {"type": "object", "properties": {"of": {"type": "string"}}, "required": ["of"], "additionalProperties": False}
CASES = 30
IDENTITY = Identity("any", "model-1", {})


def build_call(question: str) -> Call[str]:
    """A question whose reply must name it."""

    def read(text: str) -> str:
        return str(json.loads(text)["of"])

    def put(delimiter: str) -> JudgeRequest:
        return JudgeRequest("of", "Name what you are asked.", (Block(f"{delimiter}\n"), Block(question)), SCHEMA, 100)

    return Call(question, "claims", "p", {"question": question}, put, read, lambda *_: put("0"))


def question_of(body: dict[str, Any]) -> str:
    """What a request over either wire asks."""
    content = body["messages"][-1]["content"]
    text = content if isinstance(content, str) else "".join(part["text"] for part in content)
    return text.strip().rpartition("\n")[2].removeprefix("0" * 16)


def build_asker(judge: Judge, cache: Cache) -> Asker:
    """An asker in fast time."""
    around = Around(
        seconds=lambda: time.monotonic() * FAST, now=time.time, random=lambda: 0.5, delimiter=lambda _: "0" * 16,
        wait=lambda event, seconds: event.wait(seconds / FAST),
    )  # fmt: skip
    budget = Budget(5.0, ASSUMED, lambda _: 100)
    return Asker(judge, IDENTITY, Terms(8, 500.0, 3600.0), budget=budget, cache=cache, around=around)


def open_judge(provider: str, server: LlmServer) -> Judge:
    """The provider's own client."""
    url = server.openai_url if provider == "openai" else server.url
    judge: Judge = judges.kind(provider).open(JudgeSetting("model-1", KEY, url))
    return judge


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_nothing_is_lost_and_nothing_judged_twice(tmp_path: Path, provider: str) -> None:
    """J9: a fifth is 429, half with Retry-After; some are 500 and 529, some connections drop, and it is restarted."""
    faults = {
        number: limited(1 if number % 2 else None) for number in range(3, 200, 5)
    } | {1: RESET, 2: DROPPED, 12: OVERLOADED, 14: BROKEN, 21: DROPPED, 22: RESET}  # fmt: skip
    restart = threading.Event()

    def fault(number: int, _: dict[str, Any]) -> Fault | None:
        if number == 60:
            restart.set()
        return faults.get(number)

    server = LlmServer(brain=lambda asked: {"of": question_of(asked.body)}, latency=0.005, fault=fault)
    cache = Cache(tmp_path / "cache.sqlite", derive(KEY), time.time, print)
    names = [f"case {number}" for number in range(CASES)]
    with server, closing(open_judge(provider, server)) as judge:
        asker = build_asker(judge, cache)
        restarting = threading.Thread(target=lambda: restart.wait(30) and server.restart())
        restarting.start()
        found = converse(
            [
                (name, talk([build_call(f"{name} a")], [build_call(f"{name} {part}") for part in "bc"]))
                for name in names
            ],
            asker,
        )
        restarting.join()
        asker.close()

    assert found == {name: [f"{name} {part}" for part in "abc"] for name in names}
    total = asker.spent().total()
    # A reply that was cut in the middle by the restart had been counted by the server and is asked for again.
    answered = Counter(question_of(call.body) for call in server.answered)
    assert (total.calls, len(answered), asker.spent().stopped) == (90, 90, None)
    assert sum(answered.values()) - 90 <= 8
    assert total.retries >= 20
    assert server.most_at_once <= 8
    assert restart.is_set()
    assert [cache.get(key_of(IDENTITY, build_call(f"{name} c"))) is not None for name in names] == [True] * CASES
    cache.close()
