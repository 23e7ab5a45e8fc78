"""What is known of the judge: calibration.json as the configuration names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator import errors
from evaluator.model.calibration import Calibration
from evaluator.stores import values

if TYPE_CHECKING:
    from evaluator.stages.workspace import Workspace


def read(workspace: Workspace) -> Calibration | None:
    """The contents of judge.calibration; None where the configuration names no file.

    Raises:
        FileProblem: the file is missing, unreadable or no calibration.
    """
    judge = workspace.config.judge
    if judge is None or judge.calibration is None:
        return None
    path = workspace.path(judge.calibration)
    if not path.is_file():
        raise errors.FileProblem(
            f"judge.calibration names {path}, which does not exist; write it with calibrate, or leave the key out"
        )
    return values.read_value(path, Calibration)
