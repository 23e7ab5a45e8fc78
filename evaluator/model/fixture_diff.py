"""What differs between two fixtures (``freeze --diff``)."""

from typing import Annotated

import pydantic

from evaluator.model.base import Id, Strings, Value
from evaluator.model.fixture import Embedding


class Place(Value):
    """Where a text is: its chunk and that chunk's document."""

    id: Id
    doc: Id | None


class Moved(Value):
    """A text that stayed, under another id or in another document."""

    before: Place
    after: Place


class Documents(Value):
    """Documents by name; ``changed`` are those whose text, white space aside, is another."""

    changed: Strings
    added: Strings
    removed: Strings
    unchanged: int


class Chunks(Value):
    """Chunks by id; ``changed`` have another text, ``moved`` only another id or document."""

    changed: Strings
    moved: Annotated[tuple[Moved, ...], pydantic.Field(strict=False)]
    added: Strings
    removed: Strings
    unchanged: int


class VectorChange(Value):
    """The embeddings of both, and how many texts that stayed have another vector (null: not comparable)."""

    before: Embedding | None
    after: Embedding | None
    changed: int | None


class FixtureDiff(Value):
    """``documents`` is null where a chunk of either fixture names no document."""

    documents: Documents | None
    chunks: Chunks
    vectors: VectorChange
