"""The frozen index: chunks, their documents and the manifest that vouches for them (design section 5)."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from evaluator.model.base import FORMAT, Id, Strings, Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Chunk(Value):
    """One retrievable passage."""

    id: Id
    text: str
    doc: Id | None = None
    meta: dict[str, Any] | None = None


class Digests(Value):
    """SHA-256 of the corpus and of its cutting, apart: a changed corpus is not a changed search method."""

    chunks: str
    documents: str | None


class Embedding(Value):
    """The model that made vectors.npy and queries.npy."""

    model: str
    dimension: int


class Manifest(Value):
    """manifest.json of a fixture."""

    format: Literal[1] = FORMAT
    files: dict[str, str]
    chunks: int
    documents: int | None
    digests: Digests
    embedding: Embedding | None = None
    chunker: str | None = None


class Questions(Value):
    """queries.json of a fixture: whose vectors the rows of queries.npy are.

    ``questions`` holds the key of each row's question (:func:`question_key`), never its words: a fixture may be seen by
    more people than the questions that are held out.
    """

    format: Literal[1] = FORMAT
    embedding: Embedding
    questions: Strings


def question_key(question: str) -> str:
    """SHA-256 (hexadecimal) of a question's text: history and language change nothing about its vector."""
    return hashlib.sha256(question.encode("utf-8", "surrogatepass")).hexdigest()


class Vectors(NamedTuple):
    """Frozen embeddings, read-only and mapped into memory.

    Attributes:
        chunks: a row for every chunk, in fixture order.
        queries: a row for every question that was frozen, in the same space.
        rows: key of a question -> its row.
    """

    chunks: "NDArray[np.float32]"
    queries: "NDArray[np.float32]"
    rows: Mapping[str, int]

    def of_question(self, question: str) -> "NDArray[np.float32] | None":
        """The vector of a question; None where it was not frozen."""
        row = self.rows.get(question_key(question))
        return None if row is None else self.queries[row]


@dataclass(frozen=True, eq=False, repr=False)
class Fixture:
    """A fixture in memory: chunks in file order, and what can be asked of them by id and by document."""

    chunks: tuple[Chunk, ...]
    digests: Digests
    manifest: Manifest | None = None
    vectors: Vectors | None = None
    by_id: Mapping[str, Chunk] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_id", {chunk.id: chunk for chunk in self.chunks})

    @cached_property
    def by_doc(self) -> Mapping[str, tuple[str, ...]]:
        """Chunk ids of every document, in fixture order."""
        found: dict[str, list[str]] = {}
        for chunk in self.chunks:
            if chunk.doc is not None:
                found.setdefault(chunk.doc, []).append(chunk.id)
        return {doc: tuple(ids) for doc, ids in found.items()}
