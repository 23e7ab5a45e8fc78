"""JSON Schemas within what every provider takes for structured output, and what a reply has that they do not allow.

Objects require all their properties and allow no others; there are no bounds and no references, so that a schema is
its own whole text.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Schema: TypeAlias = dict[str, Any]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}

_LONGEST = 60
_TYPES: dict[str, type] = {"string": str, "boolean": bool, "object": dict, "array": list}


class Fault(NamedTuple):
    """What is wrong, as a sentence, and the value that is."""

    text: str
    value: Any


def obj(**properties: Schema) -> Schema:
    """An object with just these properties, in this order: a reason stands before what it is the reason of."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def listed(items: Schema) -> Schema:
    """A list of any length."""
    return {"type": "array", "items": items}


def one_of(*values: str) -> Schema:
    """One of some words."""
    return {"type": "string", "enum": list(values)}


def or_null(schema: Schema) -> Schema:
    """That, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def faults(schema: Mapping[str, Any], value: object, where: str = "") -> Iterator[Fault]:
    """Everything in which a value is not what the schema says; nothing is converted."""
    if "anyOf" in schema:
        if value is not None:
            yield from faults(schema["anyOf"][0], value, where)
        return
    kind = schema["type"]
    if not isinstance(value, _TYPES[kind]):
        yield Fault(f"{_named(where)} must be {_wanted(schema)}, not {_shown(value)}", value)
    elif isinstance(value, dict):
        yield from _of_object(schema, value, where)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from faults(schema["items"], item, f"{where}[{index}]")
    elif "enum" in schema and value not in schema["enum"]:
        yield Fault(f"{_named(where)} must be {_wanted(schema)}, not {_shown(value)}", value)


def _of_object(schema: Mapping[str, Any], value: dict[str, Any], where: str) -> Iterator[Fault]:
    properties = schema["properties"]
    dot = f"{where}." if where else ""
    for key in (each for each in value if each not in properties):
        yield Fault(f"{_named(where)} has a key {_shown(key)}, which is none of {', '.join(properties)}", value[key])
    for key, inner in properties.items():
        if key in value:
            yield from faults(inner, value[key], f"{dot}{key}")
        else:
            yield Fault(f"{_named(where)} lacks {key!r}", None)


def _named(where: str) -> str:
    return where or "the reply"


def _wanted(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}"
    return {"string": "a text", "boolean": "true or false", "object": "an object", "array": "a list"}[schema["type"]]


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
