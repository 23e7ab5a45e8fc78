"""run.json: written and read one case at a time, so that a large run is never whole in memory.

Every top-level key has a line of its own; after ``"cases":[`` comes one case a line.
"""

from __future__ import annotations

import hashlib
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypedDict, Unpack

import pydantic

from evaluator import errors
from evaluator.model.base import FORMAT, Value
from evaluator.model.record import Hit, Record
from evaluator.model.run import RunCase, RunHead
from evaluator.stores import atomic, json_text, layout, located, records, values, words
from evaluator.stores.spans import CaseSpans, Source, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import BinaryIO

    from evaluator.model.calibration import Calibration
    from evaluator.model.noise import Noise
    from evaluator.model.run import History, JudgeInfo, RecordsFile, RunSummary, SelfReported


REPEATED = ("needs", "failure", "answer", "abstained", "context", "claims", "judgement", "usage", "duplicates")
"""Fields of a case that may be others each time its question is asked, beside its results."""


class RunStart(TypedDict):
    """The top-level keys of run.json that come before its cases."""

    tool: str
    suite: str
    tier: Literal["retrieval", "full"]
    commit: str | None
    fingerprint: Mapping[str, str]
    config: Mapping[str, Any]
    records: RecordsFile | None
    judge: JudgeInfo | None
    calibration: Calibration | None
    noise: Noise | None
    self_reported: SelfReported | None


class RunWriter(AbstractContextManager["RunWriter"]):
    """Writes a run.json case by case; the file appears when the block ends after :meth:`finish`, and only then."""

    def __init__(self, path: Path, **start: Unpack[RunStart]) -> None:
        self._path = path
        self._head: Mapping[str, Any] = {"format": FORMAT, **start}
        self._separator = b"\n"
        self._finished = False

    def __enter__(self) -> Self:
        self._whole = atomic.atomic_file(self._path)
        self._file: BinaryIO = self._whole.__enter__()
        head = [self._member(key, self._head[key]) for key in ("format", *RunStart.__annotations__)]
        self._file.write(b"{" + b",\n".join(head) + b",\n" + layout.CASES)
        return self

    def add(self, case: RunCase, **results: Sequence[Mapping[str, Any]] | None) -> None:
        """Write the next case; ``results`` are its ``retrieved`` and ``context_only`` as JSON, if not in itself.

        Raises:
            FileProblem: the case holds NaN or Infinity.
        """
        value = {**vars(case), **results} if results else case
        self._file.write(self._separator + values.encode(value, f"{self._path}: case '{words.visible(case.id)}'"))
        self._separator = b",\n"

    def finish(
        self,
        summary: RunSummary,
        texts: Mapping[str, str],
        places: Mapping[str, int],
        timing: Mapping[str, Any],
        history: History,
    ) -> Span:
        """Write what comes after the cases; where the value of the history then is.

        Raises:
            FileProblem: a value holds NaN or Infinity.
        """
        tail = {"summary": summary, "texts": texts, "places": places, "timing": timing, "history": history}
        members = [self._member(key, value) for key, value in tail.items()]
        self._file.write(b"\n],\n" + b",\n".join(members))
        end = self._file.tell()
        self._file.write(b"}\n")
        self._finished = True
        return Span(end - len(members[-1]) + len(layout.HISTORY), end)

    def _member(self, key: str, value: Any) -> bytes:
        return values.encode({key: value}, str(self._path))[1:-1]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None and not self._finished:
            error = RuntimeError("finish() was never called, so the run is not whole")
            self._whole.__exit__(type(error), error, None)
            raise error
        self._whole.__exit__(kind, error, traceback)


@dataclass(frozen=True, slots=True)
class StoredCase:
    """A case of a run, with what was retrieved and what else the model got, texts included.

    The results are here and not in ``case``, whose ``retrieved`` is None and ``context_only`` empty; the further times
    that its question was asked are in ``repeats``, and not in ``case`` either.
    """

    case: RunCase
    retrieved: tuple[Hit, ...]
    context_only: tuple[Hit, ...]
    repeats: tuple[StoredCase, ...] = field(default=(), kw_only=True)

    @property
    def each(self) -> tuple[StoredCase, ...]:
        """Every time the question was asked."""
        return (self, *self.repeats)

    def differing(self) -> dict[str, Any]:
        """What a further time has of its own, apart from its results."""
        return {name: getattr(self.case, name) for name in REPEATED}


class _Document(RunHead):
    """A run.json without its cases."""

    cases: Annotated[tuple[Any, ...], pydantic.Field(strict=False, max_length=0)]
    texts: dict[str, str]
    places: dict[str, int]


class _Hits(Value):
    """The results of a case, with texts in place of their keys; ``retrieved`` is None where a records file has it."""

    retrieved: Annotated[tuple[Hit, ...], pydantic.Field(strict=False)] | None
    context_only: Annotated[tuple[Hit, ...], pydantic.Field(strict=False)]


