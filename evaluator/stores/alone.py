"""One writer at a time in an output folder."""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from evaluator import errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def alone(out: Path) -> Iterator[None]:
    """Hold an output folder, which is made if need be; the system lets go of it when this process ends, however.

    The folder itself is locked, so that no file is left in it. A file system without locks holds nobody back.

    Raises:
        UsageError: another process holds it.
        FileProblem: the folder cannot be made.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(out, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise errors.FileProblem(f"the output folder {out} cannot be used: {error.strerror}") from error
    try:
        _lock(descriptor, out)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, out: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in {errno.EWOULDBLOCK, errno.EACCES}:
            sentence = f"another run is at work in {out}; wait until it has ended, or give another --out"
            raise errors.UsageError(sentence) from error
