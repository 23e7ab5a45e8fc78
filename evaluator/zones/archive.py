"""Tar streams, the only thing that crosses a zone: written here, and read as the hostile data they may be."""

from __future__ import annotations

import os
import posixpath
import shutil
import tarfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from evaluator import errors
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import IO, Self

END = bytes(2 * tarfile.BLOCKSIZE)
"""What every whole tar stream ends with; one that was cut between two members lacks it."""

MAX_NAME = 4096
MAX_DEPTH = 200
CHUNK = 1 << 20

BUFFER = 1 << 16
"""What tarfile holds of a stream: it copies all of that for every header, so that a larger one is slower."""


class Limits(NamedTuple):
    """How much a stream may hold."""

    entries: int
    bytes: int


TREE = Limits(entries=200_000, bytes=1 << 30)
"""A repository: as much as one zone may hand to the next."""

FILES = Limits(entries=10, bytes=1 << 30)
"""What a run writes."""

PARTS = Limits(entries=10, bytes=4 << 30)
"""Streams in a stream."""


class Member(NamedTuple):
    """An entry of a stream: its header, and its content if it is an ordinary file."""

    header: tarfile.TarInfo
    content: IO[bytes] | None

    @property
    def shown(self) -> str:
        """Its name for a sentence."""
        return f"'{visible(self.header.name[:200])}'"


class _Header(tarfile.TarInfo):
    """A header; one that is broken in the middle of a stream is for tarfile the end of it."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.InvalidHeaderError as error:  # type: ignore[attr-defined]
            raise tarfile.ReadError(str(error)) from error


class _Watched:
    """A stream that remembers how it ended."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._last = b""

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._last = (self._last + data[-len(END) :])[-len(END) :]
        return data

    def is_whole(self) -> bool:
        """Read what is left; whether the stream ended as it should."""
        while self.read(CHUNK):
            pass
        return self._last == END


@contextmanager
def members(stream: IO[bytes], limits: Limits) -> Iterator[Iterator[Member]]:
    """The members of a whole tar stream, to be read in turn.

    Raises:
        ZoneProblem: it is no tar, was cut short, or holds more than ``limits`` allows.
    """
    watched = _Watched(stream)
    try:
        with tarfile.open(fileobj=cast("BinaryIO", watched), mode="r|", bufsize=BUFFER, tarinfo=_Header) as tar:
            yield _counted(tar, limits)
        whole = watched.is_whole()
    except (tarfile.TarError, ValueError, EOFError) as error:
        raise errors.ZoneProblem(f"a tar stream cannot be read: {visible(str(error))}") from error
    if not whole:
        raise errors.ZoneProblem("a tar stream was cut short")


def _counted(tar: tarfile.TarFile, limits: Limits) -> Iterator[Member]:
    entries, size = 0, 0
    for header in tar:
        if header.size < 0:
            raise errors.ZoneProblem("a tar stream holds an entry of a size below zero")
        entries, size = entries + 1, size + header.size
        if entries > limits.entries:
            raise errors.ZoneProblem(f"a tar stream holds more than {limits.entries:,} entries")
        if size > limits.bytes:
            raise errors.ZoneProblem(f"a tar stream holds more than {limits.bytes >> 20:,} MB")
        ordinary = header.isreg() and not header.issparse()
        yield Member(header, tar.extractfile(header) if ordinary else None)
        # tarfile keeps every header it has seen, for a seeking that a stream cannot do.
        tar.members.clear()  # type: ignore[attr-defined]


def unpack_tree(stream: IO[bytes], root: Path) -> list[str]:
    """Unpack a repository into an empty folder; the names of the links that were left out because they lead out of it.

    Files come first and links last, so that nothing is ever written through a link. ``.git`` is left out.

    Raises:
        ZoneProblem: as :func:`members`; or it holds a device, a name that is absolute or leads upwards, or two entries
            in one place.
    """
    links: list[tuple[Path, str]] = []
    with members(stream, TREE) as found:
        for member in found:
            name = _inside(member)
            if ".git" in name.split("/"):
                continue
            if member.header.issym():
                links.append((root / name, member.header.linkname))
            else:
                _place(member, root / name)
    return [str(path.relative_to(root)) for path in _make_links(root, links)]


def _inside(member: Member) -> str:
    name = member.header.name
    if name.count("/") > MAX_DEPTH:
        raise errors.ZoneProblem(f"a tar stream names {member.shown}, which lies too deep")
    if name.startswith("/") or ".." in name.split("/") or "\0" in name or len(os.fsencode(name)) > MAX_NAME:
        raise errors.ZoneProblem(f"a tar stream names {member.shown}, which is no place inside a repository")
    return posixpath.normpath(name)


