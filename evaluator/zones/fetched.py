"""What fetch hands on: found.json and a stream for each run that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.model import baseline
from evaluator.model.baseline import Found
from evaluator.stages.held_to import Standard
from evaluator.stores import values
from evaluator.zones import archive
from evaluator.zones.fetching import FOUND

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import IO

    from evaluator.model.baseline import Source, Tier

NAME = "fetched.tar"
ROLES = ("deterministic", "judged", "inherited")


class Fetched(NamedTuple):
    """What was found, and the folder below which it lies."""

    found: Found
    root: Path

    def standard(self, tier: Tier) -> Standard:
        """What a run of a tier is held to.

        The last judged run, where there is one, serves both halves: what a judge said can only be compared with that.
        """
        return self._standard((self.found.judged if tier == "full" else None) or self.found.deterministic)

    def nearer(self, tier: Tier) -> Standard | None:
        """What the deterministic half of a judged run is held to besides: a run after the last judged one, if any."""
        found = self.found
        has_two = tier == "full" and None not in (found.judged, found.deterministic)
        return self._standard(found.deterministic) if has_two and found.judged != found.deterministic else None

    def _standard(self, source: Source | None) -> Standard:
        path, base = self._path(source), self._path(self.found.inherited)
        return Standard(self.found, path, base, source.how if source else "")

    def _path(self, source: Source | None) -> Path | None:
        return None if source is None else self.root / source.folder / baseline.RUN


def pack(found: Found, root: Path, out: IO[bytes]) -> None:
    """Write what was found; each run once, under the first of the names it has."""
    named: dict[str, str] = {}
    for role in ROLES:
        source: Source | None = getattr(found, role)
        if source is None:
            continue
        part = named.setdefault(source.folder, role)
        found = found.but(**{role: source.but(folder=part)})
    for folder, part in named.items():
        with (root / f"{part}.tar").open("xb") as stream:
            files = [name for name in baseline.FILES if (root / folder / name).is_file()]
            archive.pack_files(root / folder, stream, files)
    values.write_value(root / FOUND, found)
    archive.pack_files(root, out, [FOUND, *(f"{part}.tar" for part in named.values())])


def take(stream: IO[bytes], root: Path) -> Fetched:
    """Take it into an empty folder.

    Raises:
        ZoneProblem: it is not what fetch writes.
    """

    def save(part: IO[bytes]) -> None:
        (root / FOUND).write_bytes(part.read())

    archive.take_parts(stream, {FOUND: save}, {f"{role}.tar": _taker(root / role) for role in ROLES})
    return Fetched(values.read_value(root / FOUND, Found), root)


def _taker(folder: Path) -> Callable[[IO[bytes]], None]:
    def take_run(part: IO[bytes]) -> None:
        folder.mkdir()
        archive.take_files(part, folder, [baseline.RUN], [baseline.MANIFEST, baseline.RECORDS])

    return take_run
