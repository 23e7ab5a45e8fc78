"""The built-in pipeline: BM25 over the fixture, without a network or a model (design section 6)."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

import pydantic

from evaluator import errors
from evaluator.model.ports import PipelineKind, PipelineSetting
from evaluator.model.record import Answer, Hit, Request

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluator.model.config import Pipeline as PipelineConfig
    from evaluator.model.fixture import Chunk
    from evaluator.pipelines._bm25 import Searcher


class _Builtin:
    """Answers with what a search of the fixture finds, and with no text of its own."""

    def __init__(self, chunks: Sequence[Chunk], searcher: Searcher) -> None:
        self._chunks = chunks
        self._searcher = searcher
        # One question at a time: searching is pure computation, which threads would not make faster.
        self._lock = Lock()
        # Validated together, the results of a question cost half of what they would one by one.
        self._hits = pydantic.TypeAdapter(tuple[Hit, ...])

    def ask(self, request: Request, slot: int) -> Answer:  # noqa: ARG002 - the port's signature
        """The best chunks for the question alone; earlier turns are not searched for."""
        with self._lock:
            found = self._searcher.search(request.question, request.language, request.depth)
        return Answer(self._hits.validate_python([_hit(self._chunks[position], score) for position, score in found]))

    def close(self) -> None:
        """Nothing was started."""


def _hit(chunk: Chunk, score: float) -> dict[str, object]:
    return {"id": chunk.id, "doc": chunk.doc, "score": score, "text": chunk.text}


@contextmanager
def _open(setting: PipelineSetting) -> Iterator[_Builtin]:
    from evaluator.pipelines._bm25 import Searcher  # noqa: PLC0415 - numpy only where builtin runs

    parameters, fixture = setting.config.retriever.bm25, setting.fixture
    if parameters is None or setting.config.generator is not None:
        raise errors.NotYetSupported("pipeline.kind builtin can only retrieve, and only with retriever: bm25, so far")
    if fixture is None:
        raise errors.PipelineError("pipeline.kind builtin searches the fixture, so fixture must be given")
    yield _Builtin(fixture.chunks, Searcher([chunk.text for chunk in fixture.chunks], parameters))


def _settings(config: PipelineConfig) -> dict[str, object]:
    return {"retriever": config.retriever.model_dump(exclude_none=True)}


PIPELINE = PipelineKind(name="builtin", open=_open, settings=_settings)
