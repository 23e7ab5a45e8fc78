"""Records that a stranger's run uploaded, made into records of the base's golden set, of which no case is lost.

Everything in them may be invented. What is known here as well is taken from here: the questions, the texts and
documents of chunks, digests and settings. The rest is that run's own word, and the report says so.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

from evaluator import metrics
from evaluator.metrics.scoring import as_seen
from evaluator.model.counting import counted
from evaluator.model.record import Collection, Failure, Hit, Record, Repeat
from evaluator.model.run import SelfReported
from evaluator.stages import known_noise, recording, self_reported
from evaluator.stages.against import LARGEST
from evaluator.stages.foreign import Named
from evaluator.stores import records, values
from evaluator.stores.fixtures import read_fixture
from evaluator.stores.words import visible
from evaluator.zones import vouching

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from evaluator.config import Tier
    from evaluator.model.fixture import Fixture
    from evaluator.model.golden import Case
    from evaluator.stages.workspace import Workspace
    from evaluator.stores.golden import GoldenSet

LACKING = {
    "missing-record": "there is no answer to this question in what was uploaded",
    "missing-repeat": "the question was asked fewer times than pipeline.repeats says",
    "other-question": "what was uploaded answers another question under this id",
}
"""Why the pipeline counts as failed, by the code that the message of the failure begins with."""

NO_TEXT = ""
"""The text of a chunk that nobody has frozen: none that grounds anything, which is less than one that is not known."""


class Stranger(NamedTuple):
    """A run of somebody else. ``no_key`` says why no judge is asked; empty: there is no key."""

    no_key: str = ""


def adopt(workspace: Workspace, cases: GoldenSet, stranger: Stranger) -> Workspace:
    """Write records.jsonl and collect.json anew, by the golden set and the fixture of the base; the workspace to score.

    Raises:
        InputError: the base's fixture has mistakes.
        FileProblem: the files are not what leaves seal; a case is recorded twice.
    """
    config = workspace.config
    fixture = read_fixture(workspace.path(config.fixture)).fixture if config.fixture is not None else None
    workspace.handed.fixture = fixture
    digests = fixture.digests if fixture is not None else None
    said = values.read_value(workspace.out / "collect.json", Collection)
    path = workspace.out / "records.jsonl"
    uploaded, _ = records.scan_records(path)
    adopted = _Adopted(fixture, config.language, known_noise.repeats(config))
    records.write_records(path, (adopted.record(case, uploaded, str(path)) for case in cases.cases))
    known = {case.id for case in cases.cases}
    unknown = [each for each in uploaded if each not in known]
    is_other = said.fixture != digests
    # What cannot be compared is not worth a key.
    tier: Tier = "retrieval" if is_other else workspace.tier
    found = SelfReported(
        not_judged=_not_judged(workspace, tier, stranger),
        other_fixture=is_other,
        unvouched=self_reported.unvouched(metrics.load(), cases.cases, has_fixture=fixture is not None),
    )  # fmt: skip
    own = vouching.of_repository(workspace, cases, digests)
    warnings = [*_about_unknown(unknown), *adopted.warnings(), *_about_changes(said, own)]
    timing = _timing(said.timing, known, workspace) | {"alerts": [*adopted.alerts()], "warnings": warnings}
    values.write_value(workspace.out / "collect.json", own.but(timing=timing))
    for sentence in (*timing["alerts"], *timing["warnings"]):
        workspace.log(f"warning: {sentence}")
    return dataclasses.replace(workspace, self_reported=found, tier=tier)


def _not_judged(workspace: Workspace, tier: Tier, stranger: Stranger) -> str | None:
    if tier == "full" or workspace.config.judge is None:
        return None
    if workspace.tier == "full":
        return self_reported.OTHER_FIXTURE
    return f"{self_reported.NO_KEY}: {visible(stranger.no_key)}" if stranger.no_key else self_reported.NO_KEY


def _timing(said: Mapping[str, Any], known: set[str], workspace: Workspace) -> dict[str, Any]:
    """How long his run says that it took; when it was, is told by our clock."""
    latencies = {
        case: value for case, value in said.get("latency_ms", {}).items() if case in known and 0 <= value <= LARGEST
    }
    return {"started_at": workspace.clock.now(), "seconds": 0.0, "latency_ms": latencies, "uncommitted": False}


def _about_unknown(unknown: Sequence[str]) -> Iterator[str]:
    if unknown:
        named = f"{counted(len(unknown), 'record')} (first '{visible(unknown[0])}')"
        yield f"{named} of no case that the base's golden set has: not scored, whether the change adds it or not"


def _about_changes(said: Collection, own: Collection) -> Iterator[str]:
    """What the change edits, as far as its own run says so."""
    if said.golden_sha256 != own.golden_sha256:
        yield "the change's run had another golden set; the base's questions and labels count"
    if said.config_sha256 != own.config_sha256:
        yield "the change's run had another configuration; the base's metrics, rules and judge count"


class _Adopted:
    """Takes one case after the other, in golden order, and counts what is to be said of them."""

    def __init__(self, fixture: Fixture | None, language: str, times: int) -> None:
        self._known = fixture.by_id if fixture is not None else None
        self._language = language
        self._times = times
        self._missing, self._other, self._invented, self._reworded = Named(), Named(), Named(), Named()

    def record(self, case: Case, uploaded: Mapping[str, bytes], shown: str) -> Record:
        """The record of a case; one that is a failure where there is none, or one of another question."""
        turns, lacking = list[Record](), "missing-record"
        if case.id not in uploaded:
            self._missing.add(case, case.id)
        elif (record := values.decode(uploaded[case.id], Record, shown)).input_hash == case.input_hash(self._language):
            turns, lacking = [self._vouched(case, each) for each in record.each()][: self._times], "missing-repeat"
        else:
            self._other.add(case, case.id)
            lacking = "other-question"
        first, *others = [*turns, *[self._failed(case, lacking)] * (self._times - len(turns))]
        own = ({name: getattr(each, name) for name in recording.REPEATED} for each in others)
        return first.but(repeats=tuple(Repeat.model_construct(**each) for each in own))

    def _failed(self, case: Case, lacking: str) -> Record:
        return Record(
            id=case.id, input_hash=case.input_hash(self._language), retrieved=(), context=(), answer=None,
            abstained=None, steps=None, usage=None, meta=None, duplicates=(),
            failure=Failure(kind="invalid", message=f"{lacking}: {LACKING[lacking]}"),
        )  # fmt: skip

    def _vouched(self, case: Case, record: Record) -> Record:
        """One time with the texts and documents that the base knows; what only the context names has a place, too."""
        ids = [hit.id for hit in record.retrieved]
        retrieved = tuple(self._hit(case, hit) for hit in record.retrieved)
        steps = record.steps
        if steps is not None:
            steps = tuple(step.but(retrieved=tuple(self._hit(case, hit) for hit in step.retrieved)) for step in steps)
        found = {*ids, *(hit.id for step in steps or () for hit in step.retrieved)}
        beside = (chunk for chunk in dict.fromkeys(record.context) if chunk not in found and self._is_invented(chunk))
        return record.but(
            retrieved=(*retrieved, *(self._hit(case, Hit(id=chunk)) for chunk in beside)), steps=steps,
            duplicates=tuple(recording.repeated(ids)),
        )  # fmt: skip

    def _is_invented(self, chunk: str) -> bool:
        return self._known is not None and chunk not in self._known

    def _hit(self, case: Case, hit: Hit) -> Hit:
        if self._known is None:
            return hit
        chunk = self._known.get(hit.id)
        if chunk is None:
            self._invented.add(case, hit.id)
            return Hit(id=hit.id, score=hit.score, text=NO_TEXT)
        if hit.text is not None and hit.text != chunk.text and as_seen(hit.text) != as_seen(chunk.text):
            self._reworded.add(case, hit.id)
        return Hit(id=hit.id, doc=chunk.doc, score=hit.score, text=chunk.text)

    def alerts(self) -> Iterator[str]:
        """What belongs on top of a comment."""
        if self._missing:
            yield f"{self._missing.said('case')} without a record in what was uploaded: each counts as failed."
        if self._other:
            yield f"{self._other.said('case')} answered to another question than the base's: each counts as failed."
        if self._invented:
            chunks, where = self._invented.said("chunk"), self._invented.where()
            yield f"{chunks} that the base's fixture does not hold{where}: irrelevant, and without a text."

    def warnings(self) -> Iterator[str]:
        """What a person should know besides."""
        if self._reworded:
            chunks, where = self._reworded.said("chunk"), self._reworded.where()
            yield f"{chunks} came with another text than the base's fixture's{where}; the fixture's counts"
