"""Whether a quote stands in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.judging import fencing, quotes

TEXT = "Returns are **free** within\n30 days (see [terms](/t)); the fee is 3.5 %, not 35 €. “No” means -5 °C."


@pytest.mark.parametrize(
    "quote",
    [
        "free within 30 days",
        "Free  within 30 days",
        "**free** within 30\u00a0days",
        "FREE WITHIN ３０ days",
        "fee is 3.5%, not 35€",
        '"No" means \u22125 °C',
        "'free within 30 days.'",
        "see terms",
    ],
)  # fmt: skip
def test_typesetting_does_not_count(quote: str) -> None:
    """White space, case, width, quotation marks and marks of layout are what a judge does not copy."""
    assert quotes.occurs(quote, TEXT)


@pytest.mark.parametrize(
    "quote",
    [
        "free within 3 days of",
        "fee is 35 %",
        "fee is 3 5",
        "free ... 30 days",
        "means 5 °C",
        "paid within 30 days",
        "",
        "…",
        "**",
        "30 days free",
    ],
)
def test_other_words_numbers_and_signs_do(quote: str) -> None:
    """S12: words left out, another number, a lost minus or nothing at all is no quote."""
    assert not quotes.occurs(quote, TEXT)


def test_a_quote_of_chinese_stands_without_spaces() -> None:
    """L2: line breaks in the middle of a sentence and other punctuation do not count."""
    assert quotes.occurs("三十天内，可以退货", "三十天内\n可以退货。")
    assert not quotes.occurs("三十天内不可以退货", "三十天内\n可以退货。")


@given(
    st.text(max_size=30),
    st.text(st.characters(categories=["L", "Nd", "P", "Zs", "S"]), min_size=1, max_size=30),
    st.text(max_size=30),
)
def test_what_is_copied_out_of_what_was_shown_is_found(before: str, middle: str, after: str) -> None:
    """A judge that copies whole words letter by letter is never told that its quote is not there."""
    shown = fencing.clean(f"{before} {middle} {after}")
    copied = fencing.clean(f" {middle} ").strip()

    assert quotes.occurs(copied, shown) or not quotes.common(copied)
