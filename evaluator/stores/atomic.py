"""Writing files so that a reader finds the whole old file or the whole new one, whenever the writer dies."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

from evaluator import errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BUFFER = 256 * 1024
"""Bytes that are handed to the system at once: nobody reads a file before it is whole."""


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of ``path`` when the block ends, and only then.

    The folder is made if need be. On any exception the old file stays as it was.

    Raises:
        FileProblem: the system refuses to write there.
    """
    # Not made by tempfile, so that the file gets the permissions any new file would.
    temporary = path.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = temporary.open("xb", buffering=BUFFER)
    except OSError as error:
        raise _refused(path, error) from error
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        # The block may have failed to read some other file: such an error is its own.
        if error.filename is not None and os.fspath(error.filename) != str(temporary):
            raise
        raise _refused(path, error) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def _refused(path: Path, error: OSError) -> errors.FileProblem:
    return errors.FileProblem(f"{path} cannot be written: {error.strerror}")


def write_bytes(path: Path, data: bytes) -> None:
    """Write a whole file atomically."""
    with atomic_file(path) as file:
        file.write(data)


def write_text(path: Path, text: str) -> None:
    """Write a whole file atomically, as UTF-8 and with line ends as they are."""
    write_bytes(path, text.encode())
