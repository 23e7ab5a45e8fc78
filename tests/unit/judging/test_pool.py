from __future__ import annotations

import random
import signal
import threading
from collections import Counter
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import errors
from evaluator.judging.cache import Cache, derive
from evaluator.judging.calls import TooMuch
from evaluator.judging.pool import converse
from evaluator.model.config import Prices
from evaluator.model.judge import (
    JudgeBroken,
    JudgeBusy,
    JudgeDeclined,
    JudgeReply,
    JudgeRequest,
    JudgeTooLong,
    TokenUsage,
)
from evaluator.model.score import Unscored
from tests.judges import FakeJudge, FakeTime, build_asker, build_call, build_reply, question_of, talk

FAULTS = (
    None, None, JudgeBusy("reset"), JudgeBusy("429", limited=True), JudgeBusy("429", 3.0, limited=True),
    JudgeTooLong("long"), JudgeDeclined("no"), "nonsense", "refusal", "cut",
)  # fmt: skip


def verdict(request: JudgeRequest) -> JudgeReply:
    """A reply that names the question, so that one that went astray is seen."""
    return build_reply(f'{{"verdict": "{question_of(request)}"}}')


def three_calls(name: str) -> Generator[Sequence[Any], Sequence[Any], list[Any]]:
    """A call, and then two side by side."""
    return talk([build_call(f"{name} a")], [build_call(f"{name} b"), build_call(f"{name} c")])


class TestDriving:
    """Many conversations at once."""

    def test_each_conversation_gets_its_own_outcomes_in_order(self) -> None:
        """Forty conversations of three calls: none gets another one's, and they come back as they came in."""
        names = [f"case {number}" for number in range(40)]
        judge = FakeJudge(verdict)
        found = converse([(name, three_calls(name)) for name in names], build_asker(judge))

        assert found == {name: [f"{name} a", f"{name} b", f"{name} c"] for name in names}
        assert list(found) == names
        assert (len(judge.requests), judge.most <= 4) == (120, True)

    def test_a_conversation_without_a_call_ends_at_once(self) -> None:
        """An empty answer is judged without asking, and so is a round of no calls."""
        assert converse([("none", talk()), ("empty", talk([], []))], build_asker(FakeJudge())) == {
            "none": [], "empty": [],
        }  # fmt: skip

    def test_no_conversations_are_no_work(self) -> None:
        """A set of which nothing is judged ends."""
        assert converse([], build_asker(FakeJudge())) == {}

    def test_what_was_begun_is_finished_first(self) -> None:
        """N5: one call at a time, and money for four: the first case is whole, and not every case begun."""
        judge = FakeJudge(verdict)
        converse([(name, three_calls(name)) for name in "xyz"], build_asker(judge, most=1))
        rank = {question_of(request): place for place, request in enumerate(judge.requests)}

        # Two threads may begin two cases; the third begins only when nothing of these is left to begin.
        assert rank["z a"] > min(rank["x c"], rank["y c"])

    def test_the_ends_of_calls_and_conversations_are_told(self) -> None:
        """What progress is shown by."""
        calls, ends = [], []
        converse(
            [(name, three_calls(name)) for name in "xyz"], build_asker(FakeJudge(verdict)),
            lambda: calls.append(1), lambda name, found: ends.append((name, len(found))),
        )  # fmt: skip

        assert (len(calls), sorted(ends)) == (9, [("x", 3), ("y", 3), ("z", 3)])

    @given(data=st.data())
    @settings(max_examples=60, deadline=None)
    def test_whatever_happens_each_call_has_one_outcome(self, data: st.DataObject) -> None:
        """Property: faults of any kind in any order give every call of every conversation exactly one outcome."""
        shapes = data.draw(st.lists(st.lists(st.integers(0, 3), max_size=3), max_size=6))
        seed = data.draw(st.integers(0, 2**32))
        source, lock, sent = random.Random(seed), threading.Lock(), Counter[str]()  # noqa: S311 - the same faults for the seed

        def answer(request: JudgeRequest) -> JudgeReply:
            with lock:
                fault = source.choice(FAULTS)
                sent[question_of(request)] += 1
            if isinstance(fault, Exception):
                raise fault
            finish = "length" if fault == "cut" else "refusal" if fault == "refusal" else "stop"
            return verdict(request) if fault is None else build_reply("what?", finish)

        rounds = {
            f"t{place}": [
                [build_call(f"t{place} {at} {each}") for each in range(size)] for at, size in enumerate(shape)
            ]
            for place, shape in enumerate(shapes)
        }
        found = converse([(name, talk(*each)) for name, each in rounds.items()], build_asker(FakeJudge(answer)))

        for name, each in rounds.items():
            questions = [call.case for calls in each for call in calls]
            assert len(found[name]) == len(questions)
            assert all(
                outcome == question or isinstance(outcome, Unscored | TooMuch)
                for question, outcome in zip(questions, found[name], strict=True)
            )
        assert set(sent) == {call.case for each in rounds.values() for calls in each for call in calls}


