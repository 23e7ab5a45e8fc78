"""What denies a statement as a whole, however long it is: an answer, a mark, a line through it, a "no" before it."""

from __future__ import annotations

import re
from functools import cache

from evaluator.metrics._normal import subtag

_CROSSES, _TICKS = "❌✖✗✘☒🚫⛔", "✅✔✓☑"
_CROSS, _ASKS = frozenset(_CROSSES), frozenset("?:")
MARK_AFTER = rf"[{_CROSSES}]\ufe0f?(?=[*_ ]*(?:[|\n.,;)]|$))"
"""A mark of what stands before it on its line or in its cell."""
MARK_BEFORE = f"[{_CROSSES}]"
"""A mark of what stands after it."""
TICK = f"[{_TICKS}]"

_REACH = 80
"""Characters that are looked at before and after a statement."""
_SIGNS = 4
"""Characters among which what asks stands after it."""
_NEAR = 24
"""Characters that what denies the words after it has at most."""

_ANSWERS = {
    "en": r"no|nope|never|none|false|(?:unfortunately|sorry|afraid|certainly|of course|absolutely|definitely),? not?"
    r"|not (?:at all|yet|really|any ?more|available|included|supported|possible|allowed|offered)",
    "sv": "nej|aldrig|falskt|false|(?:tyvärr|absolut|naturligtvis|självklart) (?:inte|nej)|inte (?:alls|än|längre)",
    "de": "nein|nie|niemals|falsch|false|(?:leider|natürlich|gar|überhaupt|noch) (?:nicht|nein)|auf keinen fall"
    "|keinesfalls",
    "fr": "non|jamais|faux|false|(?:malheureusement|hélas|bien sûr que),? (?:non|pas)|pas (?:du tout|encore)",
    "es": "no|nunca|jamás|falso|false|(?:lamentablemente|desafortunadamente|por desgracia|claro que),? no|en absoluto",
    "pl": "nie|nigdy|fałsz|false|(?:niestety|wcale|oczywiście),? nie|jeszcze nie",
    "hu": "nem|soha|hamis|false|(?:sajnos|egyáltalán|természetesen),? nem|még nem",
    "zh": "不(?:可以|能|行|会|是|支持|提供)?|否|没有|false", "ja": "いいえ|不可|なし|false",
}  # fmt: skip
_ASKED = r"\?[^\w?]{{0,6}}(?:[^\W\d_]{{1,10}}: ?)?(?=(?:{answers}){ended})"
_ANSWERED = r"[^\w\n?]{{0,3}}[?:][^\w?]{{0,6}}(?:[^\W\d_]{{1,10}}: ?)?(?:{answers}){ended}"
_ENDED = r"(?!\. ?\d)[ *_]*(?:[-.,!;:\n、。|]|$)"

_BEFORE = {
    "en": r"no|none of (?:the|our)|(?:forbidden|prohibited)(?: (?:that|to|for))?",
    "sv": r"ingen|inget|inga|förbjudet(?: (?:att|för))?",
    "de": r"kein(?:e[mnrs]?)?|(?:verboten|untersagt),? dass",
    "fr": r"aucune?s?|nul(?:le)?s?|interdit(?: (?:que|de|à|aux?))?",
    "es": r"ning(?:ún|una)|prohibido(?: que)?",
    "pl": r"żad(?:en|na|ne|ni|nych|nego|nej)|zabrania się|zabronione jest",
    "hu": r"semmilyen|tilos(?: (?:a|az))?",
}
"""What denies the words that follow it directly, whatever they are."""


def unstruck(text: str) -> str:
    """A text with spaces for what has a line through it in Markdown or HTML; as long as before."""
    if "~" not in text and "<" not in text:
        return text
    return _struck().sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def unasked(lines: str, language: str) -> str:
    """A text with spaces for the question marks that a "No" follows, which answers the words before them; as long."""
    if "?" not in lines or language not in _ANSWERS:
        return lines
    return _asked(language).sub(lambda found: " " * len(found[0]), lines)


def is_denied_outright(lines: str, start: int, end: int, language: str) -> bool:
    """Whether what stands from start to end of a text in its common form is denied by what is right beside it."""
    tag = subtag(language)
    follows = start > 0 and lines[start - 1] == " " and not lines[start].isdigit()
    if follows and tag in _BEFORE and _before(tag).search(lines, max(0, start - _NEAR), start):
        return True
    after = lines[end : end + _REACH]
    if tag in _ANSWERS and not _ASKS.isdisjoint(after[:_SIGNS]) and _answered(tag).match(after):
        return True
    before = lines[max(0, start - _REACH) : start]
    return not (lines.isascii() or _CROSS.isdisjoint(before + after)) and _is_crossed(before, after)


def _is_crossed(before: str, after: str) -> bool:
    crossed, ticked, crossed_before = _marks()
    return crossed.match(after) is not None or (crossed_before.search(before) is not None and not ticked.match(after))


# Patterns that few texts need are compiled when the first does: it takes milliseconds.


@cache
def _struck() -> re.Pattern[str]:
    return re.compile(
        r"(?<!~)~~(?=[^\s~])[^~\n]{0,2000}(?<=[^\s~])~~(?!~)"
        r"|<(del|s|strike)(?:\s[^<>]{0,200})?>(?:(?!<\1[\s>]).){0,2000}?</\1>",
        re.IGNORECASE | re.DOTALL,
    )


@cache
def _marks() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """A cross and a tick right after something, and a cross at most three words before it."""
    no_mark = rf"[^\w\n{_CROSSES}{_TICKS}]{{0,6}}"
    return (
        re.compile(no_mark + MARK_AFTER),
        re.compile(rf"{no_mark}{TICK}\ufe0f?(?=[*_ ]*(?:[|\n.,;)]|$))"),
        re.compile(rf"[{_CROSSES}]\ufe0f?[^\w\n|{_CROSSES}{_TICKS}]{{0,6}}(?:\w+[ '-]){{0,3}}$"),
    )


@cache
def _asked(language: str) -> re.Pattern[str]:
    return re.compile(_ASKED.format(answers=_ANSWERS[language], ended=_ENDED))


@cache
def _answered(language: str) -> re.Pattern[str]:
    return re.compile(_ANSWERED.format(answers=_ANSWERS[language], ended=_ENDED))


@cache
def _before(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_BEFORE[language]}) $")
