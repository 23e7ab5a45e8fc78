"""Texts as stems, in the language of their case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.pipelines import _tokens

if TYPE_CHECKING:
    from collections.abc import Iterable


class Stems:
    """Stems of texts; a stemmer for each language, made when it is first needed, and each word stemmed once."""

    def __init__(self) -> None:
        self._known: dict[str | None, _Memory] = {}

    def of(self, text: str, language: str) -> list[str]:
        """The stems of a text in order; character bigrams where a script has no spaces."""
        return self.each(_tokens.words(text), language)

    def each(self, words: Iterable[str], language: str) -> list[str]:
        """The stem of each of the words."""
        name = _tokens.stemmer_name(language)
        if name not in self._known:
            self._known[name] = _Memory(name)
        return list(map(self._known[name].__getitem__, words))


class _Memory(dict[str, str]):
    def __init__(self, name: str | None) -> None:
        super().__init__()
        self._stem = _tokens.stemmer(name) if name is not None else str

    def __missing__(self, word: str) -> str:
        self[word] = stem = self._stem(word)
        return stem
