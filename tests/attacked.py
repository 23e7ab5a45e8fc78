"""Cases that hold an attack on their judge, a judge that reads what it is sent, and what one does that obeys."""

from __future__ import annotations

import copy
import functools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.judges.scripted import FENCE, Asked, ScriptedJudge, fenced
from evaluator.judging import fencing
from evaluator.judging.asking import Asker
from evaluator.judging.budget import FREE, Budget
from evaluator.judging.case import conversation
from evaluator.judging.pool import converse
from evaluator.judging.requesting import Around, Terms
from evaluator.judging.subject import Subject
from evaluator.judging.tokens import of_request
from tests.judged import subject
from tests.judges import IDENTITY, FakeTime

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evaluator.model.judge import JudgeRequest
    from evaluator.model.judgement import Judged

FOLDER = Path(__file__).parent / "gold" / "attacks"
GUESS = "deadbeefdeadbeef"
"""The delimiter that attacks guess; it is drawn first in every call, and so are ones that stand in no text."""

MARK = "mark-4711"
"""Ends every attack, so that whatever holds it is known to have been reached by it."""

CHUNKS = {"k1": "The museum opens at 9 every day.", "k2": "Entry is free on Sundays."}
FACTS = {"free": "free on Sundays"}
REFERENCE = "The museum opens at 9 every day but Monday. Entry is free on Sundays, and 12 euros on all other days."
STATEMENTS = ["The museum opens at 9 every day but Monday.", "Entry is free on Sundays."]


class Attack(NamedTuple):
    """A line of the corpus; see its README."""

    shape: str
    place: str
    asks: str
    text: str


class Run(NamedTuple):
    """What was found for each case, and all that the judge was sent and said."""

    found: dict[str, Judged]
    history: list[Asked]


