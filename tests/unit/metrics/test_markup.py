"""Marks that only say how a text looks hide no fact, and make no other number of one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.metrics._markup import read_unmarked, unmarked
from evaluator.metrics.facts import find_facts
from evaluator.model.golden import Fact
from evaluator.model.view import Passage


def is_found(fact: str, text: str, language: str = "en") -> bool:
    """Whether a fact is found in one chunk."""
    return find_facts([Fact(id="f", text=fact)], [("c", Passage(None, text))], language)[0].found


@pytest.mark.parametrize(
    ("language", "fact", "text"),
    [
        ("en", "refund within 30 days", "A refund within **30** days."),
        ("en", "30 days", "A refund within **30** days."),
        ("en", "30 days", "A refund within __30__ *days*."),
        ("en", "30 days", "A refund within **_30_ days**."),
        ("en", "30 days", "A refund within ***30*** days."),
        ("en", "30 days", "A refund within `30` days."),
        ("en", "30 days", "A refund within <b>30</b> days."),
        ("en", "30 days", 'A refund within <span class="n">30</span>\ndays.'),
        ("en", "30 days", "A refund within 30<br>days."),
        ("en", "30 days", "A refund within 30&nbsp;days."),
        ("en", "1000 euros", "It costs 1&#160;000 euros."),
        ("en", "within 30 days of purchase", "Refunded **within 30\ndays** of purchase."),
        ("zh", "退款期限为30天", "退款期限为**30**天。"),
        ("en", "2*3*4", "The volume is 2*3*4."),
        ("en", "use **kwargs", "Please use **kwargs here."),
        ("en", "the <b> tag", "Between `<b>` and `</b>`, the <b> tag."),
        ("en", "max_retry_count", "Set max_retry_count first."),
        ("en", "30 days", "* 30 days* of return\n* 60 days"),
    ],
)
def test_a_fact_is_found_through_what_only_looks_different(language: str, fact: str, text: str) -> None:
    """L3: emphasis, code, tags and entities hide no fact; what is not surely such a mark stays."""
    assert is_found(fact, text, language)


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("234", "The volume is 2*3*4."),
        ("30 days", "A refund within 1**30** days."),
        ("refundable", "This is **not** refundable."),
        ("refundable", "Refundable: **No**"),
        ("30 days limit", "<del><b>30 days limit</b></del> none"),
        ("30 days limit", "<del>\n30 days limit\n</del>\nNone."),
        ("30 days limit", "<S>**30** days limit</S>"),
    ],
)
def test_what_a_text_does_not_say_is_not_found_through_its_marks(fact: str, text: str) -> None:
    """Two numbers stay two, a denial in bold denies, and what has a line through it is not read."""
    assert not is_found(fact, text)


def test_text_after_something_struck_out_is_read() -> None:
    """A line through one part of a text goes through no other."""
    assert is_found("14 days limit", "<del>30 days limit</del> 14 days limit <del>60</del>")


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("the price is 30 euros", "The price is 30¹ euros."),
        ("30 days", "Within 30¹ days."),
        ("30 days", "Within 30<sup>1</sup> days."),
        ("2 years", "It lasts 2 years² from then."),
        ("10^4 cells", "It has 10⁴ cells."),
        ("30 m2", "An area of 30 m²."),
        ("30 m²", "An area of 30 m2."),
        ("half hour", "A half hour¹ long."),
    ],
)
def test_small_digits_are_no_digits_of_the_number_before_them(fact: str, text: str) -> None:
    """L3: the number of a footnote is none of the text; a power stays one."""
    assert is_found(fact, text)


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("the price is 301 euros", "The price is 30¹ euros."),
        ("104 cells", "It has 10⁴ cells."),
        ("10 cells", "It has 10⁴ cells."),
        ("104 cells", "It has 10<sup>4</sup> cells."),
    ],
)
def test_footnotes_and_powers_make_no_other_number(fact: str, text: str) -> None:
    """L3: 30 with a footnote is not 301, and a power of ten not a hundred and four."""
    assert not is_found(fact, text)


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("30 days", "within 30 (thirty) days"),
        ("30 days", "within thirty (30) days"),
        ("thirty days", "within thirty (30) days"),
        ("twenty-five days", "in 25 (twenty-five) days"),
        ("a refund is made within 30 days", "A refund of fees is made within 30 (thirty) days."),
        ("a refund is made within 30 days", "A refund of fees is made within thirty (30) days."),
    ],
)
def test_a_number_written_both_ways_is_found_by_either(fact: str, text: str) -> None:
    """Contracts say thirty (30) days."""
    assert is_found(fact, text)


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("30 days", "within 30 (forty) days"),
        ("30 days", "within 130 (thirty) days"),
        ("thirty days", "within 31 (thirty-one) days"),
        ("30 days", "not within 30 (thirty) days"),
    ],
)
def test_other_numbers_in_brackets_are_not(fact: str, text: str) -> None:
    """What is in brackets must be the same number."""
    assert not is_found(fact, text)


@given(st.text(alphabet="ab3 *_`<>/&;\n", max_size=60))
def test_what_is_left_is_told_by_its_place_in_the_text(text: str) -> None:
    """Each kept character is where the places say."""
    read = read_unmarked(text)
    assert read.text == unmarked(text)
    kept = [place for place in range(len(read.text)) if read.text[place] != "\n"]
    for place in kept:
        start, end = read.original(place, place + 1)
        assert text[start] == read.text[place] or text[start:end].startswith("&")


def test_ten_thousand_marks_take_no_time() -> None:
    """Hostile text: every sign is looked at once."""
    for text in ("*a" * 50_000, "`" * 100_000, "<b>" * 30_000, "` a" * 30_000, "&amp;" * 20_000, "<s>" * 30_000):
        assert len(unmarked(text)) <= len(text)
        assert not is_found("30 days", text)


def test_quotation_marks_of_corpora_are_no_code() -> None:
    """Two backticks open a quotation there, and the next ones another."""
    for text in ("for `` parent of it '' , or `` parent of one ''", "``parent'' and ``child''"):
        assert unmarked(text) == text
    assert unmarked("use ``code`` here") == "use code here"
