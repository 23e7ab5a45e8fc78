"""What a run is compared with and what a person accepted: read before anything is asked, and again to compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pydantic

from evaluator import config as configuration
from evaluator import errors, metrics
from evaluator.comparison.sheet import EPSILON
from evaluator.model import patterns
from evaluator.model.accepted import Accepted
from evaluator.model.config import Config
from evaluator.stores import accepted, runs
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evaluator.config import Tier
    from evaluator.model.calibration import Calibration
    from evaluator.model.run import RunHead
    from evaluator.stages.workspace import Workspace
    from evaluator.stores.runs import RunReader

LARGEST = 1e12
"""No measured value is larger; sums of such values are finite."""


def refuse_early(workspace: Workspace, baseline: Path | None) -> None:
    """Find the mistakes that compare would find, before a pipeline is asked; ``baseline`` is as for compare.

    Raises:
        BaselineError: the baseline is missing, unreadable, of another suite or of a configuration that cannot be used.
        InputError: accepted.yml has mistakes.
        FileProblem: judge.calibration cannot be read.
    """
    read_accepted(workspace)
    calibration_of(workspace, workspace.tier)
    path = baseline_path(workspace, baseline)
    if path is not None:
        older_config(read_baseline(path, workspace.config.suite))


def calibration_of(workspace: Workspace, tier: Tier) -> Calibration | None:
    """The contents of judge.calibration; None in tier retrieval and where the configuration names no file.

    Raises:
        FileProblem: the file is missing, unreadable or no calibration.
    """
    if tier == "retrieval":
        return None
    from evaluator.stages.calibrating import read  # noqa: PLC0415 - only tier full pays for it

    return read(workspace)


def baseline_path(workspace: Workspace, baseline: Path | None) -> Path | None:
    """The run to compare with: the one that was named, else the configuration's, else None."""
    written = workspace.config.baseline.file if workspace.reads_own_baseline else None
    return baseline or (workspace.path(written) if written is not None else None)


def read_baseline(path: Path, suite: str | None) -> RunReader:
    """A baseline of a suite, or of any where that is None; of its cases only where they stand is read.

    Raises:
        BaselineError: it is missing, unreadable or of another suite.
    """
    if not path.is_file():
        raise errors.BaselineError(f"the baseline {path} does not exist; name the run.json of an earlier run")
    try:
        run = runs.read_run(path)
    except errors.FileProblem as error:
        raise errors.BaselineError(f"the baseline cannot be used: {error}") from error
    if suite not in {None, run.head.suite}:
        raise errors.BaselineError(f"the baseline {path} is of suite {run.head.suite!r}, this run is of {suite!r}")
    cases = run.head.fingerprint.get("cases", "all")
    if cases != "all":
        raise errors.BaselineError(f"the baseline {path} holds {cases} cases; name a whole run")
    for mistake in _mistakes(run.head):
        raise errors.BaselineError(f"the baseline {path} cannot be used: {mistake}; run the baseline again")
    return run


def _mistakes(head: RunHead) -> Iterator[str]:
    """What no run writes, in the parts of a head whose form is open; and that a stranger reported it himself."""
    if head.self_reported is not None:
        yield "its records are a stranger's own"
    timing = head.timing
    if not isinstance(timing.get("started_at"), str | None):
        yield "timing.started_at is not a text"
    latencies = timing.get("latency_ms", {})
    if not isinstance(latencies, dict) or not all(type(value) in {int, float} for value in latencies.values()):
        yield "timing.latency_ms is not milliseconds by case"
    elif not all(0 <= value <= LARGEST for value in latencies.values()):
        yield f"a latency in timing.latency_ms is not between 0 and {LARGEST:g}"
    declared = metrics.load()
    for name, values in head.history.anchor.items():
        metric = declared.get(name.partition("@")[0])
        largest = 1 + EPSILON if metric is not None and metric.bounded else LARGEST
        if not all(0 <= value <= largest for value in values.values()):
            yield f"a value of '{visible(name)}' in history.anchor is not between 0 and {largest:g}"


def older_config(baseline: RunReader) -> Config:
    """The configuration that a baseline was made with.

    Raises:
        BaselineError: this version cannot use it.
    """
    problem = "the baseline's configuration is of another version of this tool"
    try:
        config = Config.model_validate(baseline.head.config)
        configuration.resolve_metrics(config, metrics.load())
    except pydantic.ValidationError as error:
        raise errors.BaselineError(f"{problem}; run the baseline again") from error
    except errors.InputError as error:
        raise errors.BaselineError(f"{problem}: {error.problems[0].message}; run the baseline again") from error
    wrong = patterns.group_problem(config.citations.pattern, "id") if config.citations is not None else None
    if wrong is not None:
        raise errors.BaselineError(f"{problem}: citations.pattern {wrong}; run the baseline again")
    return config


def read_accepted(workspace: Workspace) -> Accepted:
    """What accepted.yml accepts today; nothing where the configuration names none.

    Raises:
        InputError: it has mistakes.
    """
    if workspace.config.accepted is None:
        return Accepted.model_construct()
    path = workspace.path(workspace.config.accepted)
    return accepted.read_accepted(path, known_metrics=metrics.load(), today=workspace.clock.today())
