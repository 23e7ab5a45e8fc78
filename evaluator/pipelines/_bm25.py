"""A BM25 index over texts: the scores of bm25s (Lucene variant), in an order that ties cannot change."""

from __future__ import annotations

import math
import sys
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluator.pipelines._tokens import Lexicon, stemmer, stemmer_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from evaluator.model.config import Bm25


@contextmanager
def _absent(*names: str) -> Iterator[None]:
    """Make optional modules that are not imported yet look as if they were not installed."""
    hidden = [name for name in names if name not in sys.modules]
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment] # the import system's own way to say "absent"
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


# bm25s imports these where it finds them: up to 0.4 s for back ends that are not used here, and what else is
# installed would decide which code computes the scores.
with _absent("jax", "numba", "scipy", "tqdm"):
    import bm25s


class _Engine(bm25s.BM25):  # type: ignore[misc] # bm25s ships no types
    """bm25s with an index builder that works on the whole corpus at once instead of text by text."""

    def build_index_from_ids(
        self, unique_token_ids: Sequence[int], corpus_token_ids: Sequence[Sequence[int]], **_progress: bool
    ) -> dict[str, Any]:
        """The index as bm25s keeps it: compressed columns of scores, one column a token, rows in corpus order.

        Each score is idf * tf / (tf + k1 (1 - b + b length / mean length)) with the Lucene idf
        ln(1 + (N - df + 0.5) / (df + 0.5)): Kamphuis et al., "Which BM25 do you mean?", ECIR 2020.
        """
        self.nonoccurrence_array = None
        size = len(corpus_token_ids)
        lengths = np.fromiter(map(len, corpus_token_ids), np.int64, size)
        tokens, texts, counts = _count(corpus_token_ids, lengths)
        frequencies = np.bincount(tokens, minlength=len(unique_token_ids))
        length_norm = 1 - self.b + self.b * lengths[texts] / (lengths.sum() / max(size, 1))
        scores = _idf(frequencies, size)[tokens] * (counts / (self.k1 * length_norm + counts))
        return {
            "data": scores.astype(self.dtype),
            "indices": texts.astype(self.int_dtype),
            "indptr": np.concatenate(([0], np.cumsum(frequencies))),
            "num_docs": size,
        }


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
        self._engine = _Engine(k1=parameters.k1, b=parameters.b, method="lucene", backend="numpy", csc_backend="numpy")
        corpus = [self._lexicon.learn(text) for text in texts]
        self._engine.index((corpus, self._lexicon.vocabulary), create_empty_token=False, show_progress=False)

    def search(self, question: str, depth: int) -> list[tuple[int, float]]:
        """As ``Searcher.search``, in the language of the index."""
        known = self._lexicon.known(question)
        return best(self._engine.get_scores_from_ids(known), depth) if known else []


def best(scores: NDArray[np.float32], depth: int) -> list[tuple[int, float]]:
    """Position and score of the ``depth`` highest scores above 0: score descending, then position."""
    lowest = np.partition(scores, -depth)[-depth] if depth < len(scores) else 0
    found = np.flatnonzero((scores >= lowest) & (scores > 0))
    order = found[np.argsort(-scores[found], kind="stable")[:depth]]
    return list(zip(order.tolist(), scores[order].tolist(), strict=True))
