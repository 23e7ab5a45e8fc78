"""Dates and times of a text, written in digits or in words (docs/metrics.md, "grounded_values")."""

from __future__ import annotations

import datetime
import re
from functools import cache
from typing import TYPE_CHECKING

from evaluator.metrics._amounts import Value
from evaluator.metrics._normal import subtag

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Reader = Callable[[re.Match[str], str], Value | None]

_MONTHS = """
january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep oct nov dec
januari februari mars april maj juni juli augusti sept oktober november december
januar februar märz april mai juni juli august september okt november dezember
januar februar mars april mai juni juli august september oktober november desember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
január február március április május június július augusztus szeptember október november december
ledna února března dubna května června července srpna září října listopadu prosince
tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
jänner feb mar apr mai jun jul aug sep okt nov dez
"""  # noqa: E501 - a language a line, its months in order
_ORDERS = ("dmy", "mdy")
"""Orders of day and month; a date that can be read in one way only is the same in both."""
_CENTURY = 70
"""Years of two digits from here on are of the last century."""
_LAST_HOUR = 24
_LATEST_NIGHT = 4
"""Hours until then are at night of the morning, and at noon of the afternoon."""
_PARTS_OF_DAY = {
    **dict.fromkeys(("上午", "早上", "早晨", "凌晨", "清晨", "午前", "朝"), "a"),
    **dict.fromkeys(("下午", "傍晚", "午後", "夕方"), "p"),
    **dict.fromkeys(("晚上", "夜", "晩"), "night"), "中午": "noon",
}  # fmt: skip
_NOON = 12


def readers(language: str) -> Sequence[tuple[re.Pattern[str], Reader]]:
    """What finds dates and times, in the order in which they are to be looked for."""
    tongue = subtag(language)
    return _readers(english=tongue == "en", by_parts=tongue in {"zh", "ja"})


@cache
def _readers(*, english: bool, by_parts: bool) -> Sequence[tuple[re.Pattern[str], Reader]]:
    words = [(re.compile(pattern), _date_in_words) for pattern in _IN_WORDS]
    times = [_TWELVE_HOURS_ENGLISH if english else _TWELVE_HOURS, *_CUED_TIMES, _CLOCK]
    return [
        *([(re.compile(_HALF_DAYS), _time_of_half_day)] if by_parts else []),
        *words,
        (re.compile(_SIGNS), _date_in_digits),
        (re.compile(_YEAR_FIRST), _date_in_digits),
        (re.compile(_YEAR_LAST), _date_in_digits),
        *((re.compile(pattern), _time) for pattern in times),
    ]


def _date_in_words(found: re.Match[str], _language: str) -> Value | None:
    named = found.groupdict()
    month = _month_of(found["month"])
    if month is None:
        return None
    year, day = _number(named.get("year") or named.get("before")), _number(named.get("day"))
    return _value(found[0], dict.fromkeys(_ORDERS, (year, month, day)))


def _date_in_digits(found: re.Match[str], language: str) -> Value | None:
    named = found.groupdict()
    if "second" not in named:
        year, day = _number(named["year"]), _number(named["day"])
        whole = (year, int(named["month"]), day)
        return None if year is day is None else _value(found[0], dict.fromkeys(_ORDERS, whole))
    year = int(named["year"])
    if len(named["year"]) == 2:  # noqa: PLR2004 - digits
        year += 1900 if year >= _CENTURY else 2000
    first, second = int(named["first"]), int(named["second"])
    read = {"dmy": (year, second, first), "mdy": (year, first, second)}
    possible = {order: parts for order, parts in read.items() if order in _orders(language) and _is_date(*parts)}
    if len(possible) == 1:
        possible = dict.fromkeys(_ORDERS, *possible.values())
    return _value(found[0], possible)


def _orders(language: str) -> Sequence[str]:
    """How a date in digits may be meant; English alone does not say."""
    if language.replace("_", "-").lower() == "en-us":
        return ("mdy",)
    return _ORDERS if language.lower() == "en" else ("dmy",)


