"""JSON text: strict decoding, and where each of its values stands."""

from __future__ import annotations

import itertools
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import jiter

from evaluator.errors import Problem
from evaluator.stores import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.stores.words import At, Path

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_WHERE = re.compile(r"(.*) at line (\d+) column (\d+)", re.DOTALL)

_CHARACTER = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|.", re.DOTALL)
"""A character as it is written within quotation marks; one beyond the basic plane may be two escapes."""

_DUPLICATE = "Detected duplicate key "
_LAST_KEY = re.compile(rb'"(?:[^"\\]|\\.)*"\s*:\s*$')


class Place(NamedTuple):
    """Line and column, both from 1; columns count characters."""

    line: int
    column: int


class JsonText(NamedTuple):
    """A JSON document (or line of a file) that begins on ``line``."""

    value: Any
    data: bytes
    line: int = 1

    def place(self, path: Path, at: At = "value") -> Place:
        """Where the value at a path stands, or its key."""
        text = self.data.decode()
        found = find(text, path)
        return self._at(text, found.key if at == "key" else found.start)

    def inside(self, path: Path, offset: int) -> Place:
        """Where a character of the text at a path stands."""
        text = self.data.decode()
        at = find(text, path).start + 1
        for found in itertools.islice(_CHARACTER.finditer(text, at), offset):
            at = found.end()
        return self._at(text, at)

    def _at(self, text: str, index: int) -> Place:
        return Place(self.line + text.count("\n", 0, index), index - text.rfind("\n", 0, index))


class Member(NamedTuple):
    """A value in a JSON text: its key or index, where the key begins, and where the value begins and ends."""

    name: str | int
    key: int
    start: int
    end: int


def find(text: str, path: Path) -> Member:
    """The value at a path of a valid JSON text that has it."""
    start = _skip(text, 0)
    found = Member("", start, start, _end(text, start))
    for step in path:
        found = next(member for member in members(text, found.start) if member.name == step)
    return found


def members(text: str, start: int) -> Iterator[Member]:
    """The values of the object or array that begins at ``start`` of a valid JSON text."""
    keyed = text[start] == "{"
    at, index = _skip(text, start + 1), 0
    while text[at] not in "}]":
        key = at
        if keyed:
            at = _skip(text, _skip(text, _end(text, key)) + 1)
        end = _end(text, at)
        yield Member(_DECODER.raw_decode(text, key)[0] if keyed else index, key, at, end)
        after = _skip(text, end)
        at, index = _skip(text, after + 1) if text[after] == "," else after, index + 1


def _end(text: str, start: int) -> int:
    return _DECODER.raw_decode(text, start)[1]


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def parse(data: bytes, shown: str, problems: list[Problem], line: int = 1) -> JsonText | None:
    """A JSON text without duplicate keys, NaN and Infinity, or None and one problem.

    A number such as 1e999 still becomes infinite; :func:`evaluator.stores.located.validate` looks for those.
    """
    try:
        return JsonText(jiter.from_json(data, catch_duplicate_keys=True, allow_inf_nan=False), data, line)
    except ValueError as error:
        problems.append(_problem(str(error), data, shown, line))
        return None


def _problem(message: str, data: bytes, shown: str, line: int) -> Problem:
    found = _WHERE.fullmatch(message)
    said, row, byte = (found[1], int(found[2]), int(found[3])) if found else (message, 1, 1)
    text = data.split(b"\n")[row - 1]
    before, rest = text[: max(byte - 1, 0)], text[max(byte - 1, 0) :]
    if said.startswith(_DUPLICATE):
        # The parser stops after the colon; people look for the key.
        before = _LAST_KEY.sub(b"", before)
    return Problem(*_in_words(said, rest), shown, line + row - 1, len(before.decode(errors="replace")) + 1)


def _in_words(said: str, rest: bytes) -> tuple[str, str]:
    if said.startswith(_DUPLICATE):
        return "duplicate-key", f"duplicate key {words.visible(said.removeprefix(_DUPLICATE))}"
    if said.startswith("invalid unicode"):
        return "encoding", "this is not UTF-8 text"
    if re.match(rb"-?(NaN|Infinity)", rest):
        return "not-finite", "NaN and Infinity are no JSON numbers"
    if said.startswith("EOF"):
        return "syntax", "not valid JSON: it ends in the middle of a value"
    return "syntax", f"not valid JSON: {words.visible(said)}"
