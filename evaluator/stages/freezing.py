"""freeze: makes a fixture of what people have, and embeds it where a model is named."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from evaluator import embedders, errors, registry
from evaluator.errors import Problem
from evaluator.model.fixture import Embedding
from evaluator.model.ports import EmbedderSetting
from evaluator.stores import documents, fixtures, golden, making, tables

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from evaluator.model.fixture import Chunk, Manifest
    from evaluator.model.ports import ProgressFactory
    from evaluator.stores.embedded import Part
    from evaluator.stores.splitting import Splitting

FAISS = frozenset({".faiss", ".index"})


@dataclass(frozen=True)
class Model:
    """The model that embeds.

    Attributes:
        embedder: ``MODULE:CALLABLE`` or ``NAME:MODEL``; None where vectors come from elsewhere, or there are none.
        name: what the manifest calls it; None for ``embedder`` itself.
        base_url: where it is served.
        api_key_env: the variable with its key.
        golden: files whose questions are embedded; empty keeps the questions that the fixture has.
    """

    embedder: str | None = None
    name: str | None = None
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    golden: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Order:
    """What to freeze, and into which folder.

    Attributes:
        out: the fixture.
        documents: a folder of documents, cut as ``splitting`` says.
        chunks: a file of chunks, with ``columns`` (field -> column) where they are called differently. Without it and
            without documents, the chunks are those of ``out``.
        vectors: a file with a row for each chunk.
        force: other chunks in ``out`` are replaced.
    """

    out: Path
    documents: Path | None = None
    splitting: Splitting | None = None
    chunks: Path | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    vectors: Path | None = None
    force: bool = False


@dataclass(frozen=True)
class Around:
    """The edges: where modules are found, the caller's variables, and where people read."""

    folder: Path
    environment: Mapping[str, str]
    progress: ProgressFactory
    log: Callable[[str], None]


class _Source(NamedTuple):
    """Chunks, the lines they are written as, what cut them, and the vectors that came with them."""

    chunks: Sequence[Chunk]
    data: bytes
    chunker: str | None = None
    vectors: NDArray[np.float32] | None = None


def freeze(order: Order, model: Model, around: Around) -> Manifest:
    """Write a fixture.

    Raises:
        InputError: documents, chunks, vectors or golden files have problems.
        UsageError: the folder holds other chunks, or the order cannot be obeyed.
        MissingExtra: it needs a library that is not installed.
        FileProblem: the system refuses.
        Interrupted: a person stopped the embedding; what was embedded is kept.
    """
    source = _source(order, around)
    making.refuse_to_lose(order.out, source.data, force=order.force)
    frozen = _frozen(source, order, model, around)
    manifest = making.write_fixture(order.out, source.data, frozen, chunker=source.chunker, force=order.force)
    if frozen is not None:
        _part_of(order.out, frozen.embedding).discard()
    return manifest


def _source(order: Order, around: Around) -> _Source:
    if order.documents is not None:
        return _of_documents(order, around)
    if order.chunks is None:
        return _with_vectors(_Source(*making.read_lines(order.out / fixtures.CHUNKS)), order)
    if not order.columns and order.chunks.suffix.lower() not in tables.OTHERS:
        return _with_vectors(_Source(*making.read_lines(order.chunks)), order)
    table = tables.read_table(order.chunks, order.columns)
    source = _Source(table.chunks, making.lines_of(table.chunks))
    if table.has_unread_vectors and order.vectors is None:
        around.log("warning: the column 'vector' is not read; --column vector=vector with --model NAME freezes it too")
    if table.vectors is None:
        return _with_vectors(source, order)
    return source._replace(vectors=_matrix(table.vectors, order.chunks))


def _of_documents(order: Order, around: Around) -> _Source:
    from evaluator.stores.splitting import Splitter, Splitting  # noqa: PLC0415 - only documents are cut

    splitting = order.splitting or Splitting()
    splitter = Splitter(splitting)
    found, others = documents.read_documents(order.documents or order.out)
    display = around.progress("split", len(found))
    chunks: list[Chunk] = []
    for document in found:
        chunks += splitter.chunks(document)
        display.step()
    display.close()
    if others:
        around.log(f"left alone: {len(others)} files that are neither Markdown nor text, such as {others[0]!r}")
    if not chunks:
        raise errors.InputError([Problem("no-chunks", "there is no text in these documents", str(order.documents))])
    return _Source(chunks, making.lines_of(chunks), str(splitting))


