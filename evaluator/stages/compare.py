"""compare: two runs, case by case, under the candidate's labels and under the baseline's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pydantic

from evaluator import config as configuration
from evaluator import errors, metrics
from evaluator.model.accepted import Accepted
from evaluator.model.config import Config
from evaluator.model.score import MetricId
from evaluator.stages import examining, measuring, tally
from evaluator.stores.accepted import read_accepted
from evaluator.stores.runs import read_run
from evaluator.stores.values import write_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evaluator.model.comparison import Comparison, ExamFile
    from evaluator.model.score import Metric
    from evaluator.stages.workspace import Workspace
    from evaluator.stores.runs import RunReader


def compare(workspace: Workspace, baseline: Path | None) -> None:
    """Write comparison.json and exam.json; ``baseline`` goes before the configuration's baseline.file.

    Raises:
        BaselineError: the baseline is missing, unreadable or of another suite.
        InputError: accepted.yml has mistakes.
    """
    candidate = read_run(workspace.out / "run.json")
    written = workspace.config.baseline.file
    path = baseline or (workspace.path(written) if written is not None else None)
    other = _read_baseline(path, candidate.head.suite) if path is not None else None
    source = str(path) if path is not None else ""
    comparison, state = _results(workspace, candidate, other, _accepted(workspace), source)
    write_value(workspace.out / "comparison.json", comparison)
    write_value(workspace.out / "exam.json", state)


def _read_baseline(path: Path, suite: str) -> RunReader:
    if not path.is_file():
        raise errors.BaselineError(f"the baseline {path} does not exist; name the run.json of an earlier run")
    try:
        run = read_run(path)
    except errors.FileProblem as error:
        raise errors.BaselineError(f"the baseline cannot be used: {error}") from error
    if run.head.suite != suite:
        raise errors.BaselineError(f"the baseline {path} is of suite {run.head.suite!r}, this run is of {suite!r}")
    return run


def _accepted(workspace: Workspace) -> Accepted:
    if workspace.config.accepted is None:
        return Accepted()
    path = workspace.path(workspace.config.accepted)
    return read_accepted(path, known_metrics=metrics.load(), today=workspace.clock.today())


def _results(
    workspace: Workspace, candidate: RunReader, baseline: RunReader | None, accepted: Accepted, source: str
) -> tuple[Comparison, ExamFile]:
    declared = metrics.load()
    mine = Config.model_validate(candidate.head.config)
    theirs = _older_config(baseline) if baseline else None
    my_ids = configuration.resolve_metrics(mine, declared)
    ruler = measuring.Ruler(_measured(my_ids, theirs, declared), declared)
    names = [str(metric) for metric in my_ids]
    named = frozenset(case for entry in accepted.cases for case in entry.case)
    seen = tally.Tally(candidate, baseline, ruler, measuring.Changes(ruler, names), accepted=named)
    for met in tally.meet(candidate, baseline, whole=examining.partial(candidate) is None):
        seen.take(met)
    verdicts = examining.Examining(seen, mine, theirs, accepted)
    workspace.warnings.extend(verdicts.warnings())
    return verdicts.comparison(names, source), verdicts.state()


def _older_config(baseline: RunReader) -> Config:
    try:
        return Config.model_validate(baseline.head.config)
    except pydantic.ValidationError as error:
        reason = "the baseline's configuration is of another version of this tool; run the baseline again"
        raise errors.BaselineError(reason) from error


def _measured(mine: Sequence[MetricId], theirs: Config | None, declared: Mapping[str, Metric]) -> tuple[MetricId, ...]:
    older = configuration.resolve_metrics(theirs, declared) if theirs else ()
    found = dict.fromkeys([*mine, *older])
    # A precision is only as good as the labels: how much of the ranking is labelled is measured beside it.
    labelled = [MetricId("judged", metric.k) for metric in found if declared[metric.name].precision_like]
    return tuple(dict.fromkeys([*found, *labelled]))
