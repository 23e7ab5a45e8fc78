"""Texts that look like somebody's: mail addresses, telephone, card, account and personal numbers.

What has check digits is held to them (python-stdnum), for a golden set is full of numbers that belong to nobody: chunk
ids, product codes, amounts. Hungary's numbers, which that library lacks, follow the annexes of Act XX of 1996.
"""

from __future__ import annotations

import datetime
import itertools
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BEFORE, AFTER = r"(?<![A-Za-z0-9_.+/#-])", r"(?![A-Za-z0-9_]|[.,-][0-9])"
"""Edges of a number: not within a word, a code, a decimal or another number. Han characters may stand next to it."""

CUE = (
    r"(?:tel|telefon\w*|phone|mobile|mobil\w*|cell|call|fax|whatsapp|sms|ring|dzwo\w+|kom[oó]rk\w*|hívj\w*"
    r"|电话|電話|手机|手機|微信)[^0-9+\n]{0,20}?"
)
_OFFICES = """
abuse admin billing biuro careers contact enquiries feedback git hello help helpdesk hostmaster hr info inquiries iroda
it jobs kontakt kundtjanst legal mail media newsletter no-reply noreply office orders postmaster press privacy reception
sales security service support team ugyfelszolgalat user webmaster
"""
ROLES = frozenset(_OFFICES.split())
"""Addresses that belong to an office rather than to a person."""

RESERVED = re.compile(r"(?:^|[.@])(?:example\.(?:com|net|org)|example|test|invalid|localhost|local)$")
"""Names that belong to nobody (RFC 2606, RFC 6762)."""

CARDS = re.compile(r"3[47][0-9]{13}|36[0-9]{12}|(?:4[0-9]|5[1-5]|2[2-7]|35|6[025])[0-9]{14}")
"""How the numbers of the large card networks begin, and how long they are."""

MOST_TRIED = 200
"""How many numbers of one form in one text are tried: bounds what a hostile text can cost."""

SHORTEST_ACCOUNT = 15
MOST_ZEROS = 5
NEAREST_YEAR = 1997
"""From this year of birth on, Hungary's personal numbers are weighted the other way round."""


class Found(NamedTuple):
    """Something that looks like somebody's: what it is, where it begins in the text, and itself without separators."""

    kind: str
    start: int
    value: str


class _Kind(NamedTuple):
    """A kind of number: how it is written, group ``number`` if there is one, and when it is one."""

    name: str
    written: re.Pattern[str]
    holds: Callable[[str], bool]


def find(text: str) -> Iterator[Found]:
    """Everything in a text that looks like somebody's; a number is of one kind only."""
    if "@" in text:
        yield from _addresses(text)
    if _MANY_DIGITS.search(text) is None:
        return
    taken: list[range] = []
    for kind in _KINDS:
        for match in itertools.islice(kind.written.finditer(text), MOST_TRIED):
            group = "number" if "number" in kind.written.groupindex else 0
            start, end = match.span(group)
            value = re.sub(r"[^0-9A-Za-z]", "", match[group])
            if any(start < span.stop and end > span.start for span in taken) or not kind.holds(value):
                continue
            taken.append(range(start, end))
            yield Found(kind.name, start, value.upper())


def _addresses(text: str) -> Iterator[Found]:
    for match in _ADDRESS.finditer(text):
        address = match[0].casefold()
        name, _, host = address.partition("@")
        if name not in ROLES and not RESERVED.search(host):
            yield Found("a mail address", match.start(), address)


def _is_card(digits: str) -> bool:
    from stdnum import luhn  # noqa: PLC0415 - costs 60 ms, which only a golden set with such numbers need pay

    return CARDS.fullmatch(digits) is not None and bool(luhn.is_valid(digits))


def _is_account(value: str) -> bool:
    from stdnum import iban  # noqa: PLC0415 - as above

    # A word in capitals that follows may look like a part of it. Each country has one length.
    return any(iban.is_valid(value[:end]) for end in range(len(value), SHORTEST_ACCOUNT - 1, -1))


def _is_swedish(digits: str) -> bool:
    from stdnum.se import personnummer  # noqa: PLC0415 - as above

    return bool(personnummer.is_valid(digits))


def _is_polish(digits: str) -> bool:
    from stdnum.pl import pesel  # noqa: PLC0415 - as above

    return bool(pesel.is_valid(digits))


def _is_chinese(value: str) -> bool:
    from stdnum.cn import ric  # noqa: PLC0415 - as above

    return bool(ric.is_valid(value.upper()))