class RunReader:
    """A run on disk. Cases are read when they are asked for.

    Attributes:
        path: the file.
        head: everything but cases, texts and places.
        texts: key -> text.
        places: chunk id -> index in its document.
    """

    def __init__(self, path: Path, source: Source, found: layout.Layout) -> None:
        document = values.decode(found.rest, _Document, str(path))
        self.path = path
        self.head = RunHead.model_construct(**{name: getattr(document, name) for name in RunHead.model_fields})
        self.texts: Mapping[str, str] = document.texts
        self.places: Mapping[str, int] = document.places
        self._source = source
        self._history = found.history
        self._cases = CaseSpans(source, found.spans)

    @cached_property
    def sha256(self) -> str:
        """Digest of the file."""
        found = hashlib.sha256()
        for block in self._source.blocks(0):
            found.update(block)
        return found.hexdigest()

    @cached_property
    def ids(self) -> Sequence[str]:
        """The cases, in the run's order."""
        return tuple(self._cases)

    def cases(self) -> Iterator[StoredCase]:
        """Every case in the run's order, one in memory at a time.

        Raises:
            FileProblem: as :meth:`case`.
        """
        return (self.case(case) for case in self._cases)

    def case(self, case: str) -> StoredCase:
        """One case.

        Raises:
            KeyError: the run has no such case.
            FileProblem: what stands there is not a case, names a text the run does not hold, or its ranking is in a
                records file that is missing, not the one the run was made with, or without this case.
        """
        try:
            return self._read(case, 1)
        except errors.FileProblem:
            # Lines before this one are counted only when somebody has to be told.
            return self._read(case, self._cases.line(case))

    def line(self, case: str) -> int:
        """The line, from 1, on which a case begins."""
        return self._cases.line(case)

    def _read(self, case: str, line: int) -> StoredCase:
        problems: list[errors.Problem] = []
        text = json_text.parse(self._cases[case], str(self.path), problems, line)
        if text is None:
            raise values.problem(problems)
        stored = self._stored(case, text, problems, 0)
        if not stored.case.repeats:
            return stored
        repeats = []
        for turn, each in enumerate(stored.case.repeats, 1):
            own = {name: each[name] for name in (*REPEATED, *_Hits.model_fields) if name in each}
            again = text._replace(value={**text.value, **own, "repeats": []})
            repeats.append(self._stored(case, again, problems, turn))
        return replace(stored, case=stored.case.but(repeats=()), repeats=tuple(repeats))

    def _stored(self, case: str, text: json_text.JsonText, problems: list[errors.Problem], turn: int) -> StoredCase:
        """A case as it was the first time its question was asked (0), or a further one."""
        results = {name: self._with_texts(text.value.get(name, [])) for name in _Hits.model_fields}
        # Each result is checked once, with its text in place: checking both forms doubles the time of reading.
        rest = text._replace(value={**text.value, "retrieved": None, "context_only": []})
        found = located.validate(RunCase, rest, str(self.path), problems)
        hits = located.validate(_Hits, text._replace(value=results), str(self.path), problems)
        if found is None or hits is None:
            raise values.problem(problems)
        retrieved = self._recorded(case, turn) if hits.retrieved is None else hits.retrieved
        return StoredCase(found, retrieved, hits.context_only)

    def _with_texts(self, hits: Any) -> Any:
        if not isinstance(hits, list):
            return hits
        return [{**hit, "text": self._text(hit.get("text"))} if isinstance(hit, dict) else hit for hit in hits]

    def _text(self, key: Any) -> Any:
        if not isinstance(key, str):
            return key
        if key not in self.texts:
            raise errors.FileProblem(f"{self.path}: a case names the text '{words.visible(key)}', which is not there")
        return self.texts[key]

    def _recorded(self, case: str, turn: int) -> tuple[Hit, ...]:
        record = values.decode(self._records[case], Record, str(self.path)) if case in self._records else None
        if record is None or turn > len(record.repeats):
            raise errors.FileProblem(f"{self.path}: the ranking of case '{words.visible(case)}' is in no records file")
        return record.repeats[turn - 1].retrieved if turn else record.retrieved

    @cached_property
    def _records(self) -> Mapping[str, bytes]:
        named = self.head.records
        if named is None:
            return {}
        if Path(named.file).name != named.file or not named.file.isprintable():
            name = words.visible(named.file)
            raise errors.FileProblem(f"{self.path} names the records file '{name}', which is not one beside it")
        path = self.path.parent / named.file
        spans, sha256 = records.scan_records(path)
        if sha256 != named.sha256:
            raise errors.FileProblem(f"{path} is not the file {self.path} was made from; run collect and score again")
        return spans

    def with_history(self, history: History) -> None:
        """Put another history into the file, atomically; every other byte stays.

        Raises:
            FileProblem: the system refuses.
        """
        put_history(self.path, self._source, self._history, history)


def put_history(path: Path, source: Source, place: Span, history: History) -> None:
    """Write a run anew with another history in a place; every other byte is as in the source.

    Raises:
        FileProblem: the system refuses.
    """
    with atomic.atomic_file(path) as file:
        file.writelines(source.blocks(0, place.start))
        file.write(values.encode(history, str(path)))
        file.writelines(source.blocks(place.end))


def read_run(path: Path) -> RunReader:
    """A run.json, in the layout of :class:`RunWriter` or any other.

    Raises:
        FileProblem: it is missing, unreadable, not whole, no JSON, of another format, has duplicate keys or cases,
            numbers that are not finite, or is no run. What is wrong with a single case is found when it is read.
    """
    with values.opened(path) as file:
        return RunReader(path, Source(file), layout.find_layout(file, path))
