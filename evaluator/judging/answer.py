"""The answer by itself and against the reference: relevance, abstention, statements, claims and required facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.judging import fencing, quotes, refusals, replies
from evaluator.judging.fencing import Datum
from evaluator.judging.prompts import Ask
from evaluator.judging.shapes import FLAG, TEXT, listed, obj, one_of
from evaluator.model.judgement import JudgedFact, Opinion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evaluator.judging.calls import Call
    from evaluator.judging.subject import Fact, Subject
    from evaluator.model.judgement import Claim, Statement
    from evaluator.model.verdicts import AgainstReference, InAnswer

SCHEMA = obj(
    relevance=obj(reason=TEXT, relevant=FLAG),
    abstention=obj(reason=TEXT, abstained=FLAG),
    statements=listed(obj(id=TEXT, reason=TEXT, verdict=one_of("present", "missing", "contradicted"))),
    claims=listed(obj(id=TEXT, statements=listed(TEXT), verdict=one_of("in_reference", "contradicts", "beyond"))),
    facts=listed(obj(id=TEXT, reason=TEXT, present=FLAG)),
)

_BASE_ROOM, _ITEM_ROOM = 384, 80


class Compared(NamedTuple):
    """What is set against the answer; claims only beside statements, which are what they are set against."""

    statements: tuple[Statement, ...] = ()
    claims: tuple[Claim, ...] = ()
    facts: tuple[Fact, ...] = ()


class Said(NamedTuple):
    """What the answer says of a statement."""

    verdict: InAnswer
    reason: str


class AnswerFound(NamedTuple):
    """What a reply says; statements and claims by their ids, facts by the golden set's."""

    relevance: Opinion
    abstained: Opinion
    statements: Mapping[str, Said]
    claims: Mapping[str, AgainstReference]
    facts: tuple[JudgedFact, ...]


def call(subject: Subject, compared: Compared) -> Call[AnswerFound]:
    """Ask what the answer does, and what of the reference it says. No context is in it."""
    statements, claims, facts = compared
    lists = {
        "statements": [(each.id, each.text) for each in statements],
        "claims": [(each.id, each.text) for each in claims],
        "facts": [(f"f{place}", fact.text) for place, fact in enumerate(facts, 1)],
    }
    data = [
        *subject.asked_for(),
        Datum("answer", subject.answered),
        *(Datum(name, fencing.listed(items)) for name, items in lists.items() if items),
    ]
    ids = {name: [each for each, _ in items] for name, items in lists.items()}
    room = _BASE_ROOM + _ITEM_ROOM * sum(map(len, ids.values()))
    ask = Ask(subject.case, "answer", data, ids, room, repeat=subject.repeat)
    return subject.prompt("answer", SCHEMA).call(ask, lambda text: _read(text, ids, facts, subject.answered))


def _read(text: str, ids: Mapping[str, Sequence[str]], facts: Sequence[Fact], answer: str) -> AnswerFound:
    found = replies.read(text, SCHEMA)
    replies.refuse_invalid(_problems(found, ids))
    replies.refuse_declining(each["reason"] for name in ("statements", "facts") for each in found[name])
    replies.refuse_declining(_own_words([found["relevance"]["reason"], found["abstention"]["reason"]], answer))
    present = {each["id"]: each for each in found["facts"]}
    return AnswerFound(
        Opinion(value=found["relevance"]["relevant"], reason=found["relevance"]["reason"].strip()),
        Opinion(value=found["abstention"]["abstained"], reason=found["abstention"]["reason"].strip()),
        {each["id"]: Said(each["verdict"], each["reason"].strip()) for each in found["statements"]},
        {each["id"]: each["verdict"] for each in found["claims"]},
        tuple(
            JudgedFact(fact=fact.id, present=present[each]["present"], reason=present[each]["reason"].strip())
            for each, fact in zip(ids["facts"], facts, strict=True)
        ),
    )


def _own_words(reasons: Iterable[str], answer: str) -> Iterable[str]:
    """The reasons but those that only quote an answer that is a refusal itself."""
    declined = refusals.is_only_a_refusal(answer)
    return (each for each in reasons if not (declined and quotes.occurs(each, answer)))


def _problems(found: Mapping[str, Any], ids: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for name in ("relevance", "abstention"):
        if not found[name]["reason"].strip():
            yield f"{name} gives no reason"
    for name, wanted in ids.items():
        yield from replies.wrong_ids(name, [each["id"] for each in found[name]], wanted)
        for each in found[name]:
            if not each.get("reason", "-").strip():
                yield f"{name} gives no reason for {replies.named(each['id'])}"
    for claim in found["claims"]:
        yield from _of_claim(claim, ids["statements"])


def _of_claim(claim: Mapping[str, Any], statements: Sequence[str]) -> Iterator[str]:
    where = f"claim {replies.named(claim['id'])}"
    if (claim["verdict"] == "beyond") == bool(claim["statements"]):
        yield f"{where} must name the statements that decide it, or none if it is beyond them"
    for name in claim["statements"]:
        if name not in statements:
            yield f"{where} names the statement {replies.named(name)}, which is none of {', '.join(statements)}"
