"""Which claims are new and unsupported."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.stages.claims import new_unsupported, told
from tests.court import claim

U, S, C = "unsupported", "supported", "unclear"


@pytest.mark.parametrize(
    ("language", "before", "after", "is_new"),
    [
        ("en", "Refunds take 30 days.", "refunds take  30 days", False),
        ("en", "Refunds take 30 days.", "Refunds take 13 days.", True),
        ("en", "Refunds take two weeks at the most.", "Refunds take three weeks at the most.", True),
        ("en", "Refunds take 14 days.", "Refunds take fourteen days.", False),
        ("en", "The fee is refunded within five working days.", "The fee is refunded within five days.", True),
        ("en", "The shipping fee is refunded within five days.", "The fee is refunded within five days.", False),
        ("en", "The fee is refunded within five days.", "A fee is refunded within the five days.", False),
        ("en", "Refunds take two weeks at the most.", "The refunds take two weeks at most.", False),
        ("en", "The shipping fee is refunded in full.", "The shipping fee is not refunded in full.", True),
        ("en", "Returns are free.", "Gift cards never expire.", True),
        (
            "en",
            "The deposit is refundable but the fee is not transferable.",
            "The deposit is not refundable but the fee is transferable.",
            True,
        ),
        (
            "en",
            "Ticket A costs 10 euros and ticket B costs 20.",
            "Ticket A costs 20 euros and ticket B costs 10.",
            True,
        ),
        (
            "en",
            "The plan covers glasses and braces of the child.",
            "The plan excludes glasses and braces of the child.",
            True,
        ),
        ("en", "The permit is valid on all days of the year.", "The permit is invalid on all days of the year.", True),
        ("en", "Smith sued Jones over the lease in Oslo.", "Jones sued Smith over the lease in Oslo.", True),
        ("en", "Smith sued Jones over the lease in Oslo.", "Smith is sued by Jones over the lease in Oslo.", True),
        ("en", "The fee is half of the rent of the month.", "The fee is double of the rent of the month.", True),
        ("en", "The fee is paid back to those who cancel.", "The fee is rarely paid back to those who cancel.", True),
        ("en", "The bond yields > 10 % in each of the years.", "The bond yields < 10 % in each of the years.", True),
        (
            "en",
            "The chair of the board is Anna Berg since May.",
            "The chair of the board was Anna Berg since May.",
            True,
        ),
        ("sv", "Avgiften som är betald återfås i maj.", "Den avgift som är betald återfås i maj.", True),
        ("sv", "Den hela avgiften återfås i maj varje år.", "Hela avgiften återfås i maj varje år.", False),
        ("sv", "Anna stämde Lars om huset i Lund.", "Lars stämde Anna om huset i Lund.", True),
        ("hu", "A díjat tíz napon belül visszatérítik neked.", "Díjat tíz napon belül visszatérítik neked.", False),
        ("pl", "Opłata jest zwracana w całości w ciągu roku.", "Opłata zwracana w całości w ciągu roku.", False),
        ("zh", "已支付的费用可以退还给顾客。", "已支付费用可以退还给顾客。", False),
        ("zh", "甲公司起诉乙公司要求退还全部费用。", "乙公司起诉甲公司要求退还全部费用。", True),
        ("sv", "Avgiften återbetalas alltid inom tio dagar.", "Avgiften återbetalas inte alltid inom tio dagar.", True),
        ("hu", "A díjat tíz napon belül visszatérítik.", "A díjat tíz napon belül visszatérítik", False),
        ("pl", "Opłata jest zwracana w ciągu 10 dni.", "Opłata nie jest zwracana w ciągu 10 dni.", True),
        ("zh", "退款在三天内到账。", "退款在三天内到账", False),
        ("zh", "退款在三天内到账。", "退款在两天内到账。", True),
        ("zh", "运费可以退还给顾客。", "运费不可以退还给顾客。", True),
        ("nl", "De kosten worden niet terugbetaald.", "De kosten worden wel terugbetaald.", True),
    ],
)
def test_a_claim_is_known_where_nearly_the_same_was_unsupported_before(
    language: str, before: str, after: str, is_new: bool
) -> None:
    """Equal text or F1 of at least 0.8 with the same numbers and negations; in doubt it is new."""
    found = new_unsupported([claim(before, U)], [claim(after, C)], language)
    assert bool(found) == is_new


def test_what_was_supported_before_does_not_excuse_a_claim() -> None:
    """The same claim lost its support: that is new, and the report says what supported it."""
    before, after = [claim("Refunds take 30 days.")], [claim("Refunds take 30 days.", U, reason="Nothing says so.")]
    assert new_unsupported(before, after, "en") == ((after[0], (before[0],)),)
    (found,) = told("c0", before, after, "en")
    assert (found.chunk, found.quote, found.reason) == ("k1", "as it says", "Nothing says so.")


def test_a_supported_claim_and_one_that_was_not_judged_are_not_unsupported() -> None:
    """Only a verdict makes a claim unsupported."""
    assert new_unsupported([], [claim("a"), claim("b", verdict=None)], "en") == ()


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(["en", "sv", "hu", "zh", "nl"]))
def test_likeness_is_symmetric_and_holds_of_a_text_and_itself(first: str, second: str, language: str) -> None:
    """Whatever was written, in whatever language."""
    one, other = [claim(first, U)], [claim(second, U)]
    assert new_unsupported(one, one, language) == ()
    assert bool(new_unsupported(one, other, language)) == bool(new_unsupported(other, one, language))
