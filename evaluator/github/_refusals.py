"""What it means that GitHub refuses a request, and when the same request may be made again."""

from __future__ import annotations

import math
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, NamedTuple

import jiter

from evaluator import errors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.github._transport import Received

SHOWN = 300
"""Most characters of GitHub's own words in a message."""

LARGEST = 64 << 10
"""Most bytes of a refusal that are read."""

LIMITED = ("rate limit", "abuse detection")
"""What GitHub says of a limit, primary or secondary, where the status is the one of a missing permission."""

FIRST_OF_LIMIT = 60.0
FIRST_OF_FAULT = 1.0
"""Seconds before the second try where GitHub does not say; each wait is twice the one before."""


class Refusal(NamedTuple):
    """A refusal: what is raised for it, and when to ask again.

    Attributes:
        error: what it is to the one who asked.
        limited: whether a limit was reached: then nothing was done, and the request may be made again whatever it is.
        passing: whether it will pass by itself.
        after: seconds that GitHub asks to wait; None where it does not say.
    """

    error: errors.GitHubError
    limited: bool = False
    passing: bool = False
    after: float | None = None

    def wait(self, tries: int) -> float:
        """Seconds before the next try, after so many."""
        first = FIRST_OF_LIMIT if self.limited else FIRST_OF_FAULT
        return self.after if self.after is not None else first * 2.0 ** (tries - 1)


def meaning(call: str, received: Received, now: float) -> Refusal:
    """What an answer of 4xx or 5xx means; ``now`` is the time since 1970, for answers that do not say theirs."""
    said, status = _said(received.body), received.status
    told = f"GitHub answers {call} with {status}{f': {said}' if said else ''}"
    if status == 429 or (status == 403 and _is_limit(received, said)):  # noqa: PLR2004 - HTTP's too many, and forbidden
        return Refusal(errors.RateLimited(told), limited=True, passing=True, after=_told(received.headers, now))
    if status >= 500 or status == 408:  # noqa: PLR2004 - what HTTP blames on the server, and its request timeout
        return Refusal(errors.Unreachable(told), passing=True, after=_retry_after(received.headers, now))
    kinds = {401: errors.Forbidden, 403: errors.Forbidden, 404: errors.NotFound, 410: errors.Gone}
    return Refusal(kinds.get(status, errors.GitHubError)(told))


def printable(text: str, limit: int = SHOWN) -> str:
    """Foreign text on one line, cut, without what does not print."""
    line = " ".join("".join(each if each.isprintable() else " " for each in text[: 4 * limit]).split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _is_limit(received: Received, said: str) -> bool:
    if "not accessible" in said.lower():
        # A token without the permission may have used up its limit as well; no waiting gives it the permission.
        return False
    spent = _number(received.headers.get("x-ratelimit-remaining")) == 0
    return spent or "retry-after" in received.headers or any(each in said.lower() for each in LIMITED)


def _told(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait as GitHub documents it: its word, else the reset of a limit with nothing left."""
    after = _retry_after(headers, now)
    reset = _number(headers.get("x-ratelimit-reset"))
    if after is not None or reset is None or _number(headers.get("x-ratelimit-remaining")) != 0:
        return after
    return max(reset - _date(headers.get("date", ""), now), 0.0)


def _retry_after(headers: Mapping[str, str], now: float) -> float | None:
    written = headers.get("retry-after")
    if written is None:
        return None
    number = _number(written)
    if number is not None:
        return number
    until = _date(written, math.nan)
    return None if math.isnan(until) else max(until - _date(headers.get("date", ""), now), 0.0)


def _date(written: str, otherwise: float) -> float:
    """A date of HTTP in seconds since 1970: GitHub's times are counted from its own clock, ours may be wrong."""
    try:
        return parsedate_to_datetime(written).timestamp()
    except (ValueError, TypeError, OverflowError):
        return otherwise


def _number(written: str | None) -> float | None:
    return float(written) if written is not None and written.isascii() and written.isdigit() else None


def _said(body: bytes) -> str:
    """GitHub's own words; what it says of each mistake is behind them where the first do not repeat it."""
    try:
        found = jiter.from_json(body[:LARGEST], allow_inf_nan=False)
    except ValueError:
        return ""
    if not isinstance(found, dict):
        return ""
    details = found.get("errors")
    details = details if isinstance(details, list) else []
    texts = [found.get("message"), *(each.get("message") if isinstance(each, dict) else each for each in details)]
    parts = [printable(each) for each in texts if isinstance(each, str)]
    return printable("; ".join(part for at, part in enumerate(parts) if at == 0 or part not in parts[0]))
