"""Numbers whose unit stands in another place: in the heading of their column, in their row, before a colon.

A chunk that names a currency somewhere is no table. What is read is a row of cells below a heading (Markdown, tabs,
columns of spaces, HTML, CSV) and a number that is all that follows a label (``Price (EUR): 30``).
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, NamedTuple

from evaluator.metrics._scales import scale_in, scaled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evaluator.metrics._amounts import Value
    from evaluator.metrics._units import Units

_LONGEST_CAPTION = 8
_RULE = frozenset(" \t|:+=-")
_COLUMNS = re.compile(r"(?<=\S) {2,}(?=\S)")
_NUMBER_ALONE = re.compile(r"[-+]?[0-9][0-9.,' ]*")
_LABELLED = re.compile(
    r"(?P<label>[^:=;|\n]{1,80}?)(?:\s?[:=]\s?|(?<=\)) ?(?:(?:is|är|ist|est|es|to) )?)"
    r"(?P<numbers>-?[0-9][0-9.,' ]{0,30}(?:(?:-|/|,| to | till | bis | a | à | do | and ) ?[0-9][0-9.,']{0,20})?)"
    r"(?= {0,3}(?:$|[;|()\n]|\.(?![0-9])))",
    re.MULTILINE,
)
_DIGIT = re.compile("[0-9]")


class Labelled(NamedTuple):
    """A number with nothing beside it whose unit another place names.

    ``is_sure`` where nothing else can be meant: what heads its column names the unit.
    """

    number: str
    units: frozenset[str]
    is_sure: bool


class Tables:
    """Reads the tables and labels of one text, which still has its tabs and runs of spaces.

    ``read`` gives the values of a piece of text.
    """

    def __init__(self, units: Units, read: Callable[[str], Sequence[Value]]) -> None:
        self._units = units
        self._read = read

    def labelled(self, text: str) -> Iterator[Labelled]:
        """Every number whose unit is named in another place."""
        above = ""
        for mark, lines in itertools.groupby(_without_html(text).split("\n"), _mark_of):
            block = list(lines)
            rows = [_cells(line, mark) for line in block if not _is_rule(line)] if mark else []
            if mark in {",", ";"} and len({len(row) for row in rows}) > 1:
                rows = []
            if rows:
                yield from self._table(rows, above, is_loose=mark in {",", ";"})
            if not rows or mark in {",", ";"}:
                for line in block:
                    yield from self._line(line)
            above = next((line for line in reversed(block) if line.strip()), above)

    def _table(self, rows: Sequence[Sequence[str]], above: str, *, is_loose: bool) -> Iterator[Labelled]:
        caption = self._units.named_in(above) if 0 < len(above.split()) <= _LONGEST_CAPTION else frozenset[str]()
        heads = [(self._units.named_in(cell), scale_in(cell)) for cell in rows[0]]
        for row in rows:
            beside = frozenset(unit for cell in row for unit in self._units.of(cell))
            label = self._units.named_in(row[0]) if not _DIGIT.search(row[0]) else frozenset[str]()
            for column, cell in enumerate(row):
                if not _DIGIT.search(cell) or (is_loose and not _NUMBER_ALONE.fullmatch(cell)):
                    continue
                fits = len(row) == len(rows[0]) and row is not rows[0]
                head, zeros = heads[column] if fits else (frozenset[str](), 0)
                others = (
                    beside | (label if column and not is_loose else frozenset()) | (frozenset() if head else caption)
                )
                for value in self._read(cell):
                    if value.bare:
                        yield Labelled(value.number, head | others, bool(head))
                        yield from [Labelled(scaled(value.number, zeros), head | others, False)] if zeros else []

    def _line(self, line: str) -> Iterator[Labelled]:
        for found in _LABELLED.finditer(line) if _DIGIT.search(line) else ():
            label = re.split(r"[.!?] ", found["label"])[-1]
            units = self._units.named_in(label)
            if units:
                is_sure = not _DIGIT.search(label)
                yield from (Labelled(each.number, units, is_sure) for each in self._read(found["numbers"]) if each.bare)


def _without_html(text: str) -> str:
    if "</t" not in text.casefold():
        return text
    text = re.sub(r"(?i)</t[dh]>", "\t", re.sub(r"(?i)</t[dh]>\s*</tr", "</tr", text))
    return re.sub(r"<[^<>\n]{0,200}>", " ", re.sub(r"(?i)</(?:tr|caption)>\s*", "\n", text))


def _is_rule(line: str) -> bool:
    return "-" in line and _RULE.issuperset(line)


def _mark_of(line: str) -> str:
    """What parts the cells of a line; empty where it has none, or is blank."""
    if "|" in line or _is_rule(line):
        return "|"
    if "\t" in line.strip():
        return "\t"
    if _COLUMNS.search(line):
        return "  "
    return next((mark for mark in ";," if mark in line), "")


def _cells(line: str, mark: str) -> list[str]:
    if mark == "  ":
        cells = _COLUMNS.split(line)
    elif mark == "|":
        cells = re.sub(r"^\s*\||\|\s*$", "", line).split("|")
    else:
        cells = line.split(mark)
    return [cell.strip() for cell in cells]
