"""The two wire formats of the fake server: what the real ones refuse is refused, in their shapes and words."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import struct
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from tests.fakes.llm_brain import Asked, Said
from tests.fakes.llm_schema import anthropic_problem, openai_problem

if TYPE_CHECKING:
    from tests.fakes.llm_server import LlmServer

OPENAI_PARAMETERS = {
    "messages", "model", "frequency_penalty", "logit_bias", "logprobs", "max_completion_tokens", "max_tokens",
    "metadata", "n", "parallel_tool_calls", "presence_penalty", "prompt_cache_key", "reasoning_effort",
    "response_format", "safety_identifier", "seed", "service_tier", "stop", "store", "stream", "temperature",
    "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity",
}  # fmt: skip
ANTHROPIC_PARAMETERS = {
    "max_tokens", "messages", "model", "cache_control", "container", "inference_geo", "metadata", "output_config",
    "service_tier", "stop_sequences", "stream", "system", "temperature", "thinking", "tool_choice", "tools", "top_k",
    "top_p",
}  # fmt: skip
COUNTED = {"messages", "model", "system", "thinking", "tool_choice", "tools", "output_config"}
REASONING = re.compile(r"o\d|gpt-(?:[5-9]|\d\d)(?!.*chat)")
"""Models that take no temperature and no max_tokens."""
NO_TEMPERATURE = re.compile(r"claude-(?:[a-z]+-(?:[5-9]|4-[7-9])|fable|mythos)")
ALWAYS_THINKING = re.compile(r"claude-(?:fable|mythos)")
NO_OUTPUT_CONFIG = re.compile(r"claude-(?:3|opus-4-0|opus-4-2|sonnet-4-0|sonnet-4-2)")
MOST_KEPT = 4
KEPT_FROM = 1024
"""Tokens that a prefix must have for the providers to keep it."""


class Refused(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, message: str, code: str | None = None, param: str | None = None) -> None:
        self.status, self.message, self.code, self.param = status, message, code, param
        super().__init__(message)


class Replied(NamedTuple):
    """A reply's body and the tokens it counts."""

    body: dict[str, Any]
    read: int = 0
    written: int = 0


