"""What a text states that can be checked word by word: quotations, dates, times, codes, money and numbers.

They are looked for in this order. What one kind has taken is hidden from the next, so that the digits of a date are no
numbers as well.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics import _amounts, _dates
from evaluator.metrics._amounts import Value
from evaluator.metrics._fractions import fractions
from evaluator.metrics._halves import halves_in_digits
from evaluator.metrics._normal import CACHED_TEXTS, has_decimal_comma, normal
from evaluator.metrics._numbers import NAMED, join_fixed_groups, unify
from evaluator.metrics._scripts import is_unspaced
from evaluator.metrics._spelled import in_digits, said_once
from evaluator.metrics._tables import Tables
from evaluator.metrics._units import NOTHING, units_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_HIDDEN = "\ue000"
"""Stands in place of what was taken: no letter, no digit, no space."""

_LETTER = "A-Za-z\u00aa\u00ba\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff"
"""Letters that codes are made of; a code ends where Chinese or Japanese goes on."""

_NOUN_BEHIND = re.compile(r"[ -]([^\W\d_]+)")
_LONGEST_QUOTATION = 300
_SUPERSCRIPTS = "[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+"
_DASHES = "[\u2010\u2011\u2012\u2013\u2014\u2015\u2212]"
_UNSEEN = "[\u00ad\u200b\u2060\ufeff]"


class Stated(NamedTuple):
    """What a text states.

    Attributes:
        keys: of everything it states, in the terms of :class:`evaluator.metrics._amounts.Value`.
        flat: the text in its common form, for quotations.
    """

    keys: frozenset[str]
    flat: str

    def holds(self, value: Value) -> bool:
        """Whether a value is stated here."""
        return _occurs(value.words, self.flat) if value.words else not self.keys.isdisjoint(value.keys)


def values_of(answer: str, language: str, marks: Iterable[tuple[int, int]] = ()) -> list[Value]:
    """The values of an answer, each once; ``marks`` are the citations in it, from and to, which are none."""
    text = _Text(said_once(halves_in_digits(_without(answer, marks), language), language), language)
    text.left = _links().sub(_HIDDEN, text.left)
    comma = has_decimal_comma(language)
    quoted = text.take(_quotations(), lambda found: _quotation(found, decimal_comma=comma))
    dates = text.take_dates()
    text.left = _without_numbering(text.left)
    found = [*quoted, *dates, *text.take_names(written_small=False), *_amounts.numbers_of(text.left, language)]
    return list({value.keys: value for value in found}.values())


@lru_cache(maxsize=CACHED_TEXTS)
def stated(written: str, language: str) -> Stated:
    """What a result of the context states."""
    spelled = said_once(in_digits(written, language), language)
    found = _all_of(spelled, language)
    keys = {key for value in found for key in value.states}
    free = Counter(value.number for value in found if value.bare)
    tables = Tables(units_of(language), lambda piece: _all_of(piece, language))
    for each in tables.labelled(_prepared(spelled, language)) if free else ():
        keys |= {f"{unit} {each.number}" for unit in each.units}
        free.subtract([each.number] if each.is_sure else ())
    keys |= {f"f {number}" for number, count in free.items() if count > 0}
    return Stated(frozenset(keys), normal(written, has_decimal_comma(language)).flat)


def _all_of(written: str, language: str) -> list[Value]:
    text = _Text(written, language)
    return [
        *text.take_dates(), *text.take_names(written_small=True), *_amounts.numbers_of(text.left, language),
    ]  # fmt: skip


class _Text:
    """A text from which values are taken; ``left`` is what is left of it."""

    def __init__(self, written: str, language: str) -> None:
        self.left = re.sub(r"[^\S\n]+", " ", _prepared(written, language))
        self._language = language

    def take(self, pattern: re.Pattern[str], read: Callable[[re.Match[str]], Value | None]) -> list[Value]:
        """Every value that a pattern finds; what ``read`` has none for stays."""
        values: list[Value] = []
        pieces: list[str] = []
        end = 0
        for found in pattern.finditer(self.left):
            value = read(found)
            if value is not None:
                values.append(value)
                pieces += (self.left[end : found.start()], _HIDDEN)
                end = found.end()
        self.left = "".join((*pieces, self.left[end:]))
        return values

    def take_dates(self) -> list[Value]:
        """Dates and times."""
        if not any(character.isdigit() for character in self.left):
            return []
        found = []
        for pattern, read in _dates.readers(self._language):
            found += self.take(pattern, lambda each, read=read: read(each, self._language))  # type: ignore[misc]
        return found

    def take_names(self, *, written_small: bool) -> list[Value]:
        """Places in an order, versions and codes.

        With ``written_small`` also what is a code only if the word has capitals (``ab-12``).
        """
        comma = has_decimal_comma(self._language)
        places = self.take(_ordinals(), _ordinal)
        versions = self.take(_versions(), lambda found: _version(found, decimal_comma=comma))
        codes = self.take(_tokens(), lambda found: _code(found, self._language, written_small=written_small))
        return [*places, *versions, *codes]


def _prepared(text: str, language: str) -> str:
    """One form for digits and dashes; quotation marks, white space and line ends stay."""
    text = fractions(text, language)
    if not text.isascii():
        # NFKC would join footnotes and exponents to the number before them.
        text = re.sub(_SUPERSCRIPTS, _HIDDEN, join_fixed_groups(text)).replace("\uff0c", ", ").replace("\u2019", "'")
        text = re.sub(_DASHES, "-", re.sub(_UNSEEN, "", text))
        text = unicodedata.normalize("NFKC", text)
        text = re.sub(r"(?![0-9])\d", lambda found: str(unicodedata.decimal(found[0])), text)
    return text


def _without(text: str, marks: Iterable[tuple[int, int]]) -> str:
    pieces: list[str] = []
    end = 0
    for start, stop in sorted(set(marks)):
        if start >= end:
            pieces += (text[end:start], _HIDDEN)
            end = stop
    return "".join((*pieces, text[end:]))


def _quotation(found: re.Match[str], *, decimal_comma: bool) -> Value | None:
    inside = next(filter(None, found.groups()), "").replace(_HIDDEN, " ")
    words = normal(inside, decimal_comma).flat.strip(" .,;:!?…'\"、。，！？")
    return Value(found[0], frozenset({f"q {words}"}), NOTHING, words=words) if words else None


def _occurs(words: str, flat: str) -> bool:
    start = flat.find(words)
    while start >= 0:
        end = start + len(words)
        if _is_apart(flat, start - 1, start) and _is_apart(flat, end, end - 1):
            return True
        start = flat.find(words, start + 1)
    return False


def _is_apart(text: str, outside: int, inside: int) -> bool:
    """Whether a word or number does not go on from one position to the next."""
    if not 0 <= outside < len(text):
        return True
    beyond = 2 * outside - inside
    there, here = text[outside], text[inside]
    if here.isdigit() and there in ".," and 0 <= beyond < len(text) and text[beyond].isdigit():
        return False
    if not (there.isalnum() and here.isalnum()):
        return True
    return (is_unspaced(there) or is_unspaced(here)) and not (there.isdigit() and here.isdigit())


def _version(found: re.Match[str], *, decimal_comma: bool) -> Value | None:
    written = found["named"] or found["dotted"]
    number = unify(written, decimal_comma=decimal_comma)
    if found["dotted"] and number.isdecimal():
        return None
    key = f"c {written}"
    return Value(found[0], frozenset({key}), frozenset({key, f"n {number}"}))


def _ordinal(found: re.Match[str]) -> Value:
    noun = _NOUN_BEHIND.match(found.string, found.end())
    return _amounts.ordinal(found[0], next(filter(None, found.groups())), noun[1] if noun else "")


def _code(found: re.Match[str], language: str, *, written_small: bool) -> Value | None:
    """A word of letters and digits, unless its digits are a number of something (``30-day``, ``mid-2024``)."""
    token = found[0]
    if not (any(map(str.isalpha, token)) and any(map(str.isdigit, token))):
        return None
    if all(part.isalpha() or part.isdigit() for part in re.split("[-_/.,]", token)):
        is_code = token[0].isalpha() and set("./,").isdisjoint(token)
        return _named(token) if is_code and (written_small or token != token.lower()) else None
    quantity = _quantity().fullmatch(token)
    if not quantity:
        return _named(re.sub("^[vV](?=[0-9])", "", token))
    if _amounts.is_amount(quantity["letters"], found.string, found.start(), language):
        return None
    number = unify(quantity["number"], decimal_comma=has_decimal_comma(language))
    key = f"c {number}{quantity['letters'].casefold()}"
    return Value(token, frozenset({key}), frozenset({key, f"n {number}", f"f {number}"}))


def _named(token: str) -> Value:
    key = f"c {token.casefold()}"
    digits = re.search("([^\\W\\d_]*)[-_./]?([0-9]+)$", token)
    return Value(
        token, frozenset({key}), _amounts.place_of(digits[2], digits[1]) | {key} if digits else frozenset({key})
    )


def _without_numbering(text: str) -> str:
    """A text without the numbers of its lists: they begin at 1, and each follows one that was there."""
    seen = {0}

    def hide(found: re.Match[str]) -> str:
        number = int(found["line"] or found["inline"])
        if number - 1 not in seen:
            return found[0]
        seen.add(number)
        return _HIDDEN

    return _numbering().sub(hide, text)


@cache
def _links() -> re.Pattern[str]:
    return re.compile(r"(?:https?://|www\.)[^\s)\]>]+|[^\s@]{1,64}@[^\s@]+")


@cache
def _quotations() -> re.Pattern[str]:
    pairs = [("“", "”"), ("«", "»"), ("»", "«"), ("‹", "›"), ("「", "」"), ("『", "』"), ("”", "”")]
    inside = [rf"{first}([^{first}{last}\n]{{1,{_LONGEST_QUOTATION}}}){last}" for first, last in pairs]
    low = rf"„([^„“”\n]{{1,{_LONGEST_QUOTATION}}})[“”]"
    straight = rf'(?<!\w)"(?! )([^"\n]{{1,{_LONGEST_QUOTATION}}})(?<! )"(?!\w)'
    single = rf"(?<!\w)‘([^‘\n]{{1,{_LONGEST_QUOTATION}}}?)'(?!\w)"
    return re.compile("|".join([low, *inside, straight, single]))


@cache
def _numbering() -> re.Pattern[str]:
    """``1.``, ``(1)``, ``1:``, ``Step 1:`` and ``**1.**`` at the start of a line, ``1)`` within it."""
    words = "step|steg|schritt|étape|paso|passo|krok|lépés|stap|trin|vaihe|шаг"
    return re.compile(
        rf"^[ >*#_-]{{0,8}}(?:(?i:{words}) )?\(?(?P<line>[0-9]{{1,2}})(?:[.):])(?=[ *_]{{1,4}}\S)"
        r"|(?<=[ \n])(?P<inline>[0-9]{1,2})\)(?= \S)",
        re.MULTILINE,
    )


@cache
def _ordinals() -> re.Pattern[str]:
    """``2nd``, ``1er``, ``2º``, ``3:e``, ``第2``."""
    return re.compile(
        rf"(?<![0-9{_LETTER}.,/_-])([0-9]{{1,4}})(?:st|nd|rd|th|ST|ND|RD|TH|er|re|e|ère|ème|eme|o|a|:[ae])(?![0-9{_LETTER}])"
        "|第 ?([0-9]{1,4})"
    )


@cache
def _versions() -> re.Pattern[str]:
    """``version 1.10``, ``v. 2.0``; ``1.2.3``, ``192.168.0.1``."""
    cues = "|".join(NAMED.split())
    return re.compile(
        rf"(?<!\w)(?i:{cues})\.? ?(?P<named>[0-9]+(?:\.[0-9]+)+)(?![0-9{_LETTER}])"
        rf"|(?<![0-9{_LETTER}.,])(?P<dotted>[0-9]+(?:\.[0-9]+){{2,}})(?![0-9{_LETTER}])"
    )


@cache
def _tokens() -> re.Pattern[str]:
    word = f"[0-9{_LETTER}]+"
    return re.compile(rf"{word}(?:[-_./]{word}|(?<=[0-9]),(?=[0-9]){word})*")


@cache
def _quantity() -> re.Pattern[str]:
    return re.compile(rf"(?P<number>[0-9]+(?:[.,][0-9]+)*)(?P<letters>[{_LETTER}]+)(?:-[{_LETTER}]+)*")
