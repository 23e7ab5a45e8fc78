"""log: what a zone prints, on its way to the workflow's log, without the keys that the pipeline was granted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

    from evaluator.zones.keys import Keys

LONGEST = 64 * 1024
"""How much of a line is looked at, in bytes."""

SHOWN = 4_000
"""How much of a line is shown, in characters: a key that is cut lies beyond."""


def log(stream: IO[bytes], keys: Keys, say: Callable[[str], None]) -> None:
    """Pass lines on until the stream ends; of a line that is too long only the beginning."""
    while line := stream.readline(LONGEST):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(LONGEST)
        say(keys.replaced_in(line.decode(errors="replace").rstrip("\r\n"))[:SHOWN])
