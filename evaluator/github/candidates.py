"""Which artifacts of a repository may be a baseline, and in which order they are tried: by ancestry, never by date."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evaluator.github import values

KEEPS = frozenset({"push", "schedule", "workflow_dispatch"})
"""Events whose runs keep baselines."""

LARGEST = 256 << 20
"""Bytes of an artifact's archive."""

FAR = 1 << 30
"""How far back a commit is that is not among those that were read."""


class Terms(NamedTuple):
    """What an artifact is held to.

    Attributes:
        repository: its number.
        branch: where baselines are made.
        places: every commit that counts -> how many first parents it is before the base.
        own: the run that asks; its own artifacts are none of its baselines.
    """

    repository: int
    branch: str
    places: Mapping[str, int]
    own: int = 0


class Candidate(NamedTuple):
    """An artifact that may be a baseline.

    Attributes:
        distance: commits from the base to the one whose run made it.
        artifact: the artifact.
        run, head_sha: the run that made it and its commit.
    """

    distance: int
    artifact: values.Artifact
    run: int
    head_sha: str

    @property
    def rank(self) -> tuple[int, int]:
        """What they are tried by: the nearest first; of one commit what was made last."""
        return self.distance, -self.artifact.id


class Rejected(NamedTuple):
    """An artifact that is no baseline, and why; ``ours`` unless a stranger made it."""

    artifact: int
    reason: str
    ours: bool = True


class Sifted(NamedTuple):
    """Artifacts of a name: those to be tried, in their order, and those that are not."""

    candidates: tuple[Candidate, ...]
    rejected: tuple[Rejected, ...]


def sift(artifacts: Iterable[values.Artifact], terms: Terms) -> Sifted:
    """Part those that may be a baseline from the others."""
    candidates, rejected = [], []
    for artifact in artifacts:
        found = _judge(artifact, terms)
        if isinstance(found, Candidate):
            candidates.append(found)
        elif found is not None:
            rejected.append(found)
    return Sifted(tuple(sorted(candidates, key=lambda each: each.rank)), tuple(rejected))


def _judge(artifact: values.Artifact, terms: Terms) -> Candidate | Rejected | None:
    """What becomes of an artifact; None for one that this run made itself."""
    origin = artifact.workflow_run
    known = (origin.id, origin.head_sha, origin.repository_id, origin.head_repository_id) if origin is not None else ()
    if origin is None or None in known:
        return Rejected(artifact.id, "GitHub does not say which run made it")
    if origin.repository_id != terms.repository or origin.head_repository_id != terms.repository:
        # A name is anybody's: a fork's own main uploads into the list of the repository it was forked from.
        return Rejected(artifact.id, "it was made by a fork, or by another repository", ours=False)
    if origin.id == terms.own:
        return None
    for reason in _problems(artifact, origin, terms):
        return Rejected(artifact.id, reason)
    sha = origin.head_sha or ""
    return Candidate(terms.places[sha], artifact, origin.id or 0, sha)


def _problems(artifact: values.Artifact, origin: values.Origin, terms: Terms) -> Iterator[str]:
    if origin.head_branch != terms.branch:
        yield f"it was made on another branch than {terms.branch}"
    if artifact.expired:
        yield "it has expired"
    if artifact.size_in_bytes > LARGEST:
        yield f"it is larger than {LARGEST >> 20} MB"
    if origin.head_sha not in terms.places:
        yield f"its commit {(origin.head_sha or '')[:12]} is not in the history of the base"


def places(ancestry: Sequence[str]) -> dict[str, int]:
    """How far each commit is from the first of them."""
    return {sha: place for place, sha in enumerate(ancestry)}


def run_problems(run: values.Run, candidate: Candidate, repository: int, workflows: Sequence[str]) -> Iterator[str]:
    """Why a run is none that may keep a baseline: any workflow can give an artifact any name."""
    if run.repository.id != repository or run.head_repository is None or run.head_repository.id != repository:
        yield "its run was made by a fork, or by another repository"
    if run.event not in KEEPS:
        yield f"its run was started by the event {run.event}"
    path = run.path.partition("@")[0]
    if path not in workflows:
        yield (
            f"its run is of the workflow {path}, and baselines come from {', '.join(workflows)} alone: if the file has "
            "a new name, name the old one in baseline-workflows"
        )
    if run.head_sha != candidate.head_sha:
        yield "its run is of another commit than GitHub says of the artifact"
