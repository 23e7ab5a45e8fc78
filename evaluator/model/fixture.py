"""The frozen index: chunks, their documents and the manifest that vouches for them (design section 5)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from evaluator.model.base import FORMAT, Id, Value


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


@dataclass(frozen=True)
class Fixture:
    """A fixture in memory: chunks in file order, and what can be asked of them by id and by document."""

    chunks: tuple[Chunk, ...]
    digests: Digests
    manifest: Manifest | None = None
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
