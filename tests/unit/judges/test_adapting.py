"""What is learnt of a model or an endpoint, against the strict fake."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from evaluator.model.judge import JudgeBusy, JudgeDeclined
from tests import llm
from tests.fakes import llm_server
from tests.fakes.llm_server import Fault

if TYPE_CHECKING:
    from tests.fakes.llm_server import LlmServer

LOOSE = ["json_object instead of json_schema"]


def statuses(server: LlmServer) -> list[int | None]:
    """What each call was answered with, in order."""
    return [call.status for call in server.calls]


def formats(server: LlmServer) -> list[str | None]:
    """In which form each call asked for its reply."""
    return [call.body.get("response_format", {}).get("type") for call in server.calls]


class TestParameters:
    """Parameters that a model does not take."""

    @pytest.mark.parametrize(
        ("kind", "model", "expected"),
        [
            ("openai", "gpt-4o", []),
            ("openai", "o3-2025-04-16", ["max_completion_tokens instead of max_tokens", "no temperature"]),
            ("openai", "gpt-5.4-mini", ["max_completion_tokens instead of max_tokens", "no temperature"]),
            ("anthropic", "claude-sonnet-4-5-20250929", []),
            ("anthropic", "claude-opus-5", ["no temperature"]),
            ("anthropic", "claude-fable-5", ["no temperature", "thinking left on"]),
            ("anthropic", "claude-3-5-haiku-20241022", ["a forced tool instead of output_config"]),
        ],
    )
    def test_what_is_refused_is_left_out_once_and_told(
        self, server: LlmServer, kind: str, model: str, expected: list[str]
    ) -> None:
        """J6: the parameter that the provider names is not sent again in this run, and stands in the fingerprint."""
        judge = llm.judge(kind, server, model)
        assert [judge.ask(llm.request(), 10).text for _ in range(3)] == [llm.REPLY] * 3
        assert judge.adapted() == expected
        assert statuses(server) == [*[400] * len(expected), 200, 200, 200]

    def test_threads_that_find_out_at_once_agree(self, server: LlmServer) -> None:
        """J6: calls that were under way are put again without the parameter, none is lost."""
        judge = llm.judge("openai", server, "o3")
        with ThreadPoolExecutor(16) as pool:
            texts = list(pool.map(lambda _: judge.ask(llm.request(), 30).text, range(48)))
        assert texts == [llm.REPLY] * 48
        assert statuses(server).count(200) == 48
        assert judge.adapted() == ["max_completion_tokens instead of max_tokens", "no temperature"]

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("seed", ["no seed"]),
            ("temperature", ["no temperature"]),
            ("max_tokens", ["max_completion_tokens instead of max_tokens"]),
        ],
    )
    def test_each_parameter_may_be_left_out(self, server: LlmServer, name: str, words: list[str]) -> None:
        """J6: whichever the provider names; where it takes no room of one name, the other is used."""
        server.refused_parameters = {name}
        judge = llm.judge("openai", server, "m")
        judge.ask(llm.request(), 10)
        assert judge.adapted() == words
        assert name not in server.calls[-1].body

    @pytest.mark.parametrize(
        "message",
        [
            "Unrecognized request argument supplied: seed",
            '{"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs"}]}',
            "litellm.UnsupportedParamsError: m does not support parameters: ['seed']",
        ],
    )
    def test_the_words_of_a_gateway_are_enough(self, server: LlmServer, message: str) -> None:
        """J6: endpoints that name the parameter in their text alone."""
        server.fault = lambda _, body: Fault(422, message) if "seed" in body else None
        judge = llm.judge("openai", server, "m")
        assert judge.ask(llm.request(), 10).text == llm.REPLY
        assert judge.adapted() == ["no seed"]

    def test_a_judged_text_that_names_a_parameter_is_no_refusal(self, server: LlmServer) -> None:
        """J7: a refusal for other reasons that quotes the request leaves the parameters as they are."""
        server.script = deque(
            [None, Fault(400, "flagged as unsafe by the safety system: 'temperature is not supported'")]
        )
        judge = llm.judge("openai", server, "m")
        judge.ask(llm.request(), 10)
        with pytest.raises(JudgeDeclined):
            judge.ask(llm.request(), 10)
        assert judge.adapted() == []

    @pytest.mark.parametrize(("kind", "model"), [("openai", "gpt-4o"), ("anthropic", "claude-sonnet-4-5")])
    def test_more_room_than_a_model_has_is_cut_to_what_it_has(self, server: LlmServer, kind: str, model: str) -> None:
        """J6: the limit is read from the refusal; the parameter itself stays."""
        server.most_written = 4096
        judge = llm.judge(kind, server, model)
        assert judge.ask(llm.request(room=10_000), 10).text == llm.REPLY
        assert judge.ask(llm.request(room=100), 10).text == llm.REPLY
        assert [call.body["max_tokens"] for call in server.calls] == [10_000, 4096, 100]
        # Whether a run meets the limit depends on its answers, and says nothing of how they were judged.
        assert judge.adapted() == []

    def test_a_model_without_a_system_role_reads_it_in_the_message(self, server: LlmServer) -> None:
        """J6: some local models' chat templates refuse it."""
        server.fault = lambda _, body: (
            Fault(500, "Jinja Exception: System role not supported")
            if body["messages"][0]["role"] == "system"
            else None
        )
        judge = llm.judge("openai", server, "m")
        assert judge.ask(llm.request(), 10).text == llm.REPLY
        assert judge.adapted() == ["system text in the message"]
        assert [each["role"] for each in server.calls[-1].body["messages"]] == ["user"]
        assert "You check claims." in server.calls[-1].body["messages"][0]["content"]

    def test_caching_is_left_out_where_it_is_refused(self, server: LlmServer) -> None:
        """J6: endpoints that speak as Anthropic does and keep nothing."""

        def refuses(_: int, body: dict[str, Any]) -> Fault | None:
            said = "system.0.cache_control: Extra inputs are not permitted"
            return Fault(400, said) if "cache_control" in body["system"][0] else None

        server.fault = refuses
        judge = llm.judge("anthropic", server, "m")
        assert judge.ask(llm.request(), 10).text == llm.REPLY
        assert judge.adapted() == ["no caching"]


