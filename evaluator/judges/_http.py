"""What a provider's failures and limits mean for a call, whichever client reported them."""

from __future__ import annotations

import json
import re
import socket
import ssl
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.judges import _waiting
from evaluator.model.judge import JudgeBroken, JudgeBusy, JudgeDeclined, JudgeTooLong

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

SHOWN = 300
"""Most characters of a server's own words in a message."""
READ = 4000
"""Most characters of them that are looked at."""

LIMITED = frozenset({429, 529})
AGAIN = frozenset({408, 409, 425, *LIMITED})
TOO_LONG = re.compile(
    r"context[_ ](length|window|size|limit)|maximum context|(prompt|input|request|message)s?( \w+)? (is|are|was)? ?"
    r"too (long|large)|too many tokens|max_model_len|request_too_large|string_above_max_length",
    re.IGNORECASE,
)
UNPAID = re.compile(
    r"insufficient[_ ](quota|balance|credits?)|billing_\w+|credit balance|specified (workspace )?api usage limits",
    re.IGNORECASE,
)
"""Never the bare words: what is said of a limit per minute may speak of plans, quotas and billing too."""
UNKNOWN_MODEL = re.compile(
    r"model_not_found|invalid_model|^\W*invalid model|\bmodel\W.{0,80}(does not exist|not exist|not found)",
    re.IGNORECASE,
)
FILTERED = re.compile(r"content[_ ](filter|policy|management)|responsible_?ai|safety", re.IGNORECASE)


class Failure(NamedTuple):
    """A call that brought no reply.

    Attributes:
        status: of HTTP; None where nothing came back.
        said: the server's words, or the client's where there are none, on one line and without the key.
        code: the server's short names for it, whatever it calls them.
        param: the parameter that it names.
        headers: of the reply, by lower-case names.
        cause: what was raised.
    """

    status: int | None
    said: str
    code: str = ""
    param: str = ""
    headers: Mapping[str, str] = {}
    cause: BaseException | None = None


class Endpoint(NamedTuple):
    """Where a judge is, for messages: never with a key in it."""

    host: str
    model: str


def failure_of(error: BaseException, hide: Callable[[str], str]) -> Failure:
    """What a client raised, as a value from which the key is gone."""
    response = getattr(error, "response", None)
    headers = {str(name).lower(): str(value) for name, value in getattr(response, "headers", {}).items()}
    inner = _inner(getattr(error, "body", None))
    said = _message(inner) or str(error) or type(error).__name__
    names = inner if isinstance(inner, dict) else {}
    return Failure(
        status=getattr(error, "status_code", None),
        said=hide(" ".join(said.split())[:READ]),
        code=" ".join(str(names[each]) for each in ("code", "type") if names.get(each)),
        param=str(names.get("param") or ""),
        headers=headers,
        cause=error,
    )


def failure_in(body: Mapping[str, Any], hide: Callable[[str], str]) -> Failure | None:
    """The failure that some gateways send with status 200."""
    if not body.get("error"):
        return None
    inner = _inner(dict(body))
    code = inner.get("code") if isinstance(inner, dict) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else 502  # noqa: PLR2004 - HTTP's failures
    return Failure(status, hide(" ".join(_message(inner).split())[:READ]), str(code or ""))


def hiding(key: str | None) -> Callable[[str], str]:
    """A function that replaces the key in a text, and shows it in no representation of its own."""

    def hide(text: str) -> str:
        return text.replace(key, "[the key]") if key else text

    return hide


def _inner(body: Any) -> Any:
    """The part of a body that tells of the error: servers wrap it, or do not."""
    if isinstance(body, dict) and body.get("error"):
        return body["error"]
    return body


def _message(inner: Any) -> str:
    if isinstance(inner, dict):
        inner = next((inner[name] for name in ("message", "detail", "msg") if inner.get(name)), inner)
    if inner is None or isinstance(inner, str):
        return inner or ""
    return json.dumps(inner, ensure_ascii=False)


