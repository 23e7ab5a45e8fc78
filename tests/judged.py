"""Drives the judging of a case by a list or a function of replies, as whoever makes the calls would."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.judging.calls import InvalidReply, Refusal
from evaluator.judging.prompts import Prompts
from evaluator.judging.subject import Chunk, Fact, Subject, Wanted
from evaluator.model.score import Unscored

if TYPE_CHECKING:
    from collections.abc import Callable

    from evaluator.judging.calls import Call, Conversation

PROMPTS = Prompts()
TOKEN = "0123456789abcdef"  # noqa: S105 - it is no secret
"""The delimiter of every call here; it is random elsewhere."""


def subject(answer: str | None, chunks: dict[str, str] | None = None, **fields: Any) -> Subject:
    """A case that asks for the opening hours, unless it asks for something else."""
    facts = tuple(Fact(*each) for each in fields.pop("facts", {}).items())
    wanted = Wanted(**{name: fields.pop(name) for name in list(fields) if name in Wanted.__dataclass_fields__})
    base = {"case": "c-17", "question": "When do you open?", "prompts": PROMPTS, "facts": facts, "wanted": wanted}
    return Subject(
        **{**base, "answer": answer, "chunks": tuple(Chunk(*each) for each in (chunks or {}).items()), **fields}
    )


class Asked(NamedTuple):
    """A call that was made: of which question, with which values, and all that its message said."""

    call: Call[Any]
    part: str
    values: dict[str, Any]
    message: str


class Driven(NamedTuple):
    """What a conversation found, and the rounds of calls it made for that."""

    found: Any
    rounds: list[list[Asked]]

    @property
    def parts(self) -> list[list[str]]:
        """Which questions were asked, round by round."""
        return [[asked.part for asked in round_] for round_ in self.rounds]

    def of(self, part: str) -> list[Asked]:
        """The calls of one question."""
        return [asked for round_ in self.rounds for asked in round_ if asked.part == part]


def drive(talk: Conversation[Any], judge: Callable[[Asked], Any]) -> Driven:
    """Go through a conversation with a judge who answers each call by a text, an object, or what became of the call.

    A reply that is invalid or a refusal becomes Unscored, as it does when its repair fails.
    """
    rounds: list[list[Asked]] = []
    try:
        calls = next(talk)
        while True:
            assert calls, "a round without calls would never be answered"
            rounds.append([asked(call) for call in calls])
            calls = talk.send([outcome(each, judge(each)) for each in rounds[-1]])
    except StopIteration as end:
        return Driven(end.value, rounds)


def asked(call: Call[Any]) -> Asked:
    """A call with what it says to the judge."""
    request = call.put(TOKEN)
    message = "\n".join((request.system, *(block.text for block in request.blocks)))
    return Asked(call, call.part, dict(call.given["values"]), message)


def outcome(one: Asked, reply: Any) -> Any:
    """What becomes of a reply."""
    if not isinstance(reply, (str, dict)):
        return reply
    try:
        return one.call.read(reply if isinstance(reply, str) else json.dumps(reply))
    except InvalidReply as error:
        return Unscored(f"invalid: {error}")
    except Refusal as error:
        return Unscored(f"refused: {error}")


class Judge:
    """A judge that takes each sentence for one claim and otherwise says what a test sets, by claim or statement id.

    ``claims`` maps sentence ids to claims; ``support`` claim ids to a chunk and a quote in it; ``says`` statement ids
    to verdicts; ``against`` claim ids to a verdict and statements; ``facts`` are the ids of those present.
    """

    def __init__(self, **set_to: Any) -> None:
        self.claims: dict[str, list[str]] | None = set_to.get("claims")
        self.support: dict[str, tuple[str, str]] = set_to.get("support", {})
        self.says: dict[str, str] = set_to.get("says", {})
        self.against: dict[str, tuple[str, list[str]]] = set_to.get("against", {})
        self.facts: set[str] = set(set_to.get("facts", ()))
        self.abstained: bool = set_to.get("abstained", False)
        self.relevant: bool = set_to.get("relevant", True)
        self.sufficient: bool = set_to.get("sufficient", True)

    def __call__(self, asked: Asked) -> Any:
        """The reply to a call, as an object."""
        return getattr(self, f"_{asked.part}")(asked.values)

    def _claims(self, values: dict[str, Any]) -> dict[str, Any]:
        made = {each: [f"claim of {each}"] for each in values["sentences"]} if self.claims is None else self.claims
        return {
            "sentences": [
                {"id": each, "claims": made.get(each, []), "no_claim": None if made.get(each) else "nothing is said"}
                for each in values["sentences"]
            ]
        }

    def _context(self, values: dict[str, Any]) -> dict[str, Any]:
        return {
            "sufficiency": {"reason": "read", "sufficient": self.sufficient} if values["sufficiency"] else None,
            "claims": [self._verdict(each, values["chunks"]) for each in values["claims"]],
            "statements": [
                {"id": each, "reason": "read", "attributable": False, "chunks": []} for each in values["statements"]
            ],
            "useful": [{"id": each, "reason": "read", "useful": each == "c1"} for each in values["useful"]],
        }

    def _verdict(self, claim: str, chunks: list[str]) -> dict[str, Any]:
        chunk, quote = self.support.get(claim, (None, None))
        if chunk not in chunks:
            return unsupported(claim)
        return {**unsupported(claim), "verdict": "supported", "chunks": [chunk], "quote": quote}

    def _answer(self, values: dict[str, Any]) -> dict[str, Any]:
        return {
            "relevance": {"reason": "read", "relevant": self.relevant},
            "abstention": {"reason": "read", "abstained": self.abstained},
            "statements": [
                {"id": each, "reason": "read", "verdict": self.says.get(each, "missing")}
                for each in values["statements"]
            ],
            "claims": [
                dict(zip(("verdict", "statements"), self.against.get(each, ("beyond", [])), strict=True), id=each)
                for each in values["claims"]
            ],
            "facts": [{"id": each, "reason": "read", "present": each in self.facts} for each in values["facts"]],
        }

    def _statements(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"statements": ["The shop opens at 9.", "It is closed on Mondays."]}

    def _embedding(self, values: dict[str, Any]) -> dict[str, Any]:
        return {"questions": [f"question {place}?" for place in range(values["count"])]}


def unsupported(claim: str) -> dict[str, Any]:
    """A verdict against a claim."""
    return {"id": claim, "reason": "read", "verdict": "unsupported", "chunks": [], "jointly": False, "quote": None}
