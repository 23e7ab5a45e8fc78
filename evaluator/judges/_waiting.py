"""How long a provider asks its callers to wait, read from the headers of a reply.

Absolute times are counted from the reply's own ``Date``, so that a clock that is wrong on either side does not matter.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+")
PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
SAID = re.compile(r"(?:try again|retry) (?:in|after) (\d[\w.]*)(?: (ms|s|m|h))?", re.IGNORECASE)
EPOCH = 1e9
"""Seconds from here on are a date and no duration."""
LONGEST = 86400.0
"""Whatever asks for more than a day is no limit that passes within a run."""


def asked(headers: Mapping[str, str]) -> float | None:
    """Seconds after which a refused call may be made again; None if the reply does not say."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return _held(milliseconds / 1000)
    after = _seconds(headers.get("retry-after", ""), headers)
    return after if after is not None else max(_resets(headers), default=None)


def said(message: str) -> float | None:
    """Seconds that a message asks to wait; None if it does not."""
    found = SAID.search(message)
    if found is None:
        return None
    number = found[1].rstrip(".")
    return _seconds(number + (found[2] or "").lower() if number[-1].isdigit() else number, {})


def pause(headers: Mapping[str, str]) -> float:
    """Seconds for which a limit that this reply used up asks for no further call; 0 if there is something left."""
    return max(_resets(headers), default=0.0)


def _resets(headers: Mapping[str, str]) -> Iterator[float]:
    """When each limit with nothing left is filled again: of OpenAI's, and of Anthropic's."""
    for name, value in headers.items():
        found = re.fullmatch(r"(x-ratelimit|anthropic-ratelimit)-(?:(.+)-)?remaining(?:-(.+))?", name)
        if found is None or (_number(value) or 0.0) > 0 or _number(value) is None:
            continue
        family, before, behind = found.groups()
        other = "-".join(part for part in (family, before, "reset", behind) if part)
        seconds = _seconds(headers.get(other, ""), headers)
        if seconds is not None:
            yield seconds


def _seconds(value: str, headers: Mapping[str, str]) -> float | None:
    """A duration, a number of seconds or a date as seconds from the reply on."""
    value = value.strip()
    number = _number(value)
    if number is not None and number < EPOCH:
        return _held(number)
    if DURATION.fullmatch(value):
        return _held(sum(float(amount) * UNITS[unit] for amount, unit in PART.findall(value)))
    now, then = _date(headers.get("date", "")), _date(value)
    return _held((then - now).total_seconds()) if now is not None and then is not None else None


def _date(value: str) -> datetime | None:
    """A date of HTTP, of RFC 3339 or in seconds since 1970."""
    number = _number(value)
    try:
        if number is not None:
            return datetime.fromtimestamp(number, UTC)
        found = datetime.fromisoformat(value) if re.match(r"\d{4}-", value) else parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError, OSError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _held(seconds: float) -> float:
    return min(max(seconds, 0.0), LONGEST)
