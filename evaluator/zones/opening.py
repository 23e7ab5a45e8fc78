"""Opens an artifact that may be a baseline, and believes it only where everything about it agrees."""

from __future__ import annotations

import hashlib
import shutil
from typing import TYPE_CHECKING, NamedTuple

from evaluator import errors
from evaluator.github import candidates
from evaluator.model import baseline
from evaluator.model.baseline import Manifest
from evaluator.stages import against
from evaluator.stores import values, zipped
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import IO

    from evaluator.github.candidates import Candidate
    from evaluator.github.repository import Repository
    from evaluator.github.values import Run
    from evaluator.model.baseline import Tier
    from evaluator.stores.runs import RunReader


class Refused(Exception):
    """An artifact is no baseline; the text says why."""


class Expected(NamedTuple):
    """What an artifact has to be: of this suite and branch, made by one of these workflows of this repository.

    ``variant`` is which of several that measure the suite: it stands in the artifact's name alone.
    """

    suite: str
    branch: str
    repository: int
    workflows: tuple[str, ...]
    variant: str = ""

    def name(self, tier: Tier) -> str:
        """What it is called."""
        return baseline.artifact_name(self.suite, tier, self.branch, self.variant)


class Opener:
    """Downloads artifacts of a repository into folders of their own below ``root``."""

    def __init__(self, repository: Repository, expected: Expected, root: Path) -> None:
        self._repository, self._expected, self._root = repository, expected, root

    def open(self, candidate: Candidate, tier: Tier) -> tuple[Path, Manifest]:
        """The folder of an artifact that can be used, and what it says of itself.

        Raises:
            Refused: it is none that can.
            RateLimited: no more can be asked of GitHub.
        """
        folder = self._root / str(candidate.artifact.id)
        try:
            run = self._run(candidate)
            folder.mkdir()
            self._download(candidate, folder)
            return folder, self._checked(folder, tier, candidate, run)
        except errors.RateLimited:
            raise
        except errors.AssayError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise Refused(visible(str(error).replace(f"{folder}/", ""), limit=300)) from None
        except Refused:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def _run(self, candidate: Candidate) -> Run:
        run, expected = self._repository.run(candidate.run), self._expected
        _first(candidates.run_problems(run, candidate, expected.repository, expected.workflows))
        return run

    def _download(self, candidate: Candidate, folder: Path) -> None:
        archive = folder / "archive.zip"
        with archive.open("x+b") as file:
            self._repository.download(candidate.artifact.id, file, candidates.LARGEST)
            digest = candidate.artifact.digest
            if digest is not None and digest != f"sha256:{_sha256(file)}":
                raise Refused("its archive is not the one that GitHub names the digest of")
            zipped.take(file, folder, baseline.FILES)
        archive.unlink()

    def _checked(self, folder: Path, tier: Tier, candidate: Candidate, run: Run) -> Manifest:
        for name in (baseline.MANIFEST, baseline.RUN):
            if not (folder / name).is_file():
                raise Refused(f"the archive has no {name}")
        said = values.read_value(folder / baseline.MANIFEST, Manifest)
        _first(self._contradictions(said, tier, candidate, run))
        with (folder / baseline.RUN).open("rb") as file:
            if _sha256(file) != said.run_sha256:
                raise Refused("run.json is not the one that baseline.json names the digest of")
        held = read_whole(folder / baseline.RUN, said.suite)
        _first(_unlike(held, said))
        return said

    def _contradictions(self, said: Manifest, tier: Tier, candidate: Candidate, run: Run) -> list[str]:
        """Where baseline.json says something else than GitHub or the name of the artifact; a copy keeps its origin."""
        same = {
            "suite": (said.suite, self._expected.suite), "tier": (said.tier, tier),
            "branch": (said.branch, self._expected.branch),
        }  # fmt: skip
        if said.kind == "run":
            same |= {
                "commit": (said.commit, candidate.head_sha), "run_id": (str(said.run_id), str(candidate.run)),
                "event": (said.event, run.event),
            }  # fmt: skip
        return [
            f"baseline.json says {name} {visible(found)}, and it is {visible(known)}"
            for name, (found, known) in same.items()
            if found != known
        ]


def read_whole(path: Path, suite: str | None) -> RunReader:
    """A run of a suite, or of any, every case of it read: what is wrong is found here, and not while comparing.

    Raises:
        AssayError: it cannot be compared with.
    """
    held = against.read_baseline(path, suite)
    against.older_config(held)
    named = held.head.records
    if named is not None and named.file != baseline.RECORDS:
        raise errors.FileProblem(f"{path} names the records file '{visible(named.file)}', and it is {baseline.RECORDS}")
    for _ in held.cases():
        pass
    return held


def _unlike(held: RunReader, said: Manifest) -> list[str]:
    head = held.head
    same = {
        "tier": (head.tier, said.tier), "commit": (head.commit, said.commit),
        "chain": (head.history.chain, said.chain),
    }  # fmt: skip
    return [f"run.json and baseline.json name another {name}" for name, (one, other) in same.items() if one != other]


def _first(problems: Iterable[str]) -> None:
    for problem in problems:
        raise Refused(problem)


def _sha256(file: IO[bytes]) -> str:
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
