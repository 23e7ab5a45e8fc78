"""What holds for each provider: replies, errors and limits, through its own client against the strict fake."""

from __future__ import annotations

import json
import logging
import socket
import traceback
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from evaluator import errors, judges
from evaluator.model.judge import (
    Block,
    JudgeBroken,
    JudgeBusy,
    JudgeDeclined,
    JudgeSetting,
    JudgeTooLong,
    TokenUsage,
)
from tests import llm
from tests.fakes import llm_server
from tests.fakes.llm_brain import Said
from tests.fakes.llm_server import KEY, Fault

if TYPE_CHECKING:
    from evaluator.model.judge import Judge
    from tests.fakes.llm_server import LlmServer

MODELS = {"openai": "gpt-4o-2024-08-06", "anthropic": "claude-sonnet-4-5-20250929"}


@pytest.fixture(params=sorted(MODELS))
def kind(request: pytest.FixtureRequest) -> str:
    """Each provider in turn."""
    found: str = request.param
    return found


@pytest.fixture
def judge(kind: str, server: LlmServer) -> Judge:
    """Its judge at the server."""
    return llm.judge(kind, server, MODELS[kind])


class TestReplies:
    """What comes back."""

    def test_a_reply_has_its_text_model_and_tokens(self, judge: Judge, kind: str, server: LlmServer) -> None:
        """One call is one request; the model is named as the provider answered it, tokens are those it counted."""
        server.dated = {MODELS[kind]: "dated"}
        reply = judge.ask(llm.request(), 10)
        assert (reply.text, reply.finish, reply.model, reply.pause) == (llm.REPLY, "stop", "dated", 0.0)
        assert [call.status for call in server.calls] == [200]
        assert reply.usage == TokenUsage(server.read, server.written, 0)
        # Each four bytes are a token.
        assert reply.usage.written == -(-len(llm.REPLY) // 4)
        assert judge.adapted() == []

    def test_a_reply_that_ran_out_of_room_says_so(self, judge: Judge) -> None:
        """J2: the finish reason tells that verdicts are missing."""
        reply = judge.ask(llm.request(room=5), 10)
        assert (reply.text, reply.finish) == (llm.REPLY[:20], "length")

    def test_a_refusal_says_so(self, judge: Judge, server: LlmServer) -> None:
        """J5: a model that declines gives no verdicts, and its reply is marked."""
        server.brain = lambda _: Said("I cannot help with that.", refusal=True)
        reply = judge.ask(llm.request(), 10)
        assert (reply.text, reply.finish) == ("I cannot help with that.", "refusal")

    def test_a_filtered_reply_is_a_refusal(self, judge: Judge, server: LlmServer) -> None:
        """J5: as is one that the provider's filter ended."""
        server.brain = lambda _: Said("I", finish="content_filter")
        assert judge.ask(llm.request(), 10).finish == "refusal"

    def test_the_tokens_of_a_kept_prefix_are_counted_apart(self, judge: Judge) -> None:
        """The fixed part costs less from the second call on, and both counts can be told apart."""
        asked = llm.request(system="You check claims. " * 400)
        first, second = judge.ask(asked, 10).usage, judge.ask(asked, 10).usage
        assert (first.read, first.from_cache) == (second.read, 0)
        assert 1500 < second.from_cache < second.read

    def test_many_threads_share_a_judge(self, judge: Judge, server: LlmServer) -> None:
        """Each gets the reply to its own question."""
        asked = [
            llm.request(blocks=(Block(llm.fence("chunk c1", f"Number {number}.")), Block("\n- claims: s1.1")))
            for number in range(64)
        ]
        with ThreadPoolExecutor(16) as pool:
            replies = list(pool.map(lambda each: judge.ask(each, 30).text, asked))
        assert [f'"Number {number}"' in text for number, text in enumerate(replies)] == [True] * 64
        assert len(server.calls) == 64


class TestFailures:
    """What an error means for the one who asked."""

    @pytest.mark.parametrize(
        ("fault", "after", "is_limited"),
        [
            (llm_server.limited(7), 7.0, True),
            (llm_server.limited(), None, True),
            (llm_server.limited("Mon, 30 Nov 2026 10:00:20 GMT", Date="Mon, 30 Nov 2026 10:00:00 GMT"), 20.0, True),
            (llm_server.limited(7, retry_after_ms="1500"), 1.5, True),
            (llm_server.limited(x_ratelimit_remaining_requests="0", x_ratelimit_reset_requests="1m2.5s"), 62.5, True),
            (llm_server.OVERLOADED, None, True),
            (Fault(503, headers={"Retry-After": "3"}), 3.0, False),
            (Fault(502), None, False),
            (Fault(408), None, False),
            (Fault(409), None, False),
        ],
    )  # fmt: skip
    def test_a_busy_provider_is_asked_once_and_says_when_again(
        self, judge: Judge, server: LlmServer, fault: Fault, after: float | None, is_limited: bool
    ) -> None:
        """J9: the client itself does not try again; what the headers say of waiting is handed on."""
        server.script = deque([fault])
        with pytest.raises(JudgeBusy) as caught:
            judge.ask(llm.request(), 10)
        assert (caught.value.after, caught.value.limited) == (after, is_limited)
        assert len(server.calls) == 1
        assert judge.ask(llm.request(), 10).text == llm.REPLY

    def test_a_free_account_at_its_limit_is_only_busy(self, judge: Judge, server: LlmServer) -> None:
        """J9: advice to pay more is no sign of an account that is empty; the wait is read from the words."""
        said = "Rate limit reached: 3 per min. Please try again in 20s. Check your plan and billing details."
        server.script = deque([Fault(429, said)])
        with pytest.raises(JudgeBusy) as caught:
            judge.ask(llm.request(), 10)
        assert (caught.value.after, caught.value.limited) == (20.0, True)

    @pytest.mark.parametrize("fault", [llm_server.RESET, llm_server.DROPPED, Fault(body='{"choices": [')])
    def test_a_broken_connection_can_be_tried_again(self, judge: Judge, server: LlmServer, fault: Fault) -> None:
        """J9: a reset before or in the middle of a body, and a body that is cut off."""
        server.script = deque([fault])
        with pytest.raises(JudgeBusy):
            judge.ask(llm.request(), 10)
        assert judge.ask(llm.request(), 10).text == llm.REPLY
        assert len(server.calls) == 2

    def test_a_server_that_restarts_is_only_busy(self, judge: Judge, server: LlmServer) -> None:
        """J9: while it is away calls can be tried again, and are answered as soon as it is back."""
        judge.ask(llm.request(), 10)
        server.stop()
        with pytest.raises(JudgeBusy):
            judge.ask(llm.request(), 10)
        server.start()
        assert judge.ask(llm.request(), 10).text == llm.REPLY

    def test_a_hanging_call_ends_in_its_time(self, judge: Judge, server: LlmServer) -> None:
        """J10: a call that never comes back is given up, and can be made again."""
        server.script = deque([llm_server.HANGING])
        with pytest.raises(JudgeBusy, match=r"slow|no reply"):
            judge.ask(llm.request(), 0.2)

    def test_a_call_with_no_time_left_is_not_made(self, judge: Judge, server: LlmServer) -> None:
        """J10: what is over is over."""
        with pytest.raises(JudgeBusy, match="no reply within 0 seconds"):
            judge.ask(llm.request(), 0)
        assert server.calls == []

    def test_too_long_a_request_is_told_from_others(self, judge: Judge, server: LlmServer) -> None:
        """J8: the caller can ask for less at once, and no other form is tried."""
        server.window = 10
        with pytest.raises(JudgeTooLong):
            judge.ask(llm.request(), 10)
        assert len(server.calls) == 1

    def test_a_filtered_request_is_declined(self, judge: Judge, server: LlmServer) -> None:
        """What a call holds may be refused; others are answered."""
        server.script = deque([Fault(400, "The prompt was flagged by the content management policy.")])
        with pytest.raises(JudgeDeclined, match="refused for what it holds"):
            judge.ask(llm.request(), 10)
        assert judge.ask(llm.request(), 10).text == llm.REPLY
        assert len(server.calls) == 2

    def test_an_unknown_model_is_named(self, judge: Judge, kind: str, server: LlmServer) -> None:
        """J9: no call can succeed, and one sentence says which model at which host."""
        server.models = {"another"}
        with pytest.raises(JudgeBroken, match=rf"127\.0\.0\.1 does not serve {MODELS[kind]}"):
            judge.ask(llm.request(), 10)
        assert len(server.calls) == 1

    @pytest.mark.parametrize(
        "fault",
        [Fault(402, "pay"), Fault(403, "not yours"), Fault(429, "insufficient_quota: check your plan and billing")],
    )
    def test_what_waiting_does_not_mend_ends_the_run(self, judge: Judge, server: LlmServer, fault: Fault) -> None:
        """J9: an account that may not, or that is empty, is not waited for."""
        server.script = deque([fault])
        with pytest.raises(JudgeBroken):
            judge.ask(llm.request(), 10)

    def test_a_web_page_is_no_model(self, judge: Judge, server: LlmServer) -> None:
        """A base URL that leads to a site is named as that."""
        server.script = deque([Fault(body="<html>", headers={"Content-Type": "text/html; charset=utf-8"})])
        with pytest.raises(JudgeBroken, match="base_url"):
            judge.ask(llm.request(), 10)

    def test_a_redirection_is_not_followed(self, judge: Judge, server: LlmServer) -> None:
        """The key goes nowhere but to the address that was given."""
        server.script = deque([Fault(307, headers={"Location": f"{server.url}/elsewhere"})])
        with pytest.raises(JudgeBroken, match="sends us to"):
            judge.ask(llm.request(), 10)
        assert len(server.calls) == 1

    def test_an_address_that_is_none_is_a_mistake(self, kind: str) -> None:
        """It is told at once, not as a failing call."""
        with pytest.raises(errors.UsageError, match="base_url"):
            judges.kind(kind).open(JudgeSetting("m", KEY, "localhost:8000"))

    def test_a_reply_in_no_known_form_can_be_tried_again(self, judge: Judge, server: LlmServer) -> None:
        """A gateway's own words for trouble are not taken for a reply."""
        server.script = deque([Fault(body="[1]"), Fault(body='{"error": {"message": "no one is free", "code": 503}}')])
        for words in ("not in the form", "no one is free"):
            with pytest.raises(JudgeBusy, match=words):
                judge.ask(llm.request(), 10)

    def test_a_used_up_limit_asks_for_a_pause(self, judge: Judge, kind: str, server: LlmServer) -> None:
        """A reply whose limit has nothing left says how long to wait before the next call."""
        if kind == "openai":
            server.headers = {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}
            expected = 360.0
        else:
            server.headers = {
                "anthropic-ratelimit-requests-remaining": "0", "Date": "Mon, 30 Nov 2026 10:00:00 GMT",
                "anthropic-ratelimit-requests-reset": "2026-11-30T10:00:08Z",
                "anthropic-ratelimit-tokens-remaining": "5", "anthropic-ratelimit-tokens-reset": "2026-11-30T11:00:00Z",
            }  # fmt: skip
            expected = 8.0
        assert judge.ask(llm.request(), 10).pause == expected


class TestKey:
    """The key is where it is needed and nowhere else."""

    def test_a_refused_key_is_not_repeated(
        self, kind: str, server: LlmServer, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Although the server repeats it, no message, traceback, log line or representation has it."""
        caplog.set_level(logging.INFO)
        judge = llm.judge(kind, server, "m", key="sk-secret-987654321")
        with pytest.raises(JudgeBroken, match="refuses the key") as caught:
            judge.ask(llm.request(), 10)
        shown = [
            *traceback.format_exception(caught.value),
            repr(judge),
            repr(vars(judge)),
            str(caught.value),
            caplog.text,
        ]
        assert not any("987654321" in each for each in shown)

    def test_a_server_that_repeats_the_key_does_not_spread_it(self, judge: Judge, server: LlmServer) -> None:
        """Whatever the error."""
        server.script = deque([Fault(503, f"bad luck with {KEY}")])
        with pytest.raises(JudgeBusy, match=r"bad luck with \[the key\]"):
            judge.ask(llm.request(), 10)

    def test_a_line_break_behind_the_key_is_left_out(self, kind: str, server: LlmServer) -> None:
        """Secrets are often pasted with one."""
        judge = llm.judge(kind, server, MODELS[kind], key=f"{KEY}\n")
        assert judge.ask(llm.request(), 10).text == llm.REPLY

    def test_a_key_that_is_none_is_a_mistake(self, kind: str, server: LlmServer) -> None:
        """And its text is not shown."""
        with pytest.raises(errors.UsageError, match="the judge's key") as caught:
            llm.judge(kind, server, "m", key="the wrong väriable")
        assert "wrong v" not in str(caught.value)

    def test_no_variable_of_the_environment_is_used(
        self, kind: str, server: LlmServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Without a key none is sent, whatever the clients would find by themselves."""
        monkeypatch.setenv(f"{kind.upper()}_API_KEY", KEY)
        monkeypatch.setenv(f"{kind.upper()}_BASE_URL", "http://127.0.0.1:9/v1")
        server.keys = None
        llm.judge(kind, server, MODELS[kind], key=None).ask(llm.request(), 10)
        sent = server.calls[0].headers
        assert KEY not in "".join(sent.values())

    @pytest.mark.parametrize(("base_url", "expected"), [(None, True), ("http://127.0.0.1:8000/v1", False)])
    def test_only_the_providers_own_address_needs_one(self, kind: str, base_url: str | None, expected: bool) -> None:
        """Endpoints of one's own often have none."""
        assert judges.kind(kind).needs_key(base_url) is expected


def test_a_host_that_cannot_be_found_ends_the_run(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """J9: the name of an endpoint that does not exist is told at once, not after all retries."""

    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    judge = judges.kind(kind).open(JudgeSetting("m", KEY, "http://models.invalid/v1"))
    with pytest.raises(JudgeBroken, match=r"models\.invalid cannot be resolved"):
        judge.ask(llm.request(), 10)


def test_an_endpoint_that_counts_no_tokens_has_them_estimated(kind: str, server: LlmServer) -> None:
    """Rather too many than none, so that a limit of the cost still holds."""
    text = {
        "openai": {
            "choices": [{"message": {"content": "four"}, "finish_reason": "stop"}],
            "usage": {"total_tokens": 3},
        },
        "anthropic": {"content": [{"type": "text", "text": "four"}], "stop_reason": "end_turn"},
    }
    server.script = deque([Fault(body=json.dumps(text[kind]))])
    judge = llm.judge(kind, server, "m")
    reply = judge.ask(llm.request(system="x" * 300, blocks=(Block("y" * 30),)), 10)
    assert (reply.text, reply.model, reply.usage) == ("four", "m", TokenUsage(111, 2))


def test_a_model_that_thinks_gets_room_for_it(server: LlmServer) -> None:
    """J2: a reply that ran out while the model was still thinking is not cut off for that the next time."""
    thought = {"completion_tokens_details": {"reasoning_tokens": 500}, "prompt_tokens": 9, "completion_tokens": 500}
    cut = {"choices": [{"message": {"content": ""}, "finish_reason": "length"}], "usage": thought}
    server.script = deque([Fault(body=json.dumps(cut))])
    judge = llm.judge("openai", server, "deepseek-r9")
    assert judge.ask(llm.request(), 10).finish == "length"
    assert judge.ask(llm.request(), 10).finish == "stop"
    assert [call.body["max_tokens"] for call in server.calls] == [500, 500 + 8192]