def tokens(text: str) -> int:
    """The stated rule: one token for each four bytes of UTF-8, rounded up."""
    return -(-len(text.encode()) // 4)


class OpenAI:
    """Chat completions and embeddings."""

    @staticmethod
    def error(refused: Refused) -> dict[str, Any]:
        kind = "server_error" if refused.status >= 500 else "invalid_request_error"
        inner = {"message": refused.message, "type": kind, "param": refused.param, "code": refused.code}
        return {"error": inner}

    @staticmethod
    def check_key(headers: dict[str, str], server: LlmServer) -> None:
        key = headers.get("authorization", "").removeprefix("Bearer ")
        if server.keys is not None and key not in server.keys:
            raise Refused(401, f"Incorrect API key provided: {key}.", "invalid_api_key")

    @classmethod
    def chat(cls, body: dict[str, Any], server: LlmServer) -> Replied:
        cls._check(body, server)
        asked = cls._asked(body)
        read = sum(tokens(str(each["content"])) + 4 for each in body["messages"])
        window = server.windows.get(body["model"], server.window)
        if read > window:
            said = f"This model's maximum context length is {window} tokens. However, your messages are {read} tokens."
            raise Refused(400, said, "context_length_exceeded", "messages")
        said = server.think(asked)
        room = body.get("max_completion_tokens", body.get("max_tokens"))
        text, cut = _cut(said.text, room)
        message = {"role": "assistant", "content": None if said.refusal else text}
        message["refusal"] = text if said.refusal else None
        finish = "length" if cut else said.finish
        usage = {
            "prompt_tokens": read, "completion_tokens": tokens(text), "total_tokens": read + tokens(text),
            "prompt_tokens_details": {"cached_tokens": server.kept(body["model"], asked.system)},
        }  # fmt: skip
        choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
        found = {
            "id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": server.answers_as(body["model"]),
            "choices": [choice], "usage": usage,
        }  # fmt: skip
        return Replied(found, read, tokens(text))

    @classmethod
    def _check(cls, body: dict[str, Any], server: LlmServer) -> None:
        for name in body:
            if name not in OPENAI_PARAMETERS:
                raise Refused(400, f"Unknown parameter: '{name}'.", "unknown_parameter", name)
        for name in ("model", "messages"):
            if not body.get(name):
                raise Refused(400, f"Missing required parameter: '{name}'.", "missing_required_parameter", name)
        model = body["model"]
        server.check_model(model, f"The model `{model}` does not exist or you do not have access to it.")
        for message in body["messages"]:
            if message.get("role") not in ("system", "developer", "user", "assistant", "tool"):
                raise Refused(400, f"Invalid value: '{message.get('role')}'.", "invalid_value", "messages[0].role")
            if not isinstance(message.get("content"), (str, list)) or not message["content"]:
                raise Refused(400, "Invalid value for 'content': expected a string.", None, "messages")
        cls._check_values(body, server)
        _check_format(body, server)

    @staticmethod
    def _check_values(body: dict[str, Any], server: LlmServer) -> None:
        if REASONING.match(body["model"]):
            if body.get("temperature", 1) != 1:
                said = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value"
                raise Refused(400, f"{said} is supported.", "unsupported_value", "temperature")
            if "max_tokens" in body:
                said = "Unsupported parameter: 'max_tokens' is not supported with this model."
                said += " Use 'max_completion_tokens' instead."
                raise Refused(400, said, "unsupported_parameter", "max_tokens")
        for name in server.refused_parameters & set(body):
            raise Refused(400, f"Unsupported parameter: '{name}' is not supported with this model.", None, name)
        room = body.get("max_completion_tokens", body.get("max_tokens"))
        if room is not None and room > server.most_written:
            said = f"max_tokens is too large: {room}. This model supports at most {server.most_written} completion"
            name = "max_completion_tokens" if "max_completion_tokens" in body else "max_tokens"
            raise Refused(400, f"{said} tokens, whereas you provided {room}.", "invalid_value", name)

    @staticmethod
    def _asked(body: dict[str, Any]) -> Asked:
        named = body.get("response_format", {}).get("json_schema", {})
        schema = named.get("schema", body.get("response_format", {}).get("schema"))
        texts = {"system": [], "user": []}
        for message in body["messages"]:
            texts.get(message["role"], []).append(_joined(message["content"]))
        user = "\n".join(texts["user"])
        return Asked(named.get("name", ""), "\n".join(texts["system"]), user, schema, body["model"], body)

    @staticmethod
    def embeddings(body: dict[str, Any], server: LlmServer) -> Replied:
        for name in body:
            if name not in ("input", "model", "encoding_format", "dimensions", "user"):
                raise Refused(400, f"Unknown parameter: '{name}'.", "unknown_parameter", name)
        if not body.get("input"):
            raise Refused(400, "'$.input' is invalid.", None, "input")
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if not all(isinstance(text, str) and text for text in texts):
            raise Refused(400, "'$.input' is invalid.", None, "input")
        rows = []
        for index, text in enumerate(texts):
            vector = server.embed(text)
            packed = base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
            shown = packed if body.get("encoding_format") == "base64" else vector
            rows.append({"object": "embedding", "index": index, "embedding": shown})
        read = sum(map(tokens, texts))
        usage = {"prompt_tokens": read, "total_tokens": read}
        return Replied({"object": "list", "data": rows, "model": body["model"], "usage": usage}, read)


def _check_format(body: dict[str, Any], server: LlmServer) -> None:
    asked = body.get("response_format")
    if asked is None:
        return
    kind = asked.get("type")
    if kind in server.refused_formats:
        status = server.refused_formats[kind]
        said = 'response_format type must be one of "text" or "json_object"' if server.says_why else "Error"
        raise Refused(status, said, None, "response_format" if server.says_why and status < 500 else None)
    if kind == "json_object":
        if "schema" in asked and not server.takes_schema_in_object:
            said = "Unknown parameter: 'response_format.schema'."
            raise Refused(400, said, "unknown_parameter", "response_format.schema")
        if "json" not in " ".join(_joined(each["content"]) for each in body["messages"]).casefold():
            said = "'messages' must contain the word 'json' in some form, to use a 'response_format' of 'json_object'."
            raise Refused(400, said, None, "messages")
    elif kind == "json_schema":
        named = asked.get("json_schema", {})
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", str(named.get("name", ""))):
            raise Refused(400, "Missing or wrong 'response_format.json_schema.name'.", None, "response_format")
        problem = openai_problem(named.get("schema")) if named.get("strict") else None
        if problem:
            said = f"Invalid schema for response_format '{named['name']}': {problem}"
            raise Refused(400, said, "invalid_json_schema", "response_format")
    elif kind != "text":
        raise Refused(400, f"Invalid value: '{kind}'.", "invalid_value", "response_format.type")


class Anthropic:
    """Messages and the counting of their tokens."""

    KINDS: ClassVar = {
        400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
        413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error",
    }  # fmt: skip

    @classmethod
    def error(cls, refused: Refused) -> dict[str, Any]:
        kind = cls.KINDS.get(refused.status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": refused.message}, "request_id": "req_1"}

    @staticmethod
    def check_key(headers: dict[str, str], server: LlmServer) -> None:
        key = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        if server.keys is not None and key not in server.keys:
            raise Refused(401, f"invalid x-api-key {key}")
        if "anthropic-version" not in headers:
            raise Refused(400, "anthropic-version: header is required")

    @classmethod
    def count(cls, body: dict[str, Any], server: LlmServer) -> Replied:
        for name in body:
            if name not in COUNTED:
                raise Refused(400, f"{name}: Extra inputs are not permitted")
        cls._check_messages(body)
        server.check_model(body["model"], f"model: {body['model']}")
        return Replied({"input_tokens": cls._read(body)})

    @classmethod
    def messages(cls, body: dict[str, Any], server: LlmServer) -> Replied:
        cls._check(body, server)
        asked, read = cls._asked(body), cls._read(body)
        window = server.windows.get(body["model"], server.window)
        if read > window:
            raise Refused(400, f"prompt is too long: {read} tokens > {window} maximum")
        said = server.think(asked)
        text, cut = _cut(said.text, body["max_tokens"])
        content: dict[str, Any] = {"type": "text", "text": text}
        finish = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}.get(said.finish, said.finish)
        if body.get("tool_choice", {}).get("type") == "tool" and not cut:
            name = body["tool_choice"]["name"]
            content = {"type": "tool_use", "id": "toolu_1", "name": name, "input": json.loads(text)}
            finish = "tool_use"
        finish = "max_tokens" if cut else "refusal" if said.refusal else finish
        kept, stored = cls._kept(body, server)
        usage = {
            "input_tokens": read - kept - stored, "output_tokens": tokens(text),
            "cache_read_input_tokens": kept, "cache_creation_input_tokens": stored,
        }  # fmt: skip
        found = {
            "id": "msg_1", "type": "message", "role": "assistant", "model": server.answers_as(body["model"]),
            "content": [content], "stop_reason": finish, "stop_sequence": None, "usage": usage,
        }  # fmt: skip
        return Replied(found, read, tokens(text))

    @classmethod
    def _check(cls, body: dict[str, Any], server: LlmServer) -> None:
        for name in body:
            if name not in ANTHROPIC_PARAMETERS:
                raise Refused(400, f"{name}: Extra inputs are not permitted")
        for name in ("max_tokens", "messages", "model"):
            if name not in body:
                raise Refused(400, f"{name}: Field required")
        server.check_model(body["model"], f"model: {body['model']}")
        cls._check_messages(body)
        cls._check_values(body, server)
        cls._check_output(body, server)

    @staticmethod
    def _check_values(body: dict[str, Any], server: LlmServer) -> None:
        model = body["model"]
        if not isinstance(body["max_tokens"], int) or body["max_tokens"] < 1:
            raise Refused(400, "max_tokens: Input should be greater than or equal to 1")
        if body["max_tokens"] > server.most_written:
            said = f"max_tokens: {body['max_tokens']} > {server.most_written}, which is the maximum allowed number of"
            raise Refused(400, f"{said} output tokens for {model}")
        if "temperature" in body:
            if NO_TEMPERATURE.match(model):
                raise Refused(400, "`temperature` is deprecated for this model.")
            if not 0 <= body["temperature"] <= 1:
                raise Refused(400, "temperature: range: 0..1")
        if body.get("thinking", {}).get("type") == "disabled" and ALWAYS_THINKING.match(model):
            raise Refused(400, '"thinking.type.disabled" is not supported for this model.')
        for name in server.refused_parameters & set(body):
            raise Refused(400, f"{name}: Extra inputs are not permitted")

    @staticmethod
    def _check_messages(body: dict[str, Any]) -> None:
        if not body.get("messages"):
            raise Refused(400, "messages: at least one message is required")
        blocks = [] if isinstance(body.get("system", ""), str) else list(body["system"])
        for index, message in enumerate(body["messages"]):
            if message.get("role") not in ("user", "assistant"):
                said = f"messages.{index}.role: Input should be 'user' or 'assistant'; system text is a parameter"
                raise Refused(400, said)
            content = message.get("content")
            if not content:
                raise Refused(400, f"messages.{index}: user messages must have non-empty content")
            blocks += [] if isinstance(content, str) else content
        for block in blocks:
            if block.get("type") == "text" and not block.get("text", "").strip():
                raise Refused(400, "messages: text content blocks must contain non-whitespace text")
        if sum("cache_control" in block for block in blocks) > MOST_KEPT:
            raise Refused(400, "A maximum of 4 blocks with cache_control may be provided.")

    @staticmethod
    def _check_output(body: dict[str, Any], server: LlmServer) -> None:
        if "output_config" in body:
            if "output_config" in server.refused_formats:
                said = "output_config: Extra inputs are not permitted" if server.says_why else "Error"
                raise Refused(server.refused_formats["output_config"], said)
            if NO_OUTPUT_CONFIG.match(body["model"]):
                raise Refused(400, f"'{body['model']}' does not support output format.")
            asked = body["output_config"].get("format") or {}
            problem = anthropic_problem(asked.get("schema")) if asked.get("type") == "json_schema" else "type: required"
            if problem:
                raise Refused(400, f"output_config.format.schema: {problem}")
        if "tool_choice" in body:
            if "tools" in server.refused_formats:
                raise Refused(server.refused_formats["tools"], "tools: Extra inputs are not permitted")
            if ALWAYS_THINKING.match(body["model"]):
                raise Refused(400, "Thinking may not be enabled when tool_choice forces tool use.")
            if body["tool_choice"].get("name") not in [each["name"] for each in body.get("tools", [])]:
                raise Refused(400, "tool_choice: names no tool")

    @staticmethod
    def _asked(body: dict[str, Any]) -> Asked:
        tools = body.get("tools") or [{}]
        schema = (body.get("output_config", {}).get("format") or {}).get("schema", tools[0].get("input_schema"))
        user = "\n".join(_joined(each["content"]) for each in body["messages"])
        return Asked(tools[0].get("name", ""), _joined(body.get("system", "")), user, schema, body["model"], body)

    @staticmethod
    def _read(body: dict[str, Any]) -> int:
        texts = [_joined(body.get("system", "")), *(_joined(each["content"]) for each in body["messages"])]
        return sum(map(tokens, texts))

    @staticmethod
    def _kept(body: dict[str, Any], server: LlmServer) -> tuple[int, int]:
        """Tokens read from what was kept before, and those kept now, up to the last mark."""
        blocks = [] if isinstance(body.get("system", ""), str) else list(body["system"])
        for message in body["messages"]:
            blocks += [] if isinstance(message["content"], str) else message["content"]
        before, longest, last, prefix = 0, 0, 0, body["model"]
        for block in blocks:
            prefix += "\0" + block.get("text", "")
            before += tokens(block.get("text", ""))
            if "cache_control" in block and before >= KEPT_FROM:
                last = before
                if server.remember(prefix):
                    longest = before
        return longest, max(last - longest, 0)


def _joined(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)


def _cut(text: str, room: int | None) -> tuple[str, bool]:
    if room is None or tokens(text) <= room:
        return text, False
    return text.encode()[: room * 4].decode(errors="ignore"), True


def as_said(value: Any) -> Said:
    """A brain's reply: a text, an object, or more."""
    if isinstance(value, Said):
        return value
    return Said(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def embedding(text: str, size: int = 8) -> list[float]:
    """A vector that only the text decides."""
    digest = hashlib.sha256(text.encode()).digest()
    return [(digest[place] - 127.5) / 127.5 for place in range(size)]
