"""What all providers share: one call within its time, and what is learnt from a refusal of how it was put."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from evaluator.judges import _http
from evaluator.judges._adapting import Adapting, Manner, names_the_form
from evaluator.model.judge import JudgeBroken, JudgeBusy, JudgeDeclined, JudgeReply, JudgeTooLong, TokenUsage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from evaluator.model.judge import JudgeRequest

LARGEST = 32 * 2**20
"""Most bytes of a reply."""
MOST_CHANGES = 12
"""How often one call is put otherwise before it is given up."""
THINKING = 8192
"""Tokens that a model which thinks before it replies gets for that, beside the room of its reply."""
INTERNAL = frozenset({500, 501})
TRANSPORTS = ("httpx", "httpcore", "h11", "h2", "zlib", "ssl", "socket")


class Dialect(Protocol):
    """How one provider is spoken to.

    Attributes:
        forms: in which a reply can be asked for, the strictest first.
        optional: the parameters that may be left out where they are refused.
        failures: what the client raises.
    """

    failures: type[Exception]

    @property
    def forms(self) -> Sequence[str]: ...

    @property
    def optional(self) -> Sequence[str]: ...

    def described(self, without: frozenset[str]) -> Iterable[str]:
        """Short words for what is left out."""
        ...

    def parameters(self, request: JudgeRequest, manner: Manner) -> dict[str, Any]:
        """The body of a call."""
        ...

    def send(self, parameters: Mapping[str, Any], timeout: float) -> AbstractContextManager[Any]:
        """The call's reply while it arrives."""
        ...

    def read(self, body: Mapping[str, Any], headers: Mapping[str, str], request: JudgeRequest) -> JudgeReply:
        """What a reply says. Raises JudgeTooLong; KeyError, TypeError, IndexError or AttributeError if it is none."""
        ...

    def close(self) -> None:
        """Release connections."""
        ...


