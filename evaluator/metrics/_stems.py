"""Text as stems: what words in another form, with others between them, are found by (design section 7, "Facts").

Each word has a key (its stem, in the main) by which :mod:`evaluator.metrics._within` looks for it. Numbers keep their
digits, words with digits in them their spelling, and negations and numbers in words are known as such.
"""

from __future__ import annotations

import re
from array import array
from functools import cache, cached_property
from typing import TYPE_CHECKING

from evaluator.metrics._denials import MARK_AFTER, MARK_BEFORE, TICK, unasked
from evaluator.metrics._lexicon import lexicon
from evaluator.metrics._minus import has_minus, is_negative
from evaluator.metrics._negation import is_abbreviation, is_negation, several_words
from evaluator.metrics._within import NEGATION, NUMBER, ONE, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

STEMMERS = {
    "de": "german", "en": "english", "es": "spanish", "fr": "french", "hu": "hungarian", "pl": "polish",
    "sv": "swedish",
}  # fmt: skip
"""Snowball's name of the stemmer by language. A language without a list of negations is not here: that a text says the
opposite would go unseen."""

LONGEST_STEMMED = 100
"""Longer words are left as they are: no natural word is, and a made-up one could take a pass per suffix."""

_WORD = r"[^\W\d_][\w\u0300-\u036f]*(?:-\d[\w-]*)?(?:'\w+)*"
_ELISION = r"(?<!\w)(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)'|"
_NUMBER = r"(?:(?<![^\s(])[-+])?\d+(?:[.,:'/\u2044-]\d+)*(?:[^\W\d_]+\d\w*)?"
_TOKEN = (
    r"(?P<rate>(?<=\d) ?[^\W\d_]+/[^\W\d_]+(?!\w))|(?P<sign>{sign})|(?P<denial>{denial})"
    rf"|(?P<word>{{first}}{_WORD})|(?P<number>{_NUMBER})|(?P<symbol>(?:(?<![a-z])|(?<=us))[%\u2030\u00b0$\u00a2-\u00a5\u20a0-\u20cf])"
    rf"|(?P<end>[\n!?;\u3002]|{TICK}|\.(?=[\s\"')\]]|$))|(?P<comma>,)|(?P<mark>{MARK_BEFORE})|(?P<apart>[^\s.'\"-])"
)
_NUMBER_SIGN = r"no\.(?= ?\d)"
_POINT_AFTER_NUMBER = frozenset({"de", "hu", "pl"})
"""Languages that write ordinals with a point, which therefore ends no sentence."""
_DIVIDED = {"ca": "can", "wo": "will", "sha": "shall"}


_BEGINNINGS = {"en": (4, 3), "hu": (6, 4), "pl": (6, 4), "sv": (6, 4)}
"""A stem of so many letters and all words that have it begin with the same so many; elsewhere accents come and go."""

_DEFINITE = r"(?<=\w{4}a)ns?$|(?<=\w{4}i)(?:ns?|et)$"


@cache
def _token(language: str) -> re.Pattern[str]:
    first, sign = _ELISION if language == "fr" else "", _NUMBER_SIGN if language == "en" else "(?!)"
    denial = f"{several_words(language)}|{MARK_AFTER}"
    return re.compile(_TOKEN.replace("{first}", first).replace("{sign}", sign).replace("{denial}", denial))


@cache
def stemmer(language: str) -> Callable[[str], str]:
    """A function from a word to its stem: the Snowball stemmer repeated until the word no longer changes.

    In Swedish the definite endings of words in -a and -i go too (fakturan, garantin, batteriet), which Snowball keeps.
    The function is not safe for use by several threads at once.
    """
    import Stemmer  # noqa: PLC0415 - not every run has a fact that is looked for by stems

    once = Stemmer.Stemmer(STEMMERS[language], 0).stemWord
    definite = re.compile(_DEFINITE) if language == "sv" else None

    def stem(word: str) -> str:
        for _ in range(LONGEST_STEMMED if len(word) <= LONGEST_STEMMED else 0):
            before = word
            word = once(definite.sub("", word) if definite is not None else word)
            if before == word:
                break
        return word

    return stem


