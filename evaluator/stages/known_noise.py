"""What is known of a suite's noise: noise.json as the configuration names it, and the runs it speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator import errors
from evaluator.model.base import digest
from evaluator.model.noise import Noise
from evaluator.stores import values

if TYPE_CHECKING:
    from evaluator.model.config import Config
    from evaluator.stages.workspace import Workspace


def of_run(workspace: Workspace) -> Noise | None:
    """The contents of ``noise``; None where the configuration names no file.

    Raises:
        FileProblem: the file is missing, unreadable or no noise.json.
    """
    written = workspace.config.noise
    if written is None:
        return None
    path = workspace.path(written)
    if not path.is_file():
        raise errors.FileProblem(
            f"noise names {path}, which does not exist; write it with rag-assay noise, or leave the key out"
        )
    return values.read_value(path, Noise)


STEADY = ("builtin", "recorded")
"""Pipelines that answer the same question the same way, unless a model writes the answers."""


def is_live(config: Config) -> bool:
    """Whether a pipeline may answer the same question in two ways."""
    return config.pipeline.kind not in STEADY or config.pipeline.generator is not None


def repeats(config: Config) -> int:
    """How often a case is asked: once where the answer is the same every time."""
    return config.pipeline.repeats if is_live(config) else 1


def fingerprint(config: Config, judge: str | None) -> str:
    """``fingerprint.noise``: what values vary by, which is how a pipeline is run and who judges, never what it says.

    ``judge`` is the judge's own fingerprint; None where none is asked.
    """
    spoken = {} if judge is None else {"judge": judge}
    return digest({"kind": config.pipeline.kind, "repeats": repeats(config), **spoken})
