"""Whether a search by frozen vectors can be asked every question, found before the first one is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.errors import Problem
from evaluator.model.fixture import question_key
from evaluator.stages import labels
from evaluator.stages.lint import Doubt
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from evaluator.model.config import Config
    from evaluator.model.fixture import Fixture
    from evaluator.model.golden import Case
    from evaluator.stores.golden import GoldenSet


def searches_vectors(config: Config) -> bool:
    """Whether the configured pipeline reads the vectors of the fixture."""
    return config.pipeline.kind == "builtin" and config.pipeline.retriever.bm25 is None


def problems(config: Config, cases: GoldenSet, fixture: Fixture, folder: Path) -> list[Problem]:
    """What keeps the questions from being asked: no vectors at all, or none of a question, each with its line."""
    if not searches_vectors(config):
        return []
    if fixture.vectors is None:
        sentence = f"the retriever searches vectors, and there is no vectors.npy; {_remedy(folder)}"
        return [Problem("vectors", sentence, str(folder))]
    return labels.problems(cases, _without_vector(cases.cases, fixture, folder))


def _without_vector(cases: Sequence[Case], fixture: Fixture, folder: Path) -> Iterator[Doubt]:
    rows = fixture.vectors.rows if fixture.vectors is not None else {}
    for case in cases:
        if question_key(case.question) not in rows:
            sentence = f"the fixture holds no vector of the question '{visible(case.question)}'; {_remedy(folder)}"
            yield Doubt("no-vector", sentence, case.id, ("question",), "error")


def _remedy(folder: Path) -> str:
    return f"run rag-assay freeze {folder} --embedder EMBEDDER --golden FILE"
