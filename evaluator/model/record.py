"""One question to the pipeline, its reply, and the record that is kept of both (design sections 6 and 13)."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import pydantic

from evaluator.model.base import FORMAT, Id, Strings, Value
from evaluator.model.fixture import Digests

FailureKind: TypeAlias = Literal["error", "timeout", "died", "invalid", "deadline"]

UNASKED: FailureKind = "deadline"
"""Of a case that there was no time for: nothing is known of it, and the pipeline is not to blame."""


class Request(NamedTuple):
    """What every pipeline is asked, in every adapter.

    ``k`` is how many results the generator gets; ``depth`` how deep the ranking must reach.
    """

    id: str
    question: str
    k: int
    depth: int
    language: str
    history: tuple[dict[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The request as it goes over the wire."""
        return {
            "id": self.id, "question": self.question, "history": list(self.history),
            "k": self.k, "depth": self.depth, "language": self.language,
        }  # fmt: skip


class Hit(Value):
    """One retrieved result, as the pipeline gave it or filled from the fixture by id."""

    id: Id
    doc: str | None = None
    score: float | None = None
    text: str | None = None


class Step(Value):
    """One retrieval of an agentic pipeline."""

    query: str
    retrieved: Annotated[tuple[Hit, ...], pydantic.Field(strict=False)] = ()


def union(steps: Iterable[Step]) -> tuple[Hit, ...]:
    """What all steps retrieved, each id once, in the order of first appearance."""
    found: dict[str, Hit] = {}
    for step in steps:
        for hit in step.retrieved:
            found.setdefault(hit.id, hit)
    return tuple(found.values())


class Answer(NamedTuple):
    """A pipeline's reply that could be understood.

    ``context`` is None where the pipeline did not say which results the model got (the first k are meant).
    ``warnings`` are sentences about what was dropped or mended on the way (scores that are no numbers, say).
    """

    retrieved: tuple[Hit, ...]
    context: tuple[str, ...] | None = None
    answer: str | None = None
    abstained: bool | None = None
    steps: tuple[Step, ...] | None = None
    usage: dict[str, Any] | None = None
    meta: dict[str, Any] | None = None
    latency_ms: float | None = None
    warnings: tuple[str, ...] = ()


class AnswerFailure(NamedTuple):
    """A case the pipeline did not answer; it stays in every denominator.

    ``detail`` (a traceback, last stderr lines) goes to the log only; ``message`` is one line for the record.
    """

    kind: FailureKind
    message: str
    detail: str = ""
    latency_ms: float | None = None
    warnings: tuple[str, ...] = ()


Reply: TypeAlias = Answer | AnswerFailure


class Failure(Value):
    """A failure as it is recorded."""

    kind: FailureKind
    message: str

    @property
    def is_unasked(self) -> bool:
        """Whether there was no time for the case."""
        return self.kind == UNASKED


class Repeat(Value):
    """What the pipeline did when it was asked a question once more (``pipeline.repeats``)."""

    retrieved: Annotated[tuple[Hit, ...], pydantic.Field(strict=False)]
    context: Strings
    answer: str | None
    abstained: bool | None
    steps: Annotated[tuple[Step, ...], pydantic.Field(strict=False)] | None
    usage: dict[str, Any] | None
    meta: dict[str, Any] | None
    duplicates: Strings
    failure: Failure | None


class Record(Value):
    """One line of records.jsonl; where a question was asked several times, ``repeats`` are all but the first."""

    id: Id
    input_hash: str
    retrieved: Annotated[tuple[Hit, ...], pydantic.Field(strict=False)]
    context: Strings
    answer: str | None
    abstained: bool | None
    steps: Annotated[tuple[Step, ...], pydantic.Field(strict=False)] | None
    usage: dict[str, Any] | None
    meta: dict[str, Any] | None
    duplicates: Strings
    failure: Failure | None
    repeats: Annotated[tuple[Repeat, ...], pydantic.Field(strict=False)] = ()

    @property
    def failed(self) -> bool:
        """Whether the pipeline failed, one time at least."""
        return self.failure is not None or any(repeat.failure is not None for repeat in self.repeats)

    def each(self) -> Iterator["Record"]:
        """Every time the question was asked, as a record by itself."""
        yield self
        yield from (self.but(**dict(repeat), repeats=()) for repeat in self.repeats)


class PipelineInfo(Value):
    """Which pipeline made the records: kind, the user's own version text, and its settings without secrets."""

    kind: str
    version: str | None
    settings: dict[str, Any]


class Collection(Value):
    """collect.json: what the records of a run were made from.

    ``timing`` holds everything that differs between two identical runs: started_at, seconds and latency_ms per case.
    """

    format: Literal[1] = FORMAT
    tool: str
    suite: str
    config_sha256: str
    golden_sha256: str
    fixture: Digests | None
    pipeline: PipelineInfo
    commit: str | None
    timing: dict[str, Any]
