"""The built-in pipeline: BM25, frozen vectors or both, and where a generator is configured its answers (section 6)."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import pydantic

from evaluator import errors
from evaluator.model.ports import PipelineKind, PipelineSetting
from evaluator.model.record import Answer, AnswerFailure, Hit, Reply, Request

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluator.model.config import Bm25
    from evaluator.model.config import Pipeline as PipelineConfig
    from evaluator.model.fixture import Chunk, Fixture
    from evaluator.pipelines._bm25 import Searcher
    from evaluator.pipelines._generation import Writer

NO_VECTOR = "the fixture holds no vector of this question; run rag-assay freeze again with --embedder and --golden"


class _Search(Protocol):
    """One way of searching the chunks of a fixture."""

    def search(self, question: str, language: str, depth: int) -> list[tuple[int, float]]:
        """Position and score of the best chunks, at most ``depth``: score descending, then position."""
        ...


class _Builtin:
    """Answers with what a search of the fixture finds, and with a text only where a writer is there to write it."""

    def __init__(self, chunks: Sequence[Chunk], searcher: _Search, writer: Writer | None) -> None:
        self._chunks = chunks
        self._searcher = searcher
        self._writer = writer
        # One question at a time: searching is pure computation, which threads would not make faster.
        self._lock = Lock()
        # Validated together, the results of a question cost half of what they would one by one.
        self._hits = pydantic.TypeAdapter(tuple[Hit, ...])
        self._bare = cache(self._of_chunk)

    def ask(self, request: Request, slot: int) -> Reply:  # noqa: ARG002 - the port's signature
        """The best chunks for the question alone; earlier turns are not searched for."""
        try:
            with self._lock:
                found = self._searcher.search(request.question, request.language, request.depth)
        except LookupError:
            return AnswerFailure("error", NO_VECTOR)
        hits = self._hits.validate_python([{**self._bare(position), "score": score} for position, score in found])
        return Answer(hits) if self._writer is None else self._writer.answer(request, hits)

    def _of_chunk(self, position: int) -> dict[str, object]:
        """A result without its score: most chunks are found for several questions."""
        chunk = self._chunks[position]
        return {"id": chunk.id, "doc": chunk.doc, "text": chunk.text}

    def close(self) -> None:
        """Nothing was started but, at most, answers that a model writes."""
        if self._writer is not None:
            self._writer.stop()


@contextmanager
def _open(setting: PipelineSetting) -> Iterator[_Builtin]:
    if setting.fixture is None:
        raise errors.PipelineError("pipeline.kind builtin searches the fixture, so fixture must be given")
    yield _Builtin(setting.fixture.chunks, _search(setting.config, setting.fixture), _writer(setting))


def _writer(setting: PipelineSetting) -> Writer | None:
    if setting.config.generator is None:
        return None
    from evaluator.pipelines import _generation  # noqa: PLC0415 - most suites only retrieve

    return _generation.writer(setting)


def _search(config: PipelineConfig, fixture: Fixture) -> _Search:
    retriever = config.retriever
    if retriever.bm25 is not None:
        return _words(fixture, retriever.bm25)
    from evaluator.pipelines import _dense  # noqa: PLC0415 - most runs search by words

    if fixture.vectors is None:
        raise errors.PipelineError("pipeline.retriever searches frozen vectors, and the fixture has none")
    dense = _dense.Dense(fixture.vectors)
    if retriever.hybrid is None:
        return dense
    return _dense.Hybrid(_words(fixture, retriever.hybrid.bm25), dense, retriever.hybrid.k)


def _words(fixture: Fixture, parameters: Bm25) -> Searcher:
    from evaluator.pipelines._bm25 import Searcher  # noqa: PLC0415 - numpy only where builtin runs

    return Searcher([chunk.text for chunk in fixture.chunks], parameters)


def _settings(config: PipelineConfig) -> dict[str, object]:
    settings: dict[str, object] = {"retriever": config.retriever.model_dump(exclude_none=True)}
    if config.generator is not None:
        settings["generator"] = config.generator.model_dump(exclude={"api_key_env"}, exclude_none=True)
    return settings


PIPELINE = PipelineKind(name="builtin", open=_open, settings=_settings)
