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


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("The fee is 5", "The fee is 50 EUR."),
        ("30 days", "within 130 days"),
        ("days free", "30days free"),
        ("refundable", "It is nonrefundable."),
        ("refundable", "It is non-refundable."),
        ("refundable", "It is non\u2011refundable."),
        ("fundable", "It is re\u00adfundable."),
        ("is refundable", "All this refundable stuff"),
        ("You can", "You can't return it."),
        ("not able", "The notable few"),
        ("1 0 E", "10 E"),
        ("fee 35", "fee 3 5"),
        ("fee is 3", "The fee is 3.5 %"),
        ("5 °C", "at -5 °C"),
        ("2026", "on 2026-11-30"),
        ("हिन", "यह हिन्दी है"),
        ("0天内", "30天内"),
    ],
)
def test_no_word_and_no_number_is_cut(quote: str, text: str) -> None:
    """S12: letters of a longer word, digits of a longer number, a word without its denial are no quote."""
    assert not quotes.occurs(quote, text)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("days free", "**days** free"),
        ("30days", "30 days"),
        ("30 days", "30days"),
        ("refundable", "**re**fundable"),
        ("refundable", "refund-\nable"),
        ("article est", "l'article est"),
        ("non-refundable", "It is non\u2010refundable."),
        ("costs 50", "costs 50€"),
        ("हिन्दी", "यह हिन्दी है"),
        ("天内可", "30天内可以退货"),
        ("iPhone手机", "买 iPhone 手机吧"),
        ("ได้ภายใน", "คืนได้ภายใน 30 วัน"),
        ("the fee", "The coffee or the fee"),
    ],
)
def test_layout_and_scripts_without_spaces_cut_nothing(quote: str, text: str) -> None:
    """L2: words part where the text parts them, and between the characters of a script without spaces."""
    assert quotes.occurs(quote, text)


@pytest.mark.parametrize(
    ("quote", "text", "does"),
    [
        ("e", "The e", False),
        ("no", "There is no fee.", False),
        ("5%", "It is 5 %.", False),
        ("the", "There is the fee.", True),
        ("$50", "It is $50.", True),
        ("免费", "退货：免费。", True),
        ("免费", "可以免费退货", False),
        ("免", "退货：免。", False),
        ("No", "**No.**", True),
    ],
)
def test_a_quote_shows_more_than_a_letter(quote: str, text: str, does: bool) -> None:
    """S12: three characters, a whole run of two Chinese ones, or all there is."""
    assert quotes.occurs(quote, text) is does


@given(
    st.text(max_size=30),
    st.text(st.characters(categories=["L", "Nd", "P", "Zs", "S"]), min_size=1, max_size=30),
    st.text(max_size=30),
)
def test_what_is_copied_out_of_what_was_shown_is_found(before: str, middle: str, after: str) -> None:
    """A judge that copies whole words letter by letter is never told that its quote is not there."""
    shown = fencing.clean(f"{before} {middle} {after}")
    copied = fencing.clean(f" {middle} ").strip()

    assert quotes.occurs(copied, shown) or quotes.is_too_short(copied) or len(quotes.common(copied)) < quotes.LEAST
