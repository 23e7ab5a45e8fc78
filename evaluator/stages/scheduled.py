"""The issue of a suite whose runs on a schedule do not pass: nobody reads a pull request there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.github import issue
from evaluator.stages import posting
from evaluator.stages.standing import mark_of

if TYPE_CHECKING:
    from evaluator.github.event import Activity
    from evaluator.stages.posting import Verdict
    from evaluator.stages.standing import Hub, Names


def why_no_issue(activity: Activity) -> str:
    """Why there is no issue; empty where there may be one."""
    return "" if activity.kind == "schedule" else f"the event {activity.around.event} is no schedule"


def tell(hub: Hub, names: Names, verdict: Verdict) -> str:
    """Open, change or close the issue.

    Raises:
        GitHubError: it could not be done.
    """
    mark = mark_of(hub, names, verdict)
    report = issue.Report(
        title=posting.title(names.shown), mark=mark, write=lambda each: posting.issue(verdict, each, hub.pages),
        passed=posting.passed(mark.stamp, hub.pages), author=hub.author(),
    )  # fmt: skip
    hub.log(issue.tell(hub.publishing, report))
    return ""
