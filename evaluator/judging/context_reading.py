"""Reading what a judge says of the context: every id once, support only with chunks and a quote that stands in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.judging import quotes, replies
from evaluator.judging.shapes import FLAG, TEXT, listed, obj, one_of, or_null
from evaluator.model.judgement import Opinion

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluator.model.verdicts import Verdict

SCHEMA = obj(
    sufficiency=or_null(obj(reason=TEXT, sufficient=FLAG)),
    claims=listed(
        obj(
            id=TEXT,
            reason=TEXT,
            verdict=one_of("supported", "unsupported", "unclear"),
            chunks=listed(TEXT),
            jointly=FLAG,
            quote=or_null(TEXT),
        )
    ),
    statements=listed(obj(id=TEXT, reason=TEXT, attributable=FLAG, chunks=listed(TEXT))),
    useful=listed(obj(id=TEXT, reason=TEXT, useful=FLAG)),
)


class Wanted(NamedTuple):
    """What was asked: the texts of the chunks, and the ids that must come back, all as the judge knows them."""

    chunks: Mapping[str, str]
    claims: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    sufficiency: bool = False
    useful: bool = False


class Supported(NamedTuple):
    """What the context says of a claim."""

    verdict: Verdict
    reason: str
    chunks: tuple[str, ...] = ()
    jointly: bool = False
    quote: str | None = None


class Attributed(NamedTuple):
    """Whether the context states a statement, and which chunks do."""

    value: bool
    reason: str
    chunks: tuple[str, ...] = ()


class PartFound(NamedTuple):
    """What one reply says; claims, statements and chunks by the ids that the judge knows them by."""

    claims: Mapping[str, Supported]
    statements: Mapping[str, Attributed]
    sufficiency: Opinion | None
    useful: Mapping[str, Opinion]


def read(text: str, wanted: Wanted) -> PartFound:
    """A reply's meaning.

    Raises:
        InvalidReply: it is not an answer to just what was asked.
        Refusal: it declines.
    """
    found = replies.read(text, SCHEMA)
    replies.refuse_invalid(_problems(found, wanted))
    replies.refuse_declining(each["reason"] for name in ("claims", "statements", "useful") for each in found[name])
    sufficiency = found["sufficiency"]
    replies.refuse_declining([sufficiency["reason"]] if sufficiency else [])
    return PartFound(
        {each["id"]: _supported(each) for each in found["claims"]},
        {
            each["id"]: Attributed(each["attributable"], each["reason"].strip(), tuple(each["chunks"]))
            for each in found["statements"]
        },
        Opinion(value=sufficiency["sufficient"], reason=sufficiency["reason"].strip()) if sufficiency else None,
        {each["id"]: Opinion(value=each["useful"], reason=each["reason"].strip()) for each in found["useful"]},
    )


def _supported(entry: Mapping[str, Any]) -> Supported:
    return Supported(
        entry["verdict"], entry["reason"].strip(), tuple(entry["chunks"]), entry["jointly"], entry["quote"]
    )


def _problems(found: Mapping[str, Any], wanted: Wanted) -> Iterator[str]:
    asked = {
        "claims": wanted.claims,
        "statements": wanted.statements,
        "useful": tuple(wanted.chunks) if wanted.useful else (),
    }
    for name, ids in asked.items():
        yield from replies.wrong_ids(name, [each["id"] for each in found[name]], ids)
        yield from (
            f"{name} gives no reason for {replies.named(each['id'])}"
            for each in found[name]
            if not each["reason"].strip()
        )
    if (found["sufficiency"] is None) == wanted.sufficiency:
        yield "sufficiency is null, but it was asked for" if wanted.sufficiency else "sufficiency must be null"
    elif wanted.sufficiency and not found["sufficiency"]["reason"].strip():
        yield "sufficiency gives no reason"
    for claim in found["claims"]:
        yield from _of_claim(claim, wanted.chunks)
    for statement in found["statements"]:
        yield from _of_statement(statement, wanted.chunks)


def _of_claim(claim: Mapping[str, Any], chunks: Mapping[str, str]) -> Iterator[str]:
    where = f"claim {replies.named(claim['id'])}"
    if claim["verdict"] != "supported":
        if claim["chunks"] or claim["jointly"] or claim["quote"] is not None:
            yield f"{where} is {claim['verdict']}, so its chunks must be [], jointly false and quote null"
        return
    yield from _of_chunks(where, claim["chunks"], chunks)
    if not claim["chunks"]:
        yield f"{where} is supported, but names no chunk"
    if claim["jointly"] and len(set(claim["chunks"])) == 1:
        yield f"{where} has jointly true with one chunk; a chunk that supports it alone has jointly false"
    texts = [chunks[each] for each in claim["chunks"] if each in chunks]
    if claim["quote"] is None:
        yield f"{where} is supported, but has no quote"
    elif texts and not any(quotes.occurs(claim["quote"], each) for each in texts):
        yield f"{where}: its quote does not stand word for word in {' or '.join(claim['chunks'])}"
        if quotes.is_too_short(claim["quote"]):
            yield f"{where}: its quote is too short, it must be whole words of at least {quotes.LEAST} characters"


def _of_statement(statement: Mapping[str, Any], chunks: Mapping[str, str]) -> Iterator[str]:
    where = f"statement {replies.named(statement['id'])}"
    if statement["attributable"] != bool(statement["chunks"]):
        yield f"{where} must name chunks if it is attributable, and none otherwise"
    yield from _of_chunks(where, statement["chunks"], chunks)


def _of_chunks(where: str, names: Sequence[str], chunks: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys(names):
        if name not in chunks:
            yield f"{where} names the chunk {replies.named(name)}, which is none of {', '.join(chunks)}"
        elif names.count(name) > 1:
            yield f"{where} names the chunk {name} {names.count(name)} times"
