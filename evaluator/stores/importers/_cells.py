"""What stands in a field of another tool, as JSON types: texts, numbers, lists and turns, however they are written."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

HIT = ("id", "doc", "score", "text")
"""What is kept of a retrieved result."""

YES = {"true", "yes", "1"}
NO = {"false", "no", "0", ""}


def text_of(value: Any, name: str) -> str:
    """A text, or a number as one.

    Raises:
        ValueError: it is anything else.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    names = {list: "a list", dict: "an object", bool: "true or false"}
    raise ValueError(f"{name} is {names.get(type(value), 'nothing')}, not a text")


def number_of(value: Any, name: str) -> float:
    """A number, or a text that is one.

    Raises:
        ValueError: it is neither.
    """
    try:
        return value if isinstance(value, int | float) and not isinstance(value, bool) else float(text_of(value, name))
    except ValueError:
        raise ValueError(f"{name} is {value!r}, not a number") from None


def flag_of(value: Any, name: str) -> bool:
    """True or false, or a text that says so.

    Raises:
        ValueError: it is neither.
    """
    said = value if isinstance(value, bool) else str(value).strip().casefold()
    if said in {True, *YES}:
        return True
    if said in {False, *NO}:
        return False
    raise ValueError(f"{name} is {value!r}, not true or false")


def list_of(value: Any, separator: str, name: str) -> list[Any]:
    """A list as it is, as JSON or as Python writes it, or texts with a separator between them.

    Raises:
        ValueError: a text begins like a list and is none.
    """
    if isinstance(value, list | tuple):
        return list(value)
    if not isinstance(value, str):
        return [value]
    written = written_list(value.strip())
    if written is None and re.match(r"""\s*\[\s*["'{]""", value):
        raise ValueError(f"{name} begins like a list, and is none")
    return written if written is not None else [part for part in value.split(separator) if part.strip()]


def written_list(text: str) -> list[Any] | None:
    """A list as JSON or as Python writes it, None for any other text."""
    if not text.startswith("[") or not text.endswith("]"):
        return None
    for parse in (json.loads, ast.literal_eval):
        try:
            found = parse(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        return found if isinstance(found, list) else None
    return None


def need_of(value: Any) -> Any:
    """A need as it stands in a golden file; a list of ids is satisfied by any of them."""
    if isinstance(value, list):
        return {"any_of": [text_of(each, "relevant") for each in value]} if len(value) != 1 else need_of(value[0])
    return value if isinstance(value, dict) else text_of(value, "relevant")


def fact_of(value: Any, number: int) -> dict[str, Any]:
    """A required fact; a text is one by itself."""
    if isinstance(value, dict):
        return value
    return {"id": f"f{number}", "text": text_of(value, "facts")}


def hit_of(value: Any) -> dict[str, Any]:
    """A retrieved result; a text is its id.

    Raises:
        ValueError: it has none.
    """
    if isinstance(value, dict):
        known = {name: value[name] for name in HIT if value.get(name) is not None}
        if "id" in known:
            return {**known, "id": text_of(known["id"], "retrieved")}
        raise ValueError("a retrieved result has no id")
    return {"id": text_of(value, "retrieved")}


ROLES = {"human": "user", "ai": "assistant"}


def asked(value: Any) -> tuple[str, list[Any]]:
    """The question and what was said before it, where a conversation stands in place of a question.

    Raises:
        ValueError: it does not end with a question.
    """
    if not isinstance(value, list):
        return text_of(value, "question"), []
    if value and not any(isinstance(each, dict) for each in value):
        raise ValueError("the question is a list of values, which is not expanded: write one record for each")
    turns = turns_of(value)
    if not turns or turns[-1]["role"] != "user":
        raise ValueError("the conversation does not end with a question of the user")
    return turns[-1]["content"], turns[:-1]


def turns_of(value: Any) -> list[dict[str, str]]:
    """Earlier turns of a conversation, by the roles that a golden case has for them.

    Raises:
        ValueError: a turn has no role or no content.
    """
    found = []
    for turn in value if isinstance(value, list) else written_list(str(value).strip()) or [value]:
        parts = turn if isinstance(turn, dict) else {}
        role = text_of(parts.get("role", parts.get("type")), "the role of a turn")
        found.append({"role": ROLES.get(role, role), "content": text_of(parts.get("content"), "what a turn says")})
    return found
