"""Files that people and tools write, read with the place of every value, so that each mistake can be shown.

Readers take ``problems``, a list that every mistake is added to, and go on: one bad line does not hide the next.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import pathlib
import typing
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import pydantic

from evaluator.errors import Problem, nearest
from evaluator.model.base import Value
from evaluator.stores import json_text, regular, words, yaml_text
from evaluator.stores.words import (
    At,
    Finding,
    Path,
    described,
    did_you_mean,
    metric_mistake,
    spelled,
    visible,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.stores.json_text import JsonText, Place
    from evaluator.stores.yaml_text import YamlText

__all__ = [
    "At",
    "Finding",
    "Located",
    "Path",
    "described",
    "did_you_mean",
    "locate",
    "metric_mistake",
    "read_json_lines",
    "read_yaml",
    "spelled",
    "unreadable",
    "validate",
    "visible",
]
"""The words for problems are offered here too: configuration reads its file through this module alone."""

MAX_LINE = 8 * 1024 * 1024
"""Longest line of a JSON Lines file, in bytes."""

MAX_YAML = 64 * 1024 * 1024
"""Largest YAML file, in bytes."""

BOM = b"\xef\xbb\xbf"
V = TypeVar("V", bound=Value)


class Located(Protocol):
    """A decoded value that knows where each of its parts stands."""

    @property
    def value(self) -> Any:
        """The value as JSON types."""
        ...

    @property
    def line(self) -> int:
        """The line, from 1, on which it begins."""
        ...

    def place(self, path: Path, at: At = "value") -> Place:
        """Where the value at a path stands, or its key."""
        ...

    def inside(self, path: Path, offset: int) -> Place:
        """Where a character of the text at a path stands."""
        ...


def read_json_lines(
    path: pathlib.Path, shown: str, problems: list[Problem], *, longest: int = MAX_LINE
) -> Iterator[JsonText]:
    """The values of a JSON Lines file, one line in memory at a time; blank lines and a byte order mark are skipped.

    A line of more than ``longest`` bytes is a problem.
    """
    try:
        with regular.open_regular(path) as file:
            number, data = 0, file.readline(longest + 1).removeprefix(BOM)
            while data:
                number += 1
                if len(data) > longest:
                    sentence = f"this line is longer than {longest >> 20} MB"
                    problems.append(Problem("line-too-long", sentence, shown, number, 1))
                    while data and not data.endswith(b"\n"):
                        data = file.readline(longest)
                elif not data.isspace():
                    found = json_text.parse(data.rstrip(), shown, problems, number)
                    if found is not None:
                        yield found
                data = file.readline(longest + 1)
    except OSError as error:
        problems.append(unreadable(error, shown))


def read_yaml(path: pathlib.Path, shown: str, problems: list[Problem]) -> YamlText | None:
    """The value of a YAML file, or None and every problem."""
    try:
        with regular.open_regular(path) as file:
            data = file.read(MAX_YAML + 1)
    except OSError as error:
        problems.append(unreadable(error, shown))
        return None
    if len(data) > MAX_YAML:
        problems.append(Problem("file-too-large", "this file is larger than 64 MB", shown))
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(errors="replace")
        place = (before.count("\n") + 1, len(before) - before.rfind("\n"))
        problems.append(Problem("encoding", "this is not UTF-8 text", shown, *place))
        return None
    return yaml_text.parse(text, shown, problems)


def unreadable(error: OSError, shown: str) -> Problem:
    """The problem of a file that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return Problem("missing-file", f"there is no such file{_near(pathlib.Path(shown))}", shown)
    return Problem("unreadable-file", f"it cannot be read: {error.strerror}", shown)


def _near(path: pathlib.Path) -> str:
    """The end of a sentence about a file that is not there: the one whose name differs a little in one place."""
    place, missing = path.parent, path.name
    while not place.is_dir() and place != place.parent:
        place, missing = place.parent, place.name
    try:
        names = [each.name for each in itertools.islice(place.iterdir(), words.MAX_COMPARED)]
    except OSError:
        return ""
    near = place / nearest(missing, [name for name in names if len(name) <= words.SHOWN], cutoff=0.75)
    there = near / path.relative_to(place / missing)
    # What is there of a long path is known to be right; only its end would be cut.
    said = words.visible(str(there.relative_to(place)))
    return f"; did you mean '{said}'?" if near != place and there.is_file() else ""


def validate(model: type[V], item: Located, shown: str, problems: list[Problem]) -> V | None:
    """The value as a model, or None and every mistake with its place."""
    try:
        value = model.model_validate(item.value)
    except pydantic.ValidationError as error:
        findings = words.explain(error, model, item.value)
    else:
        findings = [_not_finite(path) for path in _infinities(model, item.value)]
        if not findings:
            return value
    problems.extend(locate(item, finding, shown) for finding in findings)
    return None


def locate(item: Located, finding: Finding, shown: str) -> Problem:
    """A finding as a problem of its file."""
    return Problem(finding.code, finding.sentence, shown, *item.place(finding.path, finding.at))


def _not_finite(path: Path) -> Finding:
    return Finding("not-finite", path, "value", f"{spelled(path)} is too large for a number")


def _infinities(model: type[Value], value: Any) -> Iterator[Path]:
    """Where a number became infinite (1e999) in the parts of a value that a model leaves open."""
    for name in _open_fields(model):
        if name in value:
            yield from _infinite(value[name], (name,))


def _infinite(value: Any, path: Path) -> Iterator[Path]:
    if type(value) is float:
        if not math.isfinite(value):
            yield path
    elif type(value) is dict:
        for key, part in value.items():
            if type(part) is not str:
                yield from _infinite(part, (*path, key))
    elif type(value) is list:
        for index, part in enumerate(value):
            if type(part) is not str:
                yield from _infinite(part, (*path, index))


@functools.cache
def _open_fields(model: type[pydantic.BaseModel]) -> tuple[str, ...]:
    return tuple(name for name, field in model.model_fields.items() if _is_open(field.annotation))


def _is_open(annotation: Any) -> bool:
    if annotation is Any:
        return True
    if inspect.isclass(annotation) and issubclass(annotation, pydantic.BaseModel):
        return bool(_open_fields(annotation))
    return any(_is_open(part) for part in typing.get_args(annotation))
