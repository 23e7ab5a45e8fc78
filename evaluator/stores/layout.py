"""Where the cases of a run.json are: in the layout it is written in, and in any other."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import jiter

from evaluator import errors
from evaluator.stores import json_text, located, values, words
from evaluator.stores.spans import Span

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.stores.json_text import JsonText

MAX_WHOLE = 256 * 1024 * 1024
"""Largest run.json, in bytes, that is read although it does not have one case a line."""

MAX_HEAD = 16 * 1024 * 1024
"""Most bytes that come before the cases."""

CASES = b'"cases":['
HISTORY = b'"history":'

_CASE = re.compile(rb'\{\s*"id"\s*:\s*("(?:[^"\\]|\\.)*")')


class Layout(NamedTuple):
    """``rest`` is the document without its cases; ``spans`` says where each is, ``history`` where that value is."""

    rest: bytes
    spans: dict[str, Span]
    history: Span


def find_layout(file: BinaryIO, path: Path) -> Layout:
    """Look through a run.json once.

    Raises:
        FileProblem: it is not whole, no JSON, too large for its layout, or holds a case twice.
    """
    found = _by_line(file, path)
    if found is None:
        file.seek(0)
        found = _whole(file, path)
    return found


def case_id(line: bytes) -> str | None:
    """The id of a case or record from its line, without reading more of it than that."""
    found = _CASE.match(line)
    return str(jiter.from_json(found[1])) if found else None


def note(spans: dict[str, Span], case: str, span: Span, path: Path) -> None:
    """Remember where a case is.

    Raises:
        FileProblem: the file has it twice.
    """
    if case in spans:
        raise errors.FileProblem(f"{path} holds the case '{words.visible(case)}' twice")
    spans[case] = span


def _by_line(file: BinaryIO, path: Path) -> Layout | None:
    """The layout of a file with one case a line; None for any other, damaged ones included."""
    head = _head(file)
    spans: dict[str, Span] = {}
    offset, more = len(head), bool(head)
    for line in file:
        if line.startswith(b"]"):
            return _with_tail(head, spans, line + file.read()) if not more or not spans else None
        case = case_id(line) if more else None
        if case is None:
            return None
        more = line.endswith(b",\n")
        note(spans, case, Span(offset, offset + len(line) - (2 if more else 1)), path)
        offset += len(line)
    return None


def _head(file: BinaryIO) -> bytes:
    """Everything up to the first case; empty where that does not come on a line of its own."""
    head = b""
    while len(head) < MAX_HEAD and (line := file.readline(MAX_HEAD)):
        head += line
        if line == CASES + b"\n":
            return head
    return b""


def _with_tail(head: bytes, spans: dict[str, Span], tail: bytes) -> Layout | None:
    start = tail.rfind(b"\n" + HISTORY) + 1 + len(HISTORY)
    end = len(tail.rstrip()) - 1
    try:
        jiter.from_json(tail[start:end])
    except ValueError:
        return None
    before = max((span.end + 1 for span in spans.values()), default=len(head))
    return Layout(head + tail, spans, Span(before + start, before + end))


def _whole(file: BinaryIO, path: Path) -> Layout:
    """The layout of any JSON text, read whole."""
    if os.fstat(file.fileno()).st_size > MAX_WHOLE:
        raise errors.FileProblem(f"{path} does not have one case a line and is too large to be read without that")
    data = file.read()
    mark = located.BOM if data.startswith(located.BOM) else b""
    problems: list[errors.Problem] = []
    parsed = json_text.parse(data.removeprefix(mark), str(path), problems)
    if parsed is None:
        raise values.problem(problems)
    values.check_format(parsed.value, str(path))
    return _spread(parsed, len(mark), path)


def _spread(parsed: JsonText, shift: int, path: Path) -> Layout:
    # One character a byte, so that positions are those in the file; JSON's own characters are ASCII.
    text = parsed.data.decode("latin-1")
    places = {member.name: member for member in json_text.members(text, text.index("{"))}
    if not isinstance(parsed.value.get("cases"), list):
        return Layout(parsed.data, {}, Span(0, 0))
    cases = places["cases"]
    history = places.get("history", cases)
    spans: dict[str, Span] = {}
    for value, item in zip(parsed.value["cases"], json_text.members(text, cases.start), strict=True):
        note(spans, _named(value, path), Span(item.start + shift, item.end + shift), path)
    rest = parsed.data[: cases.start] + b"[]" + parsed.data[cases.end :]
    return Layout(rest, spans, Span(history.start + shift, history.end + shift))


def _named(case: Any, path: Path) -> str:
    name = case.get("id") if isinstance(case, dict) else None
    if not isinstance(name, str):
        raise errors.FileProblem(f"{path} holds a case without an id")
    return name
