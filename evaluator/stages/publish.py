"""publish: tells GitHub what was decided, by a status, a comment and, where it is wanted, a check run.

None of it decides anything: whatever GitHub refuses is a sentence for the log.
"""

from __future__ import annotations

import posixpath
import re
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from evaluator import errors
from evaluator.github import sticky
from evaluator.github.publishing import Annotation, CheckText
from evaluator.model.slugs import slug
from evaluator.stages import posting, scheduled
from evaluator.stages.standing import AWAITED, LONGEST_NAME, MEASURING, Names, mark_of, set_status
from evaluator.stores.yaml_text import parse
from evaluator.templates import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evaluator.github.event import Activity
    from evaluator.stages.posting import Verdict
    from evaluator.stages.standing import Hub

Mode: TypeAlias = Literal["always", "on-change", "on-failure", "off"]

STATUS, COMMENT, CHECK, ISSUE = "the status", "the comment", "the check run", "the issue"
SELF_REPORTED = "self-reported by a fork: "
"""How the description of a status begins that is about a stranger's answers."""

SCOPES = {
    STATUS: "statuses: write", COMMENT: "pull-requests: write", CHECK: "checks: write", ISSUE: "issues: write",
}  # fmt: skip
"""What the job's permissions have to name for each."""


class Wanted(NamedTuple):
    """What a workflow asks for.

    Attributes:
        config: the configuration's path in the repository.
        suite: as the tested configuration calls it; empty where nobody could read that.
        comment: when there is one.
        status, check: whether there is one.
        issue: whether a run on a schedule that does not pass opens one.
        variant: tells runs of one suite in one workflow apart; empty where there is one only.
    """

    config: str
    suite: str = ""
    comment: Mode = "always"
    status: bool = True
    check: bool = False
    variant: str = ""
    issue: bool = False


def announce(hub: Hub, wanted: Wanted) -> list[str]:
    """Say that a run has begun; what could not be said, a sentence each."""
    if not wanted.status or hub.activity.why_read_only or why_no_status(hub.activity):
        return []
    try:
        names = _names(hub, wanted)
    except errors.UsageError:
        # A suite that is new is named by its own configuration, which nobody has read yet.
        return []
    except errors.GitHubError as error:
        return [f"{STATUS} could not be written: {error}"]
    before = hub.activity.source
    begun = MEASURING if before is None or before.has_ended else AWAITED
    return _tried(lambda: set_status(hub, names, begun), STATUS)


def publish(hub: Hub, wanted: Wanted, verdict: Verdict) -> list[str]:
    """Tell a verdict; what could not be told, a sentence each."""
    activity = hub.activity
    if activity.source is not None:
        verdict = verdict._replace(sentence=f"{SELF_REPORTED}{verdict.sentence.removeprefix(SELF_REPORTED)}")
    parts = [
        (STATUS, wanted.status, why_no_status(activity), _tell_status),
        (COMMENT, wanted.comment != "off", why_no_comment(activity), _put_comment),
        (CHECK, wanted.check, why_no_status(activity), _add_check),
        (ISSUE, wanted.issue, scheduled.why_no_issue(activity), _tell_issue),
    ]  # fmt: skip
    for name, is_wanted, why, _ in parts:
        if is_wanted and why:
            hub.log(f"{name.replace('the', 'no', 1)}: {why}")
    due = [(name, tell) for name, is_wanted, why, tell in parts if is_wanted and not why]
    if due and activity.why_read_only:
        # GitHub would refuse each of them.
        return [f"nothing is written to GitHub, where its token may only read: {activity.why_read_only}"]
    if not due:
        return []
    try:
        names = _names(hub, wanted)
    except errors.AssayError as error:
        return [f"nothing could be written: {error}"]
    return [said for name, tell in due for said in _tried(partial(tell, hub, names, verdict, wanted), name)]


def why_no_status(activity: Activity) -> str:
    """Why there is no status; empty where there is one."""
    if activity.kind in {"pull_request", "merge_group"} or activity.pull is not None:
        return ""
    return f"the event {activity.around.event} has neither a pull request nor a merge group"


def why_no_comment(activity: Activity) -> str:
    """Why there is no comment, but that nobody may write it."""
    if activity.source is not None and activity.pull is None:
        return "nobody has looked for the pull request of the run before"
    return "" if activity.why_read_only and activity.pull is not None else activity.why_no_comment


def _tried(tell: Callable[[], str], what: str) -> list[str]:
    try:
        said = tell()
    except errors.Forbidden as error:
        said = f"{what} may not be written ({error}): the job's permissions have to name {SCOPES[what]}"
    except errors.AssayError as error:
        said = f"{what} could not be written: {error}"
    return [said] if said else []


