"""A BM25 index over texts: the scores of bm25s (Lucene variant), in an order that ties cannot change.

The index is our own because importing bm25s costs as much as searching: docs/decisions/0005. The tests hold every
score to it, bit for bit.
"""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evaluator.pipelines._tokens import Lexicon, stemmer, stemmer_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from evaluator.model.config import Bm25


class Postings(NamedTuple):
    """Where tokens occur, token by token: compressed columns of a matrix with a row for every text.

    Attributes:
        bounds: what is of token id t lies from ``bounds[t]`` to ``bounds[t + 1]`` in the other two.
        texts: positions of texts, ascending within a token.
        scores: what the token adds to the score of each of them.
    """

    bounds: list[int]
    texts: NDArray[np.int64]
    scores: NDArray[np.float32]


def postings(corpus: Sequence[Sequence[int]], tokens: int, parameters: Bm25) -> Postings:
    """Index texts given as token ids below ``tokens``.

    Each score is idf * tf / (tf + k1 (1 - b + b length / mean length)) with the Lucene idf
    ln(1 + (N - df + 0.5) / (df + 0.5)): Kamphuis et al., "Which BM25 do you mean?", ECIR 2020. In single precision
    and in an order of operations that makes it bit for bit the score of bm25s.
    """
    size = len(corpus)
    lengths = np.fromiter(map(len, corpus), np.int64, size)
    occurring, texts, counts = _count(corpus, lengths)
    frequencies = np.bincount(occurring, minlength=tokens)
    length_norm = 1 - parameters.b + parameters.b * lengths[texts] / (lengths.sum() / max(size, 1))
    scores = _idf(frequencies, size)[occurring] * (counts / (parameters.k1 * length_norm + counts))
    return Postings([0, *np.cumsum(frequencies).tolist()], texts, scores.astype(np.float32))


def _count(
    corpus: Sequence[Sequence[int]], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """Token, text and count of every pair that occurs, by token and then by text."""
    size = len(corpus)
    pairs = np.fromiter(chain.from_iterable(corpus), np.int64, int(lengths.sum())) * size
    pairs += np.repeat(np.arange(size), lengths)
    pairs.sort()
    first = np.flatnonzero(np.diff(pairs, prepend=-1))
    tokens, texts = np.divmod(pairs[first], max(size, 1))
    return tokens, texts, np.diff(first, append=len(pairs)).astype(np.float32)


def _idf(frequencies: NDArray[np.int64], size: int) -> NDArray[np.float32]:
    by_frequency = [math.log(1 + (size - df + 0.5) / (df + 0.5)) for df in range(frequencies.max(initial=0) + 1)]
    return np.array(by_frequency, dtype=np.float32)[frequencies]


class Searcher:
    """Searches texts with one index per stemmer, built when a question first needs it.

    Not safe for use by several threads at once: the stemmers are not.
    """

    def __init__(self, texts: Sequence[str], parameters: Bm25) -> None:
        self._texts = texts
        self._parameters = parameters
        self._indexes: dict[str | None, Index] = {}

    def search(self, question: str, language: str, depth: int) -> list[tuple[int, float]]:
        """Position and score of the best texts, at most ``depth``, as ``best`` orders them.

        Args:
            question: any text; words that occur in no text are ignored.
            language: BCP 47 tag whose stemmer makes words one, in the question and in the texts.
            depth: how many are wanted.
        """
        name = stemmer_name(language) if self._parameters.stem else None
        if name not in self._indexes:
            self._indexes[name] = Index(self._texts, stemmer(name) if name else str, self._parameters)
        return self._indexes[name].search(question, depth)


class Index:
    """Texts as one stemmer sees them; a text is known by its position."""

    def __init__(self, texts: Iterable[str], stem: Callable[[str], str], parameters: Bm25) -> None:
        self._lexicon = Lexicon(stem)
        corpus = [self._lexicon.learn(text) for text in texts]
        self._size = len(corpus)
        self._postings = postings(corpus, len(self._lexicon.vocabulary), parameters)

    def search(self, question: str, depth: int) -> list[tuple[int, float]]:
        """As ``Searcher.search``, in the language of the index; a word asked for twice counts twice."""
        known = self._lexicon.known(question)
        if not known:
            return []
        bounds, texts, scores = self._postings
        total = np.zeros(self._size, dtype=np.float32)
        for start, end in ((bounds[token], bounds[token + 1]) for token in known):
            np.add.at(total, texts[start:end], scores[start:end])
        return best(total, depth)


def best(scores: NDArray[np.float32], depth: int) -> list[tuple[int, float]]:
    """Position and score of the ``depth`` highest scores above 0: score descending, then position."""
    lowest = np.partition(scores, -depth)[-depth] if depth < len(scores) else 0
    (found,) = (scores >= lowest if lowest > 0 else scores > 0).nonzero()
    order = found[(-scores[found]).argsort(kind="stable")[:depth]]
    return list(zip(order.tolist(), scores[order].tolist(), strict=True))
