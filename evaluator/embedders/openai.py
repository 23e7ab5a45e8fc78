"""Any endpoint that speaks OpenAI's embeddings: ``openai:MODEL``, elsewhere with a base URL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluator import errors, registry
from evaluator.model.ports import EmbedderKind, EmbedderSetting

if TYPE_CHECKING:
    from collections.abc import Sequence

TIMEOUT = 60.0
RETRIES = 5
NO_KEY = "none"
"""What is sent where an endpoint of one's own asks for no key: the client refuses to send nothing."""


class _OpenAI:
    """One model at one endpoint. The client itself waits and tries again where the server says so."""

    def __init__(self, client: Any, model: str, failed: type[Exception]) -> None:
        self._client = client
        self._model = model
        self._failed = failed

    def documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors by the index that the reply gives each, whatever its order.

        Raises:
            UsageError: the endpoint refused or could not be reached, or did not answer for every text.
        """
        try:
            # Left out, the format would be one that not every server knows.
            reply = self._client.embeddings.create(model=self._model, input=list(texts), encoding_format="float")
        except self._failed as error:
            raise errors.UsageError(f"the embeddings of {self._model} could not be had: {_said(error)}") from None
        found = {item.index: item.embedding for item in reply.data}
        if sorted(found) != list(range(len(texts))):
            raise errors.UsageError(
                f"{self._model} was asked for {len(texts)} vectors and gave others: {sorted(found)}"
            )
        return [found[index] for index in range(len(texts))]

    questions = documents


def _said(error: Exception) -> str:
    """What the client says of a failure, on one line, without what it sent."""
    status = getattr(error, "status_code", None)
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    said = " ".join(str(message or error).split())[:200]
    return said if status is None else f"HTTP {status}: {said}"


def _open(setting: EmbedderSetting) -> _OpenAI:
    library = registry.library("openai", "openai")
    key = setting.environment.get(setting.api_key_env)
    if not key and setting.base_url is None:
        raise errors.UsageError(f"the variable {setting.api_key_env} is not set, and the embeddings need its key")
    client = library.OpenAI(
        api_key=key or NO_KEY, base_url=setting.base_url, timeout=TIMEOUT, max_retries=RETRIES,
    )  # fmt: skip
    return _OpenAI(client, setting.argument, library.OpenAIError)


EMBEDDER = EmbedderKind(name="openai", open=_open)
