"""Chunks as other tools keep them: JSON Lines, JSON, CSV, TSV, Parquet and Lance, with a map of columns."""

from __future__ import annotations

import csv
import datetime
import io
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator import errors, registry
from evaluator.errors import Problem
from evaluator.stores import fixtures, json_text, located, regular, values, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from evaluator.model.fixture import Chunk
    from evaluator.stores.words import At
    from evaluator.stores.words import Path as Inside

JSON_LINES = frozenset({".jsonl", ".ndjson"})
DELIMITERS = {".csv": ",", ".tsv": "\t"}
OTHERS = frozenset({".json", *DELIMITERS, ".parquet", ".lance"})
"""Kinds of files that are no chunks.jsonl: any other file is taken for one."""
KINDS = (*sorted(JSON_LINES), ".json", *DELIMITERS, ".parquet", ".lance")

FIELDS = ("id", "text", "doc")
VECTOR = "vector"
META = "meta."
BATCH = 4_096
"""Rows of a column store that are in memory at once."""


class Row(NamedTuple):
    """One row; ``line`` is its line in a text file, its number from 1 elsewhere."""

    value: Any
    line: int

    def place(self, path: Inside, at: At = "value") -> json_text.Place:  # noqa: ARG002 - a row has one place
        """Where it begins."""
        return json_text.Place(self.line, 1)

    def inside(self, path: Inside, offset: int) -> json_text.Place:  # noqa: ARG002 - as in place
        """The same."""
        return self.place(path)


class Table(NamedTuple):
    """Chunks in the file's order and, where a column of them was named, a vector each.

    ``has_unread_vectors``: no column of vectors was named, and there is one of that name.
    """

    chunks: tuple[Chunk, ...]
    vectors: list[Any] | None
    has_unread_vectors: bool = False


def parse_columns(written: Sequence[str]) -> dict[str, str]:
    """``FIELD=COLUMN`` texts as a map.

    Raises:
        UsageError: one is something else, or a field is named twice.
    """
    columns: dict[str, str] = {}
    for each in written:
        field, equals, column = each.partition("=")
        if not equals or not column or not (field in {*FIELDS, VECTOR} or field.removeprefix(META) not in {field, ""}):
            raise errors.UsageError(
                f"--column {each!r} is not FIELD=COLUMN, where FIELD is {', '.join(FIELDS)}, {VECTOR} or {META}NAME"
            )
        if field in columns:
            raise errors.UsageError(f"--column names {field} twice")
        columns[field] = column
    return columns


def read_table(path: Path, columns: Mapping[str, str]) -> Table:
    """The chunks of a file.

    ``columns`` says which column is which field; id, text and doc are found under their own names. Columns that are not
    named are left out.

    Raises:
        InputError: every row that is no chunk, or a file that cannot be read.
        UsageError: a column is not there, or the file is of another kind.
        MissingExtra: the file is of a kind that needs a library.
    """
    problems: list[Problem] = []
    rows = _Rows(path, columns, problems)
    chunks = fixtures.collect_chunks(rows, str(path), problems)
    if problems:
        raise errors.InputError(problems)
    return Table(chunks, rows.vectors if VECTOR in columns else None, rows.has_unread_vectors)


class _Rows:
    """Rows made into what a chunk is read from; vectors are put aside."""

    def __init__(self, path: Path, columns: Mapping[str, str], problems: list[Problem]) -> None:
        self.vectors: list[Any] = []
        self.has_unread_vectors = False
        self._path = path
        self._columns = dict(columns)
        self._problems = problems
        self._looked = False

    def __iter__(self) -> Iterator[Row]:
        for row in _rows(self._path, self._problems):
            if not isinstance(row.value, dict):
                self._add("wrong-value", f"a row is a mapping of columns, not {words.described(row.value)}", row)
                continue
            if not self._looked:
                self._find_columns(row.value)
            if VECTOR in self._columns:
                self.vectors.append(_numbers(row.value.get(self._columns[VECTOR])))
            yield Row(self._chunk(row.value), row.line)

    def _add(self, code: str, sentence: str, row: Row) -> None:
        self._problems.append(Problem(code, sentence, str(self._path), row.line, 1))

    def _find_columns(self, first: Mapping[str, Any]) -> None:
        """Hold the map against the first row, which names every column of a table.

        Raises:
            UsageError: a column is not there.
        """
        self._looked = True
        self.has_unread_vectors = VECTOR in first and VECTOR not in self._columns
        for field in FIELDS:
            if field not in self._columns and (field in first or field != "doc"):
                self._columns[field] = field
        absent = {column: field for field, column in self._columns.items() if column not in first}
        if absent and self._path.suffix.lower() not in {*JSON_LINES, ".json"}:
            column, field = next(iter(absent.items()))
            raise errors.UsageError(
                f"{self._path} has no column '{words.visible(column)}'{_known(column, first)}; name the one that is "
                f"the {field} with --column {field}=COLUMN"
            )

    def _chunk(self, row: Mapping[str, Any]) -> dict[str, Any]:
        chunk: dict[str, Any] = {}
        for field, column in self._columns.items():
            value = row.get(column)
            if field.startswith(META) and value is not None:
                chunk.setdefault("meta", {})[field.removeprefix(META)] = _plain(value)
            elif field in {"id", "doc"} and type(value) is int:
                chunk[field] = str(value)
            elif field in FIELDS and value is not None and (field != "doc" or value != ""):
                chunk[field] = value
        return chunk


