"""What compare keeps of two runs for people to look at: a part of exam.json. Nothing is decided by it."""

from typing import Annotated, Literal, TypeAlias

import pydantic

from evaluator.model.base import Id, Strings, Value
from evaluator.model.comparison import CriticalRule

MAX_TEXT = 4_000
"""Code points that are kept of any one text."""

MAX_CASES = 200
"""Critical cases that are kept in full, and questions that are worse than their paraphrases."""

MAX_UNLABELLED = 200
"""Unlabelled results that are kept of a category."""

MAX_BEGINNING = 200
"""Code points that are kept of the text of one of them."""


InQuestion: TypeAlias = Literal["failed", "advisory", "open", "older"]


class Passage(Value):
    """A chunk as the model got it; ``before`` and ``after`` are its places in the contexts, from 1 (None: not there).

    A chunk whose text changed is two passages.
    """

    chunk: Id
    text: str | None
    before: int | None
    after: int | None


class Reply(Value):
    """What a pipeline said; ``abstained`` is None where that is not known."""

    answer: str | None
    abstained: bool | None
    failed: bool = False


class Finding(Value):
    """What became of a critical case under one rule.

    ``verdict`` is ``failed``, ``advisory`` (no judge that is enforced says so), ``open`` (it may have failed), or
    ``older`` (it fails, or may have, only by the rules and labels of the baseline).
    """

    rule: CriticalRule
    verdict: InQuestion
    reason: str


class CriticalCase(Value):
    """A critical case that failed or is in question: all that a person needs to decide about it.

    ``before`` is None where the case has no baseline. ``context`` is what the model got now, in order, and then what it
    got before and no longer does.
    """

    id: Id
    expect: Literal["answer", "abstain"]
    reference: str | None
    findings: Annotated[tuple[Finding, ...], pydantic.Field(strict=False)]
    before: Reply | None
    after: Reply
    context: Annotated[tuple[Passage, ...], pydantic.Field(strict=False)]


class Unlabelled(Value):
    """A result that nobody labelled, that the baseline did not retrieve, and for which a precision may have fallen.

    ``rank`` counts from 1; ``text`` is the beginning of the chunk's.
    """

    id: Id
    chunk: Id
    rank: int
    text: str | None


Side: TypeAlias = Literal["answer", "abstain", "sufficient", "insufficient"]
Behaviour: TypeAlias = Literal["answered", "abstained", "failed", "unknown"]
BEHAVIOURS: tuple[Behaviour, ...] = ("answered", "abstained", "failed", "unknown")


class Cell(Value):
    """So many paired cases that behave so: of those that expect that, or of whose context a judge says that.

    Without a baseline, or where its judge was another one, ``before`` is None.
    """

    side: Side
    behaviour: Behaviour
    before: int | None
    after: int


class HoldoutRow(Value):
    """Means of one metric over the held-out cases (``n`` of them) that are scored in both runs."""

    metric: Id
    n: int
    baseline: float
    candidate: float


class Difference(Value):
    """In what a question is answered worse than another of its group (``other``).

    ``behaviour``: it was not answered, or answered, as expected, and the other was. ``context`` and ``answer``: they
    lack ``facts`` that the other's have. ``value``: the other's ``metric`` is better.
    """

    kind: Literal["behaviour", "context", "answer", "value"]
    other: Id
    behaviour: Behaviour | None = None
    other_behaviour: Behaviour | None = None
    facts: Strings = ()
    metric: Id | None = None
    value: float | None = None
    other_value: float | None = None


class Worse(Value):
    """A question of the group of paraphrases of ``root`` that another one of it surpasses."""

    root: Id
    id: Id
    differences: Annotated[tuple[Difference, ...], pydantic.Field(strict=False)]


class Exhibits(Value):
    """All of it.

    Attributes:
        critical: at most :data:`MAX_CASES` cases, failed ones first.
        unlabelled: what has to be labelled before some rows can be decided, at most :data:`MAX_UNLABELLED` of each
            category.
        rechunked: paired cases whose needs stand in other chunks than in the baseline.
        behaviour: who answered and who abstained.
        groups: groups of paraphrases in this run; ``paraphrases`` are their questions that are worse than another of
            the group, the worst first, at most :data:`MAX_CASES`.
        held_out: held-out cases that both runs have, asked alike; ``holdout`` are means over them.
    """

    critical: Annotated[tuple[CriticalCase, ...], pydantic.Field(strict=False)] = ()
    unlabelled: Annotated[tuple[Unlabelled, ...], pydantic.Field(strict=False)] = ()
    rechunked: int = 0
    behaviour: Annotated[tuple[Cell, ...], pydantic.Field(strict=False)] = ()
    groups: int = 0
    paraphrases: Annotated[tuple[Worse, ...], pydantic.Field(strict=False)] = ()
    held_out: int = 0
    holdout: Annotated[tuple[HoldoutRow, ...], pydantic.Field(strict=False)] = ()
