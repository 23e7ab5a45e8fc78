"""Chinese and Japanese as characters: what stands there with others between is found by (design section 7, "Facts").

A token is a character, a word in Latin letters, or a number. Where one word of other languages counts, two characters
do. Particles, and in Japanese the endings in hiragana, are passed over.
"""

from __future__ import annotations

import re
from array import array
from functools import cache, lru_cache
from typing import NamedTuple

from evaluator.metrics._denials import unasked
from evaluator.metrics._edges import NO_HALF
from evaluator.metrics._minus import has_minus
from evaluator.metrics._negation import negations_of
from evaluator.metrics._normal import CACHED_TEXTS
from evaluator.metrics._within import NEGATION, NUMBER, Gram, Phrase, Tokens, repeated

FEWEST, MOST = 4, 16
"""Characters an alternative has, a number or a word in Latin letters counting as two."""

SPREAD = 10
"""How many tokens more than it has it may stand among."""

NEAR = 6
"""How many tokens before and after it a negation rules out one that counts as so many characters, which must also
stand between two commas. Half as many rule out a longer one, which holds what it denies or affirms itself."""

LANGUAGES = frozenset({"ja", "zh"})

_DIGITS = "〇零一二三四五六七八九十百千万萬亿億兆两兩半"
_UNITS = (
    "天日月年周週小时時分秒元块塊角个個名人位次倍件条條台臺份度折成米尺寸公克斤吨噸升项項种種层層楼樓号號岁歲回円圓本枚"
    "匹冊箱袋瓶套ヶヵカか箇つ泊間期级級班季倍割点點章节節步欧歐美港日"
)
_COUNTERS = frozenset("个個ヶヵカか箇")
"""Characters that stand between a number and what it counts."""

_TOKEN = (
    rf"(?P<number>(?:(?<![^\s(])[-+])?\d+(?:[.,:'/\u2044-]\d+)*[十百千万萬亿億兆]*|[{_DIGITS}]{{{{2,}}}}"
    rf"|[{_DIGITS}](?=[{_UNITS}])|(?<=[{_UNITS}])半{NO_HALF})"
    r"|(?P<latin>[a-z\u00c0-\u024f][\w'-]*(?<![\u3041-\u9fff]))|(?P<skip>{skip})|(?P<word>{words})"
    r"|(?P<end>[\n!?。;]|\.(?=\s|$))|(?P<comma>[{commas}])|(?P<one>\w|[%\u2030\u00b0$\u00a5\u20ac\u00a3])|(?P<apart>\S)"
)
_SKIPPED = {"zh": "[的了之在于於是为為]", "ja": "(?!{words})[\u3041-\u309f]"}
_WORDS = {"zh": "可以", "ja": "まで|から|より|だけ|のみ|ごと|ずつ|おき|まえ|あと|でき"}
"""Read as one token; in Japanese the hiragana that say when, from where or how much, and that something can be done."""
_COMMAS = {"zh": ",", "ja": ",、"}
_SAME = {
    "可以": "可", "沒": "没", "無": "无", "別": "别", "万": "万",
    **dict.fromkeys(("なく", "なかっ", "なけれ", "なし", "ません", "せず", "られず", "ずに", "ず"), "ない"),
}  # fmt: skip
_CHANGED = frozenset(_SAME.values())
_MONEY = frozenset("$¥€£")


@cache
def _token(language: str) -> re.Pattern[str]:
    words = _WORDS[language]
    skip = _SKIPPED[language].replace("{words}", words)
    filled = _TOKEN.replace("{{", "{").replace("}}", "}").replace("{skip}", skip).replace("{words}", words)
    return re.compile(filled.replace("{commas}", _COMMAS[language]))


class _Reading:
    """A text in its common form, line ends kept, as tokens; ``weight`` is how many characters they count as."""

    def __init__(self, lines: str, language: str) -> None:
        self.keys: list[str] = []
        self.starts, self.ends = array("I"), array("I")
        self.sentences: list[int] = []
        self.clauses: list[int] = []
        self.apart: list[int] = []
        self.weight = 0
        position, lines = 0, unasked(lines, language)
        for start, end in [*negations_of(lines, language), (len(lines), len(lines))]:
            if start < position:
                continue
            self._read(lines, position, start, language)
            if end > start:
                self._add(NEGATION + _SAME.get(lines[start:end], lines[start:end]), start, end)
                self.weight += 1
            position = end

    def _read(self, lines: str, start: int, end: int, language: str) -> None:
        for found in _token(language).finditer(lines, start, end):
            kind = found.lastgroup
            if kind == "end":
                self.sentences.append(len(self.keys))
            elif kind in {"comma", "apart"}:
                self.apart.append(len(self.keys))
                if kind == "comma":
                    self.clauses.append(len(self.keys))
            elif kind != "skip":
                written = found[0]
                number = NUMBER if kind == "number" else ""
                number += "-" if number and has_minus(lines, found.start()) else ""
                self._add(number + _SAME.get(written, written), *found.span())
                self.weight += 2 if kind in {"number", "latin"} else 1

    def _add(self, key: str, start: int, end: int) -> None:
        self.keys.append(key)
        self.starts.append(start)
        self.ends.append(end)


