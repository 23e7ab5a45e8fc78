"""How near judging comes to its ideal: the time from the first call to the last, by calls x latency / concurrency.

    python benchmarks/judge_speed.py [--cases 200] [--concurrency 32] [--latency 0.5]

Each case makes one call and then two side by side, as the judged tier does. The judge is scripted and sleeps: in a
quiet run, whose budget is 15 % above the ideal; in one that is interrupted in the middle and started again on the same
cache; and in one in which a fifth of the calls are refused as too many and some connections drop. Then a quiet run
through OpenAI's client and a server of its own process on the loopback interface. In all of them each question must
have been answered once and none be lost.
"""

from __future__ import annotations

import argparse
import json
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from evaluator.judging.asking import Asker
from evaluator.judging.budget import FREE, Budget
from evaluator.judging.cache import Cache, Identity, derive
from evaluator.judging.calls import Call, InvalidReply
from evaluator.judging.pool import converse
from evaluator.judging.requesting import Around, Terms
from evaluator.model.judge import Block, JudgeBusy, JudgeReply, JudgeRequest, TokenUsage

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from evaluator.judging.calls import Conversation
    from evaluator.model.judge import Judge

TEXT = "The warranty of the device covers parts and labour for twenty-four months after delivery. " * 40
"""About what a case's context is in size."""


SCHEMA = {
    "type": "object", "properties": {"of": {"type": "string"}}, "required": ["of"], "additionalProperties": False,
}  # fmt: skip


class Faults(NamedTuple):
    """Shares of calls that are refused as too many, and that lose their connection; and when to interrupt."""

    limited: float = 0.0
    dropped: float = 0.0
    interrupt_at: int | None = None


class CountingJudge:
    """Asks another judge, or answers after its latency; counts how often each question was answered."""

    def __init__(self, latency: float, faults: Faults, other: Judge | None = None) -> None:
        self.answered: Counter[str] = Counter()
        self.asked = 0
        self.first = self.last = 0.0
        self._latency = latency
        self._other = other
        self._faults = faults
        self._random = random.Random(0)  # noqa: S311 - the same faults each time
        self._lock = threading.Lock()

    def ask(self, request: JudgeRequest, timeout: float) -> JudgeReply:
        """Sleep and answer, or fail."""
        with self._lock:
            self.first = self.first or time.perf_counter()
            self.asked += 1
            luck = self._random.random()
            if self.asked == self._faults.interrupt_at:
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        if luck < self._faults.limited:
            raise JudgeBusy("429", limited=True)
        if self._other is None:
            time.sleep(min(timeout, self._latency))
        reply = self._other.ask(request, timeout) if self._other else self._reply(request)
        if luck < self._faults.limited + self._faults.dropped:
            raise JudgeBusy("connection reset")
        question = request.blocks[-1].text
        with self._lock:
            self.answered[question] += 1
            self.last = time.perf_counter()
        return reply

    def _reply(self, request: JudgeRequest) -> JudgeReply:
        return JudgeReply(json.dumps({"of": request.blocks[-1].text}), "stop", "sleeping", TokenUsage(2000, 200))

    def adapted(self) -> Sequence[str]:
        """Nothing."""
        return ()

    def close(self) -> None:
        """Nothing to close."""


def call(question: str) -> Call[str]:
    """A question with a text of some size, whose reply must name it."""

    def read(text: str) -> str:
        said = json.loads(text)["of"]
        if said.startswith("case ") and said != question:
            raise InvalidReply("another question was answered")
        return question

    def put(delimiter: str) -> JudgeRequest:
        return JudgeRequest("of", "system", (Block(f"<<{delimiter}>>{TEXT}"), Block(question)), SCHEMA, 1000)

    return Call(question, "claims", "0" * 64, {"question": question, "text": TEXT}, put, read, lambda *_: put("0"))


def case(name: str) -> Generator[Sequence[Call[Any]], Sequence[Any], list[Any]]:
    """One call, then two side by side."""
    found = list((yield [call(f"{name} claims")]))
    return found + list((yield [call(f"{name} context"), call(f"{name} answer")]))


def conversations(cases: int) -> Iterator[tuple[str, Conversation[list[Any]]]]:
    """The judging of so many cases."""
    return ((f"case {number}", case(f"case {number}")) for number in range(cases))


def judged(judge: CountingJudge, options: argparse.Namespace, file: Path) -> dict[str, list[Any]]:
    """What was found of every case."""
    cache = Cache(file, derive("key"), time.time, print)
    around = Around(time.monotonic, time.time, random.random, lambda _: secrets.token_hex(8))
    budget = Budget(None, FREE, lambda request: len(request.blocks[0].text) // 3)
    asker = Asker(
        judge, Identity("scripted", "sleeping", {}), Terms(options.concurrency, 60.0, 3600.0),
        budget=budget, cache=cache, around=around,
    )  # fmt: skip
    try:
        return converse(conversations(options.cases), asker)
    finally:
        asker.close()
        cache.close()


def run(title: str, faults: Faults, options: argparse.Namespace, other: Judge | None = None) -> None:
    """Print a line about one run, restarted once where it is interrupted.

    Raises:
        SystemExit: a question was lost or answered twice.
    """
    judge, cpu = CountingJudge(options.latency, faults, other), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        found = judged(judge, options, Path(folder) / "cache.sqlite")
        if faults.interrupt_at is not None:
            found = judged(judge, options, Path(folder) / "cache.sqlite")
    asked = {f"case {number} {part}" for number in range(options.cases) for part in ("claims", "context", "answer")}
    if set(judge.answered) != asked or set(judge.answered.values()) != {1}:
        raise SystemExit(f"{title}: not every question was answered once: {judge.answered.most_common(3)}")
    if any(outcome not in asked for outcomes in found.values() for outcome in outcomes):
        raise SystemExit(f"{title}: outcomes were lost")
    seconds, ideal = judge.last - judge.first, len(asked) * options.latency / options.concurrency
    print(f"{title:<44}{judge.asked:7}{seconds:9.2f}{ideal:8.2f}{seconds / ideal:7.2f}{time.process_time() - cpu:7.2f}")


@contextmanager
def served(options: argparse.Namespace) -> Iterator[Judge]:
    """OpenAI's client of a server that runs in a process of its own."""
    from evaluator import judges
    from evaluator.model.judge import JudgeSetting

    script = Path(__file__).parents[1] / "tests" / "fakes" / "llm_server.py"
    command = [sys.executable, str(script), "--any-key", "--latency", str(options.latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        address = server.stdout.readline().strip() if server.stdout else ""
        setting = JudgeSetting("gpt-4o-2024-11-20", "any", f"{address}/v1")
        judge = judges.kind("openai").open(setting)
        # So that what the first call of all learns and imports is not measured.
        judge.ask(call("warm up").put("0"), 60.0)
        yield judge
        judge.close()
        server.terminate()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.5)
    options = parser.parse_args()
    print(f"{'':<44}{'asked':>7}{'seconds':>9}{'ideal':>8}{'ratio':>7}{'CPU':>7}")
    run("quiet (budget: ratio 1.15)", Faults(), options)
    run("interrupted in the middle and restarted", Faults(interrupt_at=options.cases), options)
    run("20 % refused as too many, 2 % dropped", Faults(limited=0.2, dropped=0.02), options)
    with served(options) as judge:
        run("quiet, over HTTP (budget: ratio 1.15)", Faults(), options, judge)


if __name__ == "__main__":
    main()
