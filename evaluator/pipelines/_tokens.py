"""Text to tokens for lexical retrieval: words of any script, stemmed by language, numbered."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING

import Stemmer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "st": "sesotho", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""Snowball's name of the stemmer by primary language subtag (BCP 47)."""

LONGEST_STEMMED = 100
"""Longer words are left as they are: no natural word is, and a made-up one could take a pass per suffix."""

_unspaced = re.compile(
    "(["
    "\u3005-\u3007\u3041-\u309f\u30a1-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han and kana
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai; the gaps of this and the next three are digits and punctuation
    "\u0e81-\u0ece\u0edc-\u0edf"  # Lao
    "\u1000-\u103f\u1050-\u108f\u109a-\u109f\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17d3\u17d7\u17dc\u17dd"  # Khmer
    "]+)"
)


class _Letters(dict[int, str]):
    r"""What ``str.translate`` makes of each code point: part of a word (NFKC, case folded), nothing, or a space.

    Word characters are those of ``\w`` and the combining marks that ``\w`` leaves out: without them every vowel
    sign would cut a Hindi or Thai word in two. Invisible format characters (soft hyphens, joiners, variation
    selectors) go, so that they cannot make two words of one.
    """

    def __missing__(self, code: int) -> str:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", chr(code)).casefold())
        # A free-standing accent decomposes into a space and a mark; the mark must not lead the next word.
        self[code] = kept = " " if folded.startswith(" ") else "".join(map(_keep, folded))
        return kept


def _keep(character: str) -> str:
    category = unicodedata.category(character)
    if character.isalnum() or character == "_" or category in {"Mn", "Mc"}:
        return character
    return "" if category in {"Cf", "Me"} else " "


_letters = _Letters(
    {
        0x130: "i",  # casefold leaves a combining dot, which no spelling of the lower-case word has
        0x200B: " ",  # the zero-width space is where Thai and Khmer writers mark the end of a word
        **dict.fromkeys(range(0xFE00, 0xFE10), ""),  # variation selectors are marks by category
        **dict.fromkeys(range(0xE0100, 0xE01F0), ""),
    }
)

_ascii_letters = "".join(map(_letters.__getitem__, range(128))).encode().ljust(256)
"""The same for ASCII, where each character becomes one: bytes are translated several times as fast."""


def words(text: str) -> list[str]:
    """Words in order, after NFKC and case folding; character bigrams where a script has no spaces."""
    if text.isascii():
        return text.encode().translate(_ascii_letters).decode().split()
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).translate(_letters))
    if _unspaced.search(text) is None:
        return text.split()
    return [part for word in text.split() for part in _parts(word)]


def _parts(word: str) -> Iterator[str]:
    for number, run in enumerate(_unspaced.split(word)):
        is_unspaced = number % 2 == 1
        if is_unspaced and len(run) > 1:
            yield from map("".join, pairwise(run))
        elif run:
            yield run


def stemmer_name(language: str) -> str | None:
    """Snowball's stemmer for a BCP 47 tag, None where there is none."""
    return STEMMERS.get(language.partition("-")[0].lower())


def stemmer(name: str) -> Callable[[str], str]:
    """A function from a word to its stem: the Snowball stemmer repeated until the word no longer changes.

    Repeating lets "occasion" (occas after one pass) meet "occasionally" (occasion after one pass). The function is
    not safe for use by several threads at once.
    """
    once = Stemmer.Stemmer(name, 0).stemWord

    def stem(word: str) -> str:
        if len(word) > LONGEST_STEMMED:
            return word
        for _ in range(LONGEST_STEMMED):  # pragma: no branch - a bound, should a stemmer ever go round in circles
            before, word = word, once(word)
            if before == word:
                break
        return word

    return stem


class Lexicon(dict[str, int]):
    """Token ids of the words met so far: words of one stem share an id.

    Attributes:
        vocabulary: token id of every stem, counting from 0 in order of appearance.
    """

    def __init__(self, stem: Callable[[str], str]) -> None:
        super().__init__()
        self.vocabulary: dict[str, int] = {}
        self._stem = stem

    def __missing__(self, word: str) -> int:
        self[word] = token = self.vocabulary.setdefault(self._stem(word), len(self.vocabulary))
        return token

    def learn(self, text: str) -> list[int]:
        """Token ids of a text; words that are new get one."""
        return list(map(self.__getitem__, words(text)))

    def known(self, text: str) -> list[int]:
        """Token ids of a text; words whose stem is new are left out."""
        return [token for word in words(text) if (token := self._find(word)) is not None]

    def _find(self, word: str) -> int | None:
        token = self.get(word)
        return self.vocabulary.get(self._stem(word)) if token is None else token