def _value(text: str, read: Mapping[str, tuple[int | None, int, int | None]]) -> Value | None:
    """A date by the orders it may be read in; a date states its parts, too."""
    keys, states = set(), set()
    for order, (year, month, day) in read.items():
        if not _is_date(year, month, day):
            continue
        whole = f"d {order} {_shown(year)}-{month:02}-{_shown(day)}"
        keys.add(whole)
        states |= {whole, f"d {order} {_shown(year)}-{month:02}-*", f"d {order} *-{month:02}-{_shown(day)}"}
        # A year is a number, a day is a place in its month: 12 May states no 12 of anything.
        states |= {f"{kind} {part}" for kind, part in (("n", year), ("o", day)) if part is not None}
    return Value(text, frozenset(keys), frozenset(states)) if keys else None


def _number(written: str | None) -> int | None:
    return None if written is None else int(written)


def _shown(part: int | None) -> str:
    return "*" if part is None else f"{part:02}"


def _is_date(year: int | None, month: int, day: int | None) -> bool:
    try:
        datetime.date(2000 if year is None else year, month, 1 if day is None else day)
    except ValueError:
        return False
    return True


def _time(found: re.Match[str], _language: str) -> Value | None:
    named = found.groupdict()
    hour, minute = int(named["hour"]), int(named.get("minute") or 0)
    half = (named.get("half") or "").lower()
    if hour > (_NOON if half else _LAST_HOUR):
        return None
    shift = {"a": -_NOON if hour == _NOON else 0, "p": 0 if hour == _NOON else _NOON}.get(half, 0)
    key = f"t {hour + shift}:{minute:02}"
    states = {key, f"t {hour}:{minute:02}"} | ({f"n {hour}", f"oclock {hour}"} if not minute else set())
    return Value(found[0], frozenset({key}), frozenset(states))


def _time_of_half_day(found: re.Match[str], _language: str) -> Value | None:
    """A time by a part of the day: 下午2点半 is 14:30, and 12 at night is 0:00."""
    hour, minute = int(found["hour"]), 30 if found["sharp"] else int(found["minute"] or found["colon"] or 0)
    if hour > _LAST_HOUR:
        return None
    part = _PARTS_OF_DAY[found["part"]]
    if part == "night" and hour in {_NOON, _LAST_HOUR}:
        hour = 0
    elif hour < _NOON and (part == "p" or (part in {"night", "noon"} and (hour > _LATEST_NIGHT) == (part == "night"))):
        hour += _NOON
    elif hour == _NOON and part == "a":
        hour = 0
    key = f"t {hour}:{minute:02}"
    keys = {key} if minute or hour <= _NOON else {key, f"oclock {hour}"}
    return Value(found[0], frozenset(keys), frozenset({key, *({f"n {hour}", f"oclock {hour}"} if not minute else ())}))


def _month_of(word: str) -> int | None:
    # "may" is a verb, too; no other language here writes it so.
    return None if word == "may" else _months().get(word.casefold())


@cache
def _months() -> Mapping[str, int]:
    lines = [line.split() for line in _MONTHS.split("\n") if line]
    found = {name.casefold(): number for line in lines for number, name in enumerate(line, 1)}
    return {**found, "sept": 9, "oct": 10, "okt": 10}


