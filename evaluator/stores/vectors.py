"""Frozen vectors: vectors.npy, and queries.npy with the queries.json that says whose its rows are (design section 5).

A file of NumPy's is somebody else's: nothing in it is unpickled, only single precision is read, and its size must be
what its header says before any of it is mapped into memory.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evaluator.errors import Problem
from evaluator.model.fixture import Questions, Vectors
from evaluator.stores import atomic, json_text, located, regular, values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from io import BufferedReader
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluator.model.fixture import Embedding

CHUNKS, QUERIES, QUESTIONS = "vectors.npy", "queries.npy", "queries.json"
FILES = (CHUNKS, QUERIES, QUESTIONS)

SHORTEST, LONGEST = 1e-9, 1e9
"""Lengths of a vector that a model may give it; beyond them cosines in single precision could not be trusted."""

MAX_DIMENSION = 65_536
BLOCK = 8_192
"""Rows that are looked at in one go."""

_SINGLE = np.dtype("<f4")


class _Header(NamedTuple):
    shape: tuple[int, ...]
    by_column: bool
    kind: np.dtype[np.generic]


def read(folder: Path, chunks: int, embedding: Embedding | None, problems: list[Problem]) -> Vectors | None:
    """The vectors of a fixture of so many chunks, or None and every problem; None without one where there are none.

    ``embedding`` is what the manifest says of them.
    """
    if not any((folder / name).exists() for name in FILES):
        return None
    known = len(problems)
    matrix = open_matrix(folder / CHUNKS, problems)
    if matrix is not None:
        problems += _misfits(matrix, folder / CHUNKS, chunks, "chunks", embedding)
    queries, rows = _queries(folder, embedding, problems)
    if matrix is None or len(problems) > known:
        return None
    if queries is None:
        queries = np.empty((0, matrix.shape[1]), _SINGLE)
    elif queries.shape[1] != matrix.shape[1]:
        sentence = f"its vectors have {queries.shape[1]} dimensions, those of {CHUNKS} {matrix.shape[1]}"
        problems.append(_problem(folder / QUERIES, sentence))
        return None
    return Vectors(matrix, queries, rows)


def _queries(
    folder: Path, embedding: Embedding | None, problems: list[Problem]
) -> tuple[NDArray[np.float32] | None, dict[str, int]]:
    """The vectors of the questions and whose they are; neither where both files are missing."""
    if not (folder / QUERIES).exists() and not (folder / QUESTIONS).exists():
        return None, {}
    shown = str(folder / QUESTIONS)
    matrix = open_matrix(folder / QUERIES, problems)
    if not (folder / QUESTIONS).exists():
        problems.append(_problem(folder / QUERIES, f"there is no {QUESTIONS}, which says whose vectors these are"))
        return None, {}
    text = json_text.parse(values.read_whole(folder / QUESTIONS, values.MAX_BYTES), shown, problems)
    index = None if text is None else located.validate(Questions, text, shown, problems)
    if matrix is None or index is None:
        return None, {}
    rows = {key: row for row, key in enumerate(index.questions)}
    if len(rows) < len(index.questions):
        problems.append(_problem(folder / QUESTIONS, "a question is there twice, and only one vector can be its own"))
    problems += _misfits(matrix, folder / QUERIES, len(index.questions), "questions", index.embedding)
    if embedding is not None and embedding != index.embedding:
        sentence = f"the questions were embedded by {index.embedding.model}, the chunks by {embedding.model}"
        problems.append(_problem(folder / QUESTIONS, sentence))
    return matrix, rows


def _misfits(
    matrix: NDArray[np.float32], path: Path, rows: int, what: str, embedding: Embedding | None
) -> Iterator[Problem]:
    if len(matrix) != rows:
        yield _problem(path, f"it holds {len(matrix)} rows, and there are {rows} {what}: one row each is needed")
    if embedding is not None and embedding.dimension != matrix.shape[1]:
        stated = f"{embedding.dimension}, as is stated for {embedding.model}"
        yield _problem(path, f"its vectors have {matrix.shape[1]} dimensions instead of {stated}")


def open_matrix(path: Path, problems: list[Problem]) -> NDArray[np.float32] | None:
    """The rows of an .npy file, mapped into memory, or None and a problem.

    Every number is looked at once: a row that is not finite, is all zeros or has a length that no model gives has no
    direction to compare.
    """
    try:
        with regular.open_regular(path) as file:
            matrix = _mapped(file)
    except OSError as error:
        problems.append(located.unreadable(error, str(path)))
        return None
    except ValueError as error:
        problems.append(_problem(path, str(error)))
        return None
    mistake = unsound(matrix)
    if mistake is not None:
        problems.append(_problem(path, mistake))
        return None
    return matrix


def _mapped(file: BufferedReader) -> NDArray[np.float32]:
    header = _header(file)
    if header.kind != _SINGLE or header.by_column or len(header.shape) != 2:  # noqa: PLR2004 - rows and columns
        raise ValueError("it is no matrix of float32 in rows (little-endian); save it with numpy.save as float32")
    rows, columns = map(int, header.shape)  # a bool counts as an integer there
    if not (rows >= 1 and 1 <= columns <= MAX_DIMENSION):
        raise ValueError(f"it states {rows} rows of {columns} numbers, which cannot be")
    start, size = file.tell(), os.fstat(file.fileno()).st_size
    if size - start != rows * columns * _SINGLE.itemsize:
        raise ValueError(f"it states {rows} rows of {columns} numbers, but holds {size - start} bytes of them")
    return np.memmap(file, _SINGLE, "r", start, (rows, columns))


def _header(file: BufferedReader) -> _Header:
    refused = ValueError("it is no file of numpy.save, or a damaged one")
    try:
        version = np.lib.format.read_magic(file)
        if version == (1, 0):
            return _Header(*np.lib.format.read_array_header_1_0(file))
        if version == (2, 0):
            return _Header(*np.lib.format.read_array_header_2_0(file))
    except Exception:  # noqa: BLE001 - a header is parsed as Python, which fails in as many ways as there are texts
        raise refused from None
    raise refused


def unsound(matrix: NDArray[np.float32]) -> str | None:
    """What is wrong with the first row that has no direction, rows counted from 1; None where every row has one."""
    for start in range(0, len(matrix), BLOCK):
        lengths = lengths_of(matrix[start : start + BLOCK])
        bad = np.flatnonzero(~((lengths >= SHORTEST) & (lengths <= LONGEST)))
        if len(bad):
            row, length = start + int(bad[0]) + 1, float(lengths[bad[0]])
            what = "all zeros" if length == 0 else "not finite" if not np.isfinite(length) else f"of length {length:g}"
            return f"row {row} is {what}, so it has no direction to compare; embed its text again"
    return None


def lengths_of(matrix: NDArray[np.float32]) -> NDArray[np.float64]:
    """Euclidean length of every row, in double precision."""
    exact = matrix.astype(np.float64)
    with np.errstate(all="ignore"):
        return np.asarray(np.sqrt((exact * exact).sum(axis=1)))


def write_matrix(path: Path, matrix: NDArray[np.float32]) -> None:
    """Write rows as ``numpy.save`` would, atomically.

    Raises:
        FileProblem: the system refuses to write there.
    """
    with atomic.atomic_file(path) as file:
        np.lib.format.write_array(file, np.ascontiguousarray(matrix, _SINGLE), version=(1, 0), allow_pickle=False)


def write_questions(folder: Path, keys: Sequence[str], matrix: NDArray[np.float32], embedding: Embedding) -> None:
    """Write queries.npy and queries.json: a row for each question's key.

    Raises:
        FileProblem: the system refuses to write there.
    """
    write_matrix(folder / QUERIES, matrix)
    values.write_value(folder / QUESTIONS, Questions(embedding=embedding, questions=tuple(keys)))


def remove(folder: Path) -> None:
    """Remove every vector of a fixture."""
    for name in FILES:
        (folder / name).unlink(missing_ok=True)


def _problem(path: Path, sentence: str) -> Problem:
    return Problem("vectors", sentence, str(path))
