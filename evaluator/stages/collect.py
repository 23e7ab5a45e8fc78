"""collect: asks the pipeline every question of the golden set and records what it did."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluator import __version__, errors, templates
from evaluator.model.base import digest
from evaluator.model.ports import NotReady, PipelineSetting
from evaluator.model.record import UNASKED, AnswerFailure, Collection, PipelineInfo
from evaluator.model.run import MAX_INLINE_CASES
from evaluator.stages import code, known_noise, preparing
from evaluator.stages.asking import Until, ask_all
from evaluator.stages.recording import Note, Recorder, Tally
from evaluator.stages.resuming import PARTS, Partial
from evaluator.stages.workspace import MAX_HANDED
from evaluator.stores import atomic, values
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluator.model.ports import Pipeline
    from evaluator.model.record import Record, Reply, Request
    from evaluator.stages.preparing import Work
    from evaluator.stages.workspace import Workspace

TOOL = f"rag-assay {__version__}"
COLLECTION = "collect.json"
RECORDS = "records.jsonl"

SCORED = ("run.json", "baseline-rescored.json")
"""What an interrupted score leaves: the answers it is of are still of the same code."""

INSTANT = ("builtin", "recorded")
"""Pipelines that answer at once, unless a model writes the answers: asked in turn, and from the beginning again when
they are interrupted."""

UNTIMED = ("recorded",)
"""Pipelines whose own time says nothing: how long an answer took is known only where it was recorded."""

NOT_READY = "the pipeline was not ready when the time to collect (collect-timeout) was over: it was still {}"

NO_TIME = AnswerFailure(UNASKED, "not asked, or not answered, before the deadline for all questions")

UNKNOWN_CODE = "there are too many files around the configuration to know that the code is the same"

MAX_TOLD = 100
"""How many failures are logged, each with its traceback where no other had the same."""


def collect(workspace: Workspace, *, keeps: bool = False, deadline: float = math.inf) -> None:
    """Ask the pipeline and write collect.json and records.jsonl.

    What a live pipeline answered ``keeps`` being taken up by the next collect, until somebody discards it. After
    ``deadline`` seconds, to start the pipeline included, no more is asked: what is answered by then is kept, and the
    other cases say so.

    Raises:
        InputError: the golden set, the fixture or the metrics have mistakes, or the fixture lacks what is labelled.
        UsageError: a case that was asked for by its id is not in the golden set.
        PipelineError: the pipeline cannot be started.
        Interrupted: a person or the system stopped it; what was answered is kept.
    """
    until = Until(workspace.clock.seconds, workspace.clock.seconds() + deadline)
    run = _Run(workspace, preparing.prepare(workspace), until)
    try:
        run.ask()
        run.finish(keeps=keeps)
    except KeyboardInterrupt:
        raise errors.Interrupted(run.interrupted()) from None


class _Timed(NamedTuple):
    """A reply and how long it took."""

    reply: Reply
    seconds: float


def _together(notes: Sequence[Note], record: Record) -> Note:
    """What is known of a case that was asked several times: how long an answer took in the mean."""
    latencies = [
        note.latency_ms
        for note, each in zip(notes, record.each(), strict=True)
        if each.failure is None and note.latency_ms is not None
    ]
    mean = math.fsum(latencies) / len(latencies) if latencies else None
    return Note(mean, tuple(dict.fromkeys(sentence for note in notes for sentence in note.warnings)))


class _Run:
    """One collect."""

    def __init__(self, workspace: Workspace, work: Work, until: Until) -> None:
        self._workspace = workspace
        self._work = work
        self._until = until
        self._records = workspace.out / RECORDS
        config = workspace.config
        self._recorder = Recorder(work.fixture, config.k, config.language, self._records)
        self._tally = Tally(work.fixture, work.deepest, config.k)
        self._collection: dict[str, Any] = {
            "tool": TOOL, "suite": config.suite, "config_sha256": digest(config.model_dump(mode="json")),
            "golden_sha256": work.golden.sha256, "fixture": work.fixture.digests if work.fixture else None,
            "commit": workspace.commit, "pipeline": PipelineInfo(
                kind=work.kind.name, version=config.pipeline.version, settings=work.kind.settings(config.pipeline),
            ),
        }  # fmt: skip
        # The folder is read only for a pipeline whose answers could be kept.
        ours = frozenset({COLLECTION, RECORDS, *PARTS, *SCORED})
        self._is_instant = work.kind.name in INSTANT and config.pipeline.generator is None
        self._code = None if self._is_instant else code.digest_of_code(workspace, ours)
        identity = {**self._collection, "only": sorted(workspace.only), "code": self._code}
        self._part = Partial(workspace.out, identity)
        self._tracebacks: set[str] = set()
        self._repeats = known_noise.repeats(config)
        self._replies: dict[str, list[_Timed]] = {}
        self._finished: set[str] = set()
        self._progress = workspace.progress("collect", len(work.cases))
        self._started_at, self._began = workspace.clock.now(), workspace.clock.seconds()

    def ask(self) -> None:
        """Ask every question and write the records."""
        workspace, work = self._workspace, self._work
        setting = PipelineSetting(
            config=workspace.config.pipeline, folder=workspace.folder, fixture=work.fixture,
            environment=work.environment, language=workspace.config.language, log=workspace.log,
            ids=frozenset(work.golden.places), warnings=workspace.warnings, templates=templates.of_config,
            start_seconds=self._until.end - self._until.seconds(),
        )  # fmt: skip
        try:
            if self._is_instant:
                with work.kind.open(setting) as pipeline:
                    self._ask_in_turn(pipeline)
            elif setting.config.generator is None:
                self._ask_in_parts(setting)
            else:
                from evaluator.stages.generating import generating  # noqa: PLC0415 - most pipelines answer themselves

                with generating(workspace, setting.config.generator) as generate:
                    self._ask_in_parts(replace(setting, generate=generate))
        finally:
            self._progress.close()

    def _ask_in_turn(self, pipeline: Pipeline) -> None:
        seconds, end = self._until
        records: list[Record] = []
        # A large run is read again by whoever needs it: nothing holds it whole.
        room = MAX_HANDED if len(self._work.requests) <= MAX_INLINE_CASES else 0
        with atomic.atomic_file(self._records) as file:
            for request in self._work.requests:
                began = seconds()
                reply = pipeline.ask(request, 0) if began < end else NO_TIME
                record, line = self._recorder.record(self._work.cases[request.id], reply)
                file.write(line)
                room -= len(line)
                if room >= 0:
                    records.append(record)
                else:
                    records.clear()
                self._add(record, self._note(reply, seconds() - began))
                self._tell(record, reply)
            self._outdate_collection()
        if len(records) == len(self._work.requests):
            self._workspace.handed.records = records

    def _ask_in_parts(self, setting: PipelineSetting) -> None:
        done = self._go_on()
        asked = [request for request in self._work.requests if request.id not in done]
        requests = [request for request in asked for _ in range(self._repeats)]
        if requests:
            workers = min(setting.config.workers, len(requests))
            try:
                with self._work.kind.open(setting) as pipeline, self._part:
                    ask_all(pipeline, requests, self._keep, workers=workers, until=self._until)
            except NotReady as waiting:
                self._workspace.warnings.append(NOT_READY.format(waiting))
            with self._part:
                self._leave_out(asked)
        with atomic.atomic_file(self._records) as file:
            file.writelines(self._part.lines(self._work.cases))
            self._outdate_collection()

    def _go_on(self) -> set[str]:
        """Take up what an interrupted run has answered; the ids of those cases."""
        if self._code is None or not self._part.is_of_use():
            if self._part.exists():
                conditions = "that asked under other conditions or other code"
                other = f"but {UNKNOWN_CODE}" if self._code is None else conditions
                self._workspace.log(f"starting afresh: an interrupted collect was found {other}")
            self._part.discard()
            return set()
        done = set()
        for record, note in self._part.kept():
            done.add(record.id)
            self._add(record, note)
        self._workspace.log(
            f"going on from an interrupted collect: {len(done)} of {len(self._work.cases)} cases are answered; "
            f"remove {self._part.path} to ask them again",
        )
        if done:
            self._workspace.warnings.append(
                f"{len(done)} of {len(self._work.cases)} answers are from an interrupted run of the same code"
            )
        return done

    def _keep(self, request: Request, reply: Reply, seconds: float) -> None:
        """Keep a case once it was asked as often as it is to be."""
        found = self._replies.setdefault(request.id, [])
        found.append(_Timed(reply, seconds))
        if len(found) < self._repeats:
            return
        self._finished.add(request.id)
        replies = [each.reply for each in self._replies.pop(request.id)]
        record, _ = self._recorder.record(self._work.cases[request.id], *replies)
        note = _together([self._note(*each) for each in found], record)
        self._part.add(record, note)
        self._add(record, note)
        for each, given in zip(record.each(), replies, strict=True):
            self._tell(each, given)

    def _leave_out(self, asked: Sequence[Request]) -> None:
        """Record of the cases that there was no time for that this was so."""
        left = [request for request in asked if request.id not in self._finished]
        for request in left:
            self._replies.pop(request.id, None)
            for _ in range(self._repeats):
                self._keep(request, NO_TIME, 0.0)

    def _note(self, reply: Reply, seconds: float) -> Note:
        ours = None if self._work.kind.name in UNTIMED else round(seconds * 1000, 3)
        return Note(ours if reply.latency_ms is None else reply.latency_ms, reply.warnings)

    def _add(self, record: Record, note: Note) -> None:
        self._tally.add(record, note)
        self._progress.step(failed=record.failed)

    def _tell(self, record: Record, reply: Reply) -> None:
        """Say in the log why a case failed; of one that is held out, only that it did."""
        if record.failure is None or record.failure.is_unasked or self._tally.failed > MAX_TOLD:
            return
        case, failure, log = self._work.cases[record.id], record.failure, self._workspace.log
        if case.split == "holdout":
            log(f"a case that is held out failed [{failure.kind}]")
            return
        log(f"{visible(case.id)}: {failure.message} [{failure.kind}]")
        traceback = reply.detail if isinstance(reply, AnswerFailure) and reply.kind == "error" else ""
        if traceback not in self._tracebacks:
            self._tracebacks.add(traceback)
            for line in traceback.splitlines():
                log(f"│ {line}")
        if self._tally.failed == MAX_TOLD:
            log(f"more than {MAX_TOLD} cases may have failed; {RECORDS} names them all")

    def _outdate_collection(self) -> None:
        """Remove the collect.json that belongs to other records, before new ones take their place."""
        (self._workspace.out / COLLECTION).unlink(missing_ok=True)

    def finish(self, *, keeps: bool) -> None:
        """Write collect.json, and say what is to be said of all the records."""
        workspace, latencies = self._workspace, self._tally.latencies
        is_builtin = self._work.kind.name == "builtin"
        workspace.warnings.extend(self._tally.warnings(self._work.cases, may_be_short=is_builtin))
        timing = {
            "started_at": self._started_at,
            "seconds": round(workspace.clock.seconds() - self._began, 3),
            "latency_ms": {
                identifier: latencies[identifier] for identifier in self._work.cases if identifier in latencies
            },
            # Whether a file that nothing here reads was edited differs between runs that are otherwise identical.
            "uncommitted": workspace.uncommitted,
            "alerts": workspace.alerts,
            "warnings": workspace.warnings,
        }
        values.write_value(workspace.out / COLLECTION, Collection(**self._collection, timing=timing))
        if not keeps:
            self._part.discard()
        for warning in (*workspace.alerts, *workspace.warnings):
            workspace.log(f"warning: {warning}")

    def interrupted(self) -> str:
        """What is kept of a run that was stopped."""
        if self._is_instant or not self._part.exists():
            return "interrupted; nothing is kept"
        if self._code is None:
            return f"interrupted; the same command asks every question again, because {UNKNOWN_CODE}"
        answered = self._tally.added - self._tally.failed - self._tally.unasked
        return (
            f"interrupted; {answered} of {len(self._work.cases)} cases are answered and kept in "
            f"{self._part.path}: the same command goes on from there"
        )
