"""Fixtures: a folder with chunks.jsonl and the manifest.json that vouches for it (design section 5)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from evaluator import errors
from evaluator.errors import Problem
from evaluator.model.base import to_json
from evaluator.model.counting import counted
from evaluator.model.fixture import Chunk, Digests, Embedding, Fixture, Manifest
from evaluator.stores import json_text, located, records, values, words
from evaluator.stores.words import CONTROL, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from evaluator.model.fixture import Vectors
    from evaluator.stores.located import Located

CHUNKS = "chunks.jsonl"
MANIFEST = "manifest.json"
VECTORS = "vectors.npy"
VECTOR_FILES = (VECTORS, "queries.npy", "queries.json")
FILES = (CHUNKS, *VECTOR_FILES)
"""What a fixture's manifest may vouch for."""

WHITE = b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"
"""ASCII white space, as ``str.split`` sees it."""


class LoadedFixture(NamedTuple):
    """A fixture, and sentences about what is missing but not wrong."""

    fixture: Fixture
    warnings: tuple[str, ...]


def read_fixture(folder: Path) -> LoadedFixture:
    """The fixture of a folder.

    Raises:
        InputError: every problem of its chunks, and everything that is not as its manifest says.
        FileProblem: the manifest cannot be read at all.
    """
    found, problems = look(folder)
    if found is None or any(problem.severity == "error" for problem in problems):
        raise errors.InputError(problem for problem in problems if problem.severity == "error")
    return LoadedFixture(found, tuple(problem.message for problem in problems))


def verify(folder: Path) -> list[Problem]:
    """Every problem of a fixture; a missing manifest is a warning."""
    return look(folder, with_vectors=True)[1]


def look(folder: Path, *, with_vectors: bool = False) -> tuple[Fixture | None, list[Problem]]:
    """A fixture whatever its manifest says, None where its chunks cannot be read, and every problem.

    Its vectors are read only where they are asked for: a search by words does not pay for them.
    """
    problems: list[Problem] = []
    chunks = _read_chunks(folder / CHUNKS, problems)
    if problems:
        return None, problems
    digests = digests_of(chunks)
    manifest = _read_manifest(folder, problems)
    if manifest is not None:
        actual = _manifest_of(folder, chunks, digests)
        shown = str(folder / MANIFEST)
        differences = _differences(manifest, actual)
        problems.extend(Problem("manifest", f"{each}; {_remedy(folder)}", shown) for each in differences)
    found = _vectors(folder, len(chunks), manifest, problems) if with_vectors else None
    return Fixture(chunks, digests, manifest, found), problems


def _vectors(folder: Path, chunks: int, manifest: Manifest | None, problems: list[Problem]) -> Vectors | None:
    from evaluator.stores import vectors  # noqa: PLC0415 - numpy only where vectors are read

    return vectors.read(folder, chunks, manifest.embedding if manifest is not None else None, problems)


def _remedy(folder: Path) -> str:
    import shlex  # noqa: PLC0415 - only mistakes need it

    return f"if that is meant, run rag-assay freeze {shlex.quote(str(folder))}; if not, restore the file"


def read_chunks(path: Path) -> tuple[Chunk, ...]:
    """Every chunk of a chunks.jsonl, in its order.

    Raises:
        InputError: every problem of them.
    """
    problems: list[Problem] = []
    chunks = _read_chunks(path, problems)
    if problems:
        raise errors.InputError(problems)
    return chunks


def _read_chunks(path: Path, problems: list[Problem]) -> tuple[Chunk, ...]:
    """Every chunk of a file, in its order; problems are added for what is none."""
    return collect_chunks(located.read_json_lines(path, str(path), problems), str(path), problems)


def collect_chunks(items: Iterable[Located], shown: str, problems: list[Problem]) -> tuple[Chunk, ...]:
    """Every chunk of what a file holds, in its order; problems are added for what is none, and where there is none."""
    lines: dict[str, int] = {}
    chunks = []
    for item in items:
        chunk = located.validate(Chunk, item, shown, problems)
        if chunk is None:
            continue
        first = lines.setdefault(chunk.id, item.line)
        if first != item.line or CONTROL.search(f"{chunk.id}{chunk.doc}"):
            problems.extend(located.locate(item, each, shown) for each in _mistakes(chunk, first, item.line))
        chunks.append(chunk)
    if not chunks and not problems:
        problems.append(Problem("no-chunks", "there is no chunk in this file", shown))
    return tuple(chunks)


def _mistakes(chunk: Chunk, first: int, line: int) -> Iterator[Finding]:
    for field in ("id", "doc"):
        name = getattr(chunk, field)
        if name is not None and CONTROL.search(name):
            sentence = f"the {field} '{words.visible(name)}' holds control characters"
            yield Finding("bad-id", (field,), "value", sentence)
    if first != line:
        sentence = f"the chunk id '{words.visible(chunk.id)}' is there already, on line {first}"
        yield Finding("duplicate-id", ("id",), "value", sentence)


