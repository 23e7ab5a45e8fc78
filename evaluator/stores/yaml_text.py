"""YAML text as JSON types: scalars as in YAML 1.2, no duplicate keys or anchors, and the place of every value."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from evaluator.errors import Problem
from evaluator.stores import words
from evaluator.stores.json_text import Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evaluator.stores.words import At, Path

MAX_DEPTH = 100
_TAG = "tag:yaml.org,2002:"


class _CoreLoader(yaml.CSafeLoader):
    """Plain scalars mean what YAML 1.2's core schema says: yes, no, on, off and dates are text."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - the attribute is PyYAML's


_PATTERNS = {
    "null": re.compile(r"~|null|Null|NULL|"),
    "bool": re.compile(r"true|True|TRUE|false|False|FALSE"),
    "int": re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"),
    "float": re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"),
}
for _name, _first in (
    ("null", ["~", "n", "N", ""]),
    ("bool", "tTfF"),
    ("int", "-+0123456789"),
    ("float", "-+.0123456789"),
):
    _CoreLoader.add_implicit_resolver(_TAG + _name, re.compile(f"(?:{_PATTERNS[_name].pattern})$"), list(_first))


class YamlText(NamedTuple):
    """A value of a YAML document."""

    value: Any
    node: yaml.Node

    @property
    def line(self) -> int:
        """The line, from 1, on which it begins."""
        return _at(self.node.start_mark).line

    def place(self, path: Path, at: At = "value") -> Place:
        """Where the value at a path stands, or its key."""
        key = node = self.node
        for step in path:
            if isinstance(node, yaml.MappingNode):
                key, node = next(pair for pair in node.value if pair[0].value == step)
            else:
                key = node = node.value[step]
        return _at((key if at == "key" else node).start_mark)

    def inside(self, path: Path, offset: int) -> Place:
        """Where a character of the text at a path stands; its beginning where it is folded or has escapes."""
        node: Any = self.node
        for step in path:
            pairs = node.value
            node = next(value for key, value in pairs if key.value == step) if isinstance(step, str) else pairs[step]
        start, end = node.start_mark, node.end_mark
        quotes = end.column - start.column - len(node.value)
        written_out = start.line == end.line and quotes == (2 if node.style else 0)
        return Place(start.line + 1, start.column + 1 + (quotes // 2 + offset if written_out else 0))

    def items(self) -> Iterator[YamlText]:
        """The items of a list, each by itself."""
        for value, node in zip(self.value, self.node.value, strict=True):
            yield YamlText(value, node)


def parse(text: str, shown: str, problems: list[Problem]) -> YamlText | None:
    """A YAML text of one document, or None and every problem; an empty document is null."""
    try:
        found = list(_anchors(text, shown)) if "&" in text or "*" in text else []
        node = None if found else yaml.compose(text, Loader=_CoreLoader)
    except yaml.MarkedYAMLError as error:
        problems.append(_syntax(error, shown))
        return None
    except yaml.reader.ReaderError as error:
        problems.append(Problem("syntax", f"not valid YAML: {error.reason}", shown, *_at_byte(text, error.position)))
        return None
    value = _Builder(shown, found).build(node, 0) if node is not None else None
    problems.extend(found)
    if found:
        return None
    return YamlText(value, node or yaml.ScalarNode(_TAG + "null", "", _START, _START))


_START = yaml.Mark("", 0, 0, 0, None, 0)


def _anchors(text: str, shown: str) -> Iterator[Problem]:
    for event in yaml.parse(text, Loader=_CoreLoader):
        if getattr(event, "anchor", None) is not None:
            sentence = "anchors and aliases (&name, *name) are not accepted: write the value out, or put it in quotes"
            yield Problem("yaml-alias", sentence, shown, *_at(event.start_mark))


def _syntax(error: yaml.MarkedYAMLError, shown: str) -> Problem:
    place = _at(error.problem_mark or error.context_mark or _START)
    if "expected a single document" in str(error.context):
        return Problem("syntax", "the file holds more than one YAML document", shown, *place)
    said = " ".join(part for part in (error.problem, error.context) if part)
    hint = ""
    if "cannot start any token" in said:
        hint = "; indent with spaces, never with a tab, and put a text that begins with %, @ or ` in quotes"
    return Problem("syntax", f"not valid YAML: {words.visible(said)}{hint}", shown, *place)


def _at_byte(text: str, position: int) -> Place:
    before = text.encode()[:position].decode(errors="ignore")
    return Place(before.count("\n") + 1, len(before) - before.rfind("\n"))


def _at(mark: Any) -> Place:
    return Place(mark.line + 1, mark.column + 1)


class _Builder:
    """Makes JSON types of nodes; what cannot be one is a problem, and null in its place."""

    def __init__(self, shown: str, problems: list[Problem]) -> None:
        self._shown = shown
        self._problems = problems

    def build(self, node: yaml.Node, depth: int) -> Any:
        if depth > MAX_DEPTH:
            return self._problem(node, "syntax", f"this is nested more than {MAX_DEPTH} levels deep")
        if isinstance(node, yaml.MappingNode) and node.tag == _TAG + "map":
            return self._mapping(node, depth + 1)
        if isinstance(node, yaml.SequenceNode) and node.tag == _TAG + "seq":
            return [self.build(item, depth + 1) for item in node.value]
        if isinstance(node, yaml.ScalarNode) and node.tag.removeprefix(_TAG) in _SCALARS:
            return self._scalar(node)
        return self._problem(node, "syntax", f"the tag {words.visible(node.tag)} is not accepted")

    def _mapping(self, node: yaml.MappingNode, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag != _TAG + "str":
                self._problem(key, "wrong-value", "a key must be text: put it in quotes")
                continue
            line = key.start_mark.line + 1
            if key.value in found:
                sentence = f"duplicate key '{words.visible(key.value)}', first on line {lines[key.value]}"
                self._problem(key, "duplicate-key", sentence)
            lines.setdefault(key.value, line)
            found[key.value] = self.build(value, depth)
        return found

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        text, kind = node.value, node.tag.removeprefix(_TAG)
        if "\0" in text:
            return self._problem(node, "wrong-value", "text may not hold a NUL character")
        try:
            value: Any = _SCALARS[kind](text) if kind == "str" or _PATTERNS[kind].fullmatch(text) else _NOTHING
        except ValueError:
            value = _NOTHING
        if value is _NOTHING:
            return self._problem(node, "wrong-value", f"'{words.visible(text)}' cannot be read as {kind}")
        if kind == "float" and not math.isfinite(value):
            return self._problem(node, "not-finite", f"{words.visible(text)} is not a finite number")
        return value

    def _problem(self, node: yaml.Node, code: str, sentence: str) -> None:
        self._problems.append(Problem(code, sentence, self._shown, *_at(node.start_mark)))


_NOTHING = object()
_SCALARS: dict[str, Callable[[str], Any]] = {
    "null": lambda _: None,
    "bool": lambda text: text.lower() == "true",
    "int": lambda text: int(text, {"0o": 8, "0x": 16}.get(text[:2], 10)),
    "float": lambda text: float(text.lower().replace(".inf", "inf").replace(".nan", "nan")),
    "str": str,
}
