"""JSON, JSON Lines, YAML and CSV of other tools: records with the line each begins on."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator.stores import regular
from evaluator.stores.importers._lines import BOM, text_lines, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from evaluator.errors import Problem
    from evaluator.model.exchange import Intake
    from evaluator.stores.json_text import JsonText

MAX_BYTES = 1024 * 1024 * 1024
"""Largest JSON document of another tool."""

MAX_SHOWN = 60
"""Characters of foreign text that a sentence shows."""

SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas", "|": "'|'"}
"""What stands between the cells of tables, the likeliest first."""


class Entry(NamedTuple):
    """A record of a file and the line it begins on."""

    value: dict[str, Any]
    line: int


def json_lines(path: Path, intake: Intake) -> Iterator[Entry]:
    """The objects of a JSON Lines file. NaN and Infinity, which some tools write, become null, and that is said."""
    for number, text in text_lines(path, intake):
        found = _parse(text.encode(), path, intake, number)
        value = without_nan(found.value, intake) if found is not None else None
        if isinstance(value, dict):
            yield Entry(value, number)
        elif found is not None:
            intake.problem("wrong-value", "this line is no JSON object", path, number)


def json_document(path: Path, intake: Intake) -> JsonText | None:
    """A whole JSON file, or None and a problem. NaN and Infinity are kept."""
    try:
        with regular.open_regular(path) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        unreadable(error, path, intake)
        return None
    if len(data) > MAX_BYTES:
        intake.problem("file-too-large", f"this file is larger than {MAX_BYTES >> 20} MB", path)
        return None
    return _parse(data.removeprefix(BOM), path, intake, 1)


def _parse(data: bytes, path: Path, intake: Intake, line: int) -> JsonText | None:
    import jiter  # noqa: PLC0415 - what reads JSON is imported where it is used

    from evaluator.stores import json_text  # noqa: PLC0415 - as above

    try:
        return json_text.JsonText(jiter.from_json(data, catch_duplicate_keys=True, allow_inf_nan=True), data, line)
    except ValueError:
        # Read once more by our own reader, which says where and what.
        found: list[Problem] = []
        json_text.parse(data, str(path), found, line)
        intake.problems += found
        return None


def entries(document: JsonText, at: tuple[str, ...], path: Path, intake: Intake) -> Iterator[Entry]:
    """The objects of a list in a document, and the lines they begin on."""
    from evaluator.stores import json_text  # noqa: PLC0415 - as in _parse

    text = document.data.decode()
    line, seen = document.line, 0
    values = document.value
    for key in at:
        values = values[key]
    for value, member in zip(values, json_text.members(text, json_text.find(text, at).start), strict=True):
        line += text.count("\n", seen, member.start)
        seen = member.start
        if isinstance(value, dict):
            yield Entry(without_nan(value, intake), line)
        else:
            intake.problem("wrong-value", "this item is no JSON object", path, line)


def without_nan(value: Any, intake: Intake) -> Any:
    """A value with null in place of NaN and Infinity."""
    if isinstance(value, float) and not math.isfinite(value):
        intake.remark("NaN or Infinity, read as nothing")
        return None
    if isinstance(value, dict):
        return {key: without_nan(part, intake) for key, part in value.items()}
    if isinstance(value, list):
        return [without_nan(part, intake) for part in value]
    return value


def csv_rows(path: Path, intake: Intake, delimiter: str | None = None, *, repeated: bool = False) -> Iterator[Entry]:
    """The rows of a CSV file by its header; the delimiter is tab for .tsv and .tab, else comma.

    Cells may hold line ends. A row with other than as many cells as the header is a problem, and so is a name that
    two columns have, unless they may be ``repeated``: then the second is ``NAME (2)``. A header that other cells than
    one can be seen in, by another separator, is a problem, and nothing below it is read.
    """
    csv.field_size_limit(MAX_BYTES)
    at = 0

    def lines() -> Iterator[str]:
        nonlocal at
        # Blank lines and line ends may stand inside a cell.
        for number, text in text_lines(path, intake, whole=True):
            at = number
            yield text

    separator = delimiter or ("\t" if path.suffix.lower() in {".tsv", ".tab"} else ",")
    reader = csv.reader(lines(), delimiter=separator, strict=True)
    header: list[str] = []
    begin = 1
    try:
        for cells in reader:
            if not header:
                header = _numbered(cells)
                other = _other_separator(cells, separator)
                if other:
                    intake.problem("syntax", other, path, begin)
                    return
                if header != cells and not repeated:
                    _name_repeated(cells, path, intake, begin)
            elif len(cells) == len(header):
                yield Entry(dict(zip(header, cells, strict=True)), begin)
            elif cells:
                sentence = f"this row has {len(cells)} cells, the header {len(header)}"
                intake.problem("syntax", sentence, path, begin)
            begin = at + 1
    except csv.Error as error:
        intake.problem("syntax", f"this is no CSV: {error}", path, begin)


def _other_separator(header: Sequence[str], separator: str) -> str:
    """A sentence about a header that is one cell only because something else stands between its cells."""
    [name, *more] = header or [""]
    found = next((each for each in SEPARATORS if each in name and each != separator), "") if not more else ""
    if not found:
        return ""
    written, used = SEPARATORS[found], SEPARATORS.get(separator, f"'{separator}'")
    return (
        f"the header is one column, {shortened(name)!r}: its cells are separated by {written}, not by {used}; "
        f"rag-assay import csv takes --delimiter {'tab' if found == chr(9) else repr(found)}"
    )


def shortened(text: str) -> str:
    """The beginning of a text, enough of it to know it by."""
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


def _numbered(names: Sequence[str]) -> list[str]:
    found = []
    for place, name in enumerate(names):
        count = names[: place + 1].count(name)
        found.append(name if count == 1 else f"{name} ({count})")
    return found


def _name_repeated(names: Sequence[str], path: Path, intake: Intake, line: int) -> None:
    for name in sorted({name for name in names if names.count(name) > 1}):
        intake.problem("duplicate-key", f"two columns are named {name!r}", path, line)