class _Deadline:
    """The time of one call, whatever is tried in it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left; JudgeBusy if there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise JudgeBusy(f"no reply within {self._seconds:g} seconds")
        return left


class ProviderJudge:
    """A judge behind HTTP."""

    def __init__(self, dialect: Dialect, endpoint: _http.Endpoint, key: str | None) -> None:
        self._dialect = dialect
        self._endpoint = endpoint
        self._hide = _http.hiding(key)
        self._adapting = Adapting(dialect.forms, dialect.optional, dialect.described)

    def __repr__(self) -> str:
        return f"<judge {self._endpoint.model} at {self._endpoint.host}>"

    def ask(self, request: JudgeRequest, timeout: float) -> JudgeReply:
        """Ask once; what the endpoint names as not taken is left out, and the call put again."""
        deadline = _Deadline(timeout)
        for _ in range(MOST_CHANGES):
            manner = self._adapting.manner(request.name)
            outcome = self._once(request, manner, deadline)
            if isinstance(outcome, JudgeReply):
                self._adapting.worked()
                return outcome
            if not _is_of_the_manner(outcome):
                raise outcome.error
            if self._adapting.manner(request.name) != manner:
                continue
            if self._adapting.learn(outcome.failure, manner, outcome.sent):
                continue
            if not self._adapting.may_be_the_form(outcome.failure, manner):
                raise outcome.error
            reply = self._in_other_forms(request, manner, outcome, deadline)
            if reply is not None:
                return reply
        raise JudgeDeclined(f"{self._endpoint.host} refuses every way of asking")

    def adapted(self) -> Sequence[str]:
        """What had to be left out or asked for otherwise."""
        return self._adapting.adapted()

    def close(self) -> None:
        """Release connections."""
        self._dialect.close()

    def _in_other_forms(
        self, request: JudgeRequest, manner: Manner, first: _Failed, deadline: _Deadline
    ) -> JudgeReply | None:
        """The reply to the same call in a looser form, in which all further ones are then asked.

        A failure that does not name the form may have been a passing one. So the first form is tried once more before
        it is given up. None: another thread found out meanwhile.
        """
        if not self._adapting.trial.acquire(timeout=deadline.left()):
            raise first.error
        try:
            if self._adapting.manner(request.name) != manner:
                return None
            if not self._adapting.may_be_the_form(first.failure, manner):
                raise first.error
            for form in self._adapting.below(manner.form):
                outcome = self._once(request, manner._replace(form=form), deadline)
                if isinstance(outcome, _Failed):
                    if not _is_of_the_manner(outcome):
                        raise outcome.error
                    continue
                if not names_the_form(first.failure):
                    again = self._once(request, manner, deadline)
                    if isinstance(again, JudgeReply):
                        self._adapting.worked()
                        return again._replace(usage=_sum(again.usage, outcome.usage))
                self._adapting.settle(request.name, form)
                return outcome
            self._adapting.tried()
        finally:
            self._adapting.trial.release()
        raise first.error

    def _once(self, request: JudgeRequest, manner: Manner, deadline: _Deadline) -> JudgeReply | _Failed:
        """One request over the wire."""
        sent = self._dialect.parameters(request, manner)
        try:
            with self._dialect.send(sent, deadline.left()) as response:
                headers = {str(name).lower(): str(value) for name, value in response.headers.items()}
                body = _body(response, deadline)
        except Exception as error:  # noqa: BLE001 - sorted out in the next line: what is not of the transport is raised
            return self._failed(error, sent)
        return self._read(body, headers, request, sent)

    def _failed(self, error: Exception, sent: Mapping[str, Any]) -> _Failed:
        modules = {type(each).__module__.partition(".")[0].rstrip("0123456789") for each in (error, error.__cause__)}
        if not isinstance(error, self._dialect.failures) and not modules & set(TRANSPORTS):
            raise error
        failure = _http.failure_of(error, self._hide)
        return _Failed(failure, self._meaning(failure), sent)

    def _meaning(self, failure: _http.Failure) -> Exception:
        found = _http.meaning(failure, self._endpoint)
        if isinstance(found, JudgeBroken) and failure.status is None and self._adapting.answered:
            # The name was resolved before, so this will pass.
            return JudgeBusy(str(found))
        return found

    def _read(
        self, body: bytes, headers: Mapping[str, str], request: JudgeRequest, sent: Mapping[str, Any]
    ) -> JudgeReply | _Failed:
        host = self._endpoint.host
        try:
            decoded = json.loads(body)
        except (ValueError, RecursionError):
            kind = headers.get("content-type", "").partition(";")[0]
            if kind == "text/html":
                raise JudgeBroken(f"{host} answers with a web page: base_url leads to no model") from None
            raise JudgeBusy(f"the reply of {host} is not JSON or was cut off") from None
        failure = _http.failure_in(decoded, self._hide) if isinstance(decoded, dict) else None
        if failure is not None:
            return _Failed(failure, self._meaning(failure), sent)
        try:
            return self._dialect.read(decoded, headers, request)
        except (KeyError, TypeError, IndexError, AttributeError):
            raise JudgeBusy(f"the reply of {host} is not in the form that it should be") from None


class _Failed(NamedTuple):
    """What became of a call without a reply, what that is to the one who asked, and what was sent."""

    failure: _http.Failure
    error: Exception
    sent: Mapping[str, Any]


def _is_of_the_manner(outcome: _Failed) -> bool:
    """Whether a call may have failed for how it was put: not for what it holds, nor for who asks, nor for now."""
    failure, error, _ = outcome
    if isinstance(error, JudgeTooLong) or _http.is_filtered(failure):
        return False
    return isinstance(error, JudgeDeclined) or failure.status in INTERNAL or names_the_form(failure)


def _body(response: Any, deadline: _Deadline) -> bytes:
    """All of a reply; its time and size are limited however slowly it drips."""
    parts: list[bytes] = []
    size = 0
    for part in response.iter_bytes():
        deadline.left()
        size += len(part)
        if size > LARGEST:
            raise JudgeBroken(f"a reply has more than {LARGEST} bytes")
        parts.append(part)
    return b"".join(parts)


def _sum(one: TokenUsage, other: TokenUsage) -> TokenUsage:
    return TokenUsage(*(first + second for first, second in zip(one, other, strict=True)))


def usage_of(counted: TokenUsage | None, request: JudgeRequest, text: str) -> TokenUsage:
    """The tokens of a call; a generous estimate where the endpoint counts none, so that a cost limit still holds."""
    if counted is not None:
        return counted
    asked = sum(len(block.text.encode()) for block in request.blocks) + len(request.system.encode())
    return TokenUsage(asked // 3 + 1, len(text.encode()) // 3 + 1)


def schema_in_words(request: JudgeRequest) -> str:
    """What asks for the schema where it cannot be given beside the text."""
    schema = json.dumps(request.schema, ensure_ascii=False)
    return f"Reply with one JSON object that fits this JSON Schema, and with nothing else:\n{schema}"
