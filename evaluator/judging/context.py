"""Verdicts on claims, and whatever else is asked of the context: the one question that the chunks are sent with.

What is more than the judge takes at once is asked in parts. Every claim still meets every chunk once and gets one
verdict: the best that any part gives. Support that only chunks of different parts give together is not seen then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.judging import context_reading, fencing, tokens
from evaluator.judging.batches import ITEM_ROOM, Batch
from evaluator.judging.calls import TooMuch
from evaluator.judging.context_reading import SCHEMA, Attributed, Supported
from evaluator.judging.fencing import Datum
from evaluator.judging.prompts import Ask
from evaluator.judging.talks import TOO_MUCH
from evaluator.model.judgement import JudgedChunk, Opinion
from evaluator.model.score import Unscored

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluator.judging.calls import Call, Conversation
    from evaluator.judging.context_reading import PartFound
    from evaluator.judging.subject import Subject
    from evaluator.model.judgement import Claim, Statement

UNKNOWN = "the text of a chunk in the context is not known"
EMPTY = "the context is empty"
BLANK = "the chunk is blank"

_BASE_ROOM, _CHUNK_ROOM = 384, 60
_WORSE = ("supported", "unclear", "unsupported")


class ContextFound(NamedTuple):
    """What the context says, by the ids of claims and statements; ``lacking`` is why some of it could not be had."""

    claims: Mapping[str, Supported]
    statements: Mapping[str, Attributed]
    sufficiency: Opinion | None = None
    useful: tuple[JudgedChunk, ...] = ()
    lacking: str | None = None


def conversation(
    subject: Subject, claims: Sequence[Claim], statements: Sequence[Statement] = (), *, claims_only: bool = False
) -> Conversation[ContextFound]:
    """Check claims, and what else the subject wants of its context."""
    asks = not claims_only
    shown = subject.shown()
    whole = Batch(
        shown, tuple(claims), tuple(statements) if asks and subject.wanted.recall else (),
        asks and subject.wanted.sufficiency, asks and subject.wanted.useful,
    )  # fmt: skip
    if whole.is_empty:
        return ContextFound({}, {})
    if subject.lacks_text:
        return ContextFound({}, {}, lacking=UNKNOWN)
    if not shown:
        return _of_nothing(whole, subject)
    answered: list[tuple[Batch, PartFound]] = []
    missed: list[tuple[Batch, Unscored]] = []
    waiting = [whole]
    while waiting:
        fitting = [each for batch in waiting for each in _fitting(subject, batch, missed)]
        waiting = []
        outcomes = (yield [_call(subject, batch) for batch in fitting]) if fitting else ()
        for batch, outcome in zip(fitting, outcomes, strict=True):
            if isinstance(outcome, TooMuch):
                halves = batch.halves()
                waiting += halves or ()
                missed += [] if halves else [(batch, TOO_MUCH)]
            elif isinstance(outcome, Unscored):
                missed.append((batch, outcome))
            else:
                answered.append((batch, outcome))
    return _merged(whole, subject, answered, missed)


def _fitting(subject: Subject, batch: Batch, missed: list[tuple[Batch, Unscored]]) -> Iterator[Batch]:
    """A batch, or the parts of it that the judge takes at once."""
    if subject.window is None or _size(subject, batch) <= subject.window:
        yield batch
        return
    halves = batch.halves()
    if halves is None:
        missed.append((batch, TOO_MUCH))
        return
    for half in halves:
        yield from _fitting(subject, half, missed)


def _size(subject: Subject, batch: Batch) -> int:
    ask = _ask(subject, batch)
    # A character that no fenced text can hold.
    request = subject.prompt("context", SCHEMA).request(ask, "\x00" * 16)
    return tokens.of_request(request) + ask.room


def _call(subject: Subject, batch: Batch) -> Call[PartFound]:
    wanted = context_reading.Wanted(
        {name: fencing.clean(chunk.text) for name, chunk in batch.chunks.items()},
        tuple(each.id for each in batch.claims),
        tuple(each.id for each in batch.statements),
        batch.sufficiency,
        batch.useful,
    )
    return subject.prompt("context", SCHEMA).call(_ask(subject, batch), lambda text: context_reading.read(text, wanted))


def _ask(subject: Subject, batch: Batch) -> Ask:
    chunks = [Datum(f"chunk {name}", chunk.text) for name, chunk in batch.chunks.items()]
    rest = [*subject.asked_for()]
    if batch.claims:
        rest.append(Datum("claims", fencing.listed((each.id, each.text) for each in batch.claims)))
    if batch.statements:
        rest.append(Datum("statements", fencing.listed((each.id, each.text) for each in batch.statements)))
    room = _BASE_ROOM + len(batch.checked) * ITEM_ROOM + len(batch.chunks) * _CHUNK_ROOM * batch.useful
    values: dict[str, Any] = {
        "chunks": list(batch.chunks),
        "claims": [each.id for each in batch.claims],
        "statements": [each.id for each in batch.statements],
        "useful": list(batch.chunks) if batch.useful else [],
        "sufficiency": batch.sufficiency,
    }
    return Ask(subject.case, "context", (*chunks, *rest), values, room, shared=len(chunks), repeat=subject.repeat)


def _of_nothing(whole: Batch, subject: Subject) -> ContextFound:
    return ContextFound(
        {claim.id: Supported("unsupported", EMPTY) for claim in whole.claims},
        {each.id: Attributed(value=False, reason=EMPTY) for each in whole.statements},
        Opinion(value=False, reason=EMPTY) if whole.sufficiency else None,
        _useful(subject, {}) if whole.useful else (),
    )


def _useful(subject: Subject, judged: Mapping[str, Opinion]) -> tuple[JudgedChunk, ...]:
    """One entry for every distinct chunk that is known, in the order of the context; a blank one is of no use."""
    known = {chunk.id: Opinion(value=False, reason=BLANK) for chunk in subject.chunks if fencing.is_blank(chunk.text)}
    known.update(judged)
    return tuple(
        JudgedChunk(chunk=each, useful=known[each].value, reason=known[each].reason)
        for each in dict.fromkeys(chunk.id for chunk in subject.chunks)
        if each in known
    )


def _merged(
    whole: Batch,
    subject: Subject,
    answered: Sequence[tuple[Batch, PartFound]],
    missed: Sequence[tuple[Batch, Unscored]],
) -> ContextFound:
    """One finding from those of all parts; a claim or statement that a missing part could still change has none."""
    late = [(batch.claims, batch.statements) for batch, _ in missed]
    claims: dict[str, Supported] = {}
    for claim in whole.claims:
        best = _best([part.claims[claim.id] for _, part in answered if claim.id in part.claims])
        if best and (best.verdict == "supported" or not any(claim in each for each, _ in late)):
            claims[claim.id] = best._replace(chunks=_real(best.chunks, whole))
    statements: dict[str, Attributed] = {}
    for statement in whole.statements:
        stated = _any([part.statements[statement.id] for _, part in answered if statement.id in part.statements])
        if stated and (stated.value or not any(statement in each for _, each in late)):
            statements[statement.id] = stated._replace(chunks=_real(stated.chunks, whole))
    sufficiency, lacking = _sufficiency(whole, answered)
    useful = {whole.chunks[name].id: each for _, part in answered for name, each in part.useful.items()}
    return ContextFound(
        claims, statements, sufficiency, _useful(subject, useful) if whole.useful else (),
        missed[0][1].reason if missed else lacking,
    )  # fmt: skip


def _best(found: Sequence[Supported]) -> Supported | None:
    """The best verdict of several parts; what supports a claim alone adds up, what does jointly does not."""
    if not found:
        return None
    best = min(found, key=lambda each: (_WORSE.index(each.verdict), each.jointly))
    if best.verdict != "supported" or best.jointly:
        return best
    return best._replace(
        chunks=tuple(
            chunk for each in found if each.verdict == "supported" and not each.jointly for chunk in each.chunks
        )
    )


def _any(found: Sequence[Attributed]) -> Attributed | None:
    if not found:
        return None
    first = next((each for each in found if each.value), found[0])
    return first._replace(chunks=tuple(chunk for each in found for chunk in each.chunks))


def _sufficiency(whole: Batch, answered: Sequence[tuple[Batch, PartFound]]) -> tuple[Opinion | None, str | None]:
    """Whether the context suffices: what no part of it does, all together still might."""
    if not whole.sufficiency:
        return None, None
    found = [part.sufficiency for _, part in answered if part.sufficiency is not None]
    decided = next((each for each in found if each.value), None)
    if decided is None and any(
        batch.sufficiency and batch.chunks.keys() == whole.chunks.keys() for batch, _ in answered
    ):
        decided = found[0]
    return decided, None if decided else "the context was judged in parts, and none of them suffices by itself"


def _real(names: Sequence[str], whole: Batch) -> tuple[str, ...]:
    return tuple(dict.fromkeys(whole.chunks[name].id for name in sorted(names, key=list(whole.chunks).index)))
