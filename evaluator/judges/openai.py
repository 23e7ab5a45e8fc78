"""OpenAI's chat completions, there or at any endpoint that speaks them: gateways, vLLM, Ollama, llama.cpp."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from evaluator import registry
from evaluator.judges import _client, _opening, _waiting
from evaluator.model.judge import JudgeKind, JudgeReply, TokenUsage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager

    from evaluator.judges._adapting import Manner
    from evaluator.model.judge import Finish, Judge, JudgeRequest, JudgeSetting

URL = "https://api.openai.com/v1"
WINDOWS = {
    "chatgpt-4o": 128_000,
    "gpt-3.5-turbo": 16_385,
    "gpt-4": 8_192,
    "gpt-4-0125": 128_000,
    "gpt-4-1106": 128_000,
    "gpt-4-32k": 32_768,
    "gpt-4-turbo": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-4o": 128_000,
    "gpt-5": 272_000,
    "gpt-6": 272_000,
    "o1": 200_000,
    "o1-mini": 128_000,
    "o1-preview": 128_000,
    "o3": 200_000,
    "o4": 200_000,
}
"""Tokens that a model reads, by the beginning of its name; the longest beginning counts."""
WINDOW = 8_192
"""For any other: small, since some local servers silently drop what does not fit the window they were started with."""

THINKS = re.compile(r"(?:.*/)?(?:o\d|gpt-(?:[5-9]|\d\d))(?!.*chat)", re.IGNORECASE)
DATED = re.compile(r"\d{4}-\d{2}-\d{2}|(?:^|[-@])\d{4}(?:$|[-:])|@?sha256[:-]|@[0-9a-f]{7,}")

FORMS = ("json_schema", "json_object with a schema", "json_object", "plain text")
ROOMS = ("max_completion_tokens", "max_tokens")


class _OpenAI:
    """How chat completions are asked for."""

    forms = FORMS
    optional = ("temperature", "seed", "system", *ROOMS)

    def __init__(self, library: Any, client: Any, setting: JudgeSetting) -> None:
        self.failures: type[Exception] = library.OpenAIError
        self._library = library
        self._client = client
        self._setting = setting
        # Elsewhere the older name is the one that is known, and an unknown one is often ignored.
        self._rooms = ROOMS if setting.base_url is None else ROOMS[::-1]
        self._thinks = THINKS.match(setting.model) is not None

    def described(self, without: frozenset[str]) -> Iterable[str]:
        """Words for what is left out; of the two names of the room, one may stand for the other."""
        for name in sorted(without - set(ROOMS)):
            yield "system text in the message" if name == "system" else f"no {name}"
        if set(ROOMS) <= without:
            yield "no limit of tokens"
        elif self._rooms[0] in without:
            yield f"{self._rooms[1]} instead of {self._rooms[0]}"

    def parameters(self, request: JudgeRequest, manner: Manner) -> dict[str, Any]:
        """The body of a call."""
        room = request.room + (_client.THINKING if self._thinks else 0)
        body: dict[str, Any] = {
            "model": self._setting.model,
            "messages": _messages(request, manner),
            "temperature": 0,
            "seed": self._setting.seed,
            **_form(request, manner.form),
        }
        name = next((each for each in self._rooms if each not in manner.without), None)
        if name is not None:
            body[name] = min(room, manner.most or room)
        return {key: value for key, value in body.items() if key not in manner.without and value is not None}

    def send(self, parameters: Mapping[str, Any], timeout: float) -> AbstractContextManager[Any]:
        """The reply while it arrives."""
        found: AbstractContextManager[Any] = self._client.chat.completions.with_streaming_response.create(
            **parameters, timeout=_opening.within(self._library, timeout)
        )
        return found

    def read(self, body: Mapping[str, Any], headers: Mapping[str, str], request: JudgeRequest) -> JudgeReply:
        """The first choice."""
        choice = body["choices"][0]
        text, finish = _said(choice)
        usage = body.get("usage") or {}
        if finish == "length" and (usage.get("completion_tokens_details") or {}).get("reasoning_tokens"):
            self._thinks = True
        return JudgeReply(
            text=text,
            finish=finish,
            model=str(body.get("model") or self._setting.model),
            usage=_client.usage_of(_usage(usage), request, text),
            pause=_waiting.pause(headers),
        )

    def close(self) -> None:
        """Release connections."""
        self._client.close()


def _messages(request: JudgeRequest, manner: Manner) -> list[dict[str, str]]:
    texts = [block.text for block in request.blocks]
    if manner.form != FORMS[0] and request.schema:
        texts.append(_client.schema_in_words(request))
    if not request.system:
        return [{"role": "user", "content": "\n\n".join(texts)}]
    if "system" in manner.without:
        return [{"role": "user", "content": "\n\n".join([request.system, *texts])}]
    return [{"role": "system", "content": request.system}, {"role": "user", "content": "\n\n".join(texts)}]


def _form(request: JudgeRequest, form: str) -> dict[str, Any]:
    """The ``response_format`` that asks for a reply in a form; the second is that of llama-cpp-python and others."""
    if form == "plain text" or not request.schema:
        return {}
    if form == "json_object":
        return {"response_format": {"type": "json_object"}}
    schema = dict(request.schema)
    if form == "json_object with a schema":
        return {"response_format": {"type": "json_object", "schema": schema}}
    named = {"name": request.name, "schema": schema, "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def _said(choice: Mapping[str, Any]) -> tuple[str, Finish]:
    message, reason = choice["message"], choice.get("finish_reason")
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(part.get("text") or "" for part in content)
    if message.get("refusal"):
        return str(message["refusal"]), "refusal"
    if reason == "content_filter":
        return content or "", "refusal"
    return content or "", "length" if reason == "length" else "stop"


def _usage(usage: Mapping[str, Any]) -> TokenUsage | None:
    read, written = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(read, int) or not isinstance(written, int):
        return None
    return TokenUsage(read, written, int((usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0))


def window(model: str) -> int:
    """Tokens that a model reads at once."""
    bare = model.rpartition("/")[2].removeprefix("ft:")
    return max(((name, size) for name, size in WINDOWS.items() if bare.startswith(name)), default=("", WINDOW))[1]


def is_pinned(model: str) -> bool:
    """Whether a name holds a date, a month or a digest: anything else may come to mean another model."""
    return DATED.search(model) is not None and not model.endswith("latest")


def _open(setting: JudgeSetting) -> Judge:
    key = _opening.key_of(setting)
    url, endpoint = _opening.endpoint_of(setting, URL)
    library = registry.library("openai", "openai")
    client = _opening.opened(library, library.OpenAI, url, key)
    return _client.ProviderJudge(_OpenAI(library, client, setting), endpoint, key)


JUDGE = JudgeKind(
    name="openai",
    open=_open,
    window=window,
    is_pinned=is_pinned,
    needs_key=lambda base_url: base_url is None,
    usual=URL,
    library="openai",
)
