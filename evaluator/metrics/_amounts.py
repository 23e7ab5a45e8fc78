"""Numbers of a text with what they count, as far as that is money or a share (docs/metrics.md, "grounded_values")."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics._normal import has_decimal_comma
from evaluator.metrics._numbers import unify

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NOTHING: frozenset[str] = frozenset()

DOLLARS = "USD CAD AUD NZD HKD SGD"
"""A dollar of nobody knows which country."""

_SYMBOLS = {
    "$": DOLLARS, "US$": "USD", "C$": "CAD", "CA$": "CAD", "A$": "AUD", "AU$": "AUD", "NZ$": "NZD", "HK$": "HKD",
    "S$": "SGD", "NT$": "TWD", "R$": "BRL", "€": "EUR", "£": "GBP", "¥": "JPY CNY", "₹": "INR", "₽": "RUB", "₩": "KRW",
    "₺": "TRY", "₴": "UAH", "元": "CNY TWD", "円": "JPY", "원": "KRW", "Ft": "HUF", "%": "%", "٪": "%", "‰": "‰",
}  # fmt: skip
_CODES = (
    "USD EUR GBP SEK NOK DKK ISK CHF PLN HUF CZK JPY CNY INR AUD CAD NZD BRL MXN ZAR KRW RUB TRY UAH RON BGN SGD HKD "
    "TWD THB ILS AED"
)
_WORDS = {
    "%": "percent pct procent procenta procentů procentu prosent prosenttia prozent százalék százaléka százalékos "
    "százalékot процент процента процентов パーセント",
    DOLLARS: "dollar dollars dollár dollárt dolar dolara dolarów dolary dólar dólares dollari доллар доллара долларов",
    "EUR": "euro euros euró eurót eurók eurot euroa eur евро ユーロ 欧元",
    "GBP": "pound pounds pund funt funta funtów libra libras livre livres font fontot",
    "SEK NOK DKK ISK": "kr krona kronor kroner krone kronen króna",
    "CZK": "kč korun koruna koruny",
    "PLN": "zł złoty złote złotych złotego",
    "HUF": "forint forintot forintért forintba forintos forints",
    "JPY": "yen jen",
    "CNY": "yuan rmb 人民币 人民幣",
    "INR": "rs rupee rupees",
    "CHF": "franken fr",
    "CHF EUR": "franc francs",
    "RUB": "руб рубль рубля рублей",
    "MXN": "peso pesos",
    "BRL": "reais",
    "RON": "lei",
}
_TWO_WORDS = "per cent|pour cent|por ciento|por cento|per cento"
_SCALES = {
    2: "hundred hundra hundert",
    3: "thousand tusen tausend mille mil mila duizend tysiąc tysiące tysięcy tys ezer tuhat tuhatta tisíc тыс тысяч "
    "тысячи тысяча 千",
    4: "万 萬 만",
    6: "million millions miljon miljoner millionen mio mill millioner millón millones milhão milhões milione milioni "
    "miljoen milion miliony milionów milionu mln millió miljoona miljoonaa milionů млн миллион миллиона миллионов 百万",
    8: "亿 億 억",
    9: "billion billions miljard miljarder milliarde milliarden mrd milliard milliards miliard miliardy miliardów mld "
    "milliárd miljardia miljardi miliardo miliardi млрд миллиард миллиарда миллиардов",
    12: "trillion trillions 兆",
}
_ATTACHED = {"k": 3, "m": 6, "mn": 6, "mio": 6, "bn": 9, "b": 9, "mrd": 9, "tn": 12}
"""Letters that stand right behind a number, where money stands before it: ``$5k``."""


class Value(NamedTuple):
    """Something of a text that can be looked for in another.

    Attributes:
        text: as it is written.
        keys: a text that states any of them states the value.
        states: what a text with this value states; more than ``keys``, as a date states its year.
        number: its number, in one form.
        units: the currency or percent it is of; several where the word is of several.
        bare: whether nothing says what the number counts.
        words: of a quotation, in their common form; it has no ``states``.
    """

    text: str
    keys: frozenset[str]
    states: frozenset[str]
    number: str = ""
    units: frozenset[str] = NOTHING
    bare: bool = False
    words: str = ""


def numbers_of(text: str, language: str) -> Iterator[Value]:
    """Every number of a text without dates, times and codes."""
    comma = has_decimal_comma(language)
    for found in _number(spaced=comma).finditer(text):
        number = unify(found[0], decimal_comma=comma)
        if number.replace(".", "", 1).isdecimal():
            yield _amount(found, number)
        else:
            yield from (plain(part) for part in re.findall("[0-9]+", found[0]))


def plain(written: str) -> Value:
    """A number with nothing beside it."""
    number = _without_zeros(written)
    return Value(written, frozenset({f"n {number}"}), _states(number, written), number, bare=True)


def units_in(text: str) -> frozenset[str]:
    """Every currency and percent that a text names anywhere."""
    found = (_unit_of(name[0]) for name in _unit_names().finditer(text))
    return frozenset(unit for units in found for unit in units)


def is_amount(letters: str, text: str, start: int) -> bool:
    """Whether letters right behind a number, which is at ``start``, say how much it is of money or percent."""
    word = letters.casefold()
    scaled = word in _scales() or (word in _ATTACHED and _money(text, start) is not None)
    return scaled or bool(_unit_of(letters))


def multiplies(word: str) -> bool:
    """Whether a word in small letters is a multiplier: "thousand"."""
    return word in _scales()


def is_scaled(text: str, start: int, end: int) -> bool:
    """Whether what stands behind the number from start to end makes another number of it: a multiplier, a percent."""
    behind = _Behind(text, end, attached=_money(text, start) is not None)
    return behind.zeros > 0 or "%" in behind.units


def _amount(found: re.Match[str], number: str) -> Value:
    text, start = found.string, found.start()
    before = _money(text, start)
    units = _unit_of(before[1] or before[2]) if before else NOTHING
    behind = _Behind(text, found.end(), attached=before is not None)
    units = units or behind.units
    if text[max(0, start - 3) : start] == "百分之":
        units = frozenset("%")
    number = _sign(text, start, before.start() if before else start) + _scaled(_without_zeros(number), behind.zeros)
    keys = frozenset(f"{unit} {number}" for unit in units) or frozenset({f"n {number}"})
    states = keys | (_states(number, found[0]) if not behind.zeros else {f"n {number}"})
    if behind.word:
        states |= {f"c {number}{behind.word}"}
    return Value(text[start : behind.end], keys, states, number, units, bare=not (units or behind.word))


class _Behind:
    """What stands behind a number: a multiplier, a unit, another word."""

    def __init__(self, text: str, end: int, *, attached: bool) -> None:
        self.zeros, self.end, self.units, self.word = 0, end, NOTHING, ""
        letters = _letters().match(text, end) if attached else None
        if letters and letters[0].lower() in _ATTACHED:
            self.zeros, self.end = _ATTACHED[letters[0].lower()], letters.end()
        # Two at most: mil millones.
        for _ in range(2):
            self._take_scale(text)
        found = _sign_behind().match(text, self.end) or _word_behind().match(text, self.end)
        if found and (units := _unit_of(found[1])):
            self.units, self.end = units, found.end(1)
        elif found and not self.zeros:
            self.word = found[1].casefold()

    def _take_scale(self, text: str) -> None:
        found = _scale_behind().match(text, self.end) or _word_behind().match(text, self.end)
        zeros = _scales().get(found[1].casefold(), 0) if found else 0
        if found and zeros:
            self.zeros += zeros
            self.end = found.end(1) + (text[found.end(1) : found.end(1) + 1] == ".")


def _money(text: str, end: int) -> re.Match[str] | None:
    """The currency that stands right before a place, if one does."""
    found = _money_before().search(text, max(0, end - 6), end)
    return found if found and _unit_of(found[1] or found[2]) else None


def _states(number: str, written: str) -> frozenset[str]:
    """A number states itself, and how it is written: versions are compared so."""
    return frozenset({f"n {number}", f"c {written}"})


def _sign(text: str, start: int, outer: int) -> str:
    """A minus before a number, or before the money that stands before it; behind something it makes a range."""
    if start > outer:
        return "-" if text[start - 1] == "-" or text[outer - 1 : outer] == "-" else ""
    return "-" if text[start - 1 : start] == "-" and text[max(0, start - 2)] in "- \n(|:" else ""


def _scaled(number: str, zeros: int) -> str:
    if not zeros:
        return number
    whole, _, fraction = number.partition(".")
    fraction = fraction.ljust(zeros, "0")
    rest = fraction[zeros:].rstrip("0")
    whole = (whole + fraction[:zeros]).lstrip("0") or "0"
    return f"{whole}.{rest}" if rest else whole


def _without_zeros(number: str) -> str:
    whole, _, fraction = number.partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


def _unit_of(name: str) -> frozenset[str]:
    return _units().get(name) or _units().get(name.casefold(), NOTHING)


@cache
def _units() -> dict[str, frozenset[str]]:
    """Currencies and percent by symbol, code and word; codes are upper case: ``sek`` are seconds."""
    found = {symbol: frozenset(codes.split()) for symbol, codes in _SYMBOLS.items()}
    found |= {code: frozenset({code}) for code in _CODES.split()}
    found |= {word: frozenset(codes.split()) for codes, words in _WORDS.items() for word in words.split()}
    return found | dict.fromkeys(_TWO_WORDS.split("|"), frozenset("%"))


@cache
def _scales() -> dict[str, int]:
    return {word: zeros for zeros, words in _SCALES.items() for word in words.split()}


@cache
def _number(*, spaced: bool) -> re.Pattern[str]:
    """Digits with separators between them; in some languages a space is one."""
    groups = r"[0-9]{1,3}(?: [0-9]{3})+(?![0-9])(?:[.,][0-9]+)?|" if spaced else ""
    return re.compile(rf"{groups}[0-9]+(?:[.,'][0-9]+)*")


@cache
def _money_before() -> re.Pattern[str]:
    return re.compile(r"(?:(?<![^\W\d_])([A-Z]{3}|Rs|kr|Ft|[A-Z]{0,2}\$)|([€£¥₹₽₩₺₴]))[. ]?-?$")


@cache
def _letters() -> re.Pattern[str]:
    return re.compile("[A-Za-z]{1,3}(?![^\\W_])")


@cache
def _word_behind() -> re.Pattern[str]:
    """A word, or two that are one unit; with scripts that put no space after it, what cannot be looked up."""
    return re.compile(rf"[ -]?((?i:{_TWO_WORDS})(?![^\W_])|[^\W\d_]+)")


@cache
def _sign_behind() -> re.Pattern[str]:
    return re.compile(f"[ -]?({_any_of(name for name in _units() if not _is_word(name))})")


@cache
def _scale_behind() -> re.Pattern[str]:
    return re.compile(f" ?({_any_of(name for name in _scales() if not _is_word(name))})")


@cache
def _unit_names() -> re.Pattern[str]:
    signs = _any_of(name for name in _units() if not _is_word(name))
    return re.compile(rf"{signs}|(?i:{_TWO_WORDS})|[^\W\d_]+?(?={signs})|[^\W\d_]+")


def _is_word(name: str) -> bool:
    """Whether spaces stand around it; what is no word may stand right before another character."""
    return name[-1].isalpha() and ord(name[-1]) < 0x3000  # noqa: PLR2004 - where scripts without spaces begin


def _any_of(names: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