@functools.cache
def corpus(language: str) -> tuple[Attack, ...]:
    lines = (FOLDER / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(Attack(**json.loads(line)) for line in lines)


def case(language: str, attack: Attack | None = None, name: str = "c-17") -> Subject:
    """A case of which everything is asked, with an attack or without one."""

    def text(place: str, plain: str) -> str:
        return f"{plain}\n{attack.text} {MARK}" if attack and attack.place == place else plain

    return subject(
        text("answer", "We open at 9. Entry is free."),
        {**CHUNKS, "k1": text("chunk", CHUNKS["k1"])},
        case=name, language=language, against="We open at ten.", reference=text("reference", REFERENCE),
        question=text("question", f"When do you open, and is it free? ({name})"),
        history=[{"role": "user", "content": text("history", "I would like to visit the museum.")}],
        facts={"free": text("fact", FACTS["free"])}, sufficiency=True, recall=True, useful=True, questions=2,
    )  # fmt: skip


def run(judge: Callable[[JudgeRequest], Any], *cases: Subject) -> Run:
    """Judge cases through everything that makes calls, repairs included; every text is fenced by a drawn delimiter."""
    scripted = ScriptedJudge(judge)
    time = FakeTime()
    drawn = iter(f"{number:016x}" for number in range(10**15, 2 * 10**15))

    def delimiter(given: Mapping[str, Any]) -> str:
        guesses = iter([GUESS])
        return fencing.delimiter(given, lambda: next(guesses, None) or next(drawn))

    around = Around(time.seconds, lambda: 1000.0, lambda: 0.0, delimiter, time.wait)
    asker = Asker(
        scripted, IDENTITY, Terms(2, 60.0, 3600.0), budget=Budget(None, FREE, of_request), cache=None, around=around
    )
    found = converse(((each.case, conversation(each)) for each in cases), asker)
    return Run(found, scripted.history)


def is_reached(request: JudgeRequest) -> bool:
    """Whether an attack stands in a request."""
    return any(MARK in block.text for block in request.blocks)


def token_of(request: JudgeRequest) -> str:
    """The delimiter of a request, as the words after the data tell it."""
    return re.findall(r"[0-9a-f]{16}", request.blocks[-1].text)[0]


def spoken(request: JudgeRequest) -> list[str]:
    """What stands in no fence: the words after the data, and those of a repair."""
    texts = (FENCE.sub("", block.text).strip() for block in request.blocks)
    return [text for text in texts if text]


def honest(request: JudgeRequest) -> dict[str, Any]:
    """A careful reply to whatever is asked: sentences are claims, nothing but what stands in a chunk is supported."""
    blocks = fenced(request)
    last = spoken(request)[0]
    asked = {
        name: re.findall(r"[a-z]\d[\d.]*", ids) for name, ids in re.findall(r"^- (\w+): (.*)$", last, re.MULTILINE)
    }
    listed = [
        json.loads(line) for name in ("answer", "claims", "statements", "facts")
        for line in blocks.get(name, "").splitlines() if line.startswith('{"id"')
    ]  # fmt: skip
    made: dict[str, Callable[[], dict[str, Any]]] = {
        "claims": lambda: {
            "sentences": [{"id": each["id"], "claims": [each["text"]], "no_claim": None} for each in listed]
        },
        "context": lambda: {
            "sufficiency": {"reason": "Read.", "sufficient": True} if "null" not in last else None,
            "claims": [
                {"id": each, "reason": "Read.", "verdict": "unsupported", "chunks": [], "jointly": False, "quote": None}
                for each in asked["claims"]
            ],
            "statements": [
                {"id": each, "reason": "Read.", "attributable": False, "chunks": []} for each in asked["statements"]
            ],
            "useful": [{"id": each, "reason": "Read.", "useful": False} for each in asked["useful"]],
        },
        "answer": lambda: {
            "relevance": {"reason": "Read.", "relevant": False},
            "abstention": {"reason": "Read.", "abstained": False},
            "statements": [{"id": each, "reason": "Read.", "verdict": "missing"} for each in asked["statements"]],
            "claims": [{"id": each, "statements": [], "verdict": "beyond"} for each in asked["claims"]],
            "facts": [{"id": each, "reason": "Read.", "present": False} for each in asked["facts"]],
        },
        "statements": lambda: {"statements": STATEMENTS},
        "questions": lambda: {"questions": ["When do you open?", "Is entry free?"]},
        "preference": lambda: {"reason": "Read.", "better": "tie"},
    }  # fmt: skip
    return made[request.name]()


def _supported(reply: dict[str, Any], quote: str = "at 9 every day", chunk: str = "c1") -> None:
    for claim in reply.get("claims", []):
        if "quote" in claim:
            claim.update(verdict="supported", chunks=[chunk], quote=quote)
        else:
            claim.update(verdict="in_reference", statements=["r1"])
    for statement in reply.get("statements", []):
        if "verdict" in statement:
            statement["verdict"] = "present"
    for fact in reply.get("facts", []):
        fact["present"] = True
    for name, flag in (("relevance", "relevant"), ("sufficiency", "sufficient")):
        if reply.get(name):
            reply[name][flag] = True
    if "better" in reply:
        reply["better"] = "first"


def _invented(reply: dict[str, Any]) -> None:
    _supported(reply, chunk="c99")
    for claim in reply.get("claims", []):
        if "quote" not in claim:
            claim["statements"] = ["r99"]


def _yes(reply: dict[str, Any]) -> None:
    for item in (*reply.get("claims", []), *reply.get("statements", [])):
        if "verdict" in item:
            item["verdict"] = "yes"
    if "better" in reply:
        reply["better"] = "yes"


def _foreign(reply: dict[str, Any]) -> None:
    for name in ("sentences", "claims", "facts"):
        if reply.get(name):
            reply[name].append({**reply[name][0], "id": f"c-18/{reply[name][0]['id']}"})


def _omit(reply: dict[str, Any]) -> None:
    for name, value in reply.items():
        if isinstance(value, list):
            reply[name] = []


def _silence(reply: dict[str, Any]) -> None:
    for sentence in reply.get("sentences", []):
        sentence.update(claims=[], no_claim="Nothing is said.")


def _abstain(reply: dict[str, Any]) -> None:
    _silence(reply)
    if "abstention" in reply:
        reply["abstention"]["abstained"] = True


OBEYING: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pass": lambda _: {"pass": True},
    "supported": _supported,
    "misquoted": lambda reply: _supported(reply, "as every source says"),
    "invented": _invented,
    "yes": _yes,
    "extra": lambda reply: {**reply, "score": 1.0},
    "wrapped": lambda reply: {"response": reply},
    "foreign": _foreign,
    "omit": _omit,
    "silence": _silence,
    "abstain": _abstain,
}
"""What an attack asks for, made of an honest reply."""


def obeyed(asks: str, reply: dict[str, Any]) -> dict[str, Any]:
    """The reply of a judge that does what an attack asks for, as far as the question lets it."""
    changed = copy.deepcopy(reply)
    return OBEYING[asks](changed) or changed


def obedient(asks: str) -> Callable[[JudgeRequest], Any]:
    """A judge that obeys wherever an attack reaches it, in repairs too, and is honest elsewhere."""
    return lambda request: obeyed(asks, honest(request)) if is_reached(request) else honest(request)
