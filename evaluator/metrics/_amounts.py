"""Numbers of a text with what they count, as far as that is known (docs/metrics.md, "grounded_values")."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics import _measures, _scales
from evaluator.metrics._minus import has_minus, is_below_zero
from evaluator.metrics._normal import has_decimal_comma
from evaluator.metrics._numbers import unify
from evaluator.metrics._units import MONEY, NOTHING, units_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.metrics._units import Units

_ATTACHED = {"k": 3, "m": 6, "mn": 6, "mio": 6, "bn": 9, "b": 9, "mrd": 9, "tn": 12}
"""Letters that stand right behind a number, where money stands before it: ``$5k``."""
_ONLY_ATTACHED = frozenset("dwy")
_GOES_ON = re.compile(r"'|\.\w")
_LONGEST_WORD = 24
_SHORTEST_NOUN = 4
"""Shorter words beside a number are mostly none: of, at, den."""
_LONGEST_CONNECTION = 12
_OF_YEARS = ("anniversa", "birthday", "jubil", "årsdag", "aniversario", "rocznic", "évforduló")
"""What begins so counts years: the 40th anniversary comes after 40 of them."""
_WORD_BEFORE = re.compile(r"([^\W\d_]+)[ -]$")
_RANGE = re.compile(r"\s?(?:-|~|〜|to|till|bis|à|do|hasta|a|through|至|到|から|x|×|by)\s?[-$€£¥]?", re.IGNORECASE)
_LIST = re.compile(r"\s?(?:,|/|、|and|or|och|eller|und|oder|et|ou|y|e|o|u|i|lub|és|vagy|和|或)\s?-?", re.IGNORECASE)


class Value(NamedTuple):
    """Something of a text that can be looked for in another.

    What a key begins with says what it is of: ``n`` any number, ``f`` one of nobody knows what, ``b`` one with nothing
    beside it, ``o`` a place in an order, ``c`` a code, ``d`` a date, ``t`` a time, else a unit.

    Attributes:
        text: as it is written.
        keys: a text that states any of them states the value.
        states: what a text with this value states; more than ``keys``, as a date states its year.
        number: its number, in one form.
        bare: whether nothing says what the number counts.
        words: of a quotation, in their common form; it has no ``states``.
    """

    text: str
    keys: frozenset[str]
    states: frozenset[str]
    number: str = ""
    bare: bool = False
    words: str = ""


class _Amount(NamedTuple):
    """A number where it stands, with its sign, its multiplier and its unit.

    Attributes:
        start: where it begins, with the money before it.
        end: where it ends, with the unit behind it.
        written: its digits.
        number: it and its multiplier, in one form.
        units: what it is of; several where the word is of several.
        others: what it may be of as well, because a number beside it is.
        word: what stands behind it and is no unit.
        code: it and the letters right behind it, where they are a unit.
        is_scaled: whether it has a multiplier.
    """

    start: int
    end: int
    written: str
    number: str
    units: frozenset[str]
    others: frozenset[str]
    word: str
    code: str
    is_scaled: bool


def numbers_of(text: str, language: str) -> Iterator[Value]:
    """Every number of a text without dates, times and codes."""
    comma, units = has_decimal_comma(language), units_of(language)
    amounts: list[_Amount] = []
    for found in _number(spaced=comma).finditer(text):
        number = unify(found[0], decimal_comma=comma)
        if number.replace(".", "", 1).isdecimal():
            amounts.append(_amount(found, number, units))
        else:
            yield from (plain(part) for part in re.findall("[0-9]+", found[0]))
    for amount in _shared(amounts, text):
        yield _value(text, amount)


def plain(written: str) -> Value:
    """A number with nothing beside it."""
    number = without_zeros(written)
    return Value(written, frozenset({f"n {number}", f"o {number}"}), _states(number, written), number, bare=True)


def ordinal(written: str, digits: str, noun: str) -> Value:
    """A place in an order: the second floor is no two floors, and floor 2 is it."""
    places = place_of(digits, noun)
    if noun.casefold().startswith(_OF_YEARS):
        places |= {f"year {without_zeros(digits)}"}
    return Value(written, places | {f"b {without_zeros(digits)}"}, places)


def place_of(digits: str, noun: str) -> frozenset[str]:
    """What states a number that is a name, and what it is called with a noun beside it: floor 2 and the 2nd floor."""
    number = without_zeros(digits)
    is_noun = len(noun) >= _SHORTEST_NOUN
    return frozenset({f"o {number}", f"o {number} {noun.casefold()}"} if is_noun else {f"o {number}"})


def is_amount(letters: str, text: str, start: int, language: str) -> bool:
    """Whether letters right behind a number, which is at ``start``, say how much it is or of what."""
    word = letters.casefold()
    units = units_of(language)
    is_scale = word in _scales.scales() or (word in _ATTACHED and _money(text, start, units) is not None)
    return is_scale or bool(units.of(letters))


def multiplies(word: str) -> bool:
    """Whether a word in small letters is a multiplier: "thousand"."""
    return word in _scales.scales()


def is_scaled(text: str, start: int, end: int) -> bool:
    """Whether what stands behind the number from start to end makes another number of it: a multiplier, a percent."""
    units = units_of("en")
    behind = _Behind(text, end, units, attached=_money(text, start, units) is not None)
    return behind.zeros > 0 or "%" in behind.units


def _amount(found: re.Match[str], number: str, units: Units) -> _Amount:
    text, start = found.string, found.start()
    before = _money(text, start, units)
    behind = _Behind(text, found.end(), units, attached=before is not None)
    own = units.of(before[1] or before[2]) if before else NOTHING
    own = own or behind.units
    if text[max(0, start - 3) : start] == "百分之":
        own = frozenset("%")
    outer = before.start() if before else start
    number = _scales.scaled(without_zeros(number), behind.zeros)
    number = _sign(text, start, outer, behind.end) + number
    return _Amount(
        outer, behind.end, found[0], number, _measures.of_number(own, number), NOTHING,
        behind.word, f"{number}{behind.attached}" if behind.attached else "", bool(behind.zeros),
    )  # fmt: skip


def _shared(amounts: list[_Amount], text: str) -> list[_Amount]:
    """The same amounts; the ends of a range are of one unit (10-20 %), and those of a list may be (10 or 20 days)."""
    for place in range(len(amounts) - 2, -1, -1):
        first, last = amounts[place], amounts[place + 1]
        between = text[first.end : last.start].casefold()
        if len(between) > _LONGEST_CONNECTION or not (last.units | last.others) or first.units:
            continue
        if not last.others and _RANGE.fullmatch(between):
            amounts[place] = first._replace(units=last.units, word="")
        elif _LIST.fullmatch(between):
            amounts[place] = first._replace(others=last.units | last.others)
    for place in range(1, len(amounts)):
        first, last = amounts[place - 1], amounts[place]
        if first.units and not last.units and not last.word and _RANGE.fullmatch(text[first.end : last.start]):
            amounts[place] = last._replace(others=last.others | first.units)
    return amounts


def _value(text: str, amount: _Amount) -> Value:
    number, units = amount.number, amount.units
    label = _WORD_BEFORE.search(text, max(0, amount.start - _LONGEST_WORD), amount.start)
    labels = place_of(number, label[1] if label else "") - {f"o {number}"}
    named = {f"{unit} {number}" for unit in units}
    states = {f"n {number}", *named, *labels, *(f"{unit} {number}" for unit in amount.others)}
    states |= {f"c {amount.written}"} if not amount.is_scaled else NOTHING
    states |= {f"c {amount.code}"} if amount.code else NOTHING
    bare = not (units or amount.word)
    if units:
        keys = named if units <= MONEY else named | {f"f {number}"}
        keys |= {f"c {amount.code}"} if amount.code else NOTHING
    else:
        keys = {f"n {number}", *labels, *({f"o {number}"} if bare else NOTHING)}
        states |= {f"b {number}"} if bare else {f"f {number}", f"c {number}{amount.word}"}
    return Value(text[amount.start : amount.end], frozenset(keys), frozenset(states), number, bare=bare)


class _Behind:
    """What stands behind a number: a multiplier, a unit, another word."""

    def __init__(self, text: str, end: int, units: Units, *, attached: bool) -> None:
        self.zeros, self.end, self.units, self.word, self.attached = 0, end, NOTHING, "", ""
        self._known = units
        letters = _letters().match(text, end) if attached else None
        if letters and letters[0].lower() in _ATTACHED:
            self.zeros, self.end = _ATTACHED[letters[0].lower()], letters.end()
        # Two at most: mil millones.
        for _ in range(2):
            self._take_scale(text)
        found = units.behind.match(text, self.end) or units.word_behind.match(text, self.end)
        if found:
            self._take_unit(text, found)

    def _take_scale(self, text: str) -> None:
        found = _scales.sign_behind().match(text, self.end) or self._known.word_behind.match(text, self.end)
        zeros = _scales.scales().get(found[1].casefold(), 0) if found else 0
        if found and zeros:
            self.zeros += zeros
            self.end = found.end(1) + (text[found.end(1) : found.end(1) + 1] == ".")

    def _take_unit(self, text: str, found: re.Match[str]) -> None:
        units = NOTHING if self._is_letter(text, found) else self._known.of(found[1])
        is_unit, next_word = bool(units), self._known.word_behind.match(text, found.end())
        if next_word and is_unit:
            changed = _measures.with_behind(units, next_word[1])
            self.end = found.end(1) if changed == units else next_word.end(1)
            units = changed
        elif next_word:
            units = self._known.between(found[1], next_word[1])
            self.end = next_word.end(1) if units else self.end
        elif is_unit:
            self.end = found.end(1)
        self.units = units
        if is_unit and found.start(1) == found.start() and found[1].isalpha():
            self.attached = found[1].casefold()
        elif not units and not self.zeros and text[found.start()] != "\n":
            self.word = found[1].casefold()

    def _is_letter(self, text: str, found: re.Match[str]) -> bool:
        """Whether what would be a unit of one letter is a word or a part of one: ``d'août``, ``t.ex.``, Spanish y."""
        if len(found[1]) > 1 or not found[1].isascii() or not found[1].isalpha():
            return False
        apart = found.start(1) > found.start()
        return (apart and found[1] in _ONLY_ATTACHED) or _GOES_ON.match(text, found.end()) is not None


