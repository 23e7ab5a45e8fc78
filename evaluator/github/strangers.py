"""A stranger's run of a workflow that has ended: whose pull request it was of, and which artifacts it left for us.

Everything here comes from GitHub's answers. What the run wrote, the names of its artifacts included, is a stranger's:
it settles which of several pull requests is meant, and nothing else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evaluator.github import values

PREFIX = "rag-assay-untrusted-"
NAME = re.compile(PREFIX + r"([a-z0-9-]{1,60})-([0-9a-f]{8})-[0-9a-f]{8}-([1-9][0-9]{0,17})-([1-9][0-9]{0,8})")
"""Of an artifact with answers: suite, digest of the variant, job, pull request and attempt."""

UNFINISHED = frozenset({"action_required", "cancelled", "skipped", "stale"})
"""Conclusions of a run that measured nothing: one that waits for an approval, or was replaced."""


class Answers(NamedTuple):
    """An artifact that a run left: what its name says of it."""

    artifact: values.Artifact
    suite: str
    variant: str
    pull: int
    attempt: int


def why_nothing(run: values.Run) -> str:
    """Why there is nothing to be done after a run; empty where there is."""
    if run.event != "pull_request":
        return f"the run before was started by the event {run.event}, which has no pull request"
    if run.conclusion in UNFINISHED:
        return f"the run before measured nothing: {run.conclusion}"
    return ""


def with_head(pulls: Iterable[values.Pull], run: values.Run) -> list[values.Pull]:
    """The open pull requests to this repository whose head is the commit that a run measured, by their numbers."""
    ours = run.repository.id
    found = {
        each.number: each for each in pulls
        if (each.state, each.head.sha) == ("open", run.head_sha) and each.base.repo is not None
        and each.base.repo.id == ours
    }  # fmt: skip
    return [found[number] for number in sorted(found)]


def is_from(pull: values.Pull, run: values.Run) -> bool:
    """Whether a run may have been of a pull request of its head: two forks can have one commit.

    A fork that was deleted, since or before, has no number any more, and then the commit alone tells.
    """
    theirs, known = pull.head.repo, run.head_repository
    return theirs is None or (known is not None and theirs.id == known.id)


def answers_in(artifacts: Iterable[values.Artifact], run: values.Run) -> list[Answers]:
    """The answers that a run left, in all of its attempts, newest first."""
    found = []
    for artifact in artifacts:
        named, origin = NAME.fullmatch(artifact.name), artifact.workflow_run
        if named is not None and (origin is None or origin.id in {None, run.id}):
            found.append(Answers(artifact, named[1], named[2], int(named[3]), int(named[4])))
    return sorted(found, key=lambda each: -each.artifact.id)


def meant(pulls: Sequence[values.Pull], answers: Iterable[Answers]) -> values.Pull | None:
    """Which of the pull requests of a head a run was of; None where what it left does not say."""
    if len(pulls) == 1:
        return pulls[0]
    numbers = {each.number: each for each in pulls}
    return next((numbers[each.pull] for each in answers if each.pull in numbers), None)


def place_of(reservations: Iterable[values.Artifact], repository: int, run: int) -> int | None:
    """Which one a run's newest reservation is, counted from 1 in the order they were made; None where it has none.

    Forks can give an artifact any name, and theirs do not count; whatever may be of this repository does.
    """
    made = sorted((each for each in reservations if not _is_foreign(each, repository)), key=lambda each: each.id)
    places = [
        place for place, each in enumerate(made, 1) if each.workflow_run is not None and each.workflow_run.id == run
    ]
    return places[-1] if places else None


def _is_foreign(artifact: values.Artifact, repository: int) -> bool:
    origin = artifact.workflow_run
    return origin is not None and origin.head_repository_id not in {None, repository}