_LEFT = "(?<![0-9A-Za-z./-])(?<![0-9][:,])"
_MONTH = r"(?P<month>[^\W\d_]{3,12})(?![^\W\d_])"
_YEAR = "(?P<year>[12][0-9]{3})(?![0-9])"
_DAY = "(?P<day>[0-9]{1,2})"
_DAY_FIRST = (
    # 12 May 2024, 12th of May, 12. Mai, 12 de mayo de 2024, 1er mai, 12:e maj; the day may end a range.
    rf"(?<![0-9A-Za-z./])(?<![0-9][:,]){_DAY}(?:\.|st|nd|rd|th|er|º|:e|e)? {{1,2}}(?:of |de |d')?{_MONTH}"
    rf"(?:\.?,? {{1,2}}(?:del? )?{_YEAR})?"
)
_MONTH_FIRST = (
    # May 12, 2024; May 12th; 2024. május 12.
    rf"(?:(?<![0-9])(?P<before>[12][0-9]{{3}})\.? {{1,2}})?(?<![^\W\d_]){_MONTH}\.? {{1,2}}{_DAY}(?:st|nd|rd|th)?"
    rf"(?![0-9:%]|[.,][0-9])(?:,? {{1,2}}{_YEAR})?"
)
_MONTH_YEAR = rf"(?<![^\W\d_]){_MONTH}\.?,? {{1,2}}(?:del? |of )?{_YEAR}"  # May 2024, mayo de 2024
_YEAR_MONTH = rf"(?<![0-9]){_YEAR}\.? {{1,2}}{_MONTH}"  # 2024. május
_IN_WORDS = (_DAY_FIRST, _MONTH_FIRST, _MONTH_YEAR, _YEAR_MONTH)
_SIGNS = (
    # 2024年5月12日, 5月12日, 2024年5月
    "(?:(?P<year>[12][0-9]{3})[年년] ?)?(?<![0-9])(?P<month>[0-9]{1,2})[月월](?: ?(?P<day>[0-9]{1,2})[日号號일])?"
)
_YEAR_FIRST = (
    # 2024-05-12, 2024/5/12, 2024. 05. 12.; a time may go on.
    rf"{_LEFT}(?P<year>[12][0-9]{{3}})(?P<mark>[-/.]) ?(?P<month>[0-9]{{1,2}})(?P=mark) ?{_DAY}"
    r"(?![0-9]|[-/.][0-9])(?:T(?=[0-9]{2}:))?"
)
_YEAR_LAST = (
    # 12/05/2024, 12.5.24, 12. 5. 2024, 12-05-2024
    rf"{_LEFT}(?P<first>[0-9]{{1,2}})(?P<mark>[./-]) ?(?P<second>[0-9]{{1,2}})(?P=mark) ?"
    r"(?P<year>[12][0-9]{3}|[0-9]{2})(?![0-9A-Za-z]|[./-][0-9])"
)
_HOUR, _MINUTE = "(?P<hour>[0-9]{1,2})", "(?P<minute>[0-5][0-9])"
_TWELVE_HOURS_ENGLISH = rf"{_LEFT}{_HOUR}(?:[.:]{_MINUTE})? ?(?i:(?P<half>[ap])\.?m(?![^\W_])\.?)"  # 2 pm, 2:30 p.m.
_TWELVE_HOURS = rf"{_LEFT}{_HOUR}(?:[.:]{_MINUTE})? ?(?P<half>[AP])M(?![^\W_])"  # "am" is a word elsewhere
_CUED_TIMES = (
    rf"(?<!\w)(?i:kl|klo|klockan|godz)\.? ?{_HOUR}(?:[.:]{_MINUTE})?(?![0-9]|[.,:][0-9])",  # kl. 14.30
    rf"{_LEFT}{_HOUR}(?:[.:]{_MINUTE})? ?Uhr(?!\w)",
    rf"{_LEFT}{_HOUR} ?h ?{_MINUTE}(?![0-9A-Za-z])",  # 14h30
    rf"(?<![0-9.,:]){_HOUR}[時时点點시] ?(?P<minute>[0-9]{{1,2}})[分분]",
    r"(?<![0-9.,:])(?P<hour>1[3-9]|2[0-4])[時时点點](?![间間0-9])",
)
_HALF_DAYS = (
    rf"(?P<part>{'|'.join(_PARTS_OF_DAY)}) ?{_HOUR}"
    r"(?:[时時点點](?![间間]) ?(?:(?P<sharp>半)|(?P<minute>[0-5]?[0-9])分)?"
    r"|:(?P<colon>[0-5][0-9]))"
)
_CLOCK = rf"(?<![0-9A-Za-z.])(?<![0-9][:,]){_HOUR}:{_MINUTE}(?::[0-5][0-9])?Z?(?![0-9A-Za-z:])"
