"""What a judge said of one answer: claims, verdicts and assessments, as run.json holds them (design sections 7, 9)."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import pydantic

from evaluator.model.base import Id, Strings, Value
from evaluator.model.verdicts import AgainstReference, InAnswer, Part, Verdict


class Claim(Value):
    """One claim of an answer.

    ``sentence`` counts the answer's sentences from 1. ``verdict`` is None where the context was not judged.
    ``chunks`` are the ids of the chunks that support it, each alone, or with ``jointly`` the smallest set that does
    together; ``quote`` stands in one of them. ``again`` holds further verdicts past the cache, asked for a claim that
    is new beside a baseline, and ``before`` such verdicts on what said the same in the baseline.
    """

    id: Id
    text: str
    sentence: int
    verdict: Verdict | None = None
    reason: str = ""
    chunks: Strings = ()
    jointly: bool = False
    quote: str | None = None
    reference: AgainstReference | None = None
    again: Annotated[tuple[Verdict, ...], pydantic.Field(strict=False)] = ()
    before: Annotated[tuple[Verdict, ...], pydantic.Field(strict=False)] = ()


class Statement(Value):
    """One statement of a reference.

    ``answer`` is what the answer says of it, None where that was not judged. ``attributable`` says whether the context
    states it, None where that was not asked; ``chunks`` are those that do.
    """

    id: Id
    text: str
    answer: InAnswer | None = None
    reason: str = ""
    attributable: bool | None = None
    chunks: Strings = ()


class JudgedFact(Value):
    """Whether the answer contains a required fact."""

    fact: Id
    present: bool
    reason: str = ""


class JudgedChunk(Value):
    """Whether a chunk of the context is of use for the question."""

    chunk: Id
    useful: bool
    reason: str = ""


class Opinion(Value):
    """A yes or no with the reason that was given first."""

    value: bool
    reason: str = ""


class Silent(Value):
    """A sentence of the answer that claims nothing, and why."""

    sentence: int
    reason: str


class Preference(Value):
    """This answer against the baseline's in both orders; ``value`` is 1 for a win, 0.5 for a tie or disagreement."""

    first: Literal["win", "tie", "loss"]
    second: Literal["win", "tie", "loss"]
    value: float
    reason: str = ""


def draw(seed: int | None, case: str) -> bytes:
    """What is drawn for a case: the same in every run of one seed."""
    return hashlib.sha256(f"{seed}\0{case}".encode("utf-8", "surrogatepass")).digest()


def is_first(seed: int, case: str) -> bool:
    """Whether this answer stands before the baseline's in the first of the two orders."""
    return draw(seed, case)[0] % 2 == 0


class Further(Value):
    """What further judgings, past the cache, say of something that a critical case may have lost.

    ``again`` says of each judging of this answer whether it contains ``fact`` or, where that is None, whether it
    abstains; ``before`` says the same of the baseline's.
    """

    fact: Id | None
    again: Annotated[tuple[bool, ...], pydantic.Field(strict=False)] = ()
    before: Annotated[tuple[bool, ...], pydantic.Field(strict=False)] = ()


class Judgement(Value):
    """What a judge said of a case, apart from its claims.

    A part that was not asked is None or empty. ``unscored`` says why a part that was asked could not be had. ``drawn``
    is false where ``judge.sample`` left the case out. ``sure`` says that the answer is an abstention that needs no
    judge, or none at all. ``same`` says that answer and reference are the same text. ``questions`` are generated ones
    that the answer fits; ``similarities`` are their cosines to the question. ``further`` is what was asked again beside
    a baseline, but for claims.
    """

    drawn: bool = True
    sure: bool = False
    same: bool = False
    abstained: Opinion | None = None
    relevance: Opinion | None = None
    sufficiency: Opinion | None = None
    sentences: Strings = ()
    silent: Annotated[tuple[Silent, ...], pydantic.Field(strict=False)] = ()
    statements: Annotated[tuple[Statement, ...], pydantic.Field(strict=False)] = ()
    facts: Annotated[tuple[JudgedFact, ...], pydantic.Field(strict=False)] = ()
    useful: Annotated[tuple[JudgedChunk, ...], pydantic.Field(strict=False)] = ()
    questions: Strings = ()
    similarities: Annotated[tuple[float, ...], pydantic.Field(strict=False)] = ()
    preference: Preference | None = None
    further: Annotated[tuple[Further, ...], pydantic.Field(strict=False)] = ()
    unscored: dict[Part, str] = {}


class Judged(NamedTuple):
    """What a judge said of a case: claims, None where they were not asked for or could not be had, and the rest."""

    claims: tuple[Claim, ...] | None
    judgement: Judgement


class _Claims(Value):
    claims: Annotated[tuple[Claim, ...], pydantic.Field(strict=False)] | None


def read(claims: Sequence[Mapping[str, Any]] | None, judgement: Mapping[str, Any] | None) -> Judged | None:
    """What run.json holds of a case; None where no judge was asked.

    Raises:
        pydantic.ValidationError: it is not what :func:`write` gives.
    """
    if judgement is None:
        return None
    return Judged(_Claims.model_validate({"claims": claims}).claims, Judgement.model_validate(judgement))


def write(judged: Judged) -> dict[str, Any]:
    """The values of ``claims`` and ``judgement`` in run.json."""
    claims = judged.claims
    return {
        "claims": None if claims is None else tuple(claim.model_dump(mode="json") for claim in claims),
        "judgement": judged.judgement.model_dump(mode="json"),
    }