def _numbers(value: Any) -> Any:
    """A vector; a table of text has it as a list in JSON."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _known(column: str, row: Collection[str]) -> str:
    return words.did_you_mean(column, [str(name) for name in row])


def _plain(value: Any) -> Any:
    """A cell as JSON has it."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _rows(path: Path, problems: list[Problem]) -> Iterator[Row]:
    suffix = path.suffix.lower()
    if suffix in JSON_LINES:
        return (Row(item.value, item.line) for item in located.read_json_lines(path, str(path), problems))
    if suffix in DELIMITERS:
        return _delimited(path, DELIMITERS[suffix], problems)
    readers = {".json": _json, ".parquet": _parquet, ".lance": _lance}
    if suffix not in readers:
        raise errors.UsageError(f"{path} is of no kind that chunks are read from: {', '.join(KINDS)}")
    return readers[suffix](path, problems)


def _delimited(path: Path, delimiter: str, problems: list[Problem]) -> Iterator[Row]:
    csv.field_size_limit(located.MAX_LINE)
    try:
        with regular.open_regular(path) as file:
            reader = csv.DictReader(io.TextIOWrapper(file, "utf-8-sig", newline=""), delimiter=delimiter, strict=True)
            line = 2
            for row in reader:
                if None in row or None in row.values():
                    sentence = f"this row has more or fewer cells than the {len(reader.fieldnames or ())} of the head"
                    problems.append(Problem("syntax", sentence, str(path), line, 1))
                else:
                    yield Row(dict(row), line)
                line = reader.line_num + 1
    except OSError as error:
        problems.append(located.unreadable(error, str(path)))
    except UnicodeDecodeError:
        problems.append(Problem("encoding", "this is not UTF-8 text", str(path)))
    except csv.Error as error:
        problems.append(Problem("syntax", f"not a table of cells: {error}", str(path), line, 1))


def _json(path: Path, problems: list[Problem]) -> Iterator[Row]:
    found = json_text.parse(values.read_whole(path, values.MAX_BYTES), str(path), problems)
    if found is None:
        return
    if not isinstance(found.value, list):
        problems.append(Problem("wrong-value", "a file of chunks in JSON is a list of objects", str(path), 1, 1))
        return
    text, before, line = found.data.decode(), 0, 1
    for value, member in zip(found.value, json_text.members(text, text.index("[")), strict=True):
        line += text.count("\n", before, member.start)
        before = member.start
        yield Row(value, line)


def _parquet(path: Path, problems: list[Problem]) -> Iterator[Row]:
    parquet = registry.library("pyarrow.parquet", "parquet")
    arrow = registry.library("pyarrow", "parquet")
    try:
        with regular.open_regular(path) as file:
            yield from _batches(parquet.ParquetFile(file).iter_batches(BATCH))
    except arrow.ArrowException as error:
        problems.append(Problem("syntax", f"it is no Parquet file: {words.visible(str(error), 200)}", str(path)))
    except OSError as error:
        problems.append(located.unreadable(error, str(path)))


def _lance(path: Path, problems: list[Problem]) -> Iterator[Row]:
    lance = registry.library("lance", "lance")
    try:
        batches = lance.dataset(str(path)).to_batches(batch_size=BATCH)
    except (OSError, ValueError) as error:
        problems.append(
            Problem("unreadable-file", f"it is no Lance data set: {words.visible(str(error), 200)}", str(path))
        )
        return
    yield from _batches(batches)


def _batches(batches: Iterator[Any]) -> Iterator[Row]:
    number = 0
    for batch in batches:
        for value in batch.to_pylist():
            number += 1
            yield Row(value, number)
