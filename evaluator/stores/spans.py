"""Parts of a large file, one a case: only where they are is in memory."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator, Mapping
from typing import BinaryIO, NamedTuple

_BLOCK = 1 << 20


class Span(NamedTuple):
    """Bytes of a file, from ``start`` up to ``end``."""

    start: int
    end: int


class Source:
    """An open file that stays readable when another takes its place; closed when nobody holds this object."""

    def __init__(self, file: BinaryIO) -> None:
        self._descriptor = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._descriptor)

    def read(self, span: Span) -> bytes:
        """A part of the file."""
        return os.pread(self._descriptor, span.end - span.start, span.start)

    def blocks(self, start: int, end: int | None = None) -> Iterator[bytes]:
        """A part of the file, or all from ``start`` on, a piece at a time."""
        end = os.fstat(self._descriptor).st_size if end is None else end
        for offset in range(start, end, _BLOCK):
            yield os.pread(self._descriptor, min(_BLOCK, end - offset), offset)


class CaseSpans(Mapping[str, bytes]):
    """The bytes of each case in a file."""

    def __init__(self, source: Source, spans: Mapping[str, Span]) -> None:
        self._source = source
        self._spans = spans

    def __getitem__(self, case: str) -> bytes:
        return self._source.read(self._spans[case])

    def __iter__(self) -> Iterator[str]:
        return iter(self._spans)

    def __len__(self) -> int:
        return len(self._spans)

    def line(self, case: str) -> int:
        """The line, from 1, on which a case begins."""
        return 1 + sum(block.count(b"\n") for block in self._source.blocks(0, self._spans[case].start))
