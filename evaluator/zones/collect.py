"""collect: runs the user's code, in a zone of its own."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

from evaluator.stages import collect as stage
from evaluator.zones import archive
from evaluator.zones.seal import RECORDED

if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO

    from evaluator.stages.workspace import Workspace
    from evaluator.zones.site import Site


def collect(
    stream: IO[bytes], out: IO[bytes], site: Site, *, interpreter: Path | None = None, deadline: float = math.inf
) -> None:
    """Ask the pipeline of a repository and write what it did.

    ``interpreter`` has what was installed for it; after ``deadline`` seconds it is asked nothing more.

    Raises:
        ZoneProblem: the stream is no repository.
        AssayError: as the stage.
    """
    archive.unpack_tree(stream, site.root)
    workspace = site.workspace()
    if interpreter is not None:
        workspace = _with_interpreter(workspace, interpreter)
    stage.collect(workspace, deadline=deadline)
    archive.pack_files(workspace.out, out, RECORDED)


def _with_interpreter(workspace: Workspace, interpreter: Path) -> Workspace:
    """The programs that were installed come first; a Python pipeline runs by that interpreter whatever it asks for."""
    path = f"{interpreter.parent}:{workspace.environment.get('PATH', '')}"
    workspace = dataclasses.replace(workspace, environment={**workspace.environment, "PATH": path})
    pipeline = workspace.config.pipeline
    if pipeline.python is None:
        return workspace
    python = pipeline.python.but(python=str(interpreter))
    config = workspace.config.but(pipeline=pipeline.but(python=python))
    return dataclasses.replace(workspace, config=config)
