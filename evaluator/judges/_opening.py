"""Clients of the providers: made so that the key goes nowhere but to the address that was given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from evaluator import errors
from evaluator.judges._http import Endpoint

if TYPE_CHECKING:
    from collections.abc import Callable

    from evaluator.model.judge import JudgeSetting

NO_KEY = "none"
"""What is sent where an endpoint of one's own asks for no key: the clients refuse to send nothing."""
CONNECTING = 10.0
"""Seconds in which a connection must come about."""


def key_of(setting: JudgeSetting) -> str | None:
    """The key without the line break that secrets often end with.

    Raises:
        UsageError: it holds what no header can carry.
    """
    key = (setting.key or "").strip()
    if not all("!" <= letter <= "~" for letter in key):
        raise errors.UsageError(
            "the judge's key holds white space or letters beyond ASCII: is the variable the right one?"
        )
    return key or None


def endpoint_of(setting: JudgeSetting, usual: str) -> tuple[str, Endpoint]:
    """Where a judge is asked. The clients would else follow variables of the environment with the key.

    Raises:
        UsageError: the base URL is none.
    """
    url = setting.base_url or usual
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = None, None
    if parts is None or parts.scheme not in ("http", "https") or not host:
        raise errors.UsageError("judge.base_url must be an address that begins with http:// or https://")
    return url, Endpoint(host, setting.model)


def opened(library: Any, kind: Callable[..., Any], url: str, key: str | None) -> Any:
    """A client that neither tries again nor follows a redirection with the key."""
    return kind(
        api_key=key or NO_KEY,
        base_url=url,
        max_retries=0,
        http_client=library.DefaultHttpxClient(follow_redirects=False),
    )


def within(library: Any, seconds: float) -> Any:
    """A client's timeouts for one call."""
    return library.Timeout(seconds, connect=min(seconds, CONNECTING))