class TestForms:
    """Endpoints without JSON Schema."""

    @pytest.mark.parametrize("status", [400, 422, 500])
    def test_an_endpoint_that_names_the_format_is_stepped_down_once(self, server: LlmServer, status: int) -> None:
        """J12: the next form that it takes is asked for from then on, with the schema in the text, and is told."""
        server.refused_formats = {"json_schema": status}
        judge = llm.judge("openai", server, "m")
        assert [judge.ask(llm.request(), 10).text for _ in range(3)] == [llm.REPLY] * 3
        assert judge.adapted() == LOOSE
        assert statuses(server) == [status, 400, 200, 200, 200]
        assert formats(server)[2:] == ["json_object"] * 3
        assert '"additionalProperties": false' in server.calls[-1].body["messages"][-1]["content"]

    @pytest.mark.parametrize("status", [400, 500])
    def test_one_that_does_not_say_why_is_stepped_down_after_a_second_look(
        self, server: LlmServer, status: int
    ) -> None:
        """J12: the call must succeed without the schema and fail again with it."""
        server.refused_formats, server.says_why = {"json_schema": status}, False
        judge = llm.judge("openai", server, "m")
        assert judge.ask(llm.request(), 10).text == llm.REPLY
        assert judge.adapted() == LOOSE
        assert statuses(server) == [status, 400, 200, status]

    def test_an_endpoint_that_takes_a_schema_in_an_object_gets_it(self, server: LlmServer) -> None:
        """J12: as llama-cpp-python's server does, which then writes nothing else."""
        server.refused_formats, server.takes_schema_in_object = {"json_schema": 500}, True
        judge = llm.judge("openai", server, "m")
        judge.ask(llm.request(), 10)
        assert judge.adapted() == ["json_object with a schema instead of json_schema"]
        assert server.calls[-1].body["response_format"]["schema"] == llm.SCHEMA

    def test_one_that_takes_no_format_is_asked_in_words(self, server: LlmServer) -> None:
        """J12: to the end."""
        server.refused_formats = {"json_schema": 400, "json_object": 400}
        judge = llm.judge("openai", server, "m")
        assert judge.ask(llm.request(), 10).text == llm.REPLY
        assert judge.adapted() == ["plain text instead of json_schema"]
        assert "response_format" not in server.calls[-1].body

    def test_anthropics_are_a_forced_tool_and_plain_text(self, server: LlmServer) -> None:
        """J12: the tool's input is the reply."""
        server.refused_formats = {"output_config": 400}
        tool = llm.judge("anthropic", server, "claude-sonnet-4-5")
        assert tool.ask(llm.request(), 10).text == llm.REPLY
        assert tool.adapted() == ["a forced tool instead of output_config"]
        server.refused_formats = {"output_config": 400, "tools": 400}
        plain = llm.judge("anthropic", server, "claude-sonnet-4-5")
        assert plain.ask(llm.request(), 10).text == llm.REPLY
        assert plain.adapted() == ["plain text instead of output_config"]

    def test_a_passing_500_is_not_taken_for_a_refusal(self, server: LlmServer) -> None:
        """J12: the schema is asked for once more before it is given up, and both calls are counted."""
        server.script = deque([llm_server.BROKEN])
        server.takes_schema_in_object = True
        judge = llm.judge("openai", server, "m")
        reply = judge.ask(llm.request(), 10)
        assert (reply.text, judge.adapted()) == (llm.REPLY, [])
        assert formats(server) == ["json_schema", "json_object", "json_schema"]
        assert reply.usage.read == server.read

    def test_a_500_after_a_success_is_only_a_500(self, server: LlmServer) -> None:
        """J12: an endpoint that took the schema before takes it still."""
        server.script = deque([None, llm_server.BROKEN])
        judge = llm.judge("openai", server, "m")
        judge.ask(llm.request(), 10)
        with pytest.raises(JudgeBusy):
            judge.ask(llm.request(), 10)
        assert (statuses(server), judge.adapted()) == ([200, 500], [])

    def test_a_500_for_ever_is_soon_no_longer_explored(self, server: LlmServer) -> None:
        """J9: after a few tries in other forms every call is one request again."""
        server.fault = lambda *_: llm_server.BROKEN
        judge = llm.judge("openai", server, "m")
        for _ in range(8):
            with pytest.raises(JudgeBusy):
                judge.ask(llm.request(), 10)
        # Three calls in four forms, and five in one.
        assert len(server.calls) == 3 * 4 + 5
        assert judge.adapted() == []

    def test_threads_that_find_out_at_once_step_down_once(self, server: LlmServer) -> None:
        """J12: one call explores for all."""
        server.refused_formats, server.says_why = {"json_schema": 500}, False
        judge = llm.judge("openai", server, "m")
        with ThreadPoolExecutor(16) as pool:
            texts = list(pool.map(lambda _: judge.ask(llm.request(), 30).text, range(48)))
        assert texts == [llm.REPLY] * 48
        assert judge.adapted() == LOOSE
        # Each thread may have begun with one call in the first form; one thread looked a second time.
        assert statuses(server).count(500) <= 17

    def test_a_schema_that_alone_is_refused_steps_down_alone(self, server: LlmServer) -> None:
        """J12: where another prompt was answered in a schema, only the one that was refused is asked otherwise."""
        judge = llm.judge("openai", server, "m")
        judge.ask(llm.request(name="claims"), 10)
        server.refused_formats = {"json_schema": 400}
        judge.ask(llm.request(name="context"), 10)
        server.refused_formats = {}
        judge.ask(llm.request(name="claims"), 10)
        assert judge.adapted() == ["json_object instead of json_schema for context"]
        assert formats(server)[-1] == "json_schema"