def _money(text: str, end: int, units: Units) -> re.Match[str] | None:
    """The currency that stands right before a place, if one does."""
    found = _money_before().search(text, max(0, end - 6), end)
    return found if found and units.of(found[1] or found[2]) & MONEY else None


def _states(number: str, written: str) -> frozenset[str]:
    """A number states itself, and how it is written: versions are compared so."""
    return frozenset({f"n {number}", f"c {written}", f"b {number}"})


def _sign(text: str, start: int, outer: int, end: int) -> str:
    """A minus before a number, or before the money that stands before it; behind something it makes a range."""
    if is_below_zero(text, end) or has_minus(text, outer):
        return "-"
    if start > outer:
        return "-" if text[start - 1] == "-" or text[outer - 1 : outer] == "-" else ""
    return "-" if text[start - 1 : start] == "-" and text[max(0, start - 2)] in "- \n\t(|:" else ""


def without_zeros(number: str) -> str:
    """A number in its one form without zeros at its beginning and at the end of its decimals."""
    whole, _, fraction = number.partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


@cache
def _number(*, spaced: bool) -> re.Pattern[str]:
    """Digits with separators between them; in some languages a space is one."""
    groups = r"[0-9]{1,3}(?: [0-9]{3})+(?![0-9])(?:[.,][0-9]+)?|" if spaced else ""
    return re.compile(rf"{groups}[0-9]+(?:[.,'][0-9]+)*")


@cache
def _money_before() -> re.Pattern[str]:
    return re.compile(r"(?:(?<![^\W\d_])([A-Z]{3}|Rs|kr|Ft|[A-Z]{0,2}\$)|((?<![A-Za-z])\$|[€£¥₹₽₩₺₴]))[. ]?-?$")


@cache
def _letters() -> re.Pattern[str]:
    return re.compile("[A-Za-z]{1,3}(?![^\\W_])")
