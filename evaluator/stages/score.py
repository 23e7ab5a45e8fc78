"""score: every metric of what collect recorded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evaluator import __version__, errors, metrics
from evaluator import config as configuration
from evaluator.metrics import quotes
from evaluator.model.base import digest
from evaluator.model.counting import counted
from evaluator.model.record import Collection
from evaluator.model.run import MAX_INLINE_CASES, History, RecordsFile, RunHead
from evaluator.stages import against as baselines
from evaluator.stages import frozen, known_noise, labels
from evaluator.stages.foreign import Foreign
from evaluator.stages.held import HeldRun
from evaluator.stages.judged_run import NOT_JUDGED
from evaluator.stages.paraphrases import Groups, are_read
from evaluator.stages.scoring_case import Scorer
from evaluator.stages.totals import Totals
from evaluator.stores import golden, records
from evaluator.stores.fixtures import VECTOR_FILES, read_fixture
from evaluator.stores.runs import RunStart, RunWriter
from evaluator.stores.values import opened, read_value
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from evaluator.metrics.scoring import Quoted
    from evaluator.model.config import Config
    from evaluator.model.fixture import Fixture
    from evaluator.model.golden import Case
    from evaluator.model.record import Record
    from evaluator.model.score import Metric, MetricId
    from evaluator.stages.held import HeldCase
    from evaluator.stages.judged_run import JudgedRun
    from evaluator.stages.workspace import Workspace
    from evaluator.stores.golden import GoldenSet

RECORDS = "records.jsonl"


def score(workspace: Workspace, against: Path | None = None) -> None:
    """Write run.json from collect.json and records.jsonl; one case is in memory at a time, unless all are already.

    In tier full answers are judged, too, and beside those of a run to compare with, where there is one (``against``, or
    the configuration's).

    Raises:
        InputError: the golden set, the fixture or the configuration has mistakes, or labels that cannot be used.
        FileProblem: collect.json or records.jsonl is missing, not whole, or was made from something else.
    """
    suite = _read(workspace)
    path, handed = workspace.out / RECORDS, workspace.handed.records
    count = len(handed) if handed is not None else _count(path)
    large = count > MAX_INLINE_CASES
    totals = Totals(suite.metrics, suite.declared)
    judged = _judged(workspace, suite, path, against)
    scorer = Scorer(
        suite.config, suite.fixture, suite.metrics, suite.declared,
        latencies=suite.collection.timing.get("latency_ms", {}), inline=not large,
    )  # fmt: skip
    scorer.quoted = suite.quoted
    if handed is not None and suite.config.pipeline.kind == "builtin":
        # What it has just found is the fixture's own text.
        scorer.foreign = Foreign(None)
    scorer.judged = judged.every
    start: RunStart = {
        "tool": f"rag-assay {__version__}", "suite": suite.config.suite, "tier": workspace.tier,
        "commit": suite.collection.commit,
        "fingerprint": suite.fingerprint(count, judged.digest) | judged.fingerprint() | _prompt(workspace),
        "config": suite.effective_config(),
        "records": RecordsFile(file=RECORDS, sha256=records.sha256_of(path)) if large else None,
        "judge": judged.info, "calibration": baselines.calibration_of(workspace, workspace.tier),
        "noise": known_noise.of_run(workspace), "self_reported": workspace.self_reported,
    }  # fmt: skip
    groups = Groups(
        suite.golden.cases, path if are_read(suite.metrics, suite.declared) else None, handed, judged.judgements(),
    )  # fmt: skip
    held: dict[str, HeldCase] = {}
    with RunWriter(workspace.out / "run.json", **start) as run:
        for case, record in _paired(suite, handed or records.iter_records(path), path):
            scored = scorer.score(case, record, groups.of(case.id))
            totals.add(case, scored.means)
            run.add(scored.case, **scorer.written(scored))
            if handed is not None:
                held[case.id] = scored
        said = _told(workspace, scorer.foreign, judged.alerts, suite.collection.timing)
        summary = totals.summary()
        timing = {**suite.collection.timing, **said, **totals.timing(), **judged.timing()}
        place = run.finish(summary, scorer.texts, scorer.places, timing, History())
    if handed is not None:
        # Its parts were checked when they were made.
        head = RunHead.model_construct(**start, summary=summary, timing=timing, history=History())
        workspace.handed.run = HeldRun(head, scorer.places, held, workspace.out / "run.json", place)
    if judged.interrupted is not None:
        raise errors.Interrupted(judged.interrupted)


def _judged(workspace: Workspace, suite: _Suite, path: Path, against: Path | None) -> JudgedRun:
    """What a judge says of the answers, in tier full."""
    if workspace.tier == "retrieval":
        return NOT_JUDGED
    from evaluator.stages import answered, rescoring  # noqa: PLC0415 - only tier full pays for it
    from evaluator.stages.bench import Bench  # noqa: PLC0415 - as above

    config, handed = suite.config, workspace.handed.records
    found = [
        [answered.of_record(case, each, config, suite.fixture) for each in record.each()]
        for case, record in _paired(suite, handed or records.iter_records(path), path)
    ]
    turns = [list(each) for each in zip(*found, strict=True)]
    measures = answered.Measures(config, suite.metrics, suite.declared)
    alerts = (
        (f"{answered.NO_ANSWERS[:1].upper()}{answered.NO_ANSWERS[1:]}.",)
        if answered.lack_answers([each for turn in turns for each in turn], measures)
        else ()
    )
    with Bench(workspace) as bench:
        return rescoring.judged_beside(workspace, bench, measures, turns, against)._replace(alerts=alerts)


def _prompt(workspace: Workspace) -> dict[str, str]:
    """The text of the prompt, where the file is there: under the same name it may be another one."""
    generator = workspace.config.pipeline.generator
    file = workspace.path(generator.template) if generator is not None else None
    return {"prompt": records.sha256_of(file)} if file is not None and file.is_file() else {}


def _told(
    workspace: Workspace, foreign: Foreign, alerts: Iterable[str], timing: Mapping[str, Any]
) -> dict[str, list[str]]:
    """What a person should know, with what is known only now: the texts of results are looked at where they count."""
    found = {"alerts": [*foreign.alerts(), *alerts], "warnings": list(foreign.warnings())}
    for sentence in (*found["alerts"], *found["warnings"]):
        workspace.log(f"warning: {sentence}")
    return {key: [*timing.get(key, ()), *new] for key, new in found.items() if new}


@dataclass(frozen=True, eq=False, repr=False)
class _Suite:
    """Everything a run is scored by."""

    config: Config
    golden: GoldenSet
    fixture: Fixture | None
    collection: Collection
    metrics: tuple[MetricId, ...]
    declared: Mapping[str, Metric]
    quoted: Quoted | None

    @cached_property
    def config_sha256(self) -> str:
        """Of the configuration as collect saw it."""
        return digest(self.config.model_dump(mode="json"))

    def fingerprint(self, count: int, judge: str | None) -> dict[str, str]:
        """What a run depends on, by name, each as a digest; ``cases`` says whether it is whole."""
        total = len(self.golden.cases)
        corpus = self.fixture.digests.model_dump(exclude_none=True) if self.fixture is not None else {}
        formulas = {str(metric): self.declared[metric.name].formula for metric in self.metrics}
        return {
            "config": self.config_sha256, "golden": self.golden.sha256, **corpus, "metrics": digest(formulas),
            **self._vectors(), "noise": known_noise.fingerprint(self.config, judge),
            "cases": "all" if count == total else f"only {count} of {total}",
        }  # fmt: skip

    def _vectors(self) -> dict[str, str]:
        """The vectors that were searched, by their model and by their digest: another model is another search."""
        manifest = self.fixture.manifest if self.fixture is not None else None
        if manifest is None or not frozen.searches_vectors(self.config):
            return {}
        vectors = digest([manifest.files.get(name) for name in VECTOR_FILES])
        model = manifest.embedding.model if manifest.embedding is not None else "unnamed"
        return {"embedding": model, "vectors": vectors}

    def effective_config(self) -> dict[str, Any]:
        """The configuration with the metrics that were computed: what a later run is compared by."""
        # A judged metric stays named in tier retrieval too: a rule may read it.
        named = [*(self.config.metrics or ()), *map(str, self.metrics)]
        return {**self.config.model_dump(mode="json"), "metrics": list(dict.fromkeys(named))}


def _read(workspace: Workspace) -> _Suite:
    config, declared = workspace.config, metrics.load()
    ids = configuration.resolve_metrics(config, declared, workspace.config_file, tier=workspace.tier)
    handed = workspace.handed
    cases = handed.golden or golden.read_golden([workspace.path(file) for file in config.golden])
    problems = labels.unsound(cases)
    if problems:
        raise errors.InputError(problems)
    fixture = handed.fixture
    if fixture is None and config.fixture is not None:
        fixture = read_fixture(workspace.path(config.fixture)).fixture
    path = workspace.out / "collect.json"
    quoted = handed.quoted
    if quoted is None and fixture is not None:
        quoted = quotes.resolve((need for case in cases.cases for need in case.relevant), fixture)
    suite = _Suite(config, cases, fixture, read_value(path, Collection), ids, declared, quoted)
    changed = list(_changed(suite))
    if changed:
        raise errors.FileProblem(f"{path} is of another {' and '.join(changed)}; run collect again")
    return suite


def _changed(suite: _Suite) -> Iterator[str]:
    made = suite.collection
    if made.config_sha256 != suite.config_sha256:
        yield "configuration"
    if made.golden_sha256 != suite.golden.sha256:
        yield "golden set"
    if made.fixture != (suite.fixture.digests if suite.fixture is not None else None):
        yield "fixture"


def _count(path: Path) -> int:
    with opened(path) as file:
        count = sum(not line.isspace() for line in file)
    if count == 0:
        raise errors.FileProblem(f"{path} holds no case; run collect again")
    return count


def _paired(suite: _Suite, found: Iterable[Record], path: Path) -> Iterator[tuple[Case, Record]]:
    """Every record with its case; cases may be left out, but the order is the golden one."""
    remaining, times = iter(suite.golden.cases), known_noise.repeats(suite.config)
    for record in found:
        case = next((case for case in remaining if case.id == record.id), None)
        if case is None:
            raise errors.FileProblem(f"{path}: case '{visible(record.id)}' is out of place; run collect again")
        if 1 + len(record.repeats) != times:
            asked = f"case '{visible(case.id)}' was asked {counted(1 + len(record.repeats), 'time')}, not {times}"
            raise errors.FileProblem(f"{path}: {asked}; run collect again")
        yield case, record