def _read_manifest(folder: Path, problems: list[Problem]) -> Manifest | None:
    path = folder / MANIFEST
    if not path.exists():
        sentence = (
            f"the folder {words.visible(folder.name)}/ has no {MANIFEST}, so a changed index would go unnoticed; "
            "rag-assay freeze with its path makes one"
        )
        problems.append(Problem("no-manifest", sentence, str(path), severity="warning"))
        return None
    text = json_text.parse(values.read_whole(path, values.MAX_BYTES), str(path), problems)
    return None if text is None else located.validate(Manifest, text, str(path), problems)


def _differences(written: Manifest, actual: Manifest) -> Iterator[str]:
    """Sentences about everything a manifest says that is not so: one for each file, which begins with its name."""
    for name in sorted({*written.files, *actual.files}):
        if name not in FILES:
            yield f"{words.visible(name)} is no file of a fixture"
        elif name not in actual.files:
            yield f"{name} is missing"
        elif name not in written.files:
            yield f"{name} is not in the manifest"
        elif written.files[name] != actual.files[name]:
            yield f"{name} is not the file that was frozen{_what_changed(written, actual) if name == CHUNKS else ''}"
        elif name == CHUNKS and _contents(written) != _contents(actual):
            yield f"{CHUNKS} is the file that was frozen, but the manifest's numbers and digests are not its own"


def _contents(manifest: Manifest) -> tuple[object, ...]:
    return manifest.chunks, manifest.documents, manifest.digests


def _what_changed(written: Manifest, actual: Manifest) -> str:
    """What became of the chunks, so that a changed corpus is told from the same one cut anew."""
    if written.digests.chunks == actual.digests.chunks:
        return ": its chunks are the same, only how they are written is not"
    number = f"it holds {counted(actual.chunks, 'chunk')} instead of {written.chunks:,}"
    size = number if actual.chunks != written.chunks else "some of its chunks are others"
    if None in (written.digests.documents, actual.digests.documents):
        return f": {size}"
    same = written.digests.documents == actual.digests.documents
    return f": {size}, {'cut from the same documents' if same else 'and the documents changed too'}"


def _manifest_of(folder: Path, chunks: Sequence[Chunk], digests: Digests) -> Manifest:
    present = [name for name in FILES if (folder / name).exists()]
    documents = {chunk.doc for chunk in chunks}
    return Manifest(
        files={name: records.sha256_of(folder / name) for name in present},
        chunks=len(chunks),
        documents=None if None in documents else len(documents),
        digests=digests,
    )


def write_manifest(folder: Path, *, embedding: Embedding | None = None, chunker: str | None = None) -> Manifest:
    """Freeze a folder: write its manifest.

    What an old one says of embedding and chunker is kept, unless it is given here.

    Raises:
        InputError: the chunks or the vectors have problems.
        UsageError: the vectors that are there were made for other chunks.
        FileProblem: the old manifest is no manifest, or the system refuses.
    """
    chunks = read_chunks(folder / CHUNKS)
    problems: list[Problem] = []
    path = folder / MANIFEST
    old = values.read_value(path, Manifest) if path.exists() else None
    manifest = _manifest_of(folder, chunks, digests_of(chunks))
    if old is not None:
        if embedding is None:
            _refuse_stale(folder, old, manifest)
            embedding = old.embedding
        chunker = chunker or old.chunker
    manifest = manifest.but(embedding=embedding, chunker=chunker)
    _vectors(folder, len(chunks), manifest, problems)
    if problems:
        raise errors.InputError(problems)
    values.write_value(path, manifest)
    return manifest


def _refuse_stale(folder: Path, old: Manifest, new: Manifest) -> None:
    """Vectors that stayed while the chunks changed would be searched for texts that are not there any more."""
    frozen = old.files.get(VECTORS)
    if frozen is not None and new.files.get(VECTORS) == frozen and old.digests.chunks != new.digests.chunks:
        raise errors.UsageError(
            f"{folder / VECTORS} was made for the chunks as they were; embed them again with --embedder, or remove "
            f"{', '.join(VECTOR_FILES)}"
        )


def digests_of(chunks: Sequence[Chunk]) -> Digests:
    """Digests of the chunks (ids, texts and documents in order) and of the documents they were cut from.

    A document is all its chunks' text without white space, so that cutting it elsewhere, without overlap, changes
    nothing; None where some chunk names no document.
    """
    whole = hashlib.sha256(to_json([(chunk.id, chunk.text, chunk.doc) for chunk in chunks])).hexdigest()
    documents: dict[str, list[bytes]] = {}
    for chunk in chunks:
        if chunk.doc is None:
            return Digests(chunks=whole, documents=None)
        documents.setdefault(chunk.doc, []).append(without_white_space(chunk.text))
    return Digests(chunks=whole, documents=_digest_of_documents(documents))


def _digest_of_documents(documents: Mapping[str, Iterable[bytes]]) -> str:
    sha256 = hashlib.sha256()
    for doc in sorted(documents):
        text = b"".join(documents[doc])
        # The length keeps a document's end apart from the next one's beginning.
        sha256.update(to_json([doc, len(text)]) + text)
    return sha256.hexdigest()


def without_white_space(text: str) -> bytes:
    """What of a text makes a document's digest."""
    if text.isascii():
        return text.encode().translate(None, WHITE)
    return "".join(text.split()).encode()
