"""The code that answers, as far as it can be known from outside: all files around the configuration."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.model.base import to_json
from evaluator.stores import fixtures, regular

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.stages.workspace import Workspace

MAX_FILES = 2_000
MAX_BYTES = 20 * 1024 * 1024
"""How much is looked at; the golden set and the fixture, which are read anyway, do not count."""

LEFT_OUT = frozenset({".git", ".venv", "node_modules", ".rag-assay", "__pycache__"})
"""Folders whose contents are not the user's code."""


def digest_of_code(workspace: Workspace, ours: frozenset[str]) -> str | None:
    """SHA-256 of every file below the configuration's folder and wherever else it says that code is.

    ``ours`` are names in the output folder that a run writes itself. None where there is too much to look at: then it
    cannot be said that two runs are of the same code.
    """
    config, out = workspace.config, workspace.out.resolve()
    known = {workspace.path(file).resolve() for file in config.golden}
    if config.fixture is not None:
        known |= {(workspace.path(config.fixture) / name).resolve() for name in fixtures.FILES}
    sha256, files, left = hashlib.sha256(), 0, MAX_BYTES
    kept = _kept(workspace)
    for path, size in _files(_roots(workspace)):
        resolved = path.resolve()
        if (resolved.parent == out and path.name in ours) or resolved in kept:
            continue
        if resolved not in known:
            files, left = files + 1, left - max(size, 0)
        if files > MAX_FILES or left < 0:
            return None
        sha256.update(to_json([os.fsencode(path).hex(), _digest(path) if size >= 0 else None]))
    return sha256.hexdigest()


def _kept(workspace: Workspace) -> frozenset[Path]:
    """The judge's cache, which judging changes, with the files that SQLite keeps beside it."""
    if workspace.config.judge is None:
        return frozenset()
    cache = workspace.path(workspace.config.judge.cache).resolve()
    return frozenset(cache.with_name(f"{cache.name}{end}") for end in ("", "-wal", "-shm", "-journal"))


def _roots(workspace: Workspace) -> Iterator[Path]:
    """Folders and single files; a program that the command names by a relative path brings the folder it is in."""
    pipeline, folder = workspace.config.pipeline, workspace.folder
    yield folder
    if pipeline.kind == "python" and pipeline.python is not None:
        yield from map(workspace.path, pipeline.python.path)
    if pipeline.kind == "command" and pipeline.command is not None:
        for written in pipeline.command.run:
            file = folder / written
            if "\0" not in written and file.is_file():
                yield file if Path(written).is_absolute() or LEFT_OUT & set(file.parts) else file.parent


def _files(roots: Iterator[Path]) -> Iterator[tuple[Path, int]]:
    """Every regular file and its size, each folder once whatever links lead to it; a folder's own size is -1."""
    seen: set[Path] = set()
    for root in roots:
        if root.is_file():
            yield root, root.stat().st_size
        for place, folders, names in os.walk(root, followlinks=True):
            here = Path(place)
            if here.resolve() in seen:
                folders.clear()
                continue
            seen.add(here.resolve())
            yield here, -1
            folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
            for name in sorted(names):
                status = _status(here / name)
                if status is not None and stat.S_ISREG(status.st_mode):
                    yield here / name, status.st_size


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _digest(path: Path) -> str | None:
    """Of what we may not read, only that it is there is known: the pipeline runs as the same user."""
    try:
        with regular.open_regular(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
