from __future__ import annotations

import threading

import pytest

from evaluator import errors
from evaluator.judging.calls import InvalidReply, TooMuch
from evaluator.model.config import Prices
from evaluator.model.judge import JudgeBroken, JudgeBusy, JudgeDeclined, JudgeReply, JudgeRequest, JudgeTooLong
from evaluator.model.score import Unscored
from evaluator.model.spent import PartSpent
from tests.judges import FakeJudge, FakeTime, build_asker, build_call, build_reply, question_of, scripted

NONSENSE = build_reply("supported, I would say")
CUT = build_reply('{"verdict": "supp', "length")


class TestReplies:
    """What comes of what a judge says."""

    def test_a_reply_is_read(self) -> None:
        """The outcome is what the call's own reading finds."""
        assert build_asker(FakeJudge()).resolve(build_call()) == "supported"

    def test_an_invalid_reply_is_repaired_once(self) -> None:
        """The second request holds the first reply and what was wrong with it."""
        judge = FakeJudge(scripted(NONSENSE, build_reply()))
        asker = build_asker(judge)

        assert asker.resolve(build_call()) == "supported"
        assert [block.text for block in judge.requests[1].blocks[-2:]] == [NONSENSE.text, "it is no JSON"]
        assert asker.spent().total() == PartSpent(calls=2, repairs=1, read=200, written=20)

    def test_an_invalid_repair_is_unscored(self) -> None:
        """Nothing is asked a third time, and nothing is guessed."""
        judge = FakeJudge(scripted(NONSENSE, NONSENSE))

        assert build_asker(judge).resolve(build_call()) == Unscored(
            "the judge's reply was not what was asked for: it is no JSON, twice"
        )

    def test_a_reply_that_was_cut_off_is_asked_for_with_twice_the_room(self) -> None:
        """J2: a reply at the token limit is never scored on what came; the same is asked again with more room."""
        judge = FakeJudge(scripted(CUT, build_reply()))
        found = build_asker(judge).resolve(build_call())

        first, second = judge.requests
        assert (found, second) == ("supported", first._replace(room=2000))

    def test_a_reply_that_is_whole_but_was_cut_off_is_not_believed(self) -> None:
        """J2: three of eight verdicts can be valid JSON."""
        judge = FakeJudge(scripted(build_reply(finish="length"), build_reply(finish="length")))

        assert build_asker(judge).resolve(build_call()) == Unscored("the judge's reply was cut off at 2,000 tokens")

    @pytest.mark.parametrize(
        "reply", [build_reply("I cannot help with that."), build_reply("I cannot help with that.", "refusal")]
    )
    def test_a_refusal_is_named_and_not_repaired(self, reply: JudgeReply) -> None:
        """J5: a judge that will not judge gives no verdict, and is not pressed."""
        judge = FakeJudge(scripted(reply))

        assert build_asker(judge).resolve(build_call()) == Unscored(
            "the judge refused to judge this: I cannot help with that."
        )

    def test_a_delimiter_that_the_judge_repeats_does_not_fence_its_reply(self) -> None:
        """The repair is fenced by another one."""
        judge = FakeJudge(scripted(build_reply("0" * 16), build_reply()))
        build_asker(judge).resolve(build_call())

        assert [request.blocks[0].text for request in judge.requests] == [f"<<{'0' * 16}>>", f"<<{'f' * 16}>>"]

    def test_what_the_model_does_not_take_at_once_is_to_be_split(self) -> None:
        """J8: the conversation is told, and asks for less."""
        assert build_asker(FakeJudge(scripted(JudgeTooLong("9,000 tokens")))).resolve(build_call()) == TooMuch()

    def test_a_repair_that_is_too_long_is_the_first_fault(self) -> None:
        """The question itself fitted, so splitting it is no remedy."""
        judge = FakeJudge(scripted(NONSENSE, JudgeTooLong("9,000 tokens")))

        assert build_asker(judge).resolve(build_call()) == Unscored(
            "the judge's reply was not what was asked for: it is no JSON"
        )

    def test_a_declined_call_is_a_refusal(self) -> None:
        """J5: a provider's content filter leaves this one call unscored."""
        judge = FakeJudge(scripted(JudgeDeclined("content filter"), build_reply()))
        asker = build_asker(judge)

        assert asker.resolve(build_call()) == Unscored("the judge refused to judge this: content filter")
        assert asker.resolve(build_call()) == "supported"

    def test_a_judge_that_cannot_be_asked_ends_everything(self) -> None:
        """A wrong key is one sentence and no further call."""
        judge = FakeJudge(scripted(JudgeBroken("the key is not valid (401)")))
        asker = build_asker(judge)

        with pytest.raises(errors.JudgeError, match=r"the judge cannot be asked: the key is not valid \(401\)"):
            asker.resolve(build_call())
        assert asker.resolve(build_call("other")) == Unscored("the judge cannot be asked: the key is not valid (401)")
        assert len(judge.requests) == 1


