"""Which commit a change is made to: the one that GitHub really merged it into, which an event may name too late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator import errors

if TYPE_CHECKING:
    from evaluator.github.event import Activity
    from evaluator.github.repository import Repository

CHANGES = frozenset({"pull_request", "merge_group", "push"})
"""Kinds of activities that change something; the others measure a commit that is there already."""


def base_of(activity: Activity, repository: Repository, tested: str) -> str | None:
    """The commit that a tested one is compared with; None where it is the first of all.

    ``tested`` is what is checked out, which a workflow chooses.

    Raises:
        GitHubError: GitHub does not say.
    """
    if activity.kind == "pull_request":
        return _of_pull_request(activity, repository, tested)
    if activity.kind == "workflow_run" and activity.base is not None:
        return activity.base.sha
    if activity.kind == "merge_group":
        return _of_group(activity, repository)
    if activity.kind not in CHANGES:
        return tested
    # Of a push that brings several commits those before the last one have no baseline; one that replaces the history
    # leaves the commit before it nowhere.
    parents = repository.commit(tested).parents
    return parents[0].sha if parents else None


def _of_group(activity: Activity, repository: Repository) -> str:
    """The last commit of the branch itself, and not of the group before, which may be red.

    A queue may merge several groups by the status of the last one alone: what waits before it is part of the change.
    """
    if activity.base is None or activity.base.sha is None:
        raise errors.GitHubError("the event names no base of the merge group")
    # In full, for a tag may have the branch's name.
    tip = repository.commit(f"heads/{activity.base.branch}").sha
    return tip if tip == activity.base.sha else repository.merge_base(tip, activity.base.sha)


def _of_pull_request(activity: Activity, repository: Repository, tested: str) -> str:
    """The base may have moved since the event, and since the merge was tested: only that merge says what it was."""
    if tested == activity.around.sha:
        parents = repository.commit(tested).parents
        if len(parents) == 2 and parents[1].sha == activity.head_sha:  # noqa: PLR2004 - a merge of two
            return parents[0].sha
    if activity.base is None or activity.base.sha is None:
        raise errors.GitHubError("the event names no base of the pull request")
    return repository.merge_base(activity.base.sha, tested)