def _is_hungarian(digits: str) -> bool:
    """A digit for sex and century, the day of birth, a serial number, and a check digit modulo 11."""
    century = 1900 if digits[0] in "12" else 2000
    try:
        born = datetime.date(century + int(digits[1:3]), int(digits[3:5]), int(digits[5:7]))
    except ValueError:
        return False
    weights = range(10, 0, -1) if born.year >= NEAREST_YEAR else range(1, 11)
    return _weighted(digits, weights) % 11 == int(digits[10])


def _is_hungarian_insurance(digits: str) -> bool:
    return _weighted(digits, (3, 7) * 4) % 10 == int(digits[8])


def _is_hungarian_tax(digits: str) -> bool:
    return _weighted(digits, range(1, 10)) % 11 == int(digits[9])


def _weighted(digits: str, weights: range | tuple[int, ...]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _is_phone(digits: str) -> bool:
    """As many digits as a number with its area or country has, and none of those that belong to films (555-01xx)."""
    return 8 <= len(digits) <= 15 and digits.count("0") <= MOST_ZEROS and not re.search(r"55501\d\d$", digits)  # noqa: PLR2004 - E.164


def _number(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    return re.compile(f"{BEFORE}(?:{pattern}){AFTER}", flags)


_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9.+%_-])[A-Za-z0-9.+%_-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])"
)
_MANY_DIGITS = re.compile(r"[0-9](?:[^0-9\n]{0,3}[0-9]){7}")
_PHONES = (
    r"\+[1-9][0-9]{0,2}(?:[ ./-]?\(?[0-9]{1,4}\)?){2,6}",
    r"00[1-9][0-9]{1,2}(?:[ /-][0-9]{2,4}){2,5}",
    r"07[02369][0-9]?[ -]?[0-9]{2,3}[ -]?[0-9]{2}[ -]?[0-9]{2,3}",
    r"0[1-9][0-9]{0,2}-[0-9]{3} ?[0-9]{2,3}(?: ?[0-9]{2,3})?",
    r"06[ /-](?:1|[2-9][0-9])[ /-][0-9]{3}[ -]?[0-9]{3,4}",
    r"1[3-9][0-9][ -][0-9]{4}[ -][0-9]{4}",
    r"\([2-9][0-9]{2}\) ?[2-9][0-9]{2}-[0-9]{4}",
    r"[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4}",
)
"""International, then Sweden's mobiles and area codes, Hungary, China, and North America twice."""

_KINDS = (
    _Kind(
        "an account number (IBAN)",
        re.compile(
            r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3}|[A-Z0-9]{1,3})?(?![A-Za-z0-9])"
        ),
        _is_account,
    ),
    _Kind("a Chinese personal number", _number(r"[1-9][0-9]{16}[0-9Xx]"), _is_chinese),
    _Kind(
        "a card number",
        _number(
            r"[0-9]{14,16}|[0-9]{4}(?:([ -])[0-9]{4})(?:\1[0-9]{4}){2}(?:\1[0-9]{3})?|3[0-9]{3}[ -][0-9]{6}[ -][0-9]{5}"
        ),
        _is_card,
    ),
    _Kind(
        "a Hungarian social security number",
        re.compile(r"\bTAJ[^0-9\n]{0,20}(?P<number>[0-9]{3}([ -]?)[0-9]{3}\2[0-9]{3})(?![0-9])", re.IGNORECASE),
        _is_hungarian_insurance,
    ),
    _Kind(
        "a Hungarian tax number",
        re.compile(r"\badóazonosító[^0-9\n]{0,20}(?P<number>8[0-9]{9})(?![0-9])", re.IGNORECASE),
        _is_hungarian_tax,
    ),
    _Kind("a Hungarian personal number", _number(r"[1-4]([ -]?)[0-9]{6}\1[0-9]{4}"), _is_hungarian),
    _Kind("a Polish personal number (PESEL)", _number(r"[0-9]{11}"), _is_polish),
    _Kind("a Swedish personal number", _number(r"(?:19|20)[0-9]{6}[-+]?[0-9]{4}|[0-9]{6}[-+][0-9]{4}"), _is_swedish),
    *(_Kind("a telephone number", _number(pattern), _is_phone) for pattern in _PHONES),
    _Kind(
        "a telephone number",
        re.compile(rf"(?i:(?<![a-z]){CUE})(?P<number>[0-9](?:[ ./()-]{{0,2}}[0-9]){{7,14}})(?![0-9])"),
        _is_phone,
    ),
)
"""In the order in which they claim a number: those with check digits first."""