class TestTryingAgain:
    """J9."""

    def test_a_dropped_connection_is_tried_again_later_and_later(self) -> None:
        """J9: without a word of the provider's the wait doubles; half of it is chance, which is none here."""
        time = FakeTime()
        judge = FakeJudge(scripted(*(JudgeBusy("connection reset") for _ in range(4)), build_reply()))
        asker = build_asker(judge, time=time)

        assert asker.resolve(build_call()) == "supported"
        assert time.waits == [0.5, 1.0, 2.0, 4.0]
        assert asker.spent().total() == PartSpent(calls=1, retries=4, read=100, written=10)

    def test_a_pause_that_is_asked_for_is_kept(self) -> None:
        """J9: after Retry-After no call begins, neither this one nor another."""
        time = FakeTime()
        asked: list[tuple[str, float]] = []

        def answer(request: JudgeRequest) -> JudgeReply:
            asked.append((question_of(request), time.now))
            if len(asked) == 1:
                raise JudgeBusy("429", after=20, limited=True)
            return build_reply()

        asker = build_asker(FakeJudge(answer), time=time, deadline=100.0)
        asker.resolve(build_call("a"))
        asker.resolve(build_call("b"))

        assert asked == [("a", 0.0), ("a", 20.0), ("b", 20.0)]

    def test_a_pause_that_a_reply_asks_for_is_kept(self) -> None:
        """Limit headers that say the next call would be refused spare that call."""
        time = FakeTime()
        asker = build_asker(FakeJudge(scripted(build_reply(pause=7), build_reply())), time=time)
        asker.resolve(build_call("a"))
        asker.resolve(build_call("b"))

        assert time.waits == [7.0]

    def test_a_fault_that_never_ends_ends_at_the_deadline(self) -> None:
        """J9: 5xx for ever is unscored with its reason, within the deadline."""
        time = FakeTime()

        def answer(_: JudgeRequest) -> JudgeReply:
            raise JudgeBusy("503")

        asker = build_asker(FakeJudge(answer), time=time, deadline=600.0)
        found = asker.resolve(build_call())

        # 0.5, 1, 2, 4, 8, 16 and then 30 each time: 31.5 + 18 x 30 = 571.5, and one more would be too late.
        assert found == Unscored("no reply from the judge after 25 attempts: 503")
        assert time.now == 571.5

    def test_a_call_that_alone_fails_is_given_up_before(self) -> None:
        """Ten failures while others are answered are the call's own; nobody waits an hour for it."""
        time = FakeTime()
        count = [0]

        def answer(_: JudgeRequest) -> JudgeReply:
            count[0] += 1
            if count[0] == 5:
                asker._requester.answered += 1
            raise JudgeBusy("500")

        asker = build_asker(FakeJudge(answer), time=time)

        assert asker.resolve(build_call("bad")) == Unscored("no reply from the judge after 10 attempts: 500")

    def test_a_call_that_is_one_too_many_again_and_again_is_not_given_up(self) -> None:
        """J9: at a low limit a call may have to come thirty times while others are answered."""
        count = [0]

        def answer(request: JudgeRequest) -> JudgeReply:
            count[0] += question_of(request) == "late"
            if question_of(request) == "late" and count[0] <= 30:
                asker._requester.answered += 1
                raise JudgeBusy("429", limited=True)
            return build_reply()

        asker = build_asker(FakeJudge(answer))

        assert asker.resolve(build_call("late")) == "supported"

    def test_a_pause_beyond_the_deadline_is_not_waited_for(self) -> None:
        """A quota that is empty until tomorrow ends the run now."""
        time = FakeTime()
        judge = FakeJudge(scripted(JudgeBusy("429", after=86_400, limited=True)))
        asker = build_asker(judge, time=time)

        assert asker.resolve(build_call("a")) == Unscored("no reply from the judge after 1 attempt: 429")
        assert asker.resolve(build_call("b")) == Unscored(
            "the judge's provider asks for a pause of 86,400 s, beyond the deadline"
        )
        assert time.now == 0

    def test_a_refusal_for_being_too_many_slows_down(self) -> None:
        """J9: after 429 fewer are asked at once, after 503 as many as before."""
        asker = build_asker(FakeJudge(scripted(JudgeBusy("503"), build_reply())), most=16)
        asker.resolve(build_call())
        untouched = asker._requester._limiter.limit
        asker = build_asker(FakeJudge(scripted(JudgeBusy("429", limited=True), build_reply())), most=16)
        asker.resolve(build_call())

        assert (untouched, asker._requester._limiter.limit) == (16, 15)


