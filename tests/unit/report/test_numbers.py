"""Rounding for people never changes what a number says."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluator.report import numbers

FRACTIONS = st.floats(min_value=0, max_value=1)


class TestValues:
    """Values side by side."""

    @pytest.mark.parametrize(
        ("given_values", "beside", "expected"),
        [
            ((0.731, 0.729), None, ("0.731", "0.729")),
            ((0.73142, 0.73138), None, ("0.73142", "0.73138")),
            ((0.7999, 0.9), 0.8, ("0.7999", "0.9000")),
            ((0.9999, 1.0), None, ("0.9999", "1.000")),
            ((0.5, 0.5 + 1e-12), None, ("0.500", "0.500")),
            ((None, 0.65), None, ("–", "0.650")),
        ],
    )
    def test_show_as_many_decimals_as_it_takes_to_tell_them_apart(
        self, given_values: tuple[float | None, ...], beside: float | None, expected: tuple[str, ...]
    ) -> None:
        """Three decimals, more where a difference or a missed floor would vanish."""
        assert numbers.values("recall@5", *given_values, beside=beside) == expected

    def test_carry_their_unit(self) -> None:
        """Milliseconds are whole unless they are nearly none."""
        assert numbers.values("latency_ms", 812.4, 930.2) == ("812 ms", "930 ms")
        assert numbers.values("latency_ms", 812.4, 812.3) == ("812.4 ms", "812.3 ms")
        assert numbers.values("context_tokens", 900.0, 1200.0) == ("900", "1200")

    @given(FRACTIONS, FRACTIONS)
    def test_that_differ_look_different_and_keep_their_order(self, before: float, after: float) -> None:
        """A change never looks like none, nor like its opposite."""
        assume(abs(before - after) > 1e-9)
        shown = [float(text) for text in numbers.values("recall@5", before, after)]

        assert (shown[0] < shown[1]) == (before < after)
        assert shown[0] != shown[1]

    @given(FRACTIONS, FRACTIONS)
    def test_below_a_floor_look_below_it(self, value: float, floor: float) -> None:
        """A value that misses its floor is never shown as having reached it."""
        assume(floor - value > 1e-9)

        assert float(numbers.values("recall@5", value, beside=floor)[0]) < floor

    @given(FRACTIONS)
    def test_are_none_or_all_only_where_they_are(self, value: float) -> None:
        """0.000 means nothing and 1.000 means everything."""
        assume(1e-9 < value < 1 - 1e-9)

        assert 0 < float(numbers.values("recall@5", value)[0]) < 1


class TestChanges:
    """Differences, with the limit that they keep or break."""

    @pytest.mark.parametrize(
        ("delta", "limit", "expected"),
        [
            (-0.125, 0.02, "−0.125"),
            (-0.0201, 0.02, "−0.0201"),
            (-0.02, 0.02, "−0.020"),
            (0.0126, 0.02, "+0.013"),
            (0.00002, None, "+0.00002"),
            (1e-12, 0.02, "0"),
            (None, 0.02, "–"),
        ],
    )
    def test_are_signed_and_never_rounded_onto_the_limit(
        self, delta: float | None, limit: float | None, expected: str
    ) -> None:
        """A drop that breaks its limit does not look like the limit itself."""
        assert numbers.change("recall@5", delta, limit) == expected

    @given(FRACTIONS, FRACTIONS)
    def test_beyond_a_limit_look_beyond_it(self, size: float, limit: float) -> None:
        """No rounding shows a fail as a pass."""
        assume(size - limit > 1e-9)

        assert float(numbers.change("recall@5", -size, limit).replace("−", "")) > limit


def test_limits_are_shown_as_they_were_written() -> None:
    """A limit of 0.02 reads 0.02."""
    assert numbers.limit("recall@5", 0.02) == "0.02"
    assert numbers.limit("latency_ms", 162.48) == "162.48 ms"
