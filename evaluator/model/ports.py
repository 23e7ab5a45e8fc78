"""The narrow seams between the core and the edges."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from evaluator.model.config import Pipeline as PipelineConfig
    from evaluator.model.fixture import Fixture
    from evaluator.model.judge import JudgeReply, JudgeRequest
    from evaluator.model.record import Reply, Request


Template = Callable[[Mapping[str, Any]], str]
"""Renders a template with the values it may name. Raises TemplateError where it does not render."""


class TemplateMaker(Protocol):
    """Reads templates that people write, without letting them do anything but render."""

    def __call__(self, source: str, known: Collection[str], *, for_url: bool = False) -> Template:
        """A template that may name the ``known`` values; ``for_url`` percent-encodes each where it is put in.

        Raises:
            TemplateError: it is no template, or names something else.
        """
        ...


def _no_templates(source: str, known: Collection[str], *, for_url: bool = False) -> Template:
    raise NotImplementedError(f"no templates were handed over, so {source!r} of {known} cannot be read ({for_url})")


class Generate(Protocol):
    """A model that answers prompts. It tries again by itself, and may be called from many threads."""

    def __call__(self, request: JudgeRequest) -> JudgeReply:
        """The answer. Raises what a judge raises (:mod:`evaluator.model.judge`)."""
        ...

    def stop(self) -> None:
        """Let calls under way come to an end soon."""
        ...


class NotReady(Exception):
    """A pipeline's time to start was over before it was ready; the message says what it was still waiting for."""


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


@dataclass(frozen=True, eq=False, repr=False)
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
        templates: reads the templates of the configuration.
        generate: the model of ``pipeline.generator``, where there is one.
        start_seconds: how long opening it may take; after that it raises :class:`NotReady`.
    """

    config: PipelineConfig
    folder: Path
    fixture: Fixture | None
    environment: dict[str, str]
    language: str
    log: Callable[[str], None]
    ids: frozenset[str] = frozenset()
    warnings: list[str] = field(default_factory=list)
    templates: TemplateMaker = _no_templates
    generate: Generate | None = None
    start_seconds: float = math.inf


class Mistake(NamedTuple):
    """Something wrong with a pipeline's section: the keys that lead to it from ``pipeline``, and a sentence."""

    path: tuple[str | int, ...]
    sentence: str


def _no_mistakes(config: PipelineConfig, templates: TemplateMaker) -> Iterator[Mistake]:  # noqa: ARG001 - the signature
    return iter(())


def _no_rehearsal(
    config: PipelineConfig,  # noqa: ARG001 - the signature
    templates: TemplateMaker,  # noqa: ARG001 - the signature
    requests: Sequence[Request],  # noqa: ARG001 - the signature
) -> Iterator[Mistake]:
    return iter(())


class PipelineKind(NamedTuple):
    """How a pipeline module presents itself: as the module constant PIPELINE.

    ``settings`` gives what is recorded in collect.json, without secrets. ``mistakes`` finds what is wrong with its
    section before anything is started, and ``rehearse`` what could be asked none of some real questions.
    """

    name: str
    open: Callable[[PipelineSetting], AbstractContextManager[Pipeline]]
    settings: Callable[[PipelineConfig], dict[str, object]]
    mistakes: Callable[[PipelineConfig, TemplateMaker], Iterator[Mistake]] = _no_mistakes
    rehearse: Callable[[PipelineConfig, TemplateMaker, Sequence[Request]], Iterator[Mistake]] = _no_rehearsal


class Embedder(Protocol):
    """A model that turns texts into vectors: a row each, in their order, as anything NumPy takes for a matrix."""

    def documents(self, texts: Sequence[str]) -> Any:
        """Vectors of texts that are searched."""
        ...

    def questions(self, texts: Sequence[str]) -> Any:
        """Vectors of texts that are searched for."""
        ...


class EmbedderSetting(NamedTuple):
    """What an embedder is built from.

    Attributes:
        argument: what was written behind its name: a model, or where the callable is.
        folder: where the caller's modules are looked for first.
        environment: the caller's variables.
        base_url: where the model is served, if not at its usual place.
        api_key_env: the variable that holds its key.
    """

    argument: str
    folder: Path
    environment: Mapping[str, str]
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"


class EmbedderKind(NamedTuple):
    """How an embedder module presents itself: as the module constant EMBEDDER."""

    name: str
    open: Callable[[EmbedderSetting], Embedder]


class Progress(Protocol):
    """Tells a person how far a long piece of work is."""

    def step(self, *, failed: bool = False) -> None:
        """One more unit is done."""
        ...

    def note(self, text: str) -> None:
        """Something that is worth knowing beside the count, until the next note: what it cost so far, say."""
        ...

    def close(self) -> None:
        """The work has ended."""
        ...


ProgressFactory = Callable[[str, int], Progress]
"""Called with what is being done and how many units there are."""
