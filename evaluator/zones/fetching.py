"""What a commit is compared with: artifacts of its history, else a committed file, else nothing, each with a reason."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, NamedTuple

from evaluator import config as configuration
from evaluator import errors
from evaluator.model import baseline
from evaluator.model.baseline import Found, Source
from evaluator.stores import values
from evaluator.stores.words import visible
from evaluator.zones.opening import Expected, read_whole
from evaluator.zones.searching import SERVES, Search

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evaluator.github.repository import Ancestry, Repository
    from evaluator.model.baseline import Half, Tier
    from evaluator.model.config import Config

FOUND = "found.json"
COMMITTED = "committed"
RECOMMENDED = (
    "baseline.required is not set: a baseline that disappears without a trace would look like one that never was. "
    "Set baseline.required: true in the configuration"
)


class Asked(NamedTuple):
    """What is looked for.

    Attributes:
        base: the commit that the change is made to; None for the first of all.
        config: the configuration's path in the repository.
        tier: what the candidate measures.
        repository, default_branch: of the repository.
        workflows: the files of the workflows that may keep baselines.
        committed: a run in the repository; empty: the one that the base's configuration names.
        own: the run that asks.
        variant: what tells the job that asks from others that measure the suite.
    """

    base: str | None
    config: str
    tier: Tier
    repository: int
    default_branch: str
    workflows: tuple[str, ...]
    committed: str = ""
    own: int = 0
    variant: str = ""


class Fetching:
    """One search, for all halves of a tier. What is used lies in folders below ``root`` afterwards."""

    def __init__(self, repository: Repository, asked: Asked, root: Path, log: Callable[[str], None]) -> None:
        self._repository, self._asked, self._root, self._log = repository, asked, root, log
        self._sources: dict[str, Source] = {}
        self._lost: dict[Half, str] = {}
        self._notes: list[str] = []

    def found(self) -> Found:
        """Everything that was found; it is in found.json too."""
        base = self._asked.base
        config = self.settings(base) if base is not None else None
        if base is not None and config is not None:
            self._search(base, config)
            self._committed(base, config)
            self._require(config)
        result = Found(
            suite=config.suite if config is not None else None, base=base, lost=self._lost,
            branch=self._branch(config) if config is not None else None, default_branch=self._asked.default_branch,
            required=config is not None and config.baseline.required, notes=tuple(self._notes),
        ).but(**self._sources)  # fmt: skip
        values.write_value(self._root / FOUND, result)
        return result

    def _branch(self, config: Config) -> str:
        return config.baseline.branch or self._asked.default_branch

    @property
    def _open(self) -> list[Half]:
        return [half for half in SERVES[self._asked.tier] if half not in self._sources]

    def settings(self, base: str) -> Config | None:
        """The base's configuration as far as it is sound; what the change says of itself is not asked."""
        file = self._root / configuration.NAME
        shown = f"'{visible(self._asked.config)}' of the base commit {base[:12]}"
        try:
            file.write_bytes(self._repository.content(posixpath.normpath(self._asked.config), base))
        except errors.NotFound:
            self._say(f"no baseline: there is no {shown}")
            return None
        except errors.GitHubError as error:
            self._unknown(f"{shown} cannot be read: {error}")
            return None
        config, problems = configuration.look(file)
        if config is None or not config.suite:
            self._unknown(f"{shown} names no suite")
            return None
        if problems:
            self._say(f"{shown} has mistakes, of which the first is: {problems[0].message}")
        return config

    def _unknown(self, reason: str) -> None:
        """Where nobody can say what to look for, there may have been one."""
        self._lost |= dict.fromkeys(SERVES[self._asked.tier], f"what to compare with is not known: {reason}")

    def _search(self, base: str, config: Config) -> None:
        asked = self._asked
        expected = Expected(config.suite, self._branch(config), asked.repository, asked.workflows, asked.variant)
        try:
            ancestry = self._repository.first_parents(base)
        except errors.GitHubError as error:
            self._unknown(f"the history of the base commit {base[:12]} cannot be read: {error}")
            return
        search = self._searched(expected, ancestry)
        if asked.variant and not (search.found or search.lost or search.base):
            self._say(f"no run of the variant '{visible(asked.variant)}' was kept yet: one without a variant counts")
            search = self._searched(expected._replace(variant=""), ancestry)
        self._sources |= dict(search.sources())
        self._lost |= search.lost
        self._notes += search.notes

    def _searched(self, expected: Expected, ancestry: Ancestry) -> Search:
        search = Search(self._repository, expected, ancestry, self._root, self._log, self._asked.own)
        search.run(self._asked.tier)
        return search

    def _committed(self, base: str, config: Config) -> None:
        """Fall back on a run in the repository, as of the base commit."""
        folder = posixpath.dirname(posixpath.normpath(self._asked.config))
        own = posixpath.join(folder, config.baseline.file) if config.baseline.file is not None else ""
        path = posixpath.normpath(self._asked.committed or own) if self._asked.committed or own else ""
        if not path or not self._open:
            return
        try:
            source = self._read_committed(path, base, config.suite)
        except errors.NotFound:
            self._say(f"no baseline: '{visible(path)}' is not in the base commit {base[:12]}")
            return
        except errors.AssayError as error:
            for half in self._open:
                self._lost.setdefault(half, f"'{visible(path)}' of the base commit cannot be used: {error}")
            return
        for half in self._open:
            if half in SERVES[source.tier]:
                self._sources[half] = source
                self._say_fallback(half, path)

    def _say_fallback(self, half: Half, path: str) -> None:
        lost = self._lost.pop(half, None)
        if lost is not None:
            self._say(f"{lost}; the committed file '{visible(path)}' stands in for it")

    def _read_committed(self, path: str, base: str, suite: str) -> Source:
        folder = self._root / COMMITTED
        folder.mkdir(exist_ok=True)
        (folder / baseline.RUN).write_bytes(self._repository.content(path, base))
        try:
            held = read_whole(folder / baseline.RUN, suite)
        except errors.AssayError as error:
            raise errors.BaselineError(str(error).replace(f"{folder}/", "")) from None
        how = f"{visible(path)} as of {base[:12]}"
        return Source(folder=COMMITTED, tier=held.head.tier, commit=held.head.commit, how=how)

    def _require(self, config: Config) -> None:
        if config.baseline.required:
            text = "baseline.required is set at the base commit, and there is no baseline to compare with"
            self._lost |= {half: text for half in self._open if half not in self._lost}
        elif "deterministic" in self._sources:
            self._notes.append(RECOMMENDED)

    def _say(self, note: str) -> None:
        self._log(note)
        self._notes.append(note)
