"""The golden set: questions, what must be retrieved for them and what an answer must contain (design section 4)."""

from functools import cached_property
from typing import Annotated, Any, Literal, Self, TypeAlias

import pydantic

from evaluator.model.base import Id, Strings, Value, digest

Expectation: TypeAlias = Literal["answer", "abstain"]
Split: TypeAlias = Literal["dev", "holdout"]
NEED_KINDS = ("chunk", "any_of", "doc", "quote")
MAX_GRADE = 1000
"""Highest grade of a need: 2 to its power is still a number for every metric."""


class Need(Value):
    """One thing that must be retrieved; exactly one of chunk, any_of, doc and quote is set.

    ``"c1"`` is short for ``{"chunk": "c1"}``.
    """

    chunk: Id | None = None
    any_of: Annotated[tuple[Id, ...], pydantic.Field(strict=False, min_length=1)] | None = None
    doc: Id | None = None
    quote: Id | None = None
    grade: Annotated[int, pydantic.Field(ge=1, le=MAX_GRADE)] = 1

    @pydantic.model_validator(mode="before")
    @classmethod
    def _accept_short_form(cls, value: Any) -> Any:
        return {"chunk": value} if isinstance(value, str) else value

    @pydantic.model_validator(mode="after")
    def _exactly_one_kind(self) -> Self:
        if sum(getattr(self, kind) is not None for kind in NEED_KINDS) != 1:
            raise ValueError("a need has exactly one of chunk, any_of, doc and quote")
        return self

    def declared(self) -> tuple[str, Any]:
        """What makes two needs the same need: kind and what it names, without the grade.

        An ``any_of`` is a set, and one of a single id is that chunk. Quotes are compared in their normal form.
        """
        if self.any_of is not None:
            ids = frozenset(self.any_of)
            return ("chunk", next(iter(ids))) if len(ids) == 1 else ("any_of", ids)
        if self.quote is not None:
            from evaluator.model.quoting import normal_form  # noqa: PLC0415 - most golden sets have no quote

            return ("quote", normal_form(self.quote) or self.quote.strip())
        return ("doc", self.doc) if self.doc is not None else ("chunk", self.chunk)

    def to_golden(self) -> str | dict[str, Any]:
        """The need as it stands in a golden file, in its shortest form."""
        if self.chunk is not None and self.grade == 1:
            return self.chunk
        return self.model_dump(mode="json", exclude_none=True, exclude={"grade"} if self.grade == 1 else set())


class Fact(Value):
    """A required fact: found when one of its alternatives is (without any, its own text)."""

    id: Id
    text: Id
    any: Annotated[tuple[Id, ...], pydantic.Field(strict=False)] = ()

    @property
    def alternatives(self) -> tuple[str, ...]:
        """What to look for, in golden order."""
        return self.any or (self.text,)


class Turn(Value):
    """One earlier turn of a conversation."""

    role: Id
    content: str


class Labels(Value):
    """What people said of a case: everything a metric or a rule reads, apart from the question itself."""

    expect: Expectation = "answer"
    relevant: Annotated[tuple[Need, ...], pydantic.Field(strict=False)] = ()
    irrelevant: Strings = ()
    facts: Annotated[tuple[Fact, ...], pydantic.Field(strict=False)] = ()
    reference: str | None = None
    category: Id = "uncategorised"
    critical: bool = False
    split: Split = "dev"

    @cached_property
    def written(self) -> dict[str, Any]:
        """The labels as they stand in run.json and under their hash."""
        value = self.model_dump(mode="json", exclude={"relevant"})
        return {**value, "relevant": [need.to_golden() for need in self.relevant]}

    @cached_property
    def hash(self) -> str:
        """SHA-256 over the canonical JSON of the labels."""
        return digest(self.written)


class Case(Value):
    """One golden case."""

    id: Id
    question: Annotated[str, pydantic.StringConstraints(min_length=1)]
    category: Id = "uncategorised"
    critical: bool = False
    split: Split = "dev"
    language: Id | None = None
    expect: Expectation = "answer"
    relevant: Annotated[tuple[Need, ...], pydantic.Field(strict=False)] = ()
    irrelevant: Strings = ()
    facts: Annotated[tuple[Fact, ...], pydantic.Field(strict=False)] = ()
    reference: str | None = None
    paraphrase_of: Id | None = None
    history: Annotated[tuple[Turn, ...], pydantic.Field(strict=False)] = ()
    source: str | None = None
    tags: Strings = ()
    notes: str | None = None

    @cached_property
    def labels(self) -> Labels:
        """The labels with needs that were declared alike made one, the highest grade winning."""
        merged: dict[tuple[str, Any], Need] = {}
        for need in self.relevant:
            key = need.declared()
            if key not in merged or merged[key].grade < need.grade:
                merged[key] = need
        return Labels.known(
            expect=self.expect, relevant=tuple(merged.values()), irrelevant=self.irrelevant, facts=self.facts,
            reference=self.reference, category=self.category, critical=self.critical, split=self.split,
        )  # fmt: skip

    def input_hash(self, default_language: str) -> str:
        """SHA-256 over what the pipeline is asked: question, history and language."""
        history = [turn.model_dump(mode="json") for turn in self.history]
        return digest({"question": self.question, "history": history, "language": self.language or default_language})