class TestHanging:
    """J10."""

    def test_a_call_that_ignores_its_timeout_is_given_up_and_made_again(self) -> None:
        """J10: one that never returns keeps nobody waiting; what it may have cost is counted as it was expected."""
        time, release, hanging = FakeTime(), threading.Event(), threading.Event()

        def answer(_: JudgeRequest) -> JudgeReply:
            if not hanging.is_set():
                hanging.set()
                release.wait(10)
            return build_reply()

        judge = FakeJudge(answer)
        time.hangs = lambda: hanging.is_set() and len(judge.requests) == 1
        asker = build_asker(judge, time=time, prices=Prices.model_construct(input=1.0, output=1.0, cached=None))
        found = asker.resolve(build_call())
        release.set()

        assert found == "supported"
        assert time.waits == [61.0, 0.5]
        # 100 tokens and 400 for a first reply were expected of the lost one; 110 were used by the other.
        assert asker.spent().total().usd == pytest.approx(500e-6 + 110e-6)

    def test_a_call_gets_no_more_time_than_is_left(self) -> None:
        """J10: the timeout of the last calls is what is left of the deadline."""
        time = FakeTime()
        judge = FakeJudge()
        asker = build_asker(judge, time=time, deadline=100.0)
        asker.resolve(build_call("a"))
        time.now = 70.0
        asker.resolve(build_call("b"))

        assert judge.timeouts == [60.0, 30.0]

    def test_nothing_begins_after_the_deadline(self) -> None:
        """J10: what is left is unscored and says why."""
        time = FakeTime()
        judge = FakeJudge()
        asker = build_asker(judge, time=time, deadline=100.0)
        time.now = 100.0

        assert asker.resolve(build_call()) == Unscored("the deadline of 100 s has passed")
        assert (judge.requests, asker.spent().stopped) == ([], "the deadline of 100 s has passed")


class TestMoney:
    """The hard cap."""

    def test_a_spent_budget_stops_all_that_follows(self) -> None:
        """N5: at 1 USD a token, 0.25 USD a call, four calls fit into one dollar; the rest is unscored."""
        judge = FakeJudge(lambda _: build_reply(usage=(150_000, 100_000)))
        prices = Prices.model_construct(input=1.0, output=1.0, cached=None)
        asker = build_asker(judge, cap=1.0, prices=prices)
        found = [asker.resolve(build_call(f"q{number}")) for number in range(200)]

        assert found == ["supported"] * 4 + [Unscored("the budget of 1.00 USD is spent")] * 196
        assert asker.spent().total().usd == pytest.approx(1.0)
        assert asker.spent().stopped == "the budget of 1.00 USD is spent"

    def test_a_budget_below_one_call_asks_nothing(self) -> None:
        """N5: 0.0001 USD is less than the first call is expected to cost."""
        judge = FakeJudge()
        asker = build_asker(judge, cap=0.0001, prices=Prices.model_construct(input=3.0, output=15.0, cached=None))

        assert asker.resolve(build_call()) == Unscored("the budget of 0.0001 USD is spent")
        assert judge.requests == []


class TestTheSameQuestionTwice:
    """Single flight."""

    def test_two_that_ask_at_once_are_one_call(self) -> None:
        """The second waits for the first, reads the reply in its own way, and counts as cached."""
        asked, release = threading.Event(), threading.Event()

        def answer(_: JudgeRequest) -> JudgeReply:
            asked.set()
            release.wait(10)
            return build_reply()

        judge = FakeJudge(answer)
        asker = build_asker(judge)
        found: list[object] = []
        one = threading.Thread(target=lambda: found.append(asker.resolve(build_call())))
        two = threading.Thread(target=lambda: found.append(asker.resolve(build_call(read=len))))
        one.start()
        assert asked.wait(10)
        two.start()
        [flight] = asker._flights._open.values()
        while not flight.over._cond._waiters:  # type: ignore[attr-defined]
            pass
        release.set()
        one.join(10)
        two.join(10)

        assert sorted(found, key=str) == [24, "supported"]
        assert (len(judge.requests), asker.spent().total().cached) == (1, 1)

    def test_a_reply_that_only_the_first_can_read_is_asked_for_again(self) -> None:
        """Each reads for itself: what one accepts may be invalid for the other, which then asks and repairs alone."""
        asked, release = threading.Event(), threading.Event()

        def answer(_: JudgeRequest) -> JudgeReply:
            asked.set()
            release.wait(10)
            return build_reply()

        def refuse(_: str) -> str:
            raise InvalidReply("no such chunk")

        judge = FakeJudge(answer)
        asker = build_asker(judge)
        found: list[object] = []
        one = threading.Thread(target=lambda: asker.resolve(build_call()))
        two = threading.Thread(target=lambda: found.append(asker.resolve(build_call(read=refuse))))
        one.start()
        assert asked.wait(10)
        two.start()
        [flight] = asker._flights._open.values()
        while not flight.over._cond._waiters:  # type: ignore[attr-defined]
            pass
        release.set()
        one.join(10)
        two.join(10)

        assert found == [Unscored("the judge's reply was not what was asked for: no such chunk, twice")]
        assert len(judge.requests) == 3


class TestWhoAnswered:
    """What the fingerprint is made of."""

    def test_the_model_as_it_named_itself(self) -> None:
        """Not as it was configured: an alias moves."""
        asker = build_asker(FakeJudge())
        asker.resolve(build_call())

        assert (asker.models(), asker.adapted()) == (("model-1-2026",), ("no temperature",))