def tokens(lines: str, language: str) -> Tokens:
    """The tokens of a text in its common form, line ends kept."""
    read = _Reading(lines, language)
    return Tokens(read.keys, (read.starts, read.ends), sentences=read.sentences, clauses=read.clauses, apart=read.apart)


@lru_cache(maxsize=CACHED_TEXTS)
def phrase(text: str, language: str) -> Phrase | None:
    """What an alternative in its common form is looked for by; None where it has too few or too many characters."""
    read = _Reading(text, language)
    if not FEWEST <= read.weight <= MOST or text.isascii():
        return None
    numbers = [place for place, key in enumerate(read.keys) if key.startswith(NUMBER)]
    bound = _Bound(read, language)
    return Phrase(
        wanted=bound.grams(),
        length=len(read.keys),
        reach=len(read.keys) + SPREAD,
        numbers=frozenset(read.keys[place] for place in numbers),
        units=frozenset(read.keys[place + 1] for place in numbers if bound.is_joined(place + 1)),
        negations=tuple(key for key in read.keys if key.startswith(NEGATION)),
        near=NEAR if read.weight <= NEAR else NEAR // 2,
        in_clause=read.weight <= NEAR,
        repeated=repeated(read.keys),
        hints=tuple(key for key in read.keys if len(key) == 1 and key not in _CHANGED),
    )


class _Bound(NamedTuple):
    """What belongs together in an alternative."""

    read: _Reading
    language: str

    def grams(self) -> tuple[tuple[Gram, ...], ...]:
        """Everything that must be there.

        A character stands beside one of its neighbours, so that what may come between are only pieces of two or more.
        """
        found = []
        covered = set[int]()
        for place, key in enumerate(self.read.keys):
            groups: tuple[tuple[int, ...], ...] = ()
            if key.startswith(NUMBER):
                groups = self._number(place)
            elif key.startswith(NEGATION):
                groups = (self._negation(place),)
            covered.update(*groups)
            found += [groups] if groups else []
        found += [self._piece(place) for place in range(len(self.read.keys)) if place not in covered]
        return tuple(tuple(tuple(self.read.keys[each] for each in group) for group in groups) for groups in found)

    def _number(self, place: int) -> tuple[tuple[int, ...], ...]:
        """A number with what it counts, or with its money before or after it; a time of day counts nothing."""
        for money in (place - 1, place + 1):
            if self.is_joined(max(money, place)) and money >= 0 and self.read.keys[money] in _MONEY:
                return (place, money), (money, place)
        if not self.is_joined(place + 1) or ":" in self.read.keys[place]:
            return ((place,),)
        counter = self.read.keys[place + 1] in _COUNTERS and self.is_joined(place + 2)
        return ((place, place + 1, place + 2) if counter else (place, place + 1),)

    def _negation(self, place: int) -> tuple[int, ...]:
        """A negation with all that it denies: in Chinese what follows, in Japanese the two tokens on either side."""
        first, last = place, place
        before, after = (0, len(self.read.keys)) if self.language == "zh" else (2, 2)
        while place - first < before and self.is_joined(first):
            first -= 1
        while last - place < after and self.is_joined(last + 1):
            last += 1
        return tuple(range(first, last + 1))

    def _piece(self, place: int) -> tuple[tuple[int, ...], ...]:
        pairs = [(place - 1, place)] if self.is_joined(place) else []
        pairs += [(place, place + 1)] if self.is_joined(place + 1) else []
        is_word = len(self.read.keys[place]) > 1
        return ((place,),) if is_word or not pairs else tuple(pairs)

    def is_joined(self, place: int) -> bool:
        """Whether a token follows the one before it directly."""
        inside = 0 < place < len(self.read.keys)
        return inside and place not in self.read.apart and place not in self.read.sentences
