from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.stages.lints import identifiers

SWEDISH, POLISH, CHINESE = "811218-9876", "44051401359", "11010519491231002X"
"""Numbers that the authorities' own descriptions show as examples."""


def kinds(text: str) -> list[str]:
    """What is found in a text, in its order."""
    return [found.kind for found in sorted(identifiers.find(text), key=lambda found: found.start)]


@pytest.mark.parametrize(
    ("text", "kind", "at"),
    [
        ("write to anna.berg@firma.se, please", "a mail address", 9),
        ("联系zhang.san@corp.cn。", "a mail address", 2),
        ("my card is 4111 1111 1111 1111", "a card number", 11),
        ("5500-0000-0000-0004 was refused", "a card number", 0),
        ("amex 3782 822463 10005", "a card number", 5),
        ("GB82 WEST 1234 5698 7654 32", "an account number (IBAN)", 0),
        ("pay to DE89370400440532013000.", "an account number (IBAN)", 7),
        ("PL61 1090 1014 0000 0712 1981 2874 PLUS", "an account number (IBAN)", 0),
        (f"personnummer {SWEDISH}", "a Swedish personal number", 13),
        ("född 198112189876", "a Swedish personal number", 5),
        (f"PESEL {POLISH}", "a Polish personal number (PESEL)", 6),
        (f"身份证号码是{CHINESE}，请查", "a Chinese personal number", 6),
        # 1*1 + 8*2 + 5*3 + 0*4 + 4*5 + 1*6 + 5*7 + 1*8 + 2*9 + 3*10 = 149 = 13 * 11 + 6
        ("szemelyi szam 1-850415-1236", "a Hungarian personal number", 14),
        # born after 1996: 4*10 + 0*9 + 1*8 + 0*7 + 2*6 + 0*5 + 3*4 + 4*3 + 5*2 + 6*1 = 100 = 9 * 11 + 1
        ("4 010203 4561", "a Hungarian personal number", 0),
        # 3*1 + 7*2 + 3*3 + 7*4 + 3*5 + 7*6 + 3*7 + 7*8 = 188
        ("TAJ száma: 123 456 788", "a Hungarian social security number", 11),
        # 1*8 + 2*3 + 3*4 + 4*5 + 5*6 + 6*7 + 7*8 + 8*9 + 9*1 = 255 = 23 * 11 + 2
        ("adóazonosító jele 8345678912", "a Hungarian tax number", 18),
        ("ring +46 70 123 45 67 imorgon", "a telephone number", 5),
        ("ring 070-123 45 67", "a telephone number", 5),
        ("växel 08-123 456 78", "a telephone number", 6),
        ("hívj 06 30 123 4567", "a telephone number", 5),
        ("电话138 1234 5678", "a telephone number", 2),
        ("(415) 555-2671", "a telephone number", 0),
        ("tel. 600 123 456 7", "a telephone number", 5),
        ("手机：13812345678", "a telephone number", 3),
    ],
)
def test_what_is_somebodys_is_found_where_it_begins(text: str, kind: str, at: int) -> None:
    """Every kind, as people write it, with the place of its first character."""
    assert [(found.kind, found.start) for found in identifiers.find(text)] == [(kind, at)]


@pytest.mark.parametrize(
    "text",
    [
        "write to info@firma.se, support@firma.se or no-reply@firma.se",
        "anna@example.com, bo@mail.example.org, c@host.test and d@localhost",
        "recall@5 and npm install left-pad@1.3.0",
        "4111 1111 1111 1112",  # the check digit is wrong
        "GB82 WEST 1234 5698 7654 33",
        "811218-9875",
        "811318-9876",  # there is no thirteenth month
        "44051401358",
        "110105194912310021",
        "1-850415-1235",
        "4-010203-4560",
        "5-850415-1236",
        "1-850435-1236",
        "123 456 788",  # without its name it is any number of nine digits
        "8345678912",
        "adóazonosító jele 8345678913",
        "TAJ száma: 123 456 789",
        "organisation number 556012-5790",
        "chunk 6203858275969955942 of manual-2024-0001234",
        "ISBN 978-3-16-148410-0, EAN 4006381333931",
        "order 2023-0012-4567, part 0012345678, serial AP410-123456789",
        "1 000 000 000 kr or 1,234,567,890.50 EUR or +1 000 000 000",
        "2026-01-19 10:30:00, 19.01.2026, 20260119103000",
        "192.168.100.200 and v1.22.333.4444 and 59.329323, 18.068581",
        "call 555-0142 or (212) 555-0142",  # numbers that films use
        "phone orders close at 17:30, call 112",
        "the torque is 80 Nm at 20 C, 400 V, 50 Hz, 16 A, IP67",
        "",
    ],
)
def test_what_belongs_to_nobody_is_left_alone(text: str) -> None:
    """Wrong check digits, offices, codes, dates, amounts and versions."""
    assert kinds(text) == []


def test_several_are_found_and_none_twice() -> None:
    """A number is of one kind; what stands beside it is looked at too."""
    text = f"{SWEDISH}, {POLISH}, +46 70 123 45 67, a.b@firma.se, 4111 1111 1111 1111"

    assert kinds(text) == [
        "a Swedish personal number",
        "a Polish personal number (PESEL)",
        "a telephone number",
        "a mail address",
        "a card number",
    ]


def test_separators_do_not_make_another_number() -> None:
    """What the documents write in one way may be written in another."""
    [one], [two] = (list(identifiers.find(text)) for text in ("+46 8 123 45 67", "+46-8-1234567"))

    assert one.value == two.value


@given(st.text(alphabet="0123456789 -+.@aA#/()", max_size=200) | st.text(max_size=200))
def test_any_text_can_be_looked_through(text: str) -> None:
    """What is found begins within the text."""
    assert all(0 <= found.start < len(text) for found in identifiers.find(text))


@pytest.mark.parametrize("piece", ["1", "a@", "1 ", "+1 ", "A1 ", "a.", "tel 1", "1-", "(1", "DE12 1234 "])
def test_a_text_made_to_be_slow_is_not(piece: str) -> None:
    """A line of the largest size that a golden file may have ends at once: no search goes over it again and again."""
    text = piece * (200_000 // len(piece))

    assert kinds(text) == kinds(text)
