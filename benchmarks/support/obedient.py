"""What an obedient model replies to the prompts of several tools: as many parts as it is asked for, all in agreement.

Assumed of it, the same for all: a text that is to be taken apart has one claim, statement, truth or question for each
of its sentences, in the words of the sentence; every verdict is the best one, and every reason one short sentence. The
prompts are read for their data only, the reply follows the JSON Schema that each tool states.
"""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING, Any, TypeAlias

from tests.fakes.llm_brain import agree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.fakes.llm_brain import Asked

    Given: TypeAlias = Mapping[str, str | list[str]]

REASON = "As the text says."
BEST_SCORE = 10
INPUT = "\ninput: "
"""What Ragas puts before the data of a prompt, a JSON object."""
HEADED = re.compile(
    r"^(?P<name>[A-Z][A-Za-z ]*)(?: \((?P<count>\d+) documents?\))?:\n"
    r"(?P<text>.*?)(?=\n\n[A-Z][\w ()]*:\n|\n\nJSON:|\Z)",
    re.MULTILINE | re.DOTALL,
)
"""How DeepEval lays out the data at the end of a prompt: a heading on a line of its own, then the text."""
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)")
WORD = re.compile(r"\w")
SOURCES = {
    "truths": ("text",),
    "claims": ("ai output", "response"),
    "statements": ("statements", "text", "answer"),
    "classifications": ("answer",),
    "TP": ("answer",),
    "FP": (),
    "FN": (),
    "verdicts": ("claims", "statements", "documents", "context", "expected output"),
}
"""Of which data a reply has one part each, by the name of its list: the first of these that a prompt has."""


def obey(asked: Asked) -> Any:
    """The reply to a prompt of RAG Assay, Ragas or DeepEval."""
    if asked.blocks:
        return _ours(asked)
    schema = asked.schema or _stated(asked.system)
    if schema is None:
        # DeepEval's GEval asks for likelihoods instead of a format, and states this one in words.
        return {"reason": REASON, "score": BEST_SCORE}
    return _filled(schema, schema.get("$defs", {}), _given(asked.user))


def sentences(text: str) -> list[str]:
    """A text's sentences, by their full stops."""
    return [each for each in SENTENCE.split(text.strip()) if WORD.search(each)] or [text.strip()]


def _ours(asked: Asked) -> Any:
    reply = agree(asked)
    if set(reply) == {"statements"}:
        reply["statements"] = sentences(asked.blocks["reference"])
    return reply


def _stated(system: str) -> dict[str, Any] | None:
    """The schema that stands in the system message."""
    start = system.find("{")
    return json.JSONDecoder().raw_decode(system, start)[0] if start >= 0 else None


def _given(user: str) -> Given:
    """The data of a prompt by name."""
    _, found, data = user.rpartition(INPUT)
    if found:
        return dict(json.JSONDecoder().raw_decode(data)[0])
    given: dict[str, str | list[str]] = {}
    for each in HEADED.finditer(user):
        name, text = each["name"].casefold(), each["text"].strip()
        # Claims and statements are shown as Python shows a list.
        given[name] = ast.literal_eval(text) if name in ("claims", "statements") else text
        if each["count"]:
            given["documents"] = [REASON] * int(each["count"])
    return given


def _parts(name: str, given: Given) -> list[str]:
    """The texts that a list of a reply has one part each for."""
    source = next((given[each] for each in SOURCES[name] if given.get(each)), [])
    return sentences(source) if isinstance(source, str) else source


def _filled(schema: dict[str, Any], named: dict[str, Any], given: Given) -> dict[str, Any]:
    return {name: _value(name, inner, named, given) for name, inner in schema["properties"].items()}


def _value(name: str, schema: dict[str, Any], named: dict[str, Any], given: Given) -> Any:
    schema = _resolved(schema, named)
    if schema["type"] == "array":
        inner = _resolved(schema["items"], named)
        parts = _parts(name, given)
        return parts if inner["type"] == "string" else [_part(each, inner, named, given) for each in parts]
    if "enum" in schema:
        return schema["enum"][0]
    simple = {"null": None, "integer": int(name != "noncommittal"), "number": BEST_SCORE, "string": REASON}
    return simple[schema["type"]]


def _part(text: str, schema: dict[str, Any], named: dict[str, Any], given: Given) -> dict[str, Any]:
    filled = _filled(schema, named, given)
    return {**filled, "statement": text} if "statement" in filled else filled


def _resolved(schema: dict[str, Any], named: dict[str, Any]) -> dict[str, Any]:
    """A schema without references; null where that is allowed: no prompt asks for what may be left out."""
    if "anyOf" in schema:
        return {"type": "null"}
    if "$ref" in schema:
        return _resolved(named[schema["$ref"].rpartition("/")[2]], named)
    if "allOf" in schema:
        return _resolved(schema["allOf"][0], named)
    return schema if "type" in schema else {**schema, "type": "string"}
