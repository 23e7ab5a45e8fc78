"""The fake server itself: what the real providers refuse it refuses, asked through their own clients."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anthropic
import openai
import pytest

from tests import llm
from tests.fakes import llm_brain
from tests.fakes.llm_server import KEY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fakes.llm_server import LlmServer

MESSAGES = [{"role": "user", "content": "Say json."}]
OPEN = {**llm.SCHEMA, "additionalProperties": {}}


@pytest.fixture
def chat(server: LlmServer) -> Iterator[openai.OpenAI]:
    """OpenAI's client."""
    with openai.OpenAI(api_key=KEY, base_url=server.openai_url, max_retries=0) as found:
        yield found


@pytest.fixture
def messages(server: LlmServer) -> Iterator[anthropic.Anthropic]:
    """Anthropic's client."""
    with anthropic.Anthropic(api_key=KEY, base_url=server.url, max_retries=0) as found:
        yield found


def changed(schema: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A schema with other keys; None takes one away."""
    return {key: value for key, value in {**schema, **changes}.items() if value is not None}


class TestOpenAI:
    """Chat completions and embeddings."""

    @pytest.mark.parametrize(
        ("body", "words"),
        [
            ({"extra_body": {"frobnicate": 1}}, "Unknown parameter: 'frobnicate'"),
            ({"messages": []}, "Missing required parameter: 'messages'"),
            ({"messages": [{"role": "user", "content": ""}]}, "content"),
            ({"model": "o3", "temperature": 0}, "'temperature' does not support 0"),
            ({"model": "gpt-5.4", "max_tokens": 9}, "Use 'max_completion_tokens' instead"),
            ({"response_format": {"type": "json_object", "schema": {}}}, "response_format.schema"),
            (
                {"response_format": {"type": "json_object"}, "messages": [{"role": "user", "content": "Hello"}]},
                "must contain the word 'json'",
            ),
        ],
    )
    def test_what_the_real_one_refuses_is_refused(self, chat: openai.OpenAI, body: dict[str, Any], words: str) -> None:
        """In its words, with status 400."""
        with pytest.raises(openai.BadRequestError, match=words):
            chat.chat.completions.create(**{"model": "gpt-4o", "messages": MESSAGES, **body})

    @pytest.mark.parametrize(
        ("schema", "words"),
        [
            (changed(llm.SCHEMA, additionalProperties=None), "additionalProperties"),
            (changed(llm.SCHEMA, required=[]), "required"),
            (changed(llm.SCHEMA, allOf=[]), "'allOf' is not permitted"),
            ({"type": "array", "items": llm.SCHEMA}, "object"),
            (changed(llm.SCHEMA, properties={"claims": {}}), "must have a 'type' key"),
        ],
    )
    def test_schemas_beyond_the_strict_subset_are_refused(
        self, chat: openai.OpenAI, schema: dict[str, Any], words: str
    ) -> None:
        """So that no prompt of ours can have one."""
        form = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema, "strict": True}}
        with pytest.raises(openai.BadRequestError, match=words):
            chat.chat.completions.create(model="gpt-4o", messages=MESSAGES, response_format=form)  # type: ignore[call-overload]

    def test_keys_and_models_are_checked(self, chat: openai.OpenAI, server: LlmServer) -> None:
        """401 and 404."""
        server.models = {"known"}
        with pytest.raises(openai.NotFoundError):
            chat.chat.completions.create(model="unknown", messages=MESSAGES)  # type: ignore[arg-type]
        with pytest.raises(openai.AuthenticationError):
            chat.with_options(api_key="other").chat.completions.create(model="known", messages=MESSAGES)  # type: ignore[arg-type]

    def test_embeddings_are_of_the_text_alone(self, chat: openai.OpenAI) -> None:
        """In either encoding, in the order of the texts."""
        packed = chat.embeddings.create(model="e", input=["a", "b", "a"]).data
        plain = chat.embeddings.create(model="e", input=["a", "b"], encoding_format="float").data
        assert packed[0].embedding == packed[2].embedding != packed[1].embedding
        assert [each.embedding for each in plain] == [pytest.approx(each.embedding) for each in packed[:2]]


class TestAnthropic:
    """Messages and the counting of tokens."""

    @pytest.mark.parametrize(
        ("body", "words"),
        [
            ({"extra_body": {"seed": 0}}, "seed: Extra inputs"),
            ({"messages": []}, "at least one message"),
            ({"messages": [{"role": "system", "content": "x"}]}, "messages.0.role"),
            ({"messages": [{"role": "user", "content": ""}]}, "non-empty"),
            ({"messages": [{"role": "user", "content": [{"type": "text", "text": " "}]}]}, "non-whitespace"),
            ({"max_tokens": 0}, "max_tokens"),
            ({"model": "claude-opus-5", "extra_body": {"temperature": 0}}, "`temperature` is deprecated"),
            ({"model": "claude-fable-5", "thinking": {"type": "disabled"}}, "thinking.type.disabled"),
            (
                {"system": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}] * 5},
                "maximum of 4 blocks",
            ),
            (
                {"output_config": {"format": {"type": "json_schema", "schema": OPEN}}},
                "additionalProperties",
            ),
        ],
    )  # fmt: skip
    def test_what_the_real_one_refuses_is_refused(
        self, messages: anthropic.Anthropic, body: dict[str, Any], words: str
    ) -> None:
        """In its words, with status 400."""
        asked = {"model": "claude-haiku-4-5-20251001", "max_tokens": 50, "messages": MESSAGES, **body}
        with pytest.raises(anthropic.BadRequestError, match=words):
            messages.messages.create(**asked)

    def test_max_tokens_must_be_given(self, server: LlmServer) -> None:
        """The client would not leave it out."""
        headers = {"x-api-key": KEY, "anthropic-version": "2023-06-01", "content-type": "application/json"}
        body = json.dumps({"model": "m", "messages": MESSAGES}).encode()
        request = urllib.request.Request(f"{server.url}/v1/messages", body, headers)  # noqa: S310 - it is http
        with pytest.raises(urllib.error.HTTPError) as caught, urllib.request.urlopen(request):  # noqa: S310 - it is http
            pass
        with caught.value:
            assert json.load(caught.value)["error"]["message"] == "max_tokens: Field required"

    def test_tokens_are_counted_by_the_stated_rule(self, messages: anthropic.Anthropic) -> None:
        """One for each four bytes: "Say json." has nine."""
        counted = messages.messages.count_tokens(model="claude-haiku-4-5-20251001", messages=MESSAGES)  # type: ignore[arg-type]
        assert counted.input_tokens == 3


class TestBrain:
    """What the fake replies by default."""

    def test_a_literal_judge_supports_only_what_is_said(self) -> None:
        """A claim whose words no chunk holds is unsupported, and has no quote."""
        claims = '{"id": "s1.1", "text": "Returns are free"}\n{"id": "s2.1", "text": "Shipping is free"}'
        user = f"{llm.fence('chunk c1', 'Returns are free.')}\n{llm.fence('claims', claims)}\n- claims: s1.1, s2.1"
        reply = llm_brain.literal(llm_brain.Asked("context", "", user, llm.SCHEMA, "m"))
        assert [(each["id"], each["verdict"], each["quote"]) for each in reply["claims"]] == [
            ("s1.1", "supported", "Returns are free"),
            ("s2.1", "unsupported", None),
        ]


def test_it_runs_as_a_program() -> None:
    """For benchmarks: it prints its address, counts on demand, and ends with its input."""
    program = Path(__file__).parents[2] / "fakes" / "llm_server.py"
    command = [sys.executable, str(program), "--latency", "0.01"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        url = process.stdout.readline().strip()
        with openai.OpenAI(api_key=KEY, base_url=f"{url}/v1", max_retries=0) as client:
            client.embeddings.create(model="e", input=["a"])
        process.stdin.write("\n")
        process.stdin.flush()
        counted = json.loads(process.stdout.readline())
        process.stdin.close()
        assert process.wait(10) == 0
    assert (counted["calls"], counted["answered"], counted["read"]) == (1, 1, 1)
