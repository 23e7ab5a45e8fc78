"""Numbers that a text writes in words, written in digits: an answer says 15 where its source says fifteen.

"One" and its like are left alone: in most languages they are articles, too.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from evaluator.metrics._halves import all_halves_in_digits
from evaluator.metrics._normal import CACHED_TEXTS, normal, subtag

if TYPE_CHECKING:
    from collections.abc import Mapping

_SMALL = {
    "en": "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty",
    "sv": "två tre fyra fem sex sju åtta nio tio elva tolv tretton fjorton femton sexton sjutton arton nitton tjugo",
    "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
    "achtzehn neunzehn zwanzig",
    "fr": "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit "
    "dix-neuf vingt",
    "es": "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve veinte",
    "pl": "dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście trzynaście czternaście "
    "piętnaście szesnaście siedemnaście osiemnaście dziewiętnaście dwadzieścia",
    "hu": "két három négy öt hat hét nyolc kilenc tíz tizenegy tizenkét tizenhárom tizennégy tizenöt tizenhat tizenhét "
    "tizennyolc tizenkilenc húsz",
}
"""From two to twenty."""

_TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "sv": "tjugo trettio fyrtio femtio sextio sjuttio åttio nittio",
    "de": "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt trente quarante cinquante soixante",
    "es": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "pl": "dwadzieścia trzydzieści czterdzieści pięćdziesiąt sześćdziesiąt siedemdziesiąt osiemdziesiąt "
    "dziewięćdziesiąt",
    "hu": "huszon harminc negyven ötven hatvan hetven nyolcvan kilencven",
}
_ONE = {"en": "one", "sv": "en ett", "de": "ein", "fr": "un", "es": "uno", "pl": "jeden", "hu": "egy"}
_JOINED = {
    "en": "{tens}-{ones}|{tens} {ones}", "sv": "{tens}{ones}", "de": "{ones}und{tens}", "fr": "{tens}-{ones}",
    "es": "{tens} y {ones}", "pl": "{tens} {ones}", "hu": "{tens}{ones}",
}  # fmt: skip
"""How a language puts tens and ones together."""
_LAST_WORD = re.compile(r"(\w+) $")
_FAR = 24
_DIGITS_FIRST = re.compile(r"(?<![\w.,])([0-9]{1,4}) \(([^()\n]{1,40})\)")
_WORDS_FIRST = re.compile(r"(?<![\w.,-])([^\W_]+[ -])?([^\W_]+) \(([0-9]{1,4})\)")
_BRACKET = re.compile(r" \(([0-9]{1,2}|[^\W\d_]+(?:[- ][^\W\d_]+)?)\)")
_BEFORE_BRACKET = re.compile(r"(?<![\w.,-])(?:[0-9]{1,2}|[^\W\d_]+(?:-[^\W\d_]+)?)$")

_HAN = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}


def said_once(text: str, language: str) -> str:
    """A text with numbers that it writes both ways, as contracts do, in digits only: thirty (30) days."""
    if "(" not in text:
        return text
    text = _DIGITS_FIRST.sub(lambda found: found[1] if _is(found[2], found[1], language) else found[0], text)
    return _WORDS_FIRST.sub(lambda found: _after_words(found, language), text)


@lru_cache(maxsize=CACHED_TEXTS)
def both_ways(text: str, language: str) -> tuple[str, ...]:
    """A text in its common form with its one number written both ways, in words and in digits; as contracts do."""
    tongue = subtag(language)
    found = _one_number(tongue).findall(text) if tongue in _SMALL else []
    if len(found) != 1:
        return ()
    number = int(found[0]) if found[0].isdecimal() else _plain_words(tongue)[found[0]]
    names = [word for word, value in _plain_words(tongue).items() if value == number]
    forms = [form for name in names for form in (f"{number} ({name})", f"{name} ({number})")]
    return tuple(text.replace(found[0], form) for form in forms)


def with_one_number(lines: str, language: str) -> str:
    """A text in its common form, as long as before, with spaces for one of two ways in which it writes a number."""
    words = _plain_words(language) if language in _SMALL else {}
    pieces, done = [], 0
    for found in _BRACKET.finditer(lines) if words else ():
        start, end = found.span()
        before = _BEFORE_BRACKET.search(lines, max(done, start - _FAR), start)
        inside, outside = found[1], before[0] if before is not None else ""
        if inside.isdecimal() and words.get(outside) == int(inside):
            first, kept = start - len(outside), f"{' ' * (len(outside) + 2)}{inside} "
        elif outside.isdecimal() and words.get(inside) == int(outside):
            first, kept = start, " " * (end - start)
        else:
            continue
        pieces += [lines[done:first], kept]
        done = end
    return "".join((*pieces, lines[done:])) if pieces else lines


@cache
def _plain_words(tongue: str) -> Mapping[str, int]:
    """Every number of a language by its word in the common form."""
    return {normal(word, False).flat: value for word, value in _words(tongue).items()}


@cache
def _one_number(tongue: str) -> re.Pattern[str]:
    names = "|".join(sorted(_plain_words(tongue), key=len, reverse=True))
    return re.compile(rf"(?<![\w.,-])(?:[0-9]{{1,2}}|{names})(?![\w-]|[.,]\d)")


def _is(words: str, digits: str, language: str) -> bool:
    return in_digits(words.strip(), language) == digits


def _after_words(found: re.Match[str], language: str) -> str:
    """What stands for a number in words, with the word before it, and its digits in brackets."""
    before, last, digits = found[1] or "", found[2], found[3]
    if _is(before + last, digits, language):
        return digits
    return before + digits if _is(last, digits, language) else found[0]


def in_digits(text: str, language: str) -> str:
    """A text with halves and the numbers of two and more that it writes in words written in digits."""
    tongue = subtag(language)
    if tongue in ("zh", "ja"):
        return all_halves_in_digits(_han().sub(lambda found: str(_value_of(found[0])), text), language)
    words = _words(tongue)
    if not words:
        return text
    return all_halves_in_digits(_pattern(tongue).sub(lambda found: _digits(found, words), text), language)


def _digits(found: re.Match[str], words: Mapping[str, int]) -> str:
    # Hungarian has one word for seven and for a week.
    before = _LAST_WORD.search(found.string, max(0, found.start() - _FAR), found.start())
    if found[0].casefold() == "hét" and before and (before[1].isdecimal() or before[1].casefold() in words):
        return found[0]
    return str(words[found[0].casefold()])


@cache
def _words(tongue: str) -> Mapping[str, int]:
    """Every number of a language by its word."""
    if tongue not in _SMALL:
        return {}
    found = {word: number for number, word in enumerate(_SMALL[tongue].split(), 2)}
    tens = {word: 10 * number for number, word in enumerate(_TENS[tongue].split(), 2)}
    ones = dict.fromkeys(_ONE[tongue].split(), 1) | dict(list(found.items())[:8])
    joined = {
        form.format(tens=ten, ones=one): number + value
        for ten, number in tens.items()
        for one, value in ones.items()
        for form in _JOINED[tongue].split("|")
    }
    return found | tens | joined


@cache
def _pattern(tongue: str) -> re.Pattern[str]:
    names = sorted(_words(tongue), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(names)})(?!\w)", re.IGNORECASE)


@cache
def _han() -> re.Pattern[str]:
    """Numerals with a unit among them: those of one character are parts of many words."""
    digits, units = "".join(_HAN), "".join(_HAN_UNITS)
    return re.compile(f"(?!百分之)(?:[{digits}]?[{units}]零?){{1,4}}[{digits}]?")


def _value_of(numeral: str) -> int:
    total, digit = 0, 0
    for character in numeral:
        if character in _HAN_UNITS:
            total += (digit or 1) * _HAN_UNITS[character]
            digit = 0
        else:
            digit = _HAN[character]
    return total + digit
