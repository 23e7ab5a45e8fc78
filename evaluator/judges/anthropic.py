"""Anthropic's messages: the fixed part and the contexts are cached there, replies come in a JSON Schema."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from evaluator import registry
from evaluator.judges import _client, _opening, _waiting
from evaluator.model.judge import JudgeKind, JudgeReply, JudgeTooLong, TokenUsage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager

    from evaluator.judges._adapting import Manner
    from evaluator.model.judge import Finish, Judge, JudgeRequest, JudgeSetting

URL = "https://api.anthropic.com"
NAME = re.compile(r"claude-(?P<name>[a-z]+)-(?P<major>\d{1,2})(?:-(?P<minor>\d{1,2}))?(?=$|[-@\[])")
WINDOW = 200_000
"""Tokens that a model reads before 4.6, and one whose name does not tell."""
WIDE = 1_000_000
"""Tokens that a model reads from 4.6 on."""
DATED = re.compile(r"(?<!\d)\d{8}(?!\d)")
UNDATED = (4, 6)
"""From this version on a name without a date is an exact version; before, it was an alias."""

FORMS = ("output_config", "a forced tool", "plain text")
KEPT = {"type": "ephemeral"}
MOST_KEPT = 4
"""How many ends of cached parts a request may have."""


class _Anthropic:
    """How messages are asked for."""

    forms = FORMS
    optional = ("temperature", "thinking", "cache_control")

    def __init__(self, library: Any, client: Any, setting: JudgeSetting) -> None:
        self.failures: type[Exception] = library.AnthropicError
        self._library = library
        self._client = client
        self._setting = setting

    def described(self, without: frozenset[str]) -> Iterable[str]:
        """Words for what is left out."""
        names = {"thinking": "thinking left on", "cache_control": "no caching", "temperature": "no temperature"}
        return [names[name] for name in sorted(without)]

    def parameters(self, request: JudgeRequest, manner: Manner) -> dict[str, Any]:
        """The body of a call. Thinking is off where it can be: reasons are asked for in the reply, before verdicts."""
        thinks = "thinking" in manner.without
        room = request.room + (_client.THINKING if thinks else 0)
        keeps = "cache_control" not in manner.without
        body: dict[str, Any] = {
            "model": self._setting.model,
            "max_tokens": min(room, manner.most or room),
            "system": [_text(request.system, cached=keeps)],
            "messages": [{"role": "user", "content": _content(request, manner.form, keeps=keeps)}],
            "temperature": 0,
            "thinking": {"type": "disabled"},
            **_form(request, manner.form),
        }
        return {key: value for key, value in body.items() if key not in manner.without}

    def send(self, parameters: Mapping[str, Any], timeout: float) -> AbstractContextManager[Any]:
        """The reply while it arrives.

        The client of today names no temperature, which models before 4.7 take. Of models that are to be retired it
        warns in a way that ends some processes; the provider says so itself once they are.
        """
        named = dict(parameters, model="")
        extra = {"model": parameters["model"]}
        if "temperature" in named:
            extra["temperature"] = named.pop("temperature")
        found: AbstractContextManager[Any] = self._client.messages.with_streaming_response.create(
            **named, extra_body=extra, timeout=_opening.within(self._library, timeout)
        )
        return found

    def read(self, body: Mapping[str, Any], headers: Mapping[str, str], request: JudgeRequest) -> JudgeReply:
        """The text, or what the forced tool was given."""
        if body.get("stop_reason") == "model_context_window_exceeded":
            raise JudgeTooLong("the reply did not fit into what the model reads and writes at once")
        text = "".join(_said(block) for block in body["content"])
        return JudgeReply(
            text=text,
            finish=_finish(body),
            model=str(body.get("model") or self._setting.model),
            usage=_client.usage_of(_usage(body.get("usage") or {}), request, text),
            pause=_waiting.pause(headers),
        )

    def close(self) -> None:
        """Release connections."""
        self._client.close()


def _text(text: str, *, cached: bool) -> dict[str, Any]:
    return {"type": "text", "text": text, **({"cache_control": KEPT} if cached else {})}


def _content(request: JudgeRequest, form: str, *, keeps: bool) -> list[dict[str, Any]]:
    """The blocks; empty ones are refused there, and of too many that end a cached part the last count."""
    blocks = [block for block in request.blocks if block.text.strip()]
    ends = [index for index, block in enumerate(blocks) if block.cached][-(MOST_KEPT - 1) :]
    found = [_text(block.text, cached=keeps and index in ends) for index, block in enumerate(blocks)]
    return (
        found
        if form != FORMS[-1] or not request.schema
        else [*found, _text(_client.schema_in_words(request), cached=False)]
    )


def _form(request: JudgeRequest, form: str) -> dict[str, Any]:
    """What asks for a reply in a form."""
    schema = dict(request.schema)
    if not schema:
        return {}
    if form == "output_config":
        return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
    if form == "a forced tool":
        tool = {"name": request.name, "description": "Takes the reply.", "input_schema": schema}
        return {"tools": [tool], "tool_choice": {"type": "tool", "name": request.name}}
    return {}


def _said(block: Mapping[str, Any]) -> str:
    if block["type"] == "tool_use":
        return json.dumps(block["input"], ensure_ascii=False)
    return str(block["text"]) if block["type"] == "text" else ""


def _finish(body: Mapping[str, Any]) -> Finish:
    reason = body.get("stop_reason")
    if reason == "max_tokens":
        return "length"
    return "refusal" if reason == "refusal" else "stop"


def _usage(usage: Mapping[str, Any]) -> TokenUsage | None:
    """All that was read: what was kept before, what is kept now, and the rest are counted apart there."""
    read, written = usage.get("input_tokens"), usage.get("output_tokens")
    if not isinstance(read, int) or not isinstance(written, int):
        return None
    cached = int(usage.get("cache_read_input_tokens") or 0)
    return TokenUsage(read + int(usage.get("cache_creation_input_tokens") or 0) + cached, written, cached)


def _version(model: str) -> tuple[int, int] | None:
    found = NAME.search(model)
    return (int(found["major"]), int(found["minor"] or 0)) if found is not None else None


def window(model: str) -> int:
    """Tokens that a model reads at once."""
    version = _version(model)
    return WIDE if version is not None and version >= UNDATED else WINDOW


def is_pinned(model: str) -> bool:
    """Whether a name is an exact version: it holds a date, or it is of the versions that have none."""
    version = _version(model)
    return DATED.search(model) is not None or (
        version is not None and version >= UNDATED and not model.endswith("latest")
    )


def _open(setting: JudgeSetting) -> Judge:
    key = _opening.key_of(setting)
    url, endpoint = _opening.endpoint_of(setting, URL)
    library = registry.library("anthropic", "anthropic")
    client = _opening.opened(library, library.Anthropic, url, key)
    return _client.ProviderJudge(_Anthropic(library, client, setting), endpoint, key)


JUDGE = JudgeKind(
    name="anthropic",
    open=_open,
    window=window,
    is_pinned=is_pinned,
    needs_key=lambda base_url: base_url is None,
    usual=URL,
    library="anthropic",
)
