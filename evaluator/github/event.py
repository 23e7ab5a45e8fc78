"""What happened on GitHub, as a value: from the event's payload and the variables of the run, and from nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import jiter

from evaluator import errors
from evaluator.github import values

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evaluator.model.received import Received

Kind: TypeAlias = Literal[
    "pull_request", "merge_group", "push", "schedule", "workflow_dispatch", "workflow_run", "other"
]

DEPENDABOT = "dependabot[bot]"
PLAIN: Mapping[str, Kind] = {"schedule": "schedule", "workflow_dispatch": "workflow_dispatch"}
PAYLOAD = "the event's payload"
LARGEST = 64 << 20
"""Bytes of a payload: GitHub's are below 25 MB."""

RESTRICTED = frozenset(
    {
        "pull_request", "pull_request_review", "pull_request_review_comment", "push", "create", "deployment",
        "deployment_status",
    }
)  # fmt: skip
"""Events that GitHub gives no secrets when Dependabot causes them, as its documentation lists them. A schedule is none
of them: it runs what was merged, whoever counts as its actor."""


class Base(NamedTuple):
    """What a change is made to: a branch, and the commit of it that the event names, which may be an older one."""

    branch: str
    sha: str | None


@dataclass(frozen=True)
class Surroundings:
    """The variables of a run.

    Attributes:
        event, repository, actor: as GitHub names them.
        run, attempt: numbers; a run that is repeated keeps its number.
        workflow: the file of the workflow; empty where it is not told.
        sha: the commit that is checked out; of a pull request GitHub's merge of it.
        ref: the branch or tag in full, as ``refs/heads/main``; empty where there is none.
    """

    event: str
    repository: str
    actor: str
    run: int
    attempt: int
    workflow: str
    sha: str
    ref: str

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Surroundings:
        """From the variables that GitHub sets.

        Raises:
            UsageError: this is no run of a workflow.
        """
        of = {name: environment.get(f"GITHUB_{name}", "") for name in NAMES}
        missing = [f"GITHUB_{name}" for name in ("EVENT_NAME", "REPOSITORY", "SHA") if not of[name]]
        missing += [f"GITHUB_{name}" for name in ("RUN_ID", "RUN_ATTEMPT") if not _is_count(of[name])]
        if missing:
            raise errors.UsageError(f"this is no run of a workflow on GitHub: {', '.join(missing)} is not set")
        return cls(
            event=of["EVENT_NAME"], repository=of["REPOSITORY"], actor=of["ACTOR"], run=int(of["RUN_ID"]),
            attempt=int(of["RUN_ATTEMPT"]), workflow=_workflow(of["WORKFLOW_REF"]), sha=of["SHA"], ref=of["REF"],
        )  # fmt: skip

    @property
    def branch(self) -> str:
        """The branch that is pushed to, run on a schedule or by hand; empty for a tag and for no branch at all."""
        return self.ref.removeprefix("refs/heads/") if self.ref.startswith("refs/heads/") else ""


NAMES = ("EVENT_NAME", "REPOSITORY", "ACTOR", "RUN_ID", "RUN_ATTEMPT", "WORKFLOW_REF", "SHA", "REF")


@dataclass(frozen=True)
class Activity:
    """What a run is about.

    Attributes:
        kind: the events that differ in what is done; ``other`` is gated and summed up, and that is all.
        around: the variables of the run.
        head_sha: the commit that a status belongs on.
        base: what the change is made to; None where there is nothing it could be compared with but its own history.
        pull: the pull request; of a workflow run it is not known before somebody has looked for it.
        others: numbers of further open pull requests of its head, where somebody has looked for them.
        source: the workflow run whose end this one was started by.
        untrusted: why what is tested is a stranger's; empty where it is not.
    """

    kind: Kind
    around: Surroundings
    head_sha: str
    base: Base | None = None
    pull: values.Pull | None = None
    others: tuple[int, ...] = ()
    source: values.Run | None = None
    untrusted: str = ""

    def about(self, told: Received, pull: values.Pull | None = None) -> Activity:
        """That of a workflow run, once the pull request was looked for that the run before it was of.

        Raises:
            GitHubError: that was of another commit.
        """
        if self.source is None or told.head != self.head_sha:
            raise errors.GitHubError("the pull request that was found is not the one that this run is about")
        return replace(self, base=Base(told.branch, told.base), others=told.others, pull=pull)

    @property
    def why_read_only(self) -> str:
        """Why the token of this run may write nothing; empty where it may, if its workflow grants it.

        A workflow run has the rights of the default branch, whoever's records it reads.
        """
        return "" if self.kind == "workflow_run" else self.untrusted

    @property
    def why_no_comment(self) -> str:
        """Why there is no comment to be written; empty where there is one."""
        if self.pull is None and self.source is None:
            return f"the event {self.around.event} has no pull request"
        if self.source is not None and not self.source.event.startswith("pull_request"):
            return f"the event {self.source.event} of the run before has no pull request"
        if self.why_read_only:
            return f"its token may only read: {self.why_read_only}"
        if self.pull is not None and self.pull.state != "open":
            return "the pull request is closed"
        return "its conversation is locked" if self.pull is not None and self.pull.locked else ""


