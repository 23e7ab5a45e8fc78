"""Search by frozen vectors, and its fusion with BM25: the same order on every machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evaluator.model.fixture import Vectors
    from evaluator.pipelines._bm25 import Searcher

DECIMALS = 9
"""Cosines that agree to so many decimals are equal: the order of two chunks never hangs on rounding."""

WINDOW = 1_000
"""How many results of each search are fused, at least: what stands deeper could add no more than 1 / (k + 1000)."""

BLOCK = 8_192
"""Rows that are computed in one go."""


class MissingVector(LookupError):
    """There is no frozen vector of a question."""


class Dense:
    """Searches chunks by the cosine of their frozen vectors and the question's."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self._scale = _inverse_lengths(vectors.chunks)
        # The most by which a cosine in single precision can be off: one rounding for each product and each sum.
        self._error = 4 * (vectors.chunks.shape[1] + 2) * float(np.finfo(np.float32).eps)

    def search(self, question: str, language: str, depth: int) -> list[tuple[int, float]]:  # noqa: ARG002 - as BM25's
        """Position and cosine of the best chunks, at most ``depth``: cosine descending, then position.

        Only cosines above 0 are retrieved. The fast product in single precision only chooses who is looked at: what
        decides is a sum in double precision, row by row, so that equal vectors have equal cosines wherever they stand.

        Raises:
            MissingVector: the question was not frozen.
        """
        vector = self._vectors.of_question(question)
        if vector is None:
            raise MissingVector(question)
        asked = vector.astype(np.float64)
        asked /= np.sqrt((asked * asked).sum())
        rough = (self._vectors.chunks @ asked.astype(np.float32)) * self._scale
        lowest = np.partition(rough, -depth)[-depth] if depth < len(rough) else np.float32(-1)
        near = np.flatnonzero(rough >= max(float(lowest), 0.0) - self._error)
        return ranked(near, self._cosines(near, asked), depth)

    def _cosines(self, places: NDArray[np.int64], asked: NDArray[np.float64]) -> NDArray[np.float64]:
        found = np.empty(len(places))
        for start in range(0, len(places), BLOCK):
            rows = self._vectors.chunks[places[start : start + BLOCK]].astype(np.float64)
            lengths = np.sqrt((rows * rows).sum(axis=1))
            found[start : start + BLOCK] = (rows * asked).sum(axis=1) / lengths
        return np.round(found, DECIMALS)


def _inverse_lengths(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    found = np.empty(len(matrix), np.float32)
    for start in range(0, len(matrix), BLOCK):
        rows = matrix[start : start + BLOCK].astype(np.float64)
        found[start : start + BLOCK] = 1 / np.sqrt((rows * rows).sum(axis=1))
    return found


class Hybrid:
    """Reciprocal rank fusion: the sum over both searches of 1 / (k + rank), ranks from 1.

    Cormack, Clarke and Buettcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods",
    SIGIR 2009. A chunk that one search does not retrieve gets nothing from it.
    """

    def __init__(self, words: Searcher, dense: Dense, k: int) -> None:
        self._words = words
        self._dense = dense
        self._k = k

    def search(self, question: str, language: str, depth: int) -> list[tuple[int, float]]:
        """As ``Dense.search``. How many are wanted does not change their order.

        Raises:
            MissingVector: the question was not frozen.
        """
        window = max(WINDOW, depth)
        rankings = [search.search(question, language, window) for search in (self._words, self._dense)]
        return fuse([[place for place, _ in ranking] for ranking in rankings], self._k)[:depth]


def fuse(rankings: Sequence[Sequence[int]], k: int) -> list[tuple[int, float]]:
    """Position and fused score of everything in the rankings: score descending, then position."""
    size = 1 + max((max(ranking, default=-1) for ranking in rankings), default=-1)
    scores = np.zeros(size)
    for ranking in rankings:
        scores[np.array(ranking, np.int64)] += 1 / np.arange(k + 1, k + 1 + len(ranking))
    return ranked(np.arange(size), scores, size)


def ranked(places: NDArray[np.int64], scores: NDArray[np.float64], depth: int) -> list[tuple[int, float]]:
    """The ``depth`` best of these ascending positions with a score above 0: score descending, then position."""
    order = np.argsort(-scores, kind="stable")[:depth]
    order = order[scores[order] > 0]
    return list(zip(places[order].tolist(), scores[order].tolist(), strict=True))
