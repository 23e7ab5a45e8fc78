"""The one issue of a suite whose runs on a schedule do not pass: changed in its place, and closed when one passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from evaluator import errors
from evaluator.github.sticky import ACTIONS, ours, why_kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from evaluator.github import values
    from evaluator.github.marks import Mark
    from evaluator.github.publishing import Publishing

    Found: TypeAlias = tuple[values.Issue, Mark]

LABEL = "rag-assay"
MOST_PAGES = 3
"""Of issues without our label, those that changed last: somebody may have taken it away."""


class Report(NamedTuple):
    """What a run on a schedule has to tell.

    Attributes:
        title: of the issue, if there has to be one.
        mark: which issue it is and who writes it; a run that did not pass opens it.
        write: the whole text of it for a mark.
        passed: what is said there when it is closed.
        author: the account that writes; None for an app's token, which may not ask who it is.
    """

    title: str
    mark: Mark
    write: Callable[[Mark], str]
    passed: str
    author: str | None = None


def tell(publishing: Publishing, report: Report) -> str:
    """Open, change or close the issue; what was done, in a few words.

    Raises:
        GitHubError: it could not be done.
    """
    standing = _standing(publishing, report)
    closed = ours(publishing.issues("closed", LABEL, most=1).items, report.mark, report.author)
    if why := why_kept([mark for _, mark in (*standing, *closed)], report.mark):
        return f"the issue stays as it is: {why}"
    if report.mark.stamp.outcome == "passed":
        return _close(publishing, report, standing)
    # Another leg of this run passed and closed it; what a person closed is left to him.
    standing = standing or [each for each in closed if each[1].stamp.is_rival(report.mark.stamp)]
    return _keep(publishing, report, standing) if standing else _open(publishing, report, report.mark)


def _standing(publishing: Publishing, report: Report) -> list[Found]:
    """Ours that are open, the oldest first."""
    labelled = publishing.issues("open", LABEL)
    found = ours(labelled.items, report.mark, report.author)
    if not (found or labelled.complete):
        raise errors.GitHubError("more issues of our label are open than are read, and ours may be among the others")
    found = found or ours(publishing.issues("open", most=MOST_PAGES).items, report.mark, report.author)
    return sorted(found, key=lambda each: each[0].number)


def _open(publishing: Publishing, report: Report, mark: Mark) -> str:
    made = publishing.open_issue(report.title, report.write(mark), LABEL)
    login = made.user.login if made.user is not None else ACTIONS
    if report.author is None and login != ACTIONS:
        publishing.change_issue(made.number, report.write(mark._replace(by=login)))
    return f"the issue is open: {made.html_url}"


def _keep(publishing: Publishing, report: Report, standing: list[Found]) -> str:
    """Change the oldest and close the others, which two runs at once may have opened."""
    (first, before), *others = standing
    mark = report.mark.after([before])._replace(by=before.by)
    try:
        publishing.change_issue(first.number, report.write(mark), "reopened" if first.state == "closed" else None)
    except (errors.NotFound, errors.Gone):
        # Somebody removed it between two requests.
        return _open(publishing, report, mark._replace(by=""))
    for other, old in others:
        publishing.change_issue(other.number, old.put_into(other.body or ""), "not_planned")
    return f"the issue is up to date: {first.html_url}"


def _close(publishing: Publishing, report: Report, standing: list[Found]) -> str:
    """Close what is open. Its text stays: it says what was wrong."""
    if not standing:
        return "no issue: the run passed, and none is open"
    for issue, before in standing:
        mark = report.mark._replace(by=before.by)
        publishing.change_issue(issue.number, mark.put_into(issue.body or ""), "completed")
        try:
            publishing.comment(issue.number, report.passed)
        except errors.Forbidden as error:
            # Its conversation is locked. Closing is what counts.
            return f"the issue is closed without a word ({error}): {issue.html_url}"
    return f"the issue is closed: {standing[0][0].html_url}"
