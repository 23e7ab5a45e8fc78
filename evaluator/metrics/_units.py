"""What numbers count, as far as it is read: money, percent, and common units of time, size, weight and data.

A unit has one name however it is written: ``day`` is that of "days", "Tage" and "天". What is no unit here may be one
all the same, so that a number beside an unknown word may count anything.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from evaluator.metrics import _measures
from evaluator.metrics._normal import subtag

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NOTHING: frozenset[str] = frozenset()

DOLLARS = "USD CAD AUD NZD HKD SGD"
"""A dollar of nobody knows which country."""

_SYMBOLS = {
    "$": DOLLARS, "US$": "USD", "C$": "CAD", "CA$": "CAD", "A$": "AUD", "AU$": "AUD", "NZ$": "NZD", "HK$": "HKD",
    "S$": "SGD", "NT$": "TWD", "R$": "BRL", "€": "EUR", "£": "GBP", "¥": "JPY CNY", "₹": "INR", "₽": "RUB", "₩": "KRW",
    "₺": "TRY", "₴": "UAH", "元": "CNY TWD", "块": "CNY TWD", "塊": "CNY TWD", "円": "JPY", "원": "KRW", "Ft": "HUF",
    "%": "%", "٪": "%", "‰": "‰", "¢": "cent", "美元": "USD", "美金": "USD", "米ドル": "USD", "ドル": DOLLARS,
    "欧元": "EUR", "歐元": "EUR", "ユーロ": "EUR", "英镑": "GBP", "英鎊": "GBP", "ポンド": "GBP", "港元": "HKD",
    "港币": "HKD", "港幣": "HKD", "加元": "CAD", "澳元": "AUD", "新元": "SGD", "韩元": "KRW", "韓元": "KRW",
    "ウォン": "KRW", "日元": "JPY", "日圆": "JPY", "日圓": "JPY", "台币": "TWD", "台幣": "TWD", "卢布": "RUB",
    "人民元": "CNY", "人民币": "CNY", "人民幣": "CNY", "瑞士法郎": "CHF", "フラン": "CHF", "卢比": "INR",
    "ルピー": "INR", "セント": "cent", "美分": "cent",
}  # fmt: skip
_CODES = (
    "USD EUR GBP SEK NOK DKK ISK CHF PLN HUF CZK JPY CNY INR AUD CAD NZD BRL MXN ZAR KRW RUB TRY UAH RON BGN SGD HKD "
    "TWD THB ILS AED"
)
_WORDS = {
    "%": "percent pct procent procenta procentů procentu prosent prosenttia prozent százalék százaléka százalékos "
    "százalékot процент процента процентов パーセント",
    DOLLARS: "dollar dollars dollár dollárt dolar dolara dolarów dolary dólar dólares dollari доллар доллара долларов",
    "EUR": "euro euros euró eurót eurók eurot euroa eur евро",
    "GBP": "pound pounds pund funt funta funtów libra libras livre livres font fontot",
    "SEK NOK DKK ISK": "kr krona kronor kroner krone kronen króna",
    "SEK NOK DKK ISK CZK": "korona korony koron koronę koronami",
    "CZK": "kč korun koruna koruny",
    "PLN": "zł złoty złote złotych złotego",
    "HUF": "forint forintot forintért forintba forintos forints",
    "JPY": "yen jen",
    "CNY": "yuan rmb",
    "INR": "rs rupee rupees",
    "CHF": "franken fr",
    "CHF FRF XAF": "franc francs",
    "cent": "cent cents eurocent eurocents centime centimes céntimo céntimos centavo centavos centesimi",
    "penny": "penny pence",
    "öre": "öre ören øre",
    "grosz": "grosz grosze groszy",
    "fillér": "fillér",
    "haléř": "haléř haléře haléřů",
    "копейка": "копейка копейки копеек",
    "rappen": "rappen",
    "RUB": "руб рубль рубля рублей",
    "MXN": "peso pesos",
    "BRL": "reais",
    "RON": "lei",
}
MONEY = frozenset(unit for codes in (_CODES, *_SYMBOLS.values(), *_WORDS) for unit in codes.split())
"""Currencies, percent and per mille: a number without a unit is none of these."""
_PHRASES = {
    **dict.fromkeys(("per cent", "pour cent", "por ciento", "por cento", "per cento"), "%"),
    **dict.fromkeys(("percentage points", "percentage point", "points de pourcentage"), "pp"),
    **dict.fromkeys(("miles per hour", "mile per hour"), "mile/h"),
    **dict.fromkeys(("kilometres per hour", "kilometers per hour", "kilometer i timmen"), "km/h"),
    **dict.fromkeys(("metres per second", "meters per second"), "m/s"),
}
"""Several words that are one unit."""
_OF_A_COUNTRY = {
    "us": "USD", "american": "USD", "canadian": "CAD", "australian": "AUD", "swiss": "CHF", "swedish": "SEK",
    "norwegian": "NOK", "danish": "DKK", "icelandic": "ISK", "british": "GBP", "amerikanska": "USD", "svenska": "SEK",
    "norska": "NOK", "danska": "DKK", "amerikanische": "USD", "schweizer": "CHF",
}  # fmt: skip
"""Words between a number and its money that say whose it is."""


_NUMBERS = {"fr": frozenset({"cent", "cents"})}
"""Names of money that are a number in another language."""


class Units:
    """The units of one language; those of English and the symbols of every language are in each.

    Attributes:
        behind: matches a sign that is a unit, behind a number.
        word_behind: matches a word, or two that are one unit; with scripts that put no space after it, what cannot be
            looked up.
    """

    def __init__(self, tongue: str) -> None:
        self._tongue = tongue
        self._names = dict(_measures.names(tongue))
        for name, units in _money().items():
            if name in _NUMBERS.get(tongue, ()):
                continue
            self._names[name] = self._names.get(name, NOTHING) | units
        signs = any_of(name for name in self._names if not is_word(name))
        self.behind = re.compile(f"[ \n-]?({signs})")
        self.word_behind = re.compile(rf"[ \n-]?((?i:{any_of(_PHRASES)})(?![^\W_])|[^\W\d_]+(?:/[hs](?!\w))?)")
        self._in_text = re.compile(rf"{signs}|(?i:{any_of(_PHRASES)})|[^\W\d_]+?(?={signs})|[^\W\d_]+")

    def of(self, name: str) -> frozenset[str]:
        """The units that a sign, a code or a word names; empty where it is none."""
        found = self._names.get(name)
        if found is None and len(name) > 1:
            folded = name.casefold()
            found = self._names.get(folded) or _measures.by_stem(folded, self._tongue)
        return found or NOTHING

    def between(self, word: str, name: str) -> frozenset[str]:
        """The units of a name behind a word, which may be that of a country; empty if the word is not known."""
        units = self.of(name)
        own = frozenset({_OF_A_COUNTRY.get(word.casefold(), "")}) & units
        return own or _measures.with_between(units, word)

    def named_in(self, text: str) -> frozenset[str]:
        """Every unit that a text names anywhere."""
        names = (name[0] for name in self._in_text.finditer(text))
        # A letter by itself is more often none: a header of a table may be called "s".
        found = (self.of(name) for name in names if len(name) > 1 or not name.isalpha() or not is_word(name))
        return frozenset(unit for units in found for unit in units)


@cache
def _of_tongue(tongue: str) -> Units:
    return Units(tongue)


def units_of(language: str) -> Units:
    """The units of a language, which is a BCP 47 tag."""
    return _of_tongue(subtag(language))


@cache
def _money() -> Mapping[str, frozenset[str]]:
    """Currencies and percent by symbol, code and word; codes are upper case: ``sek`` are seconds."""
    found = {symbol: frozenset(codes.split()) for symbol, codes in _SYMBOLS.items()}
    found |= {code: frozenset({code}) for code in _CODES.split()}
    found |= {word: frozenset(codes.split()) for codes, words in _WORDS.items() for word in words.split()}
    return found | {phrase: frozenset({unit}) for phrase, unit in _PHRASES.items()}


def is_word(name: str) -> bool:
    """Whether spaces stand around it; what is no word may stand right before another character."""
    return name[-1].isalpha() and ord(name[-1]) < 0x3000 and name[0] != "°"  # noqa: PLR2004 - where scripts without spaces begin


def any_of(names: Iterable[str]) -> str:
    """A pattern for the longest of some names."""
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