def _names(hub: Hub, wanted: Wanted) -> Names:
    """By the base's configuration: a change cannot give its suite the name that another one is required by.

    Raises:
        UsageError: neither the base nor the change has a name for it.
        GitHubError: nobody knows what the base calls it.
    """
    suite = _suite_of_base(hub, wanted.config)
    if suite and wanted.suite and suite != wanted.suite:
        hub.log(f"this change renames the suite; it is published as '{one_line(suite)}', as its base has it")
    suite = suite or wanted.suite
    if not suite:
        raise errors.UsageError(f"{wanted.config} names no suite, neither in this change nor in its base")
    return Names(suite, wanted.variant)


def _suite_of_base(hub: Hub, config: str) -> str:
    base, kind = hub.activity.base, hub.activity.kind
    # What runs on a schedule was merged: it is its own base.
    sha = hub.activity.head_sha if kind == "schedule" else base.sha if base is not None else None
    if sha is None:
        return ""
    try:
        text = hub.repository.content(posixpath.normpath(config), sha).decode("utf-8", "replace")
    except errors.NotFound:
        return ""
    document = parse(text, config, [])
    suite = document.value.get("suite") if document is not None and isinstance(document.value, dict) else None
    return suite if isinstance(suite, str) and len(suite) <= LONGEST_NAME else ""


def _tell_status(hub: Hub, names: Names, verdict: Verdict, _wanted: Wanted) -> str:
    return set_status(hub, names, verdict)


def _put_comment(hub: Hub, names: Names, verdict: Verdict, wanted: Wanted) -> str:
    activity = hub.activity
    if activity.pull is None:
        return ""
    now = hub.repository.pull(activity.pull.number)
    if now.head.sha != activity.head_sha:
        hub.log(f"no comment: the pull request has moved on to {now.head.sha}, which a run of its own is about")
        return ""
    if now.locked or now.state != "open":
        hub.log(f"no comment: the pull request is {'locked' if now.locked else 'closed'} by now")
        return ""
    draft = sticky.Draft(
        number=now.number, mark=mark_of(hub, names, verdict),
        write=lambda mark: posting.comment(verdict, mark, hub.pages),
        create=_is_due(wanted.comment, verdict), author=hub.author(),
    )  # fmt: skip
    hub.log(sticky.put(hub.publishing, draft))
    return ""


def _tell_issue(hub: Hub, names: Names, verdict: Verdict, _wanted: Wanted) -> str:
    return scheduled.tell(hub, names, verdict)


def _is_due(mode: Mode, verdict: Verdict) -> bool:
    """Whether there is to be a comment where there is none; one that is there is never left to tell what was."""
    return (
        (mode == "always" and not verdict.quiet)
        or verdict.outcome != "passed"
        or (mode == "on-change" and verdict.changed)
    )


def _add_check(hub: Hub, names: Names, verdict: Verdict, _wanted: Wanted) -> str:
    """Never neutral and never skipped: both count as passed where a check is required."""
    stamp, name = hub.stamp(verdict.outcome), f"RAG Assay: {names.shown}"
    there, ours = hub.publishing.checks(hub.activity.head_sha, name), f"{slug(names.suite)}-{stamp.workflow}"
    if any(_order(each.external_id, ours) > stamp.order for each in there):
        hub.log("no check run: that of a newer run is there")
        return ""
    more = f"\n{verdict.more:,} more cases have no annotation.\n" if verdict.more else ""
    check = CheckText(
        name=name, head_sha=hub.activity.head_sha,
        conclusion="success" if verdict.outcome == "passed" else "failure",
        title=posting.description(verdict), summary=posting.summary(verdict, more),
        external_id=f"{ours}-{stamp.run}-{stamp.attempt}", details_url=hub.pages.of(stamp),
    )  # fmt: skip
    remarks = [Annotation(each.path, each.line, each.level, each.title, each.message) for each in verdict.remarks]
    hub.publishing.add_check(check, remarks)
    hub.log(f"the check run '{check.name}' has {len(remarks)} annotations")
    return ""


def _order(external_id: str | None, ours: str) -> tuple[int, int]:
    """Of the run of our workflow that made a check run; what another or nobody made is before all others."""
    found = re.fullmatch(re.escape(ours) + r"-(\d{1,18})-(\d{1,9})", external_id or "")
    return (int(found[1]), int(found[2])) if found is not None else (0, 0)


def warning(said: Sequence[str]) -> str:
    """All that could not be told, as one warning; empty where there is nothing."""
    if not said:
        return ""
    return f"{'; '.join(said)}. The verdict stays, and the job's exit code is what counts"
