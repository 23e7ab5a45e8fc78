"""The ``.part`` files of a collect under way: what was answered, kept so that an interrupted run can go on."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, BinaryIO, Self

import jiter

from evaluator import errors
from evaluator.model.base import canonical, to_json
from evaluator.stages.recording import Note
from evaluator.stores import records, regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import TracebackType

    from evaluator.model.record import Record


PARTS = ("records.jsonl.part", "collect.json.part")


def discard(out: Path) -> None:
    """Remove what an interrupted collect has left in an output folder."""
    for name in PARTS:
        (out / name).unlink(missing_ok=True)


class Partial:
    """What one collect has answered so far: records, and beside them the run they are of and their notes.

    ``identity`` is what the answers depend on: they are of use only to a run of an equal one. As a context manager it
    takes further answers; leaving it keeps them.
    """

    def __init__(self, out: Path, identity: dict[str, Any]) -> None:
        self.path, self._notes_path = (out / name for name in PARTS)
        self._identity = canonical(identity) + b"\n"
        self._open = ExitStack()

    def exists(self) -> bool:
        """Whether an interrupted run has left anything."""
        return self.path.exists()

    def is_of_use(self) -> bool:
        """Whether what it left is whole and of the same identity."""
        try:
            with regular.open_regular(self._notes_path) as file:
                same = file.readline() == self._identity
            return same and all(True for _ in self.kept())
        except (OSError, ValueError, errors.FileProblem):
            return False

    def kept(self) -> Iterator[tuple[Record, Note]]:
        """What was answered; a case that failed is to be asked again."""
        notes = self._read_notes()
        for record in records.read_part(self.path):
            if not record.failed:
                yield record, notes.get(record.id, Note())

    def _read_notes(self) -> dict[str, Note]:
        with regular.open_regular(self._notes_path) as file:
            file.readline()
            # The last line may be torn: then it is not known how long one answer took, and nothing else.
            whole = [json.loads(line) for line in file if line.endswith(b"\n")]
        return {identifier: Note(latency_ms, tuple(warnings)) for identifier, latency_ms, warnings in whole}

    def __enter__(self) -> Self:
        self._records = self._open.enter_context(records.RecordWriter(self.path))
        self._notes: BinaryIO = self._open.enter_context(self._notes_path.open("ab+"))
        self._notes.seek(0)
        self._notes.truncate(self._notes.read().rfind(b"\n") + 1)
        if self._notes.tell() == 0:
            self._notes.write(self._identity)
            self._notes.flush()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._open.close()

    def add(self, record: Record, note: Note) -> None:
        """Keep one answer."""
        self._notes.write(to_json((record.id, note.latency_ms, note.warnings)) + b"\n")
        self._notes.flush()
        self._records.add(record)

    def lines(self, ids: Iterable[str]) -> Iterator[bytes]:
        """The records of these ids, in their order, each as its line; of several of one id the last."""
        places: dict[str, int] = {}
        with self.path.open("rb") as file:
            place = 0
            for line in file:
                places[jiter.from_json(line)["id"]] = place
                place += len(line)
            for identifier in ids:
                file.seek(places[identifier])
                yield file.readline()

    def discard(self) -> None:
        """Remove it."""
        discard(self.path.parent)
