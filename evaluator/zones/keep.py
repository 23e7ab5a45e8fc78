"""keep: copies a baseline, so that it does not expire, or because a person accepts it. Nothing is measured here."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, NamedTuple

from evaluator import errors
from evaluator.github import candidates
from evaluator.github.repository import Repository
from evaluator.model import baseline
from evaluator.stores import atomic
from evaluator.zones import archive, keeping
from evaluator.zones.fetching import Asked, Fetching
from evaluator.zones.opening import Expected, Opener, Refused
from evaluator.zones.searching import SERVES, Search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from evaluator.github.client import Client
    from evaluator.model.baseline import Manifest
    from evaluator.zones.keeping import Person

NAMES = "names"
"""What the copies are called: a tier and a name a line."""


class Accepting(NamedTuple):
    """A run of the baseline's branch, and who accepts it."""

    run: int
    person: Person


class Keeper:
    """Copies baselines of the newest commit's history into folders below ``root``."""

    def __init__(self, client: Client, name: str, asked: Asked, root: Path, log: Callable[[str], None]) -> None:
        self._repository, self._asked, self._root, self._log = Repository(client, name), asked, root, log
        self._notes: list[str] = []

    def refresh(self) -> list[Manifest]:
        """Copy the newest accepted run of each tier; none where nothing was accepted yet.

        Raises:
            BaselineError: there is nothing to copy any more, or nobody knows whether there is.
        """
        expected, base = self._expected()
        ancestry = self._repository.first_parents(base)
        search = Search(self._repository, expected, ancestry, self._root, self._log, self._asked.own)
        search.run("full")
        for why in dict.fromkeys(search.lost.values()):
            self._log(why)
        if search.lost and not search.found:
            raise errors.BaselineError(f"nothing was copied: {next(iter(search.lost.values()))}")
        opened = {each.artifact: each for each in search.found.values()}
        return [keeping.copy(each.folder, each.said, self._root / each.said.tier) for each in opened.values()]

    def accept(self, accepting: Accepting) -> list[Manifest]:
        """Copy what a run left, accepted by a person.

        Raises:
            UsageError: it left nothing that can be accepted.
        """
        expected, base = self._expected()
        places = candidates.places(self._repository.first_parents(base).commits)
        terms = candidates.Terms(expected.repository, expected.branch, places, self._asked.own)
        made = list(self._accepted(expected, terms, accepting))
        if not made:
            raise errors.UsageError("; ".join([f"run {accepting.run} left no baseline to accept", *self._notes]))
        for note in self._notes:
            self._log(note)
        return made

    def _expected(self) -> tuple[Expected, str]:
        base = self._asked.base or ""
        settings = Fetching(self._repository, self._asked, self._root, self._log).settings(base)
        if settings is None:
            raise errors.UsageError(f"there is no usable configuration '{self._asked.config}' at {base[:12]}")
        branch = settings.baseline.branch or self._asked.default_branch
        asked = self._asked
        return Expected(settings.suite, branch, asked.repository, asked.workflows, asked.variant), base

    def _accepted(self, expected: Expected, terms: candidates.Terms, accepting: Accepting) -> Iterator[Manifest]:
        opener = Opener(self._repository, expected, self._root)
        for tier in SERVES:
            listing = self._repository.artifacts_of(accepting.run, expected.name(tier))
            sifted = candidates.sift(listing.items, terms)
            self._notes += [each.reason for each in sifted.rejected]
            for candidate in sifted.candidates[:1]:
                try:
                    folder, said = opener.open(candidate, tier)
                except Refused as refused:
                    self._notes.append(str(refused))
                    continue
                try:
                    yield keeping.copy(folder, said, self._root / tier, accepting.person)
                except errors.UsageError as error:
                    # What it left of the other tier may have to be accepted.
                    self._notes.append(str(error))


def pack(made: list[Manifest], root: Path, out: IO[bytes], variant: str = "") -> None:
    """Write the copies, each as a stream of its own, and what they are called."""
    for said in made:
        with (root / f"{said.tier}.tar").open("xb") as stream:
            files = [name for name in baseline.FILES if (root / said.tier / name).is_file()]
            archive.pack_files(root / said.tier, stream, files)
    atomic.write_text(root / NAMES, "".join(f"{said.tier} {keeping.name(said, variant)}\n" for said in made))
    archive.pack_files(root, out, [NAMES, *(f"{said.tier}.tar" for said in made)])
