"""Reads a zip archive that a stranger may have made: known names, ordinary files, and no more than was agreed."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from typing import IO, TYPE_CHECKING

from evaluator import errors
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MOST_CONTENT = 1 << 30
"""Bytes of all files of an archive together, once they are unpacked."""

MOST_ENTRIES = 10
MOST_DIRECTORY = 1 << 16
"""Bytes of the list of entries: zipfile reads it whole, whatever it says."""

CHUNK = 1 << 20
END = struct.Struct("<4s4H2LH")
END_MARK = b"PK\x05\x06"
LARGE = 20
LARGE_MARK = b"PK\x06\x07"
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 0x1
BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, struct.error, ValueError,
    OverflowError, UnicodeError,
)  # fmt: skip
"""What zipfile raises for archives that nobody made in good faith."""


def take(archive: IO[bytes], folder: Path, names: Sequence[str], most: int = MOST_CONTENT) -> None:
    """Write the files of an archive into an empty folder; those that are not there are not missed.

    Raises:
        FileProblem: it is no whole archive, or holds anything but ordinary files of these names, or more than ``most``
            bytes of them.
    """
    _refuse_large_list(archive)
    try:
        with zipfile.ZipFile(archive) as opened:
            _check(opened.infolist(), names, most)
            for entry in opened.infolist():
                _unpack(opened, entry, folder / entry.filename)
    except BROKEN as error:
        raise errors.FileProblem(f"the archive is broken: {visible(str(error))}") from None
    except OSError as error:
        raise errors.FileProblem(f"the archive cannot be unpacked: {error.strerror}") from None


def _refuse_large_list(archive: IO[bytes]) -> None:
    """Read the end of an archive as zipfile will: one that ends otherwise than plainly could be read in two ways."""
    size = archive.seek(0, 2)
    archive.seek(max(size - END.size - LARGE, 0))
    tail = archive.read()
    if len(tail) < END.size or not tail[-END.size :].startswith(END_MARK) or tail[-2:] != b"\0\0":
        raise errors.FileProblem("the archive is no zip file, or not whole")
    _, _, _, _, entries, directory, _, _ = END.unpack(tail[-END.size :])
    if tail[: -END.size].startswith(LARGE_MARK) or entries > MOST_ENTRIES or directory > MOST_DIRECTORY:
        raise errors.FileProblem("the archive has more entries than it may")


def _check(entries: Sequence[zipfile.ZipInfo], names: Sequence[str], most: int) -> None:
    seen: set[str] = set()
    for entry in entries:
        shown = f"'{visible(entry.orig_filename)}'"
        if entry.orig_filename not in names:
            raise errors.FileProblem(f"the archive holds {shown}, which has no place in it")
        if entry.orig_filename in seen:
            raise errors.FileProblem(f"the archive holds {shown} twice")
        seen.add(entry.orig_filename)
        mode = entry.external_attr >> 16
        if stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
            raise errors.FileProblem(f"{shown} in the archive is no ordinary file")
        if entry.flag_bits & ENCRYPTED or entry.compress_type not in METHODS:
            raise errors.FileProblem(f"{shown} in the archive is encrypted, or packed in an unusual way")
    if sum(entry.file_size for entry in entries) > most:
        raise errors.FileProblem(f"the archive holds more than {most >> 20:,} MB")


def _unpack(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> None:
    """Write a file; zipfile reads no more of it than the list of entries says, and checks its sum."""
    with opened.open(entry) as source, path.open("xb") as target:
        while piece := source.read(CHUNK):
            target.write(piece)
