"""What a run is compared with and what a person accepted: read before anything is asked, and again to compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pydantic

from evaluator import config as configuration
from evaluator import errors, metrics
from evaluator.model.accepted import Accepted
from evaluator.model.config import Config
from evaluator.stores import accepted, runs

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.stages.workspace import Workspace
    from evaluator.stores.runs import RunReader


def refuse_early(workspace: Workspace, baseline: Path | None) -> None:
    """Find the mistakes that compare would find, before a pipeline is asked; ``baseline`` is as for compare.

    Raises:
        BaselineError: the baseline is missing, unreadable, of another suite or of a configuration that cannot be used.
        InputError: accepted.yml has mistakes.
    """
    read_accepted(workspace)
    path = baseline_path(workspace, baseline)
    if path is not None:
        older_config(read_baseline(path, workspace.config.suite))


def baseline_path(workspace: Workspace, baseline: Path | None) -> Path | None:
    """The run to compare with: the one that was named, else the configuration's, else None."""
    written = workspace.config.baseline.file
    return baseline or (workspace.path(written) if written is not None else None)


def read_baseline(path: Path, suite: str) -> RunReader:
    """A baseline of a suite; of its cases only where they stand is read.

    Raises:
        BaselineError: it is missing, unreadable or of another suite.
    """
    if not path.is_file():
        raise errors.BaselineError(f"the baseline {path} does not exist; name the run.json of an earlier run")
    try:
        run = runs.read_run(path)
    except errors.FileProblem as error:
        raise errors.BaselineError(f"the baseline cannot be used: {error}") from error
    if run.head.suite != suite:
        raise errors.BaselineError(f"the baseline {path} is of suite {run.head.suite!r}, this run is of {suite!r}")
    cases = run.head.fingerprint.get("cases", "all")
    if cases != "all":
        raise errors.BaselineError(f"the baseline {path} holds {cases} cases; name a whole run")
    return run


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
    return config


def read_accepted(workspace: Workspace) -> Accepted:
    """What accepted.yml accepts today; nothing where the configuration names none.

    Raises:
        InputError: it has mistakes.
    """
    if workspace.config.accepted is None:
        return Accepted()
    path = workspace.path(workspace.config.accepted)
    return accepted.read_accepted(path, known_metrics=metrics.load(), today=workspace.clock.today())
