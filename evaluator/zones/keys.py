"""The values of variables that the pipeline was granted, found again in what it wrote, in the forms they travel in."""

from __future__ import annotations

import base64
import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

from evaluator.model.base import to_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SHORTEST = 8
"""Values with fewer characters are not looked for: they occur by chance."""

_SIX_BITS = 6
_EIGHT_BITS = 8


class Keys:
    """Variables and their values.

    Attributes:
        found: the variables whose value was found so far.
        ignored: the variables whose value is too short to be looked for.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        self.found: set[str] = set()
        self.ignored = tuple(name for name, value in values.items() if 0 < len(value) < SHORTEST)
        self._names = {form: name for name, value in values.items() for form in forms(value)}
        longest_first = sorted(self._names, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        self._as_json = tuple(to_json(form)[1:-1] for form in longest_first)

    def are_in(self, line: bytes) -> bool:
        """Whether any is in JSON that :func:`evaluator.model.base.to_json` wrote."""
        return any(form in line for form in self._as_json)

    def replaced(self, value: Any) -> Any:
        """JSON types with the variable's name in place of each value, in keys of mappings too; 0 for a number."""
        if isinstance(value, str):
            return self.replaced_in(value)
        if isinstance(value, dict):
            return {self.replaced_in(name): self.replaced(part) for name, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.replaced(part) for part in value]
        if isinstance(value, int | float) and (name := self._names.get(_digits(value))) is not None:
            self.found.add(name)
            return 0
        return value

    def replaced_in(self, text: str) -> str:
        """A text with the variable's name in place of each value."""
        return self._pattern.sub(self._name, text) if self._pattern else text

    def _name(self, found: re.Match[str]) -> str:
        name = self._names[found[0]]
        self.found.add(name)
        return f"[the value of {name}]"


def _digits(number: float) -> str:
    return to_json(number).decode().removesuffix(".0")


def forms(value: str) -> frozenset[str]:
    """How a value is looked for: it and each of its lines, plain and encoded; nothing if it is too short."""
    lines = [line for line in value.splitlines() if not line.startswith("-----")]
    whole = {text for text in (value, value.strip(), *lines) if len(text) >= SHORTEST}
    return frozenset(form for text in whole for form in _encoded(text))


def _encoded(text: str) -> Iterator[str]:
    data = text.encode(errors="surrogateescape")
    # A value that is no UTF-8 cannot stand in JSON as it is.
    shown = data.decode(errors="replace")
    yield shown
    yield from _in_base64(data)
    yield from (data.hex(), data.hex().upper())
    for in_url in (quote(data, safe=""), quote(data), quote_plus(data)):
        yield in_url
        yield re.sub("%..", lambda found: found[0].lower(), in_url)
    for in_json in (json.dumps(shown)[1:-1], json.dumps(shown, ensure_ascii=False)[1:-1]):
        yield in_json
        yield in_json.replace("/", "\\/")


def _in_base64(data: bytes) -> Iterator[str]:
    """The characters that a value gives at each of the three places it can have among other bytes."""
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + data).decode()
        start = -(-before * _EIGHT_BITS // _SIX_BITS)
        end = (before + len(data)) * _EIGHT_BITS // _SIX_BITS
        yield encoded[start:end]
        yield encoded[start:end].replace("+", "-").replace("/", "_")