def decoded(payload: bytes) -> Any:
    """An event's payload.

    Raises:
        GitHubError: it is none.
    """
    try:
        return jiter.from_json(payload, allow_inf_nan=False)
    except ValueError:
        raise errors.GitHubError("the event's payload is not JSON") from None


def read(around: Surroundings, payload: Any) -> Activity:
    """What a run is about. ``payload`` is the decoded file that GITHUB_EVENT_PATH names.

    Raises:
        UsageError: the event would run a stranger's code with the rights of the repository.
        GitHubError: the payload lacks what such an event has.
    """
    if around.event == "pull_request_target":
        raise errors.UsageError(
            "pull_request_target is refused: it would run a stranger's code with this repository's rights; "
            "use pull_request"
        )
    common = _Common(around, why_untrusted(around.event, around.actor, payload))
    if _at(payload, "pull_request") is not None or around.event.startswith("pull_request"):
        return _pull_request(common, payload)
    kinds = {"merge_group": _merge_group, "workflow_run": _workflow_run, "push": _push}
    return kinds.get(around.event, _plain)(common, payload)


def why_untrusted(event: str, actor: str, payload: Any) -> str:
    """Why what an event brings is a stranger's: GitHub gives such runs no secrets, and we give them no keys.

    Dependabot's are the runs of its pull requests too that a person started again: whoever does that has read no code.
    """
    pull, run = _at(payload, "pull_request"), _at(payload, "workflow_run")
    authors = (actor if event in RESTRICTED else "", _at(pull, "user", "login"), _at(run, "actor", "login"))
    if pull is not None or event.startswith("pull_request"):
        return why_strange(authors, _at(pull, "base", "repo", "id"), _at(pull, "head", "repo", "id"))
    if event == "workflow_run":
        return why_strange(authors, _at(payload, "repository", "id"), _at(run, "head_repository", "id"))
    return _why_dependabots(authors)


def why_strange(authors: Iterable[str | None], ours: Any, theirs: Any) -> str:
    """Why a change is a stranger's, by who made it and by the numbers of the repositories that it is for and from.

    Names of repositories change, and one that was given up is anybody's.
    """
    if why := _why_dependabots(authors):
        return why
    if theirs is None:
        return "it comes from a fork that was deleted"
    return "" if theirs == ours else "it comes from a fork"


def _why_dependabots(authors: Iterable[str | None]) -> str:
    return "it is Dependabot's" if DEPENDABOT in authors else ""


class _Common(NamedTuple):
    """What every activity has."""

    around: Surroundings
    untrusted: str

    def activity(self, kind: Kind, head_sha: str, **more: Any) -> Activity:
        return Activity(kind, self.around, head_sha, untrusted=self.untrusted, **more)


def _pull_request(common: _Common, payload: Any) -> Activity:
    """The number comes from the payload: once it is merged, the ref of the run is the base's branch."""
    pull = values.read(values.Pull, _at(payload, "pull_request"), PAYLOAD)
    base = Base(pull.base.ref, pull.base.sha)
    return common.activity("pull_request", pull.head.sha, base=base, pull=pull)


def _merge_group(common: _Common, payload: Any) -> Activity:
    """What is about to be merged, one pull request or several, without naming them."""
    group = values.read(values.MergeGroup, _at(payload, "merge_group"), PAYLOAD)
    base = Base(group.base_ref.removeprefix("refs/heads/"), group.base_sha)
    return common.activity("merge_group", group.head_sha, base=base)


def _push(common: _Common, payload: Any) -> Activity:
    """A new branch names a commit of zeros as the one before."""
    before = _at(payload, "before")
    known = isinstance(before, str) and re.fullmatch(values.SHA, before) and before.strip("0")
    base = Base(common.around.branch, before if known else None)
    return common.activity("push", common.around.sha, base=base)


def _workflow_run(common: _Common, payload: Any) -> Activity:
    source = values.read(values.Run, _at(payload, "workflow_run"), PAYLOAD)
    return common.activity("workflow_run", source.head_sha, source=source)


def _plain(common: _Common, _payload: Any) -> Activity:
    return common.activity(PLAIN.get(common.around.event, "other"), common.around.sha)


def _workflow(ref: str) -> str:
    """The file of ``OWNER/NAME/.github/workflows/FILE@REF``."""
    found = re.fullmatch(r"[^/@]+/[^/@]+/([^@]+)@.*", ref)
    return found[1] if found else ""


def _is_count(written: str) -> bool:
    return written.isascii() and written.isdigit() and int(written) > 0


def _at(found: Any, *keys: str) -> Any:
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found
