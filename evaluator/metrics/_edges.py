"""Whether some words of a text stand there whole: as words, as numbers, and with what they count.

What stands right before or after them can make another number or another unit of them: "30" is not in "1/30", nor
"two days" in "thirty-two days", nor "30 jours" in "30 jours ouvrés" (docs/golden-set.md, "Whole words").
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Literal

from evaluator.metrics._lexicon import CURRENCIES, HALF, Lexicon, has_lexicon, lexicon
from evaluator.metrics._minus import has_minus, is_below_zero
from evaluator.metrics._normal import subtag
from evaluator.metrics._rest import goes_on
from evaluator.metrics._scripts import is_unspaced

_CONTINUES = ".,':/\u2044"
"""What stands between the parts of one number; the last is the fraction slash of ``\u00bd`` in NFKC."""

_SLASHED = r"\d{1,2}/\d{1,2}|\d+/\d+/\d+"
"""A fraction or a date; the years of ``2023/24`` are two numbers."""

_FAR = 40
"""Characters that a number in words and what joins it to the next take at most."""

_FIRST_WORD = re.compile(r"[^\W\d_]+")
_LAST_WORD = r"[^\W\d_]+$"
_WORD_BEFORE = re.compile(r"([^\W_]+)[ -]$")
_WORD_AFTER = re.compile(r"[ -]([^\W\d_]+)")
_LAST_NUMBER = r"\d[\d.,']*$"
_LETTERS_BEFORE = "[a-z]+$"
_SIGNS = frozenset("$£€¥")
_RANGE_OF_MONEY = re.compile(r"(?<=\d) ?- ?[$£€¥]?\d")
_NOTHING_FOLLOWS = frozenset("\n.,;:!?)\"'")
_SHORT_UNIT = r"\d ?([^\W\d_]{1,2})$"

_DIGITS = r"\d〇零一二三四五六七八九十百千万萬亿億兆两兩"
_PAIRS = frozenset("两兩")
"""Two of something: a numeral that Unicode takes for a letter."""
_ONES = "1-9一二三四五六七八九两兩"
NO_HALF = "(?![价價额額折年天日月小个個数夜身])"
"""What does not follow a half of the unit before it: with one of these it begins a word ("half price")."""


_SMALLER = {
    "年": "[个個かヶヵカケ]月", "[个個かヶヵカケ]月": "[天日周週]", "[天日]": "[个個]?(?:小[时時]|時間)",
    "小[时時]": "分", "時間": "分", "分": "秒", "分[钟鐘]": "秒", "[公千][里米]": "米", "公斤": "克",
    "キロ": "メートル|グラム", "メートル": "センチ", "元": "[角毛分]",
}  # fmt: skip
"""Units that go on with what remains of a larger one."""


def starts_word(text: str, start: int) -> bool:
    """Whether a word or a number starts at a place."""
    return _is_edge(text, start, -1)


def is_whole(text: str, start: int, end: int, language: str) -> bool:
    """Whether what starts a word at a place ends one too, and nothing around it makes something else of it."""
    if not _is_edge(text, end - 1, 1):
        return False
    tongue = subtag(language)
    return not (
        _is_other_money(text, start)
        or _is_more(text, start, end)
        or _is_below_zero(text, start, end, tongue)
        or goes_on(text, start, end, tongue)
        or (tongue in {"zh", "ja"} and _is_more_in_characters(text, start, end))
        or (has_lexicon(tongue) and _is_more_in_words(text, start, end, lexicon(tongue)))
    )


def _is_edge(text: str, position: int, step: Literal[-1, 1]) -> bool:
    """Whether the word or number at a position ends there, going left (-1) or right (1)."""
    here, there = text[position], _at(text, position + step)
    if _is_word(here) and _is_word(there):
        return (is_unspaced(here) or is_unspaced(there)) and not (_is_numeral(here) and _is_numeral(there))
    if not here.isdigit():
        return True
    beyond = _at(text, position + 2 * step)
    if step < 0 and there == "-":
        return _is_word(beyond)
    starts_with_point = step < 0 and there == "." and beyond in ("", " ")
    goes_on = there != "" and there in _CONTINUES and beyond.isdigit()
    return not (starts_with_point or (goes_on and (there != "/" or _is_slashed(text, position))))


def _is_numeral(character: str) -> bool:
    return character.isnumeric() or character in _PAIRS


def _is_slashed(text: str, position: int) -> bool:
    """Whether the digits and slashes around a place are one number; what is longer than a date is not looked at."""
    before = text[max(0, position - _FAR) : position]
    first = position - len(before) + len(before.rstrip("/0123456789"))
    found = re.match(r"[\d/]*", text[first : position + _FAR])
    return found is not None and re.fullmatch(_SLASHED, found[0]) is not None


def _is_other_money(text: str, start: int) -> bool:
    """Whether letters right before the sign of a currency say of which country it is: "A$30"."""
    if text[start] not in _SIGNS:
        return False
    letters = re.search(_LETTERS_BEFORE, text[max(0, start - _FAR) : start])
    return letters is not None and letters[0] != "us"


def _is_more(text: str, start: int, end: int) -> bool:
    """Whether a number in digits goes on with a multiplier or a percent, or its unit with what it is divided by."""
    if text[start] in _SIGNS and _RANGE_OF_MONEY.match(text, end):
        return True
    if _at(text, end) == "^":
        return True
    if _at(text, end) == "/" and _at(text, end + 1).isalpha():
        unit = re.search(_SHORT_UNIT, text[max(start, end - _FAR) : end])
        return unit is not None and unit[1] not in CURRENCIES
    if not text[end - 1].isdigit() or _at(text, end) in _NOTHING_FOLLOWS:
        return False
    from evaluator.metrics._amounts import is_scaled  # noqa: PLC0415 - few facts end in a number

    number = re.search(_LAST_NUMBER, text[max(start, end - _FAR) : end])
    return number is not None and is_scaled(text, end - len(number[0]), end)


def _is_below_zero(text: str, start: int, end: int, language: str) -> bool:
    """Whether words before or behind a number make a negative one of it."""
    counts = _is_numeral(text[start])
    if not counts and has_lexicon(language):
        first = _FIRST_WORD.match(text, start)
        counts = first is not None and lexicon(language).is_number(first[0])
    if counts and has_minus(text, start):
        return True
    return is_below_zero(text, end) and any(map(str.isdigit, text[start:end]))


def _is_more_in_characters(text: str, start: int, end: int) -> bool:
    """The same in Chinese and Japanese, where a half or a smaller unit stands right behind the unit."""
    if not any(map(_is_numeral, text[start:end])):
        return False
    begun = _is_numeral(text[start]) and _begun().search(text[max(0, start - 2) : start + 1]) is not None
    return begun or _goes_on().match(text, end) is not None


@cache
def _goes_on() -> re.Pattern[str]:
    """What makes more of a Chinese or Japanese number, of its unit, or an ordinal of both."""
    smaller = "|".join(f"(?<={unit})[零又と]?[{_DIGITS}]+(?:{parts})" for unit, parts in _SMALLER.items())
    return re.compile(
        rf"半{NO_HALF}|目(?![标標的前录錄])|分之|(?<=[{_DIGITS}])[点點](?=[{_DIGITS}])"
        rf"|(?<=年)(?:[级級生]|[{_DIGITS}]+[个個かヶヵカ]月)|(?<=[元円块塊])[{_DIGITS}]+[角毛]|(?<=割)[{_DIGITS}]+分"
        rf"|(?:(?<=[点點时時])|(?<=[时時][间間]))[{_DIGITS}]+分"
        rf"|(?:{smaller})|(?<=[米尺丈])[{_ONES}](?![{_DIGITS}]*[个個名人位年月])|(?<=[块塊])[{_ONES}](?![{_DIGITS}个個名人位])"
    )


@cache
def _begun() -> re.Pattern[str]:
    """What makes the rest of a number, or an ordinal, of one that begins right there."""
    return re.compile(rf"(?:[{_DIGITS}][点點]|分之|第)\S$|[数數几幾][十百千万萬亿億]$")


def _is_more_in_words(text: str, start: int, end: int, words: Lexicon) -> bool:
    """Whether a number in words goes on before or after, or what it counts is something else: working days."""
    after = _WORD_AFTER.match(text, end) if text[end - 1].isalpha() else None
    if after is not None:
        if words.changes_unit(text[end + 1 : end + _FAR]) and _has_number(text[start:end], words):
            return True
        if words.is_number(after[1]) and words.is_number(
            re.findall(_LAST_WORD, text[max(start, end - _FAR) : end])[-1]
        ):
            return True
    return _is_end_of_number(text, start, words)


def _has_number(text: str, words: Lexicon) -> bool:
    return any(each[0].isdigit() or words.is_number(each) for each in re.findall(r"\w+", text))


def _is_end_of_number(text: str, start: int, words: Lexicon) -> bool:
    """Whether the number in words at a place is the end of a longer one: the "two" of "thirty-two"."""
    first = _FIRST_WORD.match(text, start)
    if first is not None and first[0] in words.ones:
        return text[max(0, start - len(HALF)) : start] == HALF and not _at(text, start - len(HALF) - 1).isalnum()
    if first is None or not words.is_number(first[0]):
        return False
    if words.joined is not None and words.joined.search(text[max(0, start - _FAR) : first.end()]):
        return True
    before = _WORD_BEFORE.search(text[max(0, start - _FAR) : start])
    if before is None or before[1] in words.ones:
        return False
    return words.is_number(before[1]) or (before[1].isdigit() and _multiplies(first[0]))


def _multiplies(word: str) -> bool:
    from evaluator.metrics._amounts import multiplies  # noqa: PLC0415 - few facts begin with a number in words

    return multiplies(word)


def _at(text: str, position: int) -> str:
    return text[position] if 0 <= position < len(text) else ""


def _is_word(character: str) -> bool:
    return character.isalnum() or (character > "\u02ff" and unicodedata.category(character).startswith("M"))
