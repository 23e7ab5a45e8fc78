"""compare: two runs, case by case, under the candidate's labels and under the baseline's."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from evaluator import config as configuration
from evaluator import errors, metrics
from evaluator.comparison import gate
from evaluator.model.config import Config
from evaluator.model.score import MetricId
from evaluator.stages import against, examining, known_noise, measuring, renumbered, tally, walking, whereabouts
from evaluator.stages.changes import Changes
from evaluator.stages.examining import Examining
from evaluator.stages.exhibiting import CONTEXT_TOKENS
from evaluator.stages.handing import leave
from evaluator.stages.held_to import Base, Standard, Standing
from evaluator.stages.judged_half import JudgedHalf
from evaluator.stages.judged_run import RESCORED
from evaluator.stages.noisy_half import NoisyHalf
from evaluator.stages.paraphrases import Meeting, are_read
from evaluator.stores.fixtures import read_fixture
from evaluator.stores.runs import read_run

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from evaluator.model.accepted import Accepted
    from evaluator.model.comparison import Comparison, Exam
    from evaluator.model.exam import ExamFile
    from evaluator.model.fixture import Fixture
    from evaluator.model.score import Metric
    from evaluator.stages.held import Run
    from evaluator.stages.workspace import Workspace
    from evaluator.stores.runs import RunReader


def compare(workspace: Workspace, baseline: Path | None, standard: Standard | None = None) -> None:
    """Write comparison.json and exam.json; ``baseline`` goes before the configuration's baseline.file.

    Where somebody looked for what the run is held to, ``standard`` is that, and ``baseline`` is not asked.

    Raises:
        BaselineError: the baseline is missing, unreadable or of another suite.
        InputError: accepted.yml has mistakes.
        FileProblem: judge.calibration or noise cannot be read, or what a judge said of a case.
    """
    candidate = workspace.handed.run or read_run(workspace.out / "run.json")
    path = against.baseline_path(workspace, baseline) if standard is None else standard.baseline
    comparison, state = _compared(workspace, candidate, path, standard)
    leave(workspace, "comparison.json", comparison)
    leave(workspace, "exam.json", state)


def compare_retrieval(workspace: Workspace, standard: Standard) -> tuple[Comparison, ExamFile]:
    """The deterministic half of a judged run beside a baseline of its own; nothing is written.

    Raises:
        AssayError: as :func:`compare`.
    """
    candidate = read_run(workspace.out / "run.json")
    candidate.head = candidate.head.but(tier="retrieval", judge=None)
    return _compared(dataclasses.replace(workspace, alerts=[], warnings=[]), candidate, standard.baseline, standard)


def _compared(
    workspace: Workspace, candidate: Run, path: Path | None, standard: Standard | None
) -> tuple[Comparison, ExamFile]:
    suite = (standard.found.suite if standard is not None else None) or candidate.head.suite
    other = against.read_baseline(path, suite) if path is not None else None
    if other is not None:
        _refuse_another(candidate, other)
        other = _rejudged(workspace, candidate, other)
    verdicts = _examined(workspace, candidate, other, against.read_accepted(workspace))
    if standard is not None:
        base = _base(workspace, verdicts, standard)
        verdicts = dataclasses.replace(verdicts, standing=Standing(standard, base))
    return _results(workspace, verdicts, str(path or "") if standard is None else standard.source)


def _refuse_another(candidate: Run, baseline: RunReader) -> None:
    """Which answer is better, and which claim is new, was judged beside one run, and says nothing of another."""
    judge = candidate.head.judge
    if judge is not None and judge.against not in (None, baseline.sha256):
        raise errors.BaselineError(
            f"run.json was scored against another run than {baseline.path}; "
            f"run rag-assay score --tier full --against {baseline.path} first"
        )


def _rejudged(workspace: Workspace, candidate: Run, baseline: RunReader) -> RunReader:
    """The baseline as the candidate's judge judged it, where score did that (``judge.rescore_baseline``)."""
    path, judge = workspace.out / RESCORED, candidate.head.fingerprint.get("judge")
    if judge is None or baseline.head.fingerprint.get("judge") == judge or not path.is_file():
        return baseline
    again = against.read_baseline(path, candidate.head.suite)
    is_it = again.head.fingerprint.get("rescored") == baseline.sha256
    return again if is_it and again.head.fingerprint.get("judge") == judge else baseline


def _base(workspace: Workspace, verdicts: Examining, standard: Standard) -> Base | None:
    """The base itself, held to the same baseline, and the change held to the base."""
    if standard.inherited is None or standard.found.inherited is None or verdicts.seen.baseline is None:
        return None
    run = against.read_baseline(standard.inherited, standard.found.suite or verdicts.mine.suite)
    before = _examined(workspace, run, verdicts.seen.baseline, verdicts.accepted)
    since = _examined(workspace, verdicts.seen.candidate, run, verdicts.accepted)
    # What it does not know it has not lost.
    if since.seen.untimed or not gate.says_enough(before.new):
        return None
    failed = {stored.case.id for stored in run.cases() if measuring.failed(stored)}
    old = _without(before.old, failed) if before.old is not None else None
    return Base(standard.found.inherited.commit or "", _without(before.new, failed), old, since.new)