class TestEnds:
    """Whatever a judge, a conversation or a person does, it ends."""

    def test_a_judge_that_cannot_be_asked_is_one_error(self) -> None:
        """Of a hundred cases with a wrong key few calls are made, and one sentence comes of it."""

        def answer(_: JudgeRequest) -> JudgeReply:
            raise JudgeBroken("no such model")

        judge = FakeJudge(answer)
        with pytest.raises(errors.JudgeError, match="the judge cannot be asked: no such model"):
            converse([(str(number), three_calls(str(number))) for number in range(100)], build_asker(judge))
        assert len(judge.requests) <= 8

    def test_a_fault_of_the_program_is_not_hidden(self) -> None:
        """An exception that is no outcome comes out as it is."""

        def broken() -> Generator[Sequence[Any], Sequence[Any], list[Any]]:
            yield [build_call()]
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            converse([("a", broken()), ("b", three_calls("b"))], build_asker(FakeJudge()))

    def test_a_fault_of_a_provider_is_not_hidden(self) -> None:
        """A client that raises what the seam does not know is a bug and no verdict."""

        def answer(_: JudgeRequest) -> JudgeReply:
            raise TypeError("unexpected")

        with pytest.raises(TypeError, match="unexpected"):
            converse([("a", three_calls("a"))], build_asker(FakeJudge(answer)))

    def test_a_call_that_hangs_for_ever_costs_its_own_case(self) -> None:
        """J10: it never returns and ignores its timeout; four attempts until the deadline, and all else is kept."""
        time, release, judged = FakeTime(), threading.Event(), list[str]()

        def answer(request: JudgeRequest) -> JudgeReply:
            if question_of(request) == "q2 b":
                release.wait(30)
            else:
                judged.append(question_of(request))
            return verdict(request)

        time.hangs = lambda: len(judged) == 14
        asker = build_asker(FakeJudge(answer), time=time, deadline=200.0)
        names = [f"q{number}" for number in range(5)]
        found = converse([(name, three_calls(name)) for name in names], asker)
        release.set()

        late = Unscored("no reply from the judge after 4 attempts: it does not answer in time")
        assert found == {
            name: [f"{name} a", late if name == "q2" else f"{name} b", f"{name} c"] for name in names
        }  # fmt: skip
        # 61 s three times with 0.5, 1 and 2 s between, and then what is left of 200 s and one second.
        assert time.now == pytest.approx(201.0)

    def test_a_spent_budget_leaves_whole_cases(self) -> None:
        """N5: money for ten calls at one USD each: ten are made, and most of the begun cases are whole."""
        judge = FakeJudge(lambda request: verdict(request)._replace(usage=TokenUsage(500_000, 500_000)))
        prices = Prices.model_construct(input=1.0, output=1.0, cached=None)
        asker = build_asker(judge, cap=10.0, prices=prices, most=1)
        found = converse([(name, three_calls(name)) for name in "abcdefgh"], asker)
        spent = Unscored("the budget of 10.00 USD is spent")

        assert len(judge.requests) == 10
        assert asker.spent().total().usd == pytest.approx(10.0)
        assert sum(outcome == spent for outcomes in found.values() for outcome in outcomes) == 14
        assert sum(spent not in outcomes for outcomes in found.values()) >= 2

    def test_an_interrupt_keeps_what_is_done(self, tmp_path: Path) -> None:
        """J11: what was judged is found and in the cache, the rest is unscored, and the next run asks only for that."""
        file = tmp_path / "cache.sqlite"
        names = [f"q{number}" for number in range(20)]

        def answer(request: JudgeRequest) -> JudgeReply:
            if question_of(request) == "q3 b":
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
                # Until the main thread has seen it, this call is under way: its reply is kept.
                asker._requester._halt.wait(10)
            return verdict(request)

        cache = Cache(file, derive("key"), lambda: 0.0, print)
        asker = build_asker(FakeJudge(answer), cache=cache, most=1)
        found = converse([(name, three_calls(name)) for name in names], asker)
        cache.close()
        assert found["q0"] == ["q0 a", "q0 b", "q0 c"]
        assert found["q3"][1] == "q3 b"
        assert found["q19"] == [Unscored("interrupted")] * 3
        assert asker.spent().stopped == "interrupted"
        done = asker.spent().total().calls

        judge = FakeJudge(verdict)
        again = converse(
            [(name, three_calls(name)) for name in names],
            build_asker(judge, cache=Cache(file, derive("key"), lambda: 0.0, print)),
        )
        assert again == {name: [f"{name} {part}" for part in "abc"] for name in names}
        assert len(judge.requests) == 60 - done

    def test_an_interrupt_does_not_wait_for_a_call_that_hangs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """J10, J11: its case is unscored, and the run is over."""
        monkeypatch.setattr("evaluator.judging.pool.PATIENCE", 0.0)
        release = threading.Event()

        def answer(_: JudgeRequest) -> JudgeReply:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            release.wait(10)
            return build_reply()

        found = converse([("a", talk([build_call()]))], build_asker(FakeJudge(answer)))
        release.set()

        assert found == {"a": [Unscored("interrupted")]}
