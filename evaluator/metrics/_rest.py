"""What makes more of a quantity that ends right before it: a smaller unit (2 hours 30 minutes), a half, more words."""

from __future__ import annotations

import re
from functools import cache

from evaluator.metrics._lexicon import Lexicon, has_lexicon, lexicon

_AND = {"en": "and", "sv": "och", "de": "und", "fr": "et", "es": "y", "pl": "i", "hu": "és"}
_SMALLER = {
    "year": "quarter month week day", "quarter": "month week day", "month": "week day", "week": "day",
    "day": "hour minute", "hour": "minute second", "minute": "second", "kilometre": "metre",
    "metre": "centimetre millimetre", "centimetre": "millimetre", "mile": "yard foot", "yard": "foot inch",
    "foot": "inch", "tonne": "kilogram", "kilogram": "gram", "pound": "ounce",
    "litre": "decilitre centilitre millilitre",
    **dict.fromkeys(("USD", "EUR", "CAD", "AUD", "CHF"), "cent"), "GBP": "penny", "PLN": "grosz",
    **dict.fromkeys(("SEK", "NOK", "DKK"), "öre"),
}  # fmt: skip
"""Units that go on with what remains of a larger one."""
_CLOCK = frozenset({"h", "uhr"})
"""Words for the hour of a time, behind which the minutes stand without one."""
_MINUTES = re.compile(r" [0-5]\d(?!\d|[.,:/-]\d)")
_FAR = 40
_QUANTITY = re.compile(r"(?:^|(?<=[\s(\"'$€£-]))(\d[\d.,']*|[^\W\d_]+)[ -]?([^\W\d_]+)$")
_REST_OF_NUMBER = re.compile(r"[ -]\w+[ -]([^\W\d_]+)")


def goes_on(text: str, start: int, end: int, language: str) -> bool:
    """Whether what stands from start to end is the beginning of a longer quantity of a language with spaces."""
    if text[end : end + 1] not in {" ", "-"} or not text[end - 1].isalpha() or not has_lexicon(language):
        return False
    words = lexicon(language)
    return (
        _is_part_of_number(text, start, end, words)
        or _has_half(text, start, end, words)
        or _has_smaller_unit(text, start, end, language)
    )


def _is_part_of_number(text: str, start: int, end: int, words: Lexicon) -> bool:
    """Whether the number in words at the end goes on behind a word: the "two hundred" of "two hundred and fifty"."""
    rest = _REST_OF_NUMBER.match(text, end)
    if rest is None or words.joined is None or not words.is_number(rest[1]):
        return False
    return words.joined.search(text[max(start, end - _FAR) : rest.end()]) is not None


def _has_half(text: str, start: int, end: int, words: Lexicon) -> bool:
    """Whether half a unit more follows an article, or a noun where there are none: "a year and a half"."""
    if words.half is None or words.half.match(text, end + 1) is None:
        return False
    return not words.ones or any(each in words.ones for each in re.findall(r"\w+", text[start:end]))


def _has_smaller_unit(text: str, start: int, end: int, language: str) -> bool:
    follows, words = _following(language).match(text, end), lexicon(language)
    counted = _QUANTITY.search(text[max(start, end - _FAR) : end]) if follows is not None else None
    if follows is None or counted is None or not _counts(counted[1], words):
        return False
    if counted[2] in _CLOCK and _MINUTES.match(text, end):
        return True
    if not _counts(follows[1], words) or follows[2] is None:
        return False
    from evaluator.metrics._units import units_of  # noqa: PLC0415 - few facts have another number behind them

    units = units_of(language)
    smaller = {each for unit in units.of(counted[2]) for each in _SMALLER.get(unit, "").split()}
    return not smaller.isdisjoint(units.of(follows[2]))


def _counts(word: str, words: Lexicon) -> bool:
    return word[0].isdigit() or words.is_number(word) or word in words.ones


@cache
def _following(language: str) -> re.Pattern[str]:
    """Another number, and the word behind it."""
    return re.compile(rf" (?:(?:{_AND[language]}|&) )?(\d[\d.,']*|[^\W\d_]+)(?:[ -]?([^\W\d_]+))?")
