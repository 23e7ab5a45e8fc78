"""collect: runs the user's code, in a zone of its own."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, NamedTuple

from evaluator.stages import collect as stage
from evaluator.zones import archive
from evaluator.zones.seal import RECORDED

if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO

    from evaluator.stages.workspace import Workspace
    from evaluator.zones.site import Site


class Manner(NamedTuple):
    """How a pipeline is run.

    Attributes:
        interpreter: the one that has what was installed for it, if anything was.
        granted: variables that it sees whatever the configuration names: how it gets out of its network.
        deadline: after so many seconds it is asked nothing more.
    """

    interpreter: Path | None = None
    granted: tuple[str, ...] = ()
    deadline: float = math.inf


PLAIN = Manner()


def collect(stream: IO[bytes], out: IO[bytes], site: Site, wanted: Manner = PLAIN) -> None:
    """Ask the pipeline of a repository and write what it did.

    Raises:
        ZoneProblem: the stream is no repository.
        AssayError: as the stage.
    """
    archive.unpack_tree(stream, site.root)
    workspace = _granting(site.workspace(), wanted.granted)
    if wanted.interpreter is not None:
        workspace = _with_interpreter(workspace, wanted.interpreter)
    stage.collect(workspace, deadline=wanted.deadline)
    archive.pack_files(workspace.out, out, RECORDED)


def _granting(workspace: Workspace, names: tuple[str, ...]) -> Workspace:
    pipeline = workspace.config.pipeline
    env = tuple(dict.fromkeys((*pipeline.env, *names)))
    return dataclasses.replace(workspace, config=workspace.config.but(pipeline=pipeline.but(env=env)))


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
