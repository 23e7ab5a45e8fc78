"""records.jsonl: what the pipeline did, one line a golden case, and the ``.part`` file of a collect under way."""

from __future__ import annotations

import hashlib
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from evaluator import errors
from evaluator.model.base import to_json
from evaluator.model.record import Record
from evaluator.stores import atomic, layout, located, values
from evaluator.stores.spans import CaseSpans, Source, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import BinaryIO


def iter_records(path: Path) -> Iterator[Record]:
    """The records of a whole file, in its order, one in memory at a time.

    Raises:
        FileProblem: the file is missing or unreadable, a line is not a record, or an id is there twice.
    """
    lines: dict[str, int] = {}
    problems: list[errors.Problem] = []
    for item in located.read_json_lines(path, str(path), problems):
        record = None if problems else located.validate(Record, item, str(path), problems)
        if record is None:
            break
        first = lines.setdefault(record.id, item.line)
        if first != item.line:
            raise errors.FileProblem(f"{path}:{item.line}: the case of line {first} is recorded a second time")
        yield record
    if problems:
        raise values.problem(problems)


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write a whole file atomically, in the order of ``records``, one in memory at a time.

    Raises:
        FileProblem: the system refuses, or a record holds NaN or Infinity.
    """
    with atomic.atomic_file(path) as file:
        for record in records:
            file.write(line_of(record, path))


def line_of(record: Record, path: Path) -> bytes:
    """A record as it stands in a file, with the line end; one that was asked once says nothing of repeats."""
    exclude = None if record.repeats else {"repeats"}
    if record.usage is None and record.meta is None and not record.repeats:
        # All other numbers of a record were looked at when it was made: only what is left open can be infinite.
        return to_json(record, exclude) + b"\n"
    return values.encode(record, f"{path}: case '{record.id}'", exclude) + b"\n"


def read_part(path: Path) -> Iterator[Record]:
    """The whole records of a file whose writer may have died: a torn last line is dropped; no file, no records.

    Raises:
        FileProblem: any other line is not a record.
    """
    if not path.exists():
        return
    with values.opened(path) as file:
        for number, line in enumerate(file, 1):
            if line.endswith(b"\n"):
                yield values.decode(line, Record, str(path), number)


class RecordWriter(AbstractContextManager["RecordWriter"]):
    """Appends to a ``.part`` file; every record is handed to the system at once, so that none is lost with us.

    A torn last line of an earlier writer is cut off first.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: BinaryIO = path.open("ab")
        self._file.truncate(_whole_length(path))

    def add(self, record: Record) -> None:
        """Append one record.

        Raises:
            FileProblem: the record holds NaN or Infinity.
        """
        self._file.write(line_of(record, self._path))
        self._file.flush()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.close()


def _whole_length(path: Path) -> int:
    whole = 0
    with path.open("rb") as file:
        for line in file:
            whole += len(line) if line.endswith(b"\n") else 0
    return whole


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes.

    Raises:
        FileProblem: it is missing or unreadable.
    """
    with values.opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def scan_records(path: Path) -> tuple[CaseSpans, str]:
    """Where each case of a records file is, and the file's SHA-256, in one pass.

    Raises:
        FileProblem: the file is missing or unreadable, a line is not a record, or an id is there twice.
    """
    spans: dict[str, Span] = {}
    sha256, offset = hashlib.sha256(), 0
    with values.opened(path) as file:
        for line in file:
            sha256.update(line)
            case = layout.case_id(line)
            if case is None:
                raise errors.FileProblem(f"{path} holds a line that is not a record")
            layout.note(spans, case, Span(offset, offset + len(line)), path)
            offset += len(line)
        return CaseSpans(Source(file), spans), sha256.hexdigest()