def meaning(failure: Failure, endpoint: Endpoint) -> Exception:
    """The exception of the judge's seam that a failure comes to."""
    status = failure.status
    if status is None:
        return _unanswered(failure, endpoint)
    text = f"{failure.code} {failure.said}"
    said = _said(failure)
    if _is_too_long(failure, text):
        return JudgeTooLong(said)
    if UNPAID.search(text) and 400 <= status < 500:  # noqa: PLR2004 - what HTTP blames on the caller
        return JudgeBroken(f"{endpoint.host} answers only who pays: {said}")
    if status in AGAIN or status >= 500:  # noqa: PLR2004 - what HTTP blames on the server
        after = _waiting.asked(failure.headers)
        return JudgeBusy(said, _waiting.said(failure.said) if after is None else after, limited=status in LIMITED)
    return _refused(failure, endpoint, text)


def is_filtered(failure: Failure) -> bool:
    """Whether a call was refused for what it holds."""
    return FILTERED.search(f"{failure.code} {failure.said}") is not None


def _is_too_long(failure: Failure, text: str) -> bool:
    if failure.status == 429:  # noqa: PLR2004 - HTTP's too many requests
        return re.search(r"request too large", text, re.IGNORECASE) is not None
    return failure.status == 413 or (failure.status in {400, 422, 500} and TOO_LONG.search(text) is not None)  # noqa: PLR2004 - HTTP's content too large


def _refused(failure: Failure, endpoint: Endpoint, text: str) -> Exception:
    """What the rest of 3xx and 4xx mean."""
    host, status, said = endpoint.host, failure.status or 0, _said(failure)
    if status == 401:  # noqa: PLR2004 - HTTP's unauthorized; its text is left out, since it may quote the key
        return JudgeBroken(f"{host} refuses the key (HTTP 401): is it that of this provider, and still valid?")
    if status == 402:  # noqa: PLR2004 - HTTP's payment required
        return JudgeBroken(f"{host} answers only who pays: {said}")
    if status == 403:  # noqa: PLR2004 - HTTP's forbidden
        return JudgeBroken(f"{host} does not let this key use {endpoint.model}: {said}")
    if status in {404, 405, 410} or failure.param == "model" or UNKNOWN_MODEL.search(text):
        return JudgeBroken(f"{host} does not serve {endpoint.model} at this address: {said}")
    if status < 400:  # noqa: PLR2004 - HTTP's redirections, which could carry the key elsewhere
        where = failure.headers.get("location", "elsewhere")
        return JudgeBroken(f"{host} sends us to {where[:SHOWN]}: give the right base_url")
    return JudgeDeclined(f"refused for what it holds: {said}" if is_filtered(failure) else said)


def _said(failure: Failure) -> str:
    said = failure.said if len(failure.said) <= SHOWN else failure.said[: SHOWN - 1] + "…"
    return f"HTTP {failure.status}: {said}" if failure.status is not None else said


def _unanswered(failure: Failure, endpoint: Endpoint) -> Exception:
    """What it means that nothing came back."""
    causes = list(_causes(failure.cause))
    names = {type(each).__name__ for each in causes}
    host = endpoint.host
    for each in causes:
        if isinstance(each, socket.gaierror):
            return JudgeBroken(f"the name {host} cannot be resolved: is base_url right, and is there a network?")
        if isinstance(each, ssl.SSLCertVerificationError):
            return JudgeBroken(f"the certificate of {host} is not trusted: {each.verify_message}")
    if names & {"UnsupportedProtocol", "InvalidURL", "LocalProtocolError"}:
        return JudgeBroken(f"the address or the key of {host} cannot be put into a request")
    if any(name.endswith(("Timeout", "TimeoutError")) for name in names):
        return JudgeBusy(f"{host} was too slow")
    innermost = next((str(each) for each in reversed(causes) if str(each)), "")
    return JudgeBusy(f"the connection to {host} failed: {innermost[:SHOWN] or failure.said[:SHOWN]}")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and what it was raised from, outermost first."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
