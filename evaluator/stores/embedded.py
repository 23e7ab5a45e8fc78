"""The vectors of an embedding that is under way, kept so that an interrupted one goes on from there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from evaluator.model.base import to_json

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import BinaryIO

    from numpy.typing import NDArray

    from evaluator.model.fixture import Embedding

NAME = "embedding.part"
KEY = 65
"""Bytes of a key: what the text is for, and its SHA-256 in hexadecimal."""


class Part:
    """Vectors by the key of their text, each kept as soon as it is there.

    The file begins with a line that names the model; a record is a key and a row of float32. As a context manager it
    takes further vectors.
    """

    def __init__(self, folder: Path, embedding: Embedding) -> None:
        self.path = folder / NAME
        self._head = to_json(embedding) + b"\n"
        self._dimension = embedding.dimension
        self._size = KEY + 4 * embedding.dimension

    def read(self) -> dict[str, NDArray[np.float32]]:
        """What was kept of this model; nothing where there is none, or of another. A torn end is left out."""
        try:
            data = self.path.read_bytes()
        except OSError:
            return {}
        if not data.startswith(self._head):
            return {}
        starts = range(len(self._head), len(data) - self._size + 1, self._size)
        return {
            data[start : start + KEY].decode("latin-1"): np.frombuffer(data, "<f4", self._dimension, start + KEY)
            for start in starts
        }

    def __enter__(self) -> Self:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        whole = len(self._head) + len(self.read()) * self._size
        self._file: BinaryIO = self.path.open("ab")
        if whole == len(self._head):
            self._file.truncate(0)
            self._file.write(self._head)
        else:
            self._file.truncate(whole)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, key: str, vector: NDArray[np.float32]) -> None:
        """Keep one vector; it is the system's once :meth:`flush` was called."""
        self._file.write(key.encode("latin-1") + vector.astype("<f4").tobytes())

    def flush(self) -> None:
        """Hand over what was added, so that it outlives this process."""
        self._file.flush()

    def discard(self) -> None:
        """Remove it."""
        self.path.unlink(missing_ok=True)
