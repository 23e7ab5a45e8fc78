"""Looks for alternatives whose words stand in other forms or apart: by stems, or by characters, as the language is."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from evaluator.metrics import _characters, _phrases, _stems, _within
from evaluator.metrics._normal import Normal, has_decimal_comma, normal, subtag

if TYPE_CHECKING:
    from collections.abc import Sequence

KEPT = 2048
"""A chunk is read for many cases and for two runs, so its tokens are kept; those of so many at most."""

LARGE = 20_000
"""A text of more characters is cut into words at once, which then tell what is not in it; a short one is searched.

The tokens of a large one are kept only until others are searched, but from case to case: a document that is one chunk
is in the context of many, and cutting 2 MB into words takes the better part of a second.
"""


AT_ONCE = 3
"""Large texts whose tokens are kept: two chunks, and both as one."""


class Parts(NamedTuple):
    """A text that is searched, in its common form, and the one or two texts that it was put together of."""

    form: Normal
    texts: tuple[str, ...]


class Search:
    """Looks for alternatives in the texts of one case."""

    how: Literal["stems", "characters"]

    def __init__(self, language: str) -> None:
        self._language = subtag(language)
        self._decimal_comma = has_decimal_comma(language)
        self.how = "characters" if self._language in _characters.LANGUAGES else "stems"

    @staticmethod
    def is_for(language: str) -> bool:
        """Whether a language has what is needed: stems or characters, and a list of its negations."""
        return subtag(language) in _characters.LANGUAGES or subtag(language) in _stems.STEMMERS

    def phrases(self, alternatives: Sequence[str]) -> list[_within.Phrase]:
        """What some alternatives in their common form are looked for by; some are too long or too short for that."""
        made = _characters.phrase if self.how == "characters" else _phrases.phrase
        return [phrase for text in alternatives if (phrase := made(text, self._language)) is not None]

    def find(self, phrases: Sequence[_within.Phrase], parts: Parts) -> tuple[int, int] | None:
        """Where the first of some phrases that stands in a text starts and ends in its form."""
        flat = parts.form.flat
        likely = [phrase for phrase in phrases if len(flat) > LARGE or phrase.is_hinted_at(flat)]
        if likely and len(parts.texts) > 1:
            # Most pairs hold nothing that neither of the two chunks does: they need not be read as one text.
            read = [self._tokens(normal(text, self._decimal_comma).lines) for text in parts.texts]
            likely = [phrase for phrase in likely if phrase.may_stand_in(*read)]
        places = (_within.find(phrase, self._tokens(parts.form.lines)) for phrase in likely)
        return next((place for place in places if place is not None), None)

    def _tokens(self, lines: str) -> _within.Tokens:
        return (_tokens if len(lines) <= LARGE else _large_tokens)(lines, self._language)


def _read(lines: str, language: str) -> _within.Tokens:
    if language in _characters.LANGUAGES:
        return _characters.tokens(lines, language)
    return _stems.tokens(lines, language)


_tokens = lru_cache(maxsize=KEPT)(_read)
_large_tokens = lru_cache(maxsize=AT_ONCE)(_read)
