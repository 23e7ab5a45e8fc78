"""What the fake model replies: a JSON object that fits the schema, about what it was really given.

``Asked`` reads a request as a judge would: the fenced blocks of data, and the ids that are asked for behind them. A
test hands the server a function of it, most often one that changes what ``agree`` says.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

FENCE = re.compile(r"<<(?P<token>[0-9a-f]{16}) (?P<name>[^\n>]+)>>\n(?P<text>.*?)\n<<(?P=token) end>>", re.DOTALL)
ASKED_FOR = re.compile(r"^- (\w+): *(.*)$", re.MULTILINE)
WORD = re.compile(r"\w+")
AGREEING = ("supported", "present", "in_reference", "tie", "yes", "relevant")
DENYING = {"jointly", "abstained", "abstention"}
QUOTED = 8


class Said(NamedTuple):
    """A reply that is more than text: how it ends, or that it is a refusal."""

    text: str
    finish: str = "stop"
    refusal: bool = False


@dataclass
class Asked:
    """A request, whatever the wire format."""

    name: str
    system: str
    user: str
    schema: dict[str, Any] | None
    model: str
    body: dict[str, Any] = field(repr=False, default_factory=dict)

    @property
    def blocks(self) -> dict[str, str]:
        """Fenced text by its name (``chunk c1``, ``question``, ``claims``)."""
        return {found["name"]: found["text"] for found in FENCE.finditer(self.user)}

    @property
    def chunks(self) -> dict[str, str]:
        """Chunk texts by their short ids."""
        return {name.partition(" ")[2]: text for name, text in self.blocks.items() if name.startswith("chunk ")}

    def listed(self, name: str) -> dict[str, str]:
        """Texts by id of a block that lists them, a JSON object a line."""
        lines = [line for line in self.blocks.get(name, "").splitlines() if line.startswith("{")]
        return {item["id"]: item["text"] for item in map(json.loads, lines)}

    def asked_for(self, name: str) -> list[str]:
        """Ids that the words behind the data ask for."""
        rest = self.user[max((found.end() for found in FENCE.finditer(self.user)), default=0) :]
        found = dict(ASKED_FOR.findall(rest))
        if name in found:
            return [] if found[name] in ("[]", "null") else [each.strip() for each in found[name].split(",")]
        # The answer's sentences are listed in the block that is called after it.
        return list(self.listed("answer" if name == "sentences" else name))


def agree(asked: Asked) -> dict[str, Any]:
    """Everything is supported by the first chunk, present, relevant and no abstention."""
    return _object(schema_of(asked), asked, None)


def literal(asked: Asked) -> dict[str, Any]:
    """As ``agree``; but a claim is supported only by chunks that hold all of its words."""
    reply = agree(asked)
    for claim in reply.get("claims", []) if asked.chunks else []:
        words = set(WORD.findall(asked.listed("claims")[claim["id"]].casefold()))
        holding = [each for each, text in asked.chunks.items() if words <= set(WORD.findall(text.casefold()))]
        claim["chunks"] = holding
        if holding:
            claim["quote"] = quote(asked.chunks[holding[0]])
        else:
            claim.update(verdict="unsupported", quote=None)
    return reply


def quote(text: str) -> str:
    """The first words of a text, as they stand there."""
    found = list(WORD.finditer(text))[:QUOTED]
    return text[found[0].start() : found[-1].end()] if found else ""


def schema_of(asked: Asked) -> dict[str, Any]:
    """The schema, or the one that is stated in the text."""
    if asked.schema is not None:
        return asked.schema
    stated = asked.user[asked.user.rindex("JSON Schema") :]
    return json.loads(stated[stated.index("\n") :].strip().partition("\n")[0])


def _object(schema: dict[str, Any], asked: Asked, of: str | None) -> dict[str, Any]:
    return {name: _value(inner, name, asked, of) for name, inner in schema["properties"].items()}


def _value(schema: dict[str, Any], name: str, asked: Asked, of: str | None) -> Any:
    if "anyOf" in schema:
        wanted = name == "quote" or (name != "no_claim" and asked.asked_for(name))
        return _value(schema["anyOf"][0], name, asked, of) if wanted else None
    if "enum" in schema:
        return next((each for each in AGREEING if each in schema["enum"]), schema["enum"][0])
    kind = schema["type"]
    if kind == "object":
        return _object(schema, asked, of)
    if kind == "array":
        return _list(schema["items"], name, asked, of)
    if kind == "boolean":
        return name not in DENYING
    return _text(name, asked, of) if kind == "string" else 0


def _list(items: dict[str, Any], name: str, asked: Asked, of: str | None) -> list[Any]:
    if "properties" in items and "id" in items["properties"]:
        return [_object(items, asked, each) for each in asked.asked_for(name)]
    if name == "chunks":
        return list(asked.chunks)[:1]
    if name == "questions":
        count = re.findall(r"\b\d{1,2}\b", asked.user.rpartition(">>")[2])
        return [f"Question {number}?" for number in range(1, int(count[0]) + 1 if count else 2)]
    if name == "statements" and of is not None:
        return asked.asked_for(name)[:1]
    if name == "statements":
        return [asked.blocks.get("reference", "").strip() or "Nothing."]
    return [asked.listed("answer").get(of or "", "A claim.")]


def _text(name: str, asked: Asked, of: str | None) -> str:
    if name == "id":
        return of or ""
    if name == "quote":
        return quote(next(iter(asked.chunks.values()), ""))
    return "As the text says."
