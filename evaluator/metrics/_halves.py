"""Halves that a text writes in words, in digits: two and a half years, an hour and a half, anderthalb Jahre, 两年半."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from evaluator.metrics._edges import NO_HALF
from evaluator.metrics._normal import has_decimal_comma, subtag

if TYPE_CHECKING:
    from collections.abc import Sequence

_HALF = {
    "en": "half an?|one half", "sv": "en halv|ett halvt|halv", "de": "eine[rn]? halben?|ein halbe[sr]",
    "fr": "une demi|un demi", "es": r"media(?= hora)|medio", "pl": "pół", "hu": "fél",
}  # fmt: skip
"""Half of one."""
_AND_HALF = {
    "en": "and a half", "sv": "och en halv|och ett halvt", "de": "und ein halb", "fr": "et demie?", "es": "y medi[ao]",
    "pl": "i pół", "hu": "és fél",
}  # fmt: skip
"""Half of one more."""
_ONE = {"en": "an?|one", "sv": "en|ett", "de": "eine?[nmrs]?", "fr": "une?", "es": "una?|uno", "hu": "egy"}
"""One of a unit, which half of one more may follow."""
_ONE_AND_HALF = {
    "de": "anderthalb(?:e[nrs]?)?|eineinhalb", "sv": "en och en halv|ett och ett halvt|halvannan",
    "pl": "półtora|półtorej", "hu": "másfél",
}  # fmt: skip
_UNTIL_TEN = ("zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn")
_GERMAN = {word: number for number, word in enumerate(_UNTIL_TEN, 2)}
_HAN = {character: str(value) for value, character in enumerate("一二三四五六七八九十", 1)} | {"两": "2", "兩": "2"}
_HAN_UNITS = "年|[个個]?小[时時]|[个個]?[钟鐘][头頭]|[个個か]月|時間|时间|天|日|倍|米|公里|公斤"


def halves_in_digits(text: str, language: str) -> str:
    """A text with the halves that follow a number in digits, or its unit, joined to it: 2 and a half."""
    for pattern, instead in _joined(language):
        text = pattern.sub(instead, text)
    return text


def all_halves_in_digits(text: str, language: str) -> str:
    """A text with all its halves in digits; those of a number in words are joined to it once it is in digits."""
    if subtag(language) in {"zh", "ja"}:
        return _in_characters(halves_in_digits(text, language))
    for pattern, instead in _alone(language):
        text = pattern.sub(instead, text)
    return text


@cache
def _joined(language: str) -> Sequence[tuple[re.Pattern[str], str]]:
    tongue, mark = subtag(language), _mark(language)
    if tongue in {"zh", "ja"}:
        return ((re.compile(rf"(?<![\d.])([0-9]+)({_HAN_UNITS})半{NO_HALF}"), r"\g<1>.5\2"),)
    if tongue not in _AND_HALF:
        return ()
    more = rf"(?:{_AND_HALF[tongue]})(?!\w)"
    return (
        (_pattern(rf"(?<![\w.,])([0-9]+) {more}"), rf"\g<1>{mark}5"),
        (_pattern(rf"(?<![\w.,])([0-9]+) ([^\W\d_]+) {more}"), rf"\g<1>{mark}5 \2"),
    )


@cache
def _alone(language: str) -> Sequence[tuple[re.Pattern[str], str]]:
    tongue, mark = subtag(language), _mark(language)
    if tongue not in _HALF:
        return ()
    found = []
    if tongue == "de":
        found += [(_pattern(rf"(?<!\w){word}einhalb(?!\w)"), f"{number}{mark}5") for word, number in _GERMAN.items()]
    if tongue in _ONE_AND_HALF:
        found.append((_pattern(rf"(?<!\w)(?:{_ONE_AND_HALF[tongue]})(?!\w)"), f"1{mark}5"))
    found += _joined(language)
    more = rf" (?:{_AND_HALF[tongue]})(?!\w)"
    if tongue in _ONE:
        found.append((_pattern(rf"(?<!\w)(?:{_ONE[tongue]}){more}"), f"1{mark}5"))
        found.append((_pattern(rf"(?<!\w)(?:{_ONE[tongue]}) ([^\W\d_]+){more}"), rf"1{mark}5 \1"))
    else:
        found.append((_pattern(rf"(?<![\w.,])(?<!\d )([^\W\d_]+){more}"), rf"1{mark}5 \1"))
    found.append((_pattern(rf"(?<!\w)(?:{_HALF[tongue]})(?=[ -])"), f"0{mark}5"))
    return tuple(found)


def _in_characters(text: str) -> str:
    return _characters().sub(_from_characters, text)


def _from_characters(found: re.Match[str]) -> str:
    number = found["number"] or found["counted"]
    return f"{_HAN.get(number, number)}.5{found['unit'] or found['thing']}"


@cache
def _characters() -> re.Pattern[str]:
    """A numeral, its unit and a half; or a numeral, a counter, a half and the unit."""
    numeral = f"(?<![\\d.{''.join(_HAN)}百千万])(?:[{''.join(_HAN)}]|[0-9]+)"
    return re.compile(
        rf"(?P<number>{numeral})(?P<unit>{_HAN_UNITS})半{NO_HALF}"
        rf"|(?P<counted>{numeral})[个個]半(?P<thing>小[时時]|[钟鐘][头頭]|月|星期)"
    )


def _pattern(written: str) -> re.Pattern[str]:
    return re.compile(written, re.IGNORECASE)


def _mark(language: str) -> str:
    return "," if has_decimal_comma(language) else "."
