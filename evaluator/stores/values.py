"""Files of ours that hold one value: collect.json, comparison.json, exam.json, decision.json and manifest.json."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import jiter

from evaluator import errors
from evaluator.model.base import FORMAT, Value, to_json
from evaluator.stores import atomic, json_text, located, regular, words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader
    from pathlib import Path

MAX_BYTES = 64 * 1024 * 1024
"""Largest file that is read whole."""

V = TypeVar("V", bound=Value)


def read_value(path: Path, model: type[V]) -> V:
    """The value that a file of ours holds.

    Raises:
        FileProblem: it is missing, unreadable, larger than 64 MB, not whole, no JSON, has duplicate keys or numbers
            that are not finite, is of another format, or is not such a value.
    """
    return decode(read_whole(path, MAX_BYTES), model, str(path))


def write_value(path: Path, value: Value) -> None:
    """Write a value atomically, one top-level key a line.

    Raises:
        FileProblem: the system refuses, or the value holds NaN or Infinity.
    """
    lines = [encode({name: getattr(value, name)}, str(path))[1:-1] for name in type(value).model_fields]
    atomic.write_bytes(path, b"{" + b",\n".join(lines) + b"}\n")


def read_whole(path: Path, limit: int) -> bytes:
    """The bytes of a file of ours, without a byte order mark.

    Raises:
        FileProblem: it is missing, unreadable or larger than ``limit`` bytes.
    """
    with opened(path) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise errors.FileProblem(f"{path} is larger than {limit >> 20} MB, which no file of this kind is")
    return data.removeprefix(located.BOM)


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader]:
    """A file of ours, open for reading.

    Raises:
        FileProblem: it is missing or cannot be read.
    """
    try:
        with regular.open_regular(path) as file:
            yield file
    except FileNotFoundError as error:
        raise errors.FileProblem(f"{path} does not exist") from error
    except OSError as error:
        raise errors.FileProblem(f"{path} cannot be read: {error.strerror}") from error


def decode(data: bytes, model: type[V], shown: str, line: int = 1) -> V:
    """A value from JSON that begins on a line of the file ``shown``.

    Raises:
        FileProblem: as :func:`read_value`.
    """
    problems: list[errors.Problem] = []
    text = json_text.parse(data, shown, problems, line)
    if text is not None and "format" in model.model_fields:
        check_format(text.value, shown)
    value = located.validate(model, text, shown, problems) if text is not None else None
    if value is None:
        raise problem(problems)
    return value


def check_format(value: Any, shown: str) -> None:
    """Refuse a value of another format before its fields are looked at: they would only mislead.

    Raises:
        FileProblem: the value is no mapping, or its format is not ours.
    """
    if not isinstance(value, dict) or "format" not in value:
        raise errors.FileProblem(f"{shown} is not a file of rag-assay: it names no format")
    if type(value["format"]) is not int or value["format"] != FORMAT:
        written = words.described(value["format"])
        raise errors.FileProblem(f"{shown} has format {written}; this version of rag-assay reads format {FORMAT}")


def problem(problems: list[errors.Problem]) -> errors.FileProblem:
    """One sentence about a file of ours that cannot be used; the first problem stands for the others."""
    first, *others = problems
    more = f" (and {len(others)} more)" if others else ""
    place = ":".join(str(part) for part in (first.file, first.line, first.column) if part)
    return errors.FileProblem(f"{place}: {first.message}{more}")


def encode(value: Any, shown: str, exclude: set[str] | None = None) -> bytes:
    """One compact line of JSON, without the line end and without the fields of a model that are to be left out.

    Raises:
        FileProblem: the value holds NaN or Infinity, which no file of ours may.
    """
    line = to_json(value, exclude)
    if b"NaN" in line or b"Infinity" in line:
        # The words may well stand in a text; only a parser can tell.
        try:
            jiter.from_json(line, allow_inf_nan=False)
        except ValueError as error:
            raise errors.FileProblem(f"{shown} cannot be written: NaN or Infinity would stand in it") from error
    return line