def _with_vectors(source: _Source, order: Order) -> _Source:
    if order.vectors is None:
        return source
    from evaluator.stores import vectors  # noqa: PLC0415 - numpy only where there are vectors

    if order.vectors.suffix.lower() in FAISS:
        return source._replace(vectors=_of_faiss(order.vectors, len(source.chunks)))
    problems: list[Problem] = []
    matrix = vectors.open_matrix(order.vectors, problems)
    if matrix is None:
        raise errors.InputError(problems)
    return source._replace(vectors=_fitting(matrix, len(source.chunks), order.vectors))


def _of_faiss(path: Path, chunks: int) -> NDArray[np.float32]:
    """The vectors that an index of FAISS stores, in the order they were added."""
    faiss = registry.library("faiss", "faiss")
    try:
        index = faiss.read_index(str(path))
        matrix: NDArray[np.float32] = index.reconstruct_n(0, index.ntotal)
    except RuntimeError as error:
        sentence = "it is no FAISS index that gives back its vectors; a flat one does, others take their vectors apart"
        raise errors.InputError([Problem("vectors", sentence, str(path))]) from error
    return _fitting(matrix, chunks, path)


def _matrix(rows: Sequence[object], path: Path) -> NDArray[np.float32]:
    """A column of lists of numbers as a matrix."""
    import numpy as np  # noqa: PLC0415 - only where there are vectors

    try:
        matrix = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError):
        matrix = np.empty((0,), np.float32)
    if matrix.ndim != 2:  # noqa: PLR2004 - rows and columns
        sentence = "the column of vectors does not hold a list of numbers of one length in every row"
        raise errors.InputError([Problem("vectors", sentence, str(path))])
    return _fitting(matrix, len(rows), path)


def _fitting(matrix: NDArray[np.float32], chunks: int, path: Path) -> NDArray[np.float32]:
    from evaluator.stores import vectors  # noqa: PLC0415 - numpy only where there are vectors

    mistake = vectors.unsound(matrix)
    if len(matrix) != chunks:
        mistake = f"it holds {len(matrix)} vectors, and there are {chunks} chunks: one each is needed, in their order"
    if mistake is not None:
        raise errors.InputError([Problem("vectors", mistake, str(path))])
    return matrix


def _frozen(source: _Source, order: Order, model: Model, around: Around) -> making.Frozen | None:
    if model.embedder is None:
        return _as_given(source, model)
    from evaluator.stages import embedding  # noqa: PLC0415 - numpy only where there are vectors

    kind, argument = embedders.choose(model.embedder)
    questions = [case.question for case in golden.read_golden(model.golden).cases] if model.golden else None
    embedder = kind.open(
        EmbedderSetting(argument, around.folder, around.environment, model.base_url, model.api_key_env)
    )
    work = embedding.Work(embedder, lambda named: _part_of(order.out, named), around.progress, around.log)
    wanted = embedding.Wanted(
        [chunk.text for chunk in source.chunks], questions, source.vectors, model.name or model.embedder
    )
    before, _ = fixtures.look(order.out, with_vectors=True) if (order.out / fixtures.VECTORS).exists() else (None, [])
    return work.freeze(wanted, before)


def _as_given(source: _Source, model: Model) -> making.Frozen | None:
    """Vectors from elsewhere, without those of questions: nothing is there to embed them."""
    if source.vectors is None:
        return None
    if model.golden:
        raise errors.UsageError("--golden names questions to embed; name the model that can, with --embedder")
    if model.name is None:
        raise errors.UsageError("vectors came without a model; say with --model which one computed them")
    return making.Frozen(Embedding(model=model.name, dimension=source.vectors.shape[1]), source.vectors, (), None)


def _part_of(out: Path, named: Embedding) -> Part:
    from evaluator.stores.embedded import Part  # noqa: PLC0415 - numpy only where there are vectors

    return Part(out, named)
