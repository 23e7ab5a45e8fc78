"""The files of a commit as GitHub packs them, as the stream that zones hand each other."""

from __future__ import annotations

import gzip
import tarfile
import zlib
from typing import IO, TYPE_CHECKING, cast

from evaluator import errors
from evaluator.zones import archive

if TYPE_CHECKING:
    from evaluator.zones.archive import Member

LARGEST = 512 << 20
"""Bytes of the compressed archive."""


def to_tree(packed: IO[bytes], out: IO[bytes]) -> None:
    """Write the files without the folder that GitHub puts them into.

    Raises:
        ZoneProblem: it is no such archive, or holds more than a repository may.
    """
    packed.seek(0)
    try:
        with (
            gzip.GzipFile(fileobj=packed, mode="rb") as plain,
            archive.members(cast("IO[bytes]", plain), archive.TREE) as found,
            tarfile.open(fileobj=out, mode="w|", bufsize=archive.BUFFER, format=tarfile.GNU_FORMAT) as tar,
        ):
            for member in found:
                _move(member, tar)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise errors.ZoneProblem("GitHub's archive of the base cannot be unpacked") from error


def _move(member: Member, tar: tarfile.TarFile) -> None:
    header = member.header
    header.name, header.pax_headers = header.name.partition("/")[2], {}
    if header.name:
        tar.addfile(header, member.content)
