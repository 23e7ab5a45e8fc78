"""The narrow seams between the core and the edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from evaluator.model.config import Pipeline as PipelineConfig
    from evaluator.model.fixture import Fixture
    from evaluator.model.record import Reply, Request


class Pipeline(Protocol):
    """A system under test that has been started.

    ``ask`` never raises for a case that fails: it returns an ``AnswerFailure``. It is called from up to
    ``pipeline.workers`` threads at once, each with its own ``slot`` (0 <= slot < workers).
    """

    def ask(self, request: Request, slot: int) -> Reply:
        """Ask one question."""
        ...

    def close(self) -> None:
        """End everything that was started; nothing outlives this call."""
        ...


@dataclass(frozen=True)
class PipelineSetting:
    """What a pipeline is built from.

    Attributes:
        config: its section of the configuration.
        folder: the configuration's folder: working directory, and what relative paths are relative to.
        fixture: the frozen index, if there is one.
        environment: the only variables the pipeline may see, already chosen.
        language: the configuration's default language.
        log: takes one line for a person; already protected against workflow commands.
        ids: every id of the golden set, asked or not; empty where it is not known.
        warnings: takes sentences for the report that are about the pipeline rather than about one case.
    """

    config: PipelineConfig
    folder: Path
    fixture: Fixture | None
    environment: dict[str, str]
    language: str
    log: Callable[[str], None]
    ids: frozenset[str] = frozenset()
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class PipelineKind:
    """How a pipeline module presents itself: as the module constant PIPELINE.

    ``settings`` gives what is recorded in collect.json, without secrets.
    """

    name: str
    open: Callable[[PipelineSetting], AbstractContextManager[Pipeline]]
    settings: Callable[[PipelineConfig], dict[str, object]]


class Progress(Protocol):
    """Tells a person how far a long piece of work is."""

    def step(self, *, failed: bool = False) -> None:
        """One more unit is done."""
        ...

    def close(self) -> None:
        """The work has ended."""
        ...


ProgressFactory = Callable[[str, int], Progress]
"""Called with what is being done and how many units there are."""

Ids = Sequence[str]
