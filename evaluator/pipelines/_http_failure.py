"""Why there is no reply, in sentences of ours: those of requests repeat the address, and with it the question."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import requests
from urllib3 import exceptions as low

if TYPE_CHECKING:
    from evaluator.model.record import FailureKind


class Failed(Exception):
    """No reply that could be read: what kind of failure it is, and a sentence without anything that was sent."""

    def __init__(self, kind: FailureKind, message: str, *, again: bool = False, unsent: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.again = again
        self.unsent = unsent


_Types: TypeAlias = type[BaseException] | tuple[type[BaseException], ...]
SENTENCES: tuple[tuple[_Types, FailureKind, str], ...] = (
    (requests.exceptions.ProxyError, "error", "no connection through the proxy"),
    (
        requests.exceptions.SSLError, "error",
        "no connection: the server's certificate is not trusted, or its encryption is not ours",
    ),
    (requests.Timeout, "timeout", "no reply in time"),
    (
        (requests.ConnectionError, requests.exceptions.ChunkedEncodingError, low.HTTPError), "died",
        "the connection ended before the whole reply was there",
    ),
    (requests.RequestException, "error", "the request could not be sent"),
    (OSError, "died", "the connection ended before the whole reply was there"),
)  # fmt: skip
"""Errors of requests, the special ones first, and what a person is told of them."""


class translated:  # noqa: N801 - reads as a word in a with statement
    """Turns what requests raises into :class:`Failed`."""

    def __enter__(self) -> None:
        """Nothing."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, requests.RequestException | low.HTTPError | OSError):
            raise _failure(error) from None


UNCONNECTED = (low.ConnectTimeoutError, low.NewConnectionError)


def _failure(error: BaseException) -> Failed:
    reason = _reason(error)
    if isinstance(reason, low.ConnectTimeoutError | low.NewConnectionError) or isinstance(
        error, requests.ConnectTimeout
    ):
        # A name that is not resolved is one of these, too.
        return Failed("error", f"no connection: {_unconnected(reason)}", again=True, unsent=True)
    if isinstance(error, requests.exceptions.ContentDecodingError | low.DecodeError):
        return Failed("invalid", "the reply is not compressed the way it says")
    for kinds, kind, sentence in SENTENCES:
        if isinstance(error, kinds):
            return Failed(kind, sentence, again=kind == "died")
    return Failed("error", f"the request could not be sent ({type(error).__name__})")


def _unconnected(reason: object) -> str:
    if isinstance(reason, low.NameResolutionError):
        return "there is no server of that name"
    if isinstance(reason, low.NewConnectionError):
        refused = reason.__cause__
        return ((isinstance(refused, OSError) and refused.strerror) or "it was not accepted").lower()
    return "the server does not answer"


def _reason(error: BaseException) -> object:
    """What lies under an error of requests': the error of the transport."""
    first = error.args[0] if error.args else None
    return first.reason if isinstance(first, low.MaxRetryError) else first
