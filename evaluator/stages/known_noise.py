"""What is known of a suite's noise: noise.json as the configuration names it, and the runs it speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator import errors, metrics
from evaluator.errors import Problem
from evaluator.model.base import digest
from evaluator.model.noise import Noise
from evaluator.stores import values
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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


MOST_SD = 0.7072
"""No larger is the standard deviation of any two or more values from 0 to 1: that of a 0 and a 1 is root(1/2)."""


def impossible(known: Noise) -> list[str]:
    """Metrics whose values are from 0 to 1, and of which a noise.json says what no such values can have."""
    declared = metrics.load()
    return [
        name
        for name, found in known.metrics.items()
        if (metric := declared.get(name.partition("@")[0])) is not None and metric.bounded
        and max(found.sd, *(each.sd for each in found.categories.values())) > MOST_SD
    ]  # fmt: skip


def problems(config: Config, folder: Path) -> Iterator[Problem]:
    """What is wrong with the file that the configuration names; one that cannot be read is said by a run."""
    file = folder / (config.noise or "")
    if not file.is_file():
        return
    try:
        found = impossible(values.read_value(file, Noise))
    except errors.FileProblem as error:
        yield Problem(error.slug, str(error), str(file))
        return
    if found:
        sentence = f"{IMPOSSIBLE.format(', '.join(map(visible, found)))}: measure it again with rag-assay noise"
        yield Problem("impossible-noise", sentence, str(file), severity="warning")


IMPOSSIBLE = f"the noise of {{}} is above {MOST_SD}, which no values from 0 to 1 can have, and counts for nothing"


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