def _place(member: Member, path: Path) -> None:
    try:
        if member.content is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(member.content, path)
            path.chmod(0o755 if member.header.mode & 0o100 else 0o644)
        elif member.header.isdir():
            path.mkdir(parents=True, exist_ok=True)
        else:
            raise errors.ZoneProblem(f"{member.shown} is neither a file nor a folder nor a symbolic link")
    except OSError as error:
        raise errors.ZoneProblem(f"{member.shown} cannot be unpacked: {error.strerror}") from error


def _write(content: IO[bytes], path: Path) -> None:
    with path.open("xb") as file:
        shutil.copyfileobj(content, file, CHUNK)


def _make_links(root: Path, links: Sequence[tuple[Path, str]]) -> list[Path]:
    """Make links and remove those that lead out; one may lead through others, so all are looked at until none does."""
    try:
        # Before there is any link, so that no folder is ever made through one.
        for path, _ in links:
            path.parent.mkdir(parents=True, exist_ok=True)
        for path, target in links:
            path.symlink_to(target)
    except (OSError, ValueError) as error:
        raise errors.ZoneProblem(f"the link '{visible(path.name)}' cannot be made") from error
    kept, left_out = {path for path, _ in links}, []
    while outside := {path for path in kept if not is_inside(path, root)}:
        for path in outside:
            path.unlink()
        kept -= outside
        left_out += sorted(outside)
    return left_out


def is_inside(path: Path, root: Path) -> bool:
    """Whether what a path leads to, through whatever links, lies in a folder."""
    real, folder = os.path.realpath(path), os.path.realpath(root)
    return real == folder or real.startswith(f"{folder}/")


def take_files(stream: IO[bytes], folder: Path, names: Sequence[str], optional: Sequence[str] = ()) -> None:
    """Take exactly these ordinary files out of a stream into a folder; those that are ``optional`` may be missing.

    Raises:
        ZoneProblem: as :func:`members`; or one is missing, there twice or no file, or there is anything else.
    """
    with members(stream, FILES) as found:
        for member in found:
            if member.header.name not in (*names, *optional) or member.content is None:
                raise errors.ZoneProblem(f"{member.shown} has no place in this stream")
            try:
                _write(member.content, folder / member.header.name)
            except OSError as error:
                raise errors.ZoneProblem(f"{member.shown} cannot be unpacked: {error.strerror}") from error
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise errors.ZoneProblem(f"a tar stream lacks {', '.join(missing)}")


def take_parts(
    stream: IO[bytes],
    takers: Mapping[str, Callable[[IO[bytes]], object]],
    optional: Mapping[str, Callable[[IO[bytes]], object]] | None = None,
) -> None:
    """Hand each stream in a stream to the one who takes it, by its name; those that are ``optional`` may be missing.

    Raises:
        ZoneProblem: as :func:`members`; or one is missing, there twice or no file, or nobody takes it.
    """
    waiting = {**takers, **(optional or {})}
    with members(stream, PARTS) as found:
        for member in found:
            take = waiting.pop(member.header.name, None)
            if take is None or member.content is None:
                raise errors.ZoneProblem(f"{member.shown} has no place in this stream")
            take(member.content)
    missing = [name for name in waiting if name in takers]
    if missing:
        raise errors.ZoneProblem(f"a tar stream lacks {', '.join(missing)}")


def pack_tree(root: Path, stream: IO[bytes]) -> None:
    """Write everything below a folder, in the order of its names, as nobody's and of no time."""
    # In this format a name is its bytes; others need a header for one that is no UTF-8, which GNU tar complains about.
    with tarfile.open(fileobj=stream, mode="w|", bufsize=BUFFER, format=tarfile.GNU_FORMAT) as tar:
        tar.add(root, arcname=".", filter=_anonymous)


def pack_files(folder: Path, stream: IO[bytes], names: Sequence[str]) -> None:
    """Write some files of a folder."""
    with tarfile.open(fileobj=stream, mode="w|", bufsize=BUFFER) as tar:
        for name in names:
            tar.add(folder / name, arcname=name, filter=_anonymous)


def _anonymous(header: tarfile.TarInfo) -> tarfile.TarInfo:
    header.uid = header.gid = header.mtime = 0
    header.uname = header.gname = ""
    return header
