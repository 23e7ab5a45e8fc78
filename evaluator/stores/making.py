"""Making a fixture: an interruption never leaves chunks, vectors and a manifest that would be trusted together."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluator import errors
from evaluator.model.base import to_json
from evaluator.stores import atomic, fixtures, records, values

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from evaluator.model.fixture import Chunk, Embedding, Manifest


@dataclass(frozen=True)
class Frozen:
    """Vectors to write: a row a chunk, and a row for each key of a question (none where there are no questions)."""

    embedding: Embedding
    chunks: NDArray[np.float32]
    keys: Sequence[str]
    queries: NDArray[np.float32] | None


def lines_of(chunks: Iterable[Chunk]) -> bytes:
    """What chunks.jsonl holds of these chunks."""
    return b"".join(to_json(chunk.model_dump(exclude_none=True)) + b"\n" for chunk in chunks)


def refuse_to_lose(out: Path, data: bytes, *, force: bool) -> None:
    """Make sure that a folder may take these chunks.

    Raises:
        UsageError: it holds others, and nobody said that they may be replaced.
    """
    if not force and not _holds(out, data) and (out / fixtures.CHUNKS).exists():
        raise errors.UsageError(
            f"{out} is a fixture of other chunks already; name another folder, or --force to replace them"
        )


def write_fixture(
    out: Path, data: bytes, frozen: Frozen | None = None, *, chunker: str | None = None, force: bool = False
) -> Manifest:
    """Write the lines of a chunks.jsonl, vectors where there are any, and the manifest last.

    Raises:
        InputError: the chunks have problems.
        UsageError: ``out`` holds other chunks and ``force`` is false, or vectors that belong to those chunks.
        FileProblem: the system refuses.
    """
    refuse_to_lose(out, data, force=force)
    same = _holds(out, data)
    if not same and frozen is None and (out / fixtures.VECTORS).exists():
        raise errors.UsageError(
            f"{out / fixtures.VECTORS} belongs to other chunks; embed these with --embedder, or remove it first"
        )
    if frozen is not None:
        from evaluator.stores import vectors  # noqa: PLC0415 - numpy only where there are vectors

        # Old vectors beside new chunks would fit by their number alone.
        vectors.remove(out)
    if not same:
        atomic.write_bytes(out / fixtures.CHUNKS, data)
    if frozen is not None:
        vectors.write_matrix(out / fixtures.VECTORS, frozen.chunks)
        if frozen.queries is not None:
            vectors.write_questions(out, frozen.keys, frozen.queries, frozen.embedding)
    return fixtures.write_manifest(out, embedding=frozen.embedding if frozen is not None else None, chunker=chunker)


def make_fixture(chunks_file: Path, out: Path, *, force: bool = False) -> Manifest:
    """Make a fixture of a JSON Lines file of chunks, which is copied as it is.

    Raises:
        InputError: the chunks have problems.
        UsageError: as :func:`write_fixture`.
        FileProblem: the system refuses.
    """
    return write_fixture(out, read_lines(chunks_file)[1], force=force)


def read_lines(chunks_file: Path) -> tuple[tuple[Chunk, ...], bytes]:
    """The chunks of a file that is a chunks.jsonl already, and its bytes.

    Raises:
        InputError: the chunks have problems.
    """
    chunks = fixtures.read_chunks(chunks_file)
    with values.opened(chunks_file) as file:
        return chunks, file.read()


def _holds(out: Path, data: bytes) -> bool:
    path = out / fixtures.CHUNKS
    return path.exists() and records.sha256_of(path) == hashlib.sha256(data).hexdigest()
