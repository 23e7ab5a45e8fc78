"""What differs between two fixtures: documents and chunks apart, as a changed corpus is not a changed cutting."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING

from evaluator import errors
from evaluator.model.fixture_diff import Chunks, Documents, FixtureDiff, Moved, Place, VectorChange
from evaluator.stores import fixtures

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from evaluator.model.fixture import Chunk, Embedding, Fixture

ALIKE = 1e-4
"""Largest difference of two numbers of a vector that is still the same vector, as a share of its length."""


def diff(before: Path, after: Path) -> FixtureDiff:
    """Compare two folders with chunks, frozen or not.

    Raises:
        InputError: chunks or vectors of one of them cannot be read; what its manifest says is not held against it.
    """
    old, new = _read(before), _read(after)
    pairs = _pairs(old, new)
    return FixtureDiff(
        documents=_documents(old, new), chunks=_chunks(old, new, pairs), vectors=_vectors(old, new, pairs)
    )


def _read(folder: Path) -> Fixture:
    fixture, problems = fixtures.look(folder, with_vectors=True)
    fatal = [each for each in problems if each.severity == "error" and each.code != "manifest"]
    if fixture is None or fatal:
        raise errors.InputError(fatal)
    return fixture


def _documents(old: Fixture, new: Fixture) -> Documents | None:
    if old.digests.documents is None or new.digests.documents is None:
        return None
    before, after = _texts(old), _texts(new)
    both = [name for name in before if name in after]
    changed = [name for name in both if before[name] != after[name]]
    return Documents(
        changed=tuple(changed), added=tuple(name for name in after if name not in before),
        removed=tuple(name for name in before if name not in after), unchanged=len(both) - len(changed),
    )  # fmt: skip


def _texts(fixture: Fixture) -> Mapping[str, bytes]:
    found: dict[str, list[bytes]] = defaultdict(list)
    for chunk in fixture.chunks:
        found[chunk.doc or ""].append(fixtures.without_white_space(chunk.text))
    return {doc: b"".join(parts) for doc, parts in found.items()}


def _pairs(old: Fixture, new: Fixture) -> list[tuple[Chunk, Chunk]]:
    """Chunks of equal text: first those under one id, then those in one document, then any, each once."""
    pairs = [(chunk, new.by_id[chunk.id]) for chunk in old.chunks if _stays(chunk, new.by_id.get(chunk.id))]
    seen_old, seen_new = {one.id for one, _ in pairs}, {other.id for _, other in pairs}
    for with_doc in (True, False):
        waiting: dict[tuple[str | None, str], deque[Chunk]] = defaultdict(deque)
        for chunk in new.chunks:
            if chunk.id not in seen_new:
                waiting[chunk.doc if with_doc else None, chunk.text].append(chunk)
        for chunk in old.chunks:
            queue = waiting.get((chunk.doc if with_doc else None, chunk.text))
            if chunk.id not in seen_old and queue:
                pairs.append((chunk, queue.popleft()))
                seen_old.add(chunk.id)
                seen_new.add(pairs[-1][1].id)
    return pairs


def _stays(chunk: Chunk, other: Chunk | None) -> bool:
    return other is not None and other.text == chunk.text


def _chunks(old: Fixture, new: Fixture, pairs: list[tuple[Chunk, Chunk]]) -> Chunks:
    kept_old, kept_new = {one.id for one, _ in pairs}, {other.id for _, other in pairs}
    gone = [chunk.id for chunk in old.chunks if chunk.id not in kept_old]
    come = [chunk.id for chunk in new.chunks if chunk.id not in kept_new]
    changed = set(gone) & set(come)
    moved = tuple(_moved(pairs))
    return Chunks(
        changed=tuple(each for each in gone if each in changed), moved=moved,
        added=tuple(each for each in come if each not in changed),
        removed=tuple(each for each in gone if each not in changed), unchanged=len(pairs) - len(moved),
    )  # fmt: skip


def _moved(pairs: list[tuple[Chunk, Chunk]]) -> Iterator[Moved]:
    for one, other in pairs:
        if (one.id, one.doc) != (other.id, other.doc):
            yield Moved(before=Place(id=one.id, doc=one.doc), after=Place(id=other.id, doc=other.doc))


def _vectors(old: Fixture, new: Fixture, pairs: list[tuple[Chunk, Chunk]]) -> VectorChange:
    changed = None
    if old.vectors is not None and new.vectors is not None:
        one, other = old.vectors.chunks, new.vectors.chunks
        if one.shape[1] == other.shape[1]:
            places = [{chunk.id: row for row, chunk in enumerate(fixture.chunks)} for fixture in (old, new)]
            left = one[[places[0][chunk.id] for chunk, _ in pairs]]
            right = other[[places[1][chunk.id] for _, chunk in pairs]]
            largest = abs(right).max(axis=1, initial=0)
            changed = int((abs(left - right).max(axis=1, initial=0) > ALIKE * largest).sum())
    return VectorChange(before=_embedding(old), after=_embedding(new), changed=changed)


def _embedding(fixture: Fixture) -> Embedding | None:
    return fixture.manifest.embedding if fixture.manifest is not None else None
