"""Replies made into records, and what is to be said of them all together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.model.counting import counted
from evaluator.model.record import Answer, Failure, Hit, Record, Repeat, Step, union
from evaluator.stores import located, records
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from evaluator.model.fixture import Chunk, Fixture
    from evaluator.model.golden import Case
    from evaluator.model.record import Reply
    from evaluator.model.score import MetricId

REPEATED = tuple(Repeat.model_fields)


def _too_large(times: int) -> Failure:
    most = f"{located.MAX_LINE // times / 2**20:.3g} MB"
    return Failure(kind="invalid", message=f"the record would be larger than {most}")


class Note(NamedTuple):
    """What is known of a case beside its record: how long it took, and what was left out of its reply."""

    latency_ms: float | None = None
    warnings: Sequence[str] = ()


class Recorder:
    """Makes records of replies: what is missing comes from the fixture, what is repeated is named."""

    def __init__(self, fixture: Fixture | None, k: int, language: str, path: Path) -> None:
        self._fixture = fixture
        self._k = k
        self._language = language
        self._path = path

    def record(self, case: Case, reply: Reply, *repeats: Reply) -> tuple[Record, bytes]:
        """The record of a case that was asked once or more often, and the line it makes."""
        times = 1 + len(repeats)
        record, line = self._of_one(case, reply, times)
        if not repeats:
            return record, line
        others = [dict(self._of_one(case, each, times)[0]) for each in repeats]
        record = record.but(repeats=tuple(Repeat(**{key: each[key] for key in REPEATED}) for each in others))
        return record, records.line_of(record, self._path)

    def _of_one(self, case: Case, reply: Reply, times: int) -> tuple[Record, bytes]:
        """One reply, which may take its share of the line."""
        failure = None if isinstance(reply, Answer) else Failure(kind=reply.kind, message=reply.message)
        answer = reply if isinstance(reply, Answer) else Answer(retrieved=())
        record = self._record(case, answer, failure)
        line = records.line_of(record, self._path)
        if len(line) > located.MAX_LINE // times:
            record = self._record(case, Answer(retrieved=()), _too_large(times))
            line = records.line_of(record, self._path)
        return record, line

    def _record(self, case: Case, answer: Answer, failure: Failure | None) -> Record:
        ids = [hit.id for hit in answer.retrieved]
        return Record(
            id=case.id,
            input_hash=case.input_hash(self._language),
            retrieved=self._filled(answer.retrieved),
            context=tuple(ids[: self._k]) if answer.context is None else answer.context,
            answer=answer.answer,
            abstained=answer.abstained,
            steps=None if answer.steps is None else tuple(map(self._filled_step, answer.steps)),
            usage=answer.usage,
            meta=answer.meta,
            duplicates=tuple(repeated(ids)) if len(set(ids)) < len(ids) else (),
            failure=failure,
        )

    def _filled(self, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        if self._fixture is None:
            return hits
        known = self._fixture.by_id
        return tuple(
            _filled(hit, chunk)
            if (hit.text is None or hit.doc is None) and (chunk := known.get(hit.id)) is not None
            else hit
            for hit in hits
        )

    def _filled_step(self, step: Step) -> Step:
        return Step(query=step.query, retrieved=self._filled(step.retrieved))


def _filled(hit: Hit, chunk: Chunk) -> Hit:
    doc = chunk.doc if hit.doc is None else hit.doc
    text = chunk.text if hit.text is None else hit.text
    return Hit(id=hit.id, doc=doc, score=hit.score, text=text)


def repeated(ids: Sequence[str]) -> Iterator[str]:
    """The ids that are there more than once, each once, in the order in which they come again."""
    seen: dict[str, bool] = {}
    for identifier in ids:
        if seen.get(identifier) is False:
            yield identifier
        seen[identifier] = identifier in seen


class Tally:
    """Counts over all records what a person should know of the pipeline.

    Attributes:
        latencies: milliseconds by case id, in no particular order.
        added: how many cases were counted.
        failed: how many of them failed, at least once.
        unasked: for how many there was no time.
    """

    def __init__(self, fixture: Fixture | None, deepest: MetricId | None, k: int) -> None:
        self.latencies: dict[str, float] = {}
        self.added = 0
        self.failed = 0
        self.unasked = 0
        self._fixture = fixture
        cutoff = (deepest.k if deepest is not None else None) or 0
        self._deepest, self._k = deepest, k
        self._cutoff = cutoff if fixture is None else min(cutoff, len(fixture.chunks))
        self._unknown: dict[str, int] = {}
        self._has_text = False
        self._repeated: list[str] = []
        self._short: dict[str, int] = {}
        self._sentences: dict[str, list[str]] = {}

    def add(self, record: Record, note: Note) -> None:
        """Count one record."""
        self.added += 1
        if record.failure is not None and record.failure.is_unasked:
            self.unasked += 1
            return
        self.failed += record.failed
        for sentence in note.warnings:
            self._sentences.setdefault(sentence, []).append(record.id)
        answered = [each for each in record.each() if each.failure is None]
        if answered and note.latency_ms is not None:
            self.latencies[record.id] = note.latency_ms
        for each in answered:
            self._look_at(each)

    def _look_at(self, record: Record) -> None:
        if record.duplicates and record.id not in self._repeated[-1:]:
            self._repeated.append(record.id)
        if len(record.retrieved) < self._cutoff:
            self._short[record.id] = len(record.retrieved)
        if self._fixture is not None:
            known = self._fixture.by_id
            found = (*record.retrieved, *union(record.steps)) if record.steps else record.retrieved
            unknown = {hit.id for hit in record.retrieved if hit.id not in known}
            unknown.update(identifier for identifier in record.context if identifier not in known)
            if unknown:
                self._unknown[record.id] = len(unknown)
                self._has_text = self._has_text or any(hit.text is not None and hit.id in unknown for hit in found)

    def warnings(self, cases: Mapping[str, Case], *, may_be_short: bool) -> Iterator[str]:
        """What was counted, in sentences; a case that is held out is never named."""
        if self.unasked:
            yield f"{counted(self.unasked, 'case')} not answered before the deadline for all questions"
        if self._unknown:
            count = sum(self._unknown.values())
            text = "; facts and values are looked for in the text they came with" if self._has_text else ""
            where = _where(self._unknown, cases)
            yield f"{counted(count, 'result')} not in the fixture, counted as irrelevant{where}{text}"
        if self._repeated:
            yield f"results that were there already, counted as irrelevant{_where(self._repeated, cases)}"
        if self._short and not may_be_short:
            yield f"{self._shortage()}{_where(self._short, cases)}"
        for sentence, ids in self._sentences.items():
            yield f"{sentence}{_where(ids, cases)}"

    def _shortage(self) -> str:
        sentence = f"fewer than the {counted(self._cutoff, 'result')} that {self._deepest} reads"
        if set(self._short.values()) == {self._k}:
            return f"{sentence}, but as many as k: k is what the generator gets, and a ranking goes down to depth"
        return f"{sentence}: a ranking goes down to depth, which stands in each request"


def _where(ids: Mapping[str, int] | Sequence[str], cases: Mapping[str, Case]) -> str:
    # Answers come in any order; the golden order is always the same.
    affected = set(ids)
    first = next((case.id for case in cases.values() if case.id in affected and case.split == "dev"), None)
    named = "" if first is None else f", first '{visible(first)}'"
    return f" ({counted(len(ids), 'case')}{named})"
