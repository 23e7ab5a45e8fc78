"""seal: takes what collect wrote out of the zone where the user's code ran: only what is valid and holds no key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import pydantic

from evaluator import errors
from evaluator.model.base import Value
from evaluator.model.config import NonNegative
from evaluator.model.record import Collection, Record
from evaluator.stores import records, values
from evaluator.zones import archive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

    from evaluator.zones.keys import Keys

RECORDED = ("collect.json", "records.jsonl")
"""The files that come out of collect, and no others."""


def seal(stream: IO[bytes], out: IO[bytes], keys: Keys, *, folder: Path) -> None:
    """Write the validated files of a run, with every key in them replaced.

    ``folder`` is an empty one for the work.

    Raises:
        ZoneProblem: the stream is not what collect writes.
        LeakedKey: a key was found; what was written holds none.
    """
    before, after = folder / "before", folder / "after"
    before.mkdir()
    after.mkdir()
    archive.take_files(stream, before, RECORDED)
    leaking = _Leaking(keys)
    try:
        collection = values.read_value(before / "collect.json", _Collection)
        values.write_value(after / "collect.json", Collection.model_validate(keys.replaced(collection.model_dump())))
        records.write_records(after / "records.jsonl", leaking.cleaned(records.iter_records(before / "records.jsonl")))
    except errors.FileProblem as error:
        raise errors.ZoneProblem(f"what collect wrote is no run: {error}") from error
    archive.pack_files(after, out, RECORDED)
    if keys.found:
        names = ", ".join(sorted(keys.found))
        where = f"{leaking.count:,} of the pipeline's answers" if leaking.count else "the pipeline's settings"
        raise errors.LeakedKey(f"the value of {names} is in {where}; it was replaced and nothing was kept: change it")


Sentences = Annotated[
    tuple[Annotated[str, pydantic.StringConstraints(max_length=10_000)], ...],
    pydantic.Field(strict=False, max_length=1_000),
]


class _Timing(Value):
    """What collect says of time, and in sentences."""

    started_at: Annotated[str, pydantic.StringConstraints(max_length=64)]
    seconds: NonNegative
    latency_ms: dict[str, NonNegative]
    uncommitted: bool = False
    alerts: Sentences = ()
    warnings: Sentences = ()


class _Collection(Collection):
    """collect.json with its timing checked as well."""

    timing: _Timing  # type: ignore[assignment]


class _Leaking:
    """Replaces keys in records and counts the records that held one."""

    def __init__(self, keys: Keys) -> None:
        self.count = 0
        self._keys = keys

    def cleaned(self, found: Iterator[Record]) -> Iterator[Record]:
        for record in found:
            if self._keys.are_in(record.model_dump_json().encode()):
                self.count += 1
                yield Record.model_validate(self._keys.replaced(record.model_dump()))
            else:
                yield record