class _Keys(dict[str, tuple[str, ...]]):
    """The keys of the words met so far: none for an article, two for ``aren't``, else one."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language
        self._words = lexicon(language)
        self._stem = stemmer(language)

    def __missing__(self, word: str) -> tuple[str, ...]:
        self[word] = keys = tuple(self._find(word))
        return keys

    @cached_property
    def irregular(self) -> frozenset[str]:
        """Keys of words that do not all begin alike."""
        return frozenset(map(self._stem, self._words.forms.values()))

    def _find(self, word: str) -> list[str]:
        words = self._words
        if self._language == "en" and (word == "cannot" or word.endswith("n't")):
            verb = word.removesuffix("not") if word == "cannot" else word[:-3]
            return [*self[_DIVIDED.get(verb, verb)], NEGATION + "not"]
        if is_negation(word, self._language) or words.is_contrary(word):
            return [NEGATION + words.negations.get(word, word)]
        if word in words.articles:
            return [""]
        form = words.forms.get(word, word)
        if word in words.ones:
            return [ONE + form]
        if words.is_number(word):
            return [NUMBER + form]
        return [word if any(map(str.isdigit, word)) else words.apart.get(word) or self._stem(form)]


@cache
def _keys(language: str) -> _Keys:
    return _Keys(language)


def hints(keys: Sequence[str], language: str) -> tuple[str, ...]:
    """What a text with these keys has somewhere as it is written: numbers, and how words with long stems begin."""
    numbers = [key[1:] for key in keys if key[0] == NUMBER and key[1:2].isdigit()]
    if language not in _BEGINNINGS:
        return tuple(numbers)
    stem, letters = _BEGINNINGS[language]
    irregular = _keys(language).irregular
    words = [key[:letters] for key in keys if len(key) >= stem and key.isalpha() and key not in irregular]
    return (*numbers, *words)


def _with_one_number(lines: str, language: str) -> str:
    if " (" not in lines:
        return lines
    from evaluator.metrics._spelled import with_one_number  # noqa: PLC0415 - many texts have no brackets

    return with_one_number(lines, language)


class Reading:
    """A text in its common form, line ends kept, as tokens; ``symbols`` are the places of signs that are no words."""

    def __init__(self, lines: str, language: str) -> None:
        self.keys: list[str] = []
        self.starts, self.ends = array("I"), array("I")
        self.sentences: list[int] = []
        self.clauses: list[int] = []
        self.apart: list[int] = []
        self.symbols: list[int] = []
        self._lines = lines
        self._language = language
        known = _keys(language)
        for found in _token(language).finditer(_with_one_number(unasked(lines, language), language)):
            kind = found.lastgroup
            if kind == "word":
                self._add(known[found[0]], *found.span())
            elif kind == "end":
                self._end(found)
            elif kind in {"denial", "mark"}:
                self._deny(found)
            elif kind in {"comma", "apart"}:
                self._part(found)
            else:
                self._add_exactly(found)

    def _add(self, keys: Sequence[str], start: int, end: int) -> None:
        for key in keys:
            self.keys.append(key)
            self.starts.append(start)
            self.ends.append(end)

    def _add_exactly(self, found: re.Match[str]) -> None:
        """Add what has one spelling only: a number, a sign, a unit such as km/h."""
        if found.lastgroup == "symbol":
            self.symbols.append(len(self.keys))
        written = found[0].lstrip()
        start = found.end() - len(written)
        if found.lastgroup != "number":
            self._add((written,), start, found.end())
            return
        sign = "-" if written[0].isdigit() and is_negative(self._lines, start, found.end()) else ""
        if sign and has_minus(self._lines, start):
            start = self._take_minus(start)
        self._add((NUMBER + sign + written,), start, found.end())

    def _take_minus(self, start: int) -> int:
        """Take the word before a number, which is its minus, to it; where that starts."""
        if not self.ends or self.ends[-1] != start - 1:
            return start
        self.keys.pop()
        self.ends.pop()
        return self.starts.pop()

    def _deny(self, found: re.Match[str]) -> None:
        """Add a negation that is no word; a mark that stands before what it denies begins a sentence."""
        if found.lastgroup == "mark":
            self.sentences.append(len(self.keys))
        self._add((NEGATION + found[0],), *found.span())

    def _end(self, found: re.Match[str]) -> None:
        if found[0] != "." or not self._goes_on(found.start()):
            self.sentences.append(len(self.keys))

    def _part(self, found: re.Match[str]) -> None:
        self.apart.append(len(self.keys))
        if found.lastgroup == "comma":
            self.clauses.append(len(self.keys))

    def _goes_on(self, point: int) -> bool:
        """Whether a point belongs to the abbreviation or the ordinal before it."""
        if not self.ends or self.ends[-1] != point:
            return False
        last = self.word(-1)
        if last[-1].isdigit():
            return self._language in _POINT_AFTER_NUMBER
        return is_abbreviation(last, self._language)

    def word(self, place: int) -> str:
        """A token as it is written."""
        return self._lines[self.starts[place] : self.ends[place]]


def tokens(lines: str, language: str) -> Tokens:
    """The tokens of a text in its common form, line ends kept."""
    read = Reading(lines, language)
    return Tokens(read.keys, (read.starts, read.ends), sentences=read.sentences, clauses=read.clauses, apart=read.apart)