def _without(exam: Exam, cases: Collection[str]) -> Exam:
    """An exam that says nothing of some critical cases."""
    return exam.but(critical=tuple(each for each in exam.critical if each.id not in cases))


def _results(workspace: Workspace, verdicts: Examining, source: str) -> tuple[Comparison, ExamFile]:
    names, seen = verdicts.names, verdicts.seen
    standard = verdicts.standing.standard
    warnings = (*(standard.found.notes if standard is not None else ()), *verdicts.warnings())
    alerts = (renumbered.alert(seen.renumbered),) if seen.renumbered else ()
    workspace.warnings.extend((*alerts, *warnings))
    comparison = whereabouts.situate(workspace, verdicts.comparison(names, source), seen)
    state = verdicts.state(names).but(alerts=alerts, warnings=warnings)
    said = seen.candidate.head.self_reported
    if said is None:
        return comparison, state
    from evaluator.stages.self_reported import marked  # noqa: PLC0415 - only strangers' runs pay for it

    before = seen.baseline.head if seen.baseline is not None else None
    return marked(comparison, state, said, seen.candidate.head, before)


def _examined(workspace: Workspace, candidate: Run, baseline: RunReader | None, accepted: Accepted) -> Examining:
    mine = Config.model_validate(candidate.head.config)
    theirs, older = (against.older_config(baseline), baseline.head) if baseline is not None else (None, None)
    ruler, names = _ruler(candidate, baseline, mine, theirs)
    half = None
    if ruler.tier == "full":
        half = JudgedHalf(candidate.head, older, mine, theirs, against.calibration_of(workspace, ruler.tier))
    noise = NoisyHalf(candidate.head, older, mine, theirs, known_noise.of_run(workspace))
    whole = examining.partial(candidate) is None
    seen = tally.Tally(
        candidate, baseline, ruler, Changes(ruler, names),
        Meeting(candidate, baseline, are_read(ruler.metrics, ruler.declared), whole),
        renumbered.Renumbered(lambda: _fixture(workspace, candidate)),
        accepted=frozenset(case for entry in accepted.cases for case in entry.case), half=half,
    )  # fmt: skip
    for met in walking.meet(candidate, baseline, whole=whole):
        seen.take(met)
    return Examining(seen, mine, theirs, accepted, noise, tuple(names))


def _ruler(
    candidate: Run, baseline: RunReader | None, mine: Config, theirs: Config | None
) -> tuple[measuring.Ruler, list[str]]:
    """What both runs are measured with, and the metrics that the candidate's configuration names."""
    declared, tier = metrics.load(), candidate.head.tier
    ids = configuration.resolve_metrics(mine, declared, tier=tier)
    older = configuration.resolve_metrics(theirs, declared, tier=tier) if theirs is not None else ()
    measured = _measured(ids, older, declared, is_recut=_is_recut(candidate, baseline))
    return measuring.Ruler(measured, declared, tier, older=frozenset(older)), [str(metric) for metric in ids]


def _fixture(workspace: Workspace, candidate: Run) -> Fixture | None:
    """The fixture that a run was measured with; None where it had none, or it is not there any more as it was."""
    fixture, written = workspace.handed.fixture, workspace.config.fixture
    if fixture is None and written is not None:
        try:
            fixture = read_fixture(workspace.path(written)).fixture
        except errors.AssayError:
            return None
    chunks = candidate.head.fingerprint.get("chunks")
    return fixture if fixture is not None and fixture.digests.chunks == chunks else None


def _is_recut(candidate: Run, baseline: RunReader | None) -> bool:
    """Whether the chunks are, or may be, others than the baseline's."""
    if baseline is None:
        return False
    before, after = (run.head.fingerprint.get("chunks") for run in (baseline, candidate))
    return before is None or before != after


def _measured(
    mine: Sequence[MetricId], theirs: Sequence[MetricId], declared: Mapping[str, Metric], *, is_recut: bool
) -> tuple[MetricId, ...]:
    found = dict.fromkeys([*mine, *theirs])
    # A precision is only as good as the labels: how much of the ranking is labelled is measured beside it.
    labelled = [MetricId("judged", metric.k) for metric in found if declared[metric.name].precision_like]
    # Larger chunks hold more needs and facts each, and cost more to read.
    beside = [CONTEXT_TOKENS] if is_recut else []
    return tuple(dict.fromkeys([*found, *labelled, *beside]))
