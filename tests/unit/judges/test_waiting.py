from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.judges import _waiting

DATE = "Mon, 30 Nov 2026 10:00:00 GMT"


class TestAsked:
    """J9: how long to wait before a call is made again."""

    @pytest.mark.parametrize(
        ("headers", "expected"),
        [
            ({}, None),
            ({"retry-after": "7"}, 7.0),
            ({"retry-after": "0.25"}, 0.25),
            ({"retry-after": "-3"}, 0.0),
            ({"retry-after": "soon"}, None),
            ({"retry-after": "inf"}, None),
            ({"retry-after": "999999999"}, 86400.0),
            ({"retry-after": "7", "retry-after-ms": "350"}, 0.35),
            ({"retry-after": "Mon, 30 Nov 2026 10:01:30 GMT", "date": DATE}, 90.0),
            ({"retry-after": "Mon, 30 Nov 2026 09:00:00 GMT", "date": DATE}, 0.0),
            # Without the server's own date, ours would be trusted.
            ({"retry-after": "Mon, 30 Nov 2026 10:01:30 GMT"}, None),
            ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "120ms"}, 0.12),
            ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1h2m3s"}, 3723.0),
            ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "12"}, 12.0),
            ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1796032810", "date": DATE}, 10.0),
            # What has something left is not waited for.
            ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "9s"}, None),
            (
                {
                    "anthropic-ratelimit-input-tokens-remaining": "0", "date": DATE,
                    "anthropic-ratelimit-input-tokens-reset": "2026-11-30T10:00:05Z",
                    "anthropic-ratelimit-requests-remaining": "0",
                    "anthropic-ratelimit-requests-reset": "2026-11-30T12:00:02+02:00",
                },
                5.0,
            ),
        ],
    )  # fmt: skip
    def test_headers_are_read_as_their_providers_write_them(
        self, headers: dict[str, str], expected: float | None
    ) -> None:
        """Seconds, milliseconds, durations and dates; the exact header goes before the limits'."""
        assert _waiting.asked(headers) == (pytest.approx(expected) if expected is not None else None)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Please try again in 1.5s. Visit", 1.5),
        ("Please try again in 120ms.", 0.12),
        ("Please retry in 12.25s", 12.25),
        ("try again after 30 seconds", 30.0),
        ("Try again in 2m", 120.0),
        ("Please try again in 2m3.5s.", 123.5),
        ("Please try again in 5 minutes.", 300.0),
        ("Please try again in 20.", 20.0),
        ("Please try again in 3 attempts", 3.0),
        ("try again later", None),
    ],
)
def test_a_wait_may_stand_in_the_words_alone(message: str, expected: float | None) -> None:
    """J9: in the units of the providers' messages."""
    assert _waiting.said(message) == expected


NAMES = ["retry-after", "retry-after-ms", "date", "x-ratelimit-remaining-a", "x-ratelimit-reset-a"]


@given(st.dictionaries(st.sampled_from(NAMES), st.text(max_size=20) | st.floats().map(str) | st.just(DATE)))
def test_no_header_makes_a_wait_that_is_none(headers: dict[str, str]) -> None:
    """Whatever a server sends, the wait is a number from 0 to a day, or not given."""
    asked = _waiting.asked(headers)
    assert asked is None or 0 <= asked <= _waiting.LONGEST
    assert 0 <= _waiting.pause(headers) <= _waiting.LONGEST
