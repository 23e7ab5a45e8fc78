"""The judge's replies of earlier runs, on their way through the zone that judges; they never touch the repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator import errors
from evaluator.judging import cache_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import IO

NAME = "judge-cache.sqlite"

LARGEST = 100_000_000
"""Bytes that are handed on to the next run; some 40,000 replies."""

MOST_TAKEN = 2 * LARGEST
"""Bytes that are taken over: what is larger was not made here."""

CHUNK = 1 << 20


class Replies:
    """The file of them.

    Entries are signed with a key that is derived from the judge's, so that one which somebody else wrote says nothing;
    a file that is broken is begun anew.

    Attributes:
        folder: a new one.
        file: in it; not there where nothing was kept.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.file = folder / NAME
        self._log: Callable[[str], None] | None = None
        self._before: float | None = None

    def take(self, stream: IO[bytes]) -> None:
        """Take what an earlier run handed on."""
        with self.file.open("xb") as target:
            left = MOST_TAKEN + 1
            while data := stream.read(min(CHUNK, left)):
                target.write(data)
                left -= len(data)

    def begin(self, log: Callable[[str], None]) -> None:
        """Look at what was taken before a judge uses it; what cannot be used is left out, and ``log`` is told."""
        self._log = log
        self._before = self._newest()

    def news(self) -> tuple[str, ...]:
        """The file's name if a judge added to it; it is fit to be handed on then."""
        if self._log is None:
            return ()
        newest = self._newest()
        return () if newest is None or newest == self._before else (NAME,)

    def _newest(self) -> float | None:
        if not self.file.exists():
            return None
        if self.file.stat().st_size > MOST_TAKEN:
            self._forget(f"{NAME} has more than {MOST_TAKEN // 1_000_000} MB")
            return None
        try:
            cache_file.prune_file(self.file, limit=LARGEST)
            return cache_file.newest(self.file)
        except errors.FileProblem as error:
            self._forget(str(error))
            return None

    def _forget(self, why: str) -> None:
        if self._log is not None:
            self._log(f"what the judge said in earlier runs is not used, and is asked again: {why}")
        self.forget()

    def forget(self) -> None:
        """Leave out what was taken."""
        for file in self.folder.glob(f"{NAME}*"):
            file.unlink()
