"""What is written to a repository on GitHub: comments, statuses, check runs, and runs that are started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from evaluator import errors
from evaluator.github import values
from evaluator.github.repository import Listed, here, part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluator.github.client import Client

MOST_COMMENT_PAGES = 20
MOST_STATUS_PAGES = 10
LONGEST_TITLE = 256
LONGEST_COMMENT = 65_536
LONGEST_SUMMARY = 65_535
LONGEST_DESCRIPTION = 140
LONGEST_CONTEXT = 255
MOST_ANNOTATIONS = 50
"""What GitHub takes at once; whoever writes more is told 422, and nothing is written."""

Level: TypeAlias = Literal["notice", "warning", "failure"]
State: TypeAlias = Literal["pending", "success", "failure", "error"]
Conclusion: TypeAlias = Literal["success", "failure"]
IssueState: TypeAlias = Literal["open", "closed"]
StateReason: TypeAlias = Literal["completed", "not_planned", "reopened"]


class Annotation(NamedTuple):
    """A remark on a line of a file, counted from 1."""

    path: str
    line: int
    level: Level
    title: str
    message: str


class StatusText(NamedTuple):
    """A status as it is set: ``context`` is its name, by which it can be required."""

    state: State
    context: str
    description: str
    target_url: str | None = None


class CheckText(NamedTuple):
    """A check run as it is made: finished, with all that is to be read in it."""

    name: str
    head_sha: str
    conclusion: Conclusion
    title: str
    summary: str
    external_id: str
    details_url: str | None = None


class Publishing:
    """Writes to one repository. Every method may raise a GitHubError, whose kind says why nothing was written."""

    def __init__(self, client: Client, name: str) -> None:
        """``name`` is that of owner and repository with a slash between them.

        Raises:
            UsageError: it is none.
        """
        self._client, self._here = client, here(name)

    def author(self) -> str | None:
        """The account whose token this is; None for an app's, which may not ask."""
        try:
            return values.read(values.User, self._client.get("/user")).login
        except errors.Forbidden:
            return None

    def comments(self, number: int) -> Listed[values.Comment]:
        """The comments of a pull request, oldest first: one's own may be anywhere among them."""
        path = f"{self._here}/issues/{number}/comments"
        listing = self._client.listed(path, most=MOST_COMMENT_PAGES)
        return Listed(values.read_all(values.Comment, listing.items), listing.complete)

    def comment(self, number: int, body: str) -> values.Comment:
        """Write a comment. No answer is not a second try, which could write a second comment."""
        sent = self._client.send("POST", f"{self._here}/issues/{number}/comments", {"body": body})
        return values.read(values.Comment, sent)

    def change_comment(self, comment: int, body: str) -> values.Comment:
        """Replace the text of a comment, whoever wrote it: GitHub lets a token with the permission do that."""
        path = f"{self._here}/issues/comments/{comment}"
        return values.read(values.Comment, self._client.send("PATCH", path, {"body": body}, repeatable=True))

    def delete_comment(self, comment: int) -> None:
        """Remove a comment."""
        self._client.send("DELETE", f"{self._here}/issues/comments/{comment}")

    def issues(self, state: IssueState, label: str = "", most: int = 5) -> Listed[values.Issue]:
        """Issues, those that changed last first, of so many pages; pull requests are none."""
        more = {"labels": label} if label else {}
        listing = self._client.listed(
            f"{self._here}/issues", most=most, state=state, sort="updated", direction="desc", **more
        )
        found = values.read_all(values.Issue, listing.items)
        return Listed(tuple(each for each in found if each.pull_request is None), listing.complete)

    def open_issue(self, title: str, body: str, label: str) -> values.Issue:
        """Open an issue. No answer is not a second try, which could open a second one."""
        sent = {"title": title, "body": body, "labels": [label]}
        return values.read(values.Issue, self._client.send("POST", f"{self._here}/issues", sent))

    def change_issue(self, number: int, body: str, why: StateReason | None = None) -> None:
        """Replace the text of an issue; with a reason it is closed, or opened again, as that says."""
        sent = {"body": body}
        if why is not None:
            sent |= {"state": "open" if why == "reopened" else "closed", "state_reason": why}
        self._client.send("PATCH", f"{self._here}/issues/{number}", sent, repeatable=True)

    def statuses(self, sha: str) -> Listed[values.Status]:
        """The newest statuses of a commit, newest first."""
        listing = self._client.listed(f"{self._here}/commits/{part(sha)}/statuses", most=MOST_STATUS_PAGES)
        return Listed(values.read_all(values.Status, listing.items), listing.complete)

    def set_status(self, sha: str, status: StatusText) -> None:
        """Set a status of a commit; the newest of a context is the one that counts."""
        self._client.send("POST", f"{self._here}/statuses/{part(sha)}", _given(status._asdict()), repeatable=True)

    def checks(self, sha: str, name: str) -> tuple[values.Check, ...]:
        """The check runs of a name on a commit."""
        path = f"{self._here}/commits/{part(sha)}/check-runs"
        return values.read_all(values.Check, self._client.listed(path, "check_runs", 1, check_name=name).items)

    def add_check(self, check: CheckText, annotations: Sequence[Annotation]) -> values.Check:
        """Make a check run with all its annotations, so many at once as GitHub takes.

        It is finished from the first request on: what fails later costs annotations, not the conclusion.
        """
        output = {"title": check.title, "summary": check.summary}
        shown = [_annotation(each) for each in annotations]
        first, rest = shown[:MOST_ANNOTATIONS], shown[MOST_ANNOTATIONS:]
        body = {
            "name": check.name, "head_sha": check.head_sha, "external_id": check.external_id, "status": "completed",
            "conclusion": check.conclusion, "details_url": check.details_url, "output": output | {"annotations": first},
        }  # fmt: skip
        made = values.read(values.Check, self._client.send("POST", f"{self._here}/check-runs", _given(body)))
        for start in range(0, len(rest), MOST_ANNOTATIONS):
            more = output | {"annotations": rest[start : start + MOST_ANNOTATIONS]}
            self._client.send("PATCH", f"{self._here}/check-runs/{made.id}", {"output": more})
        return made

    def dispatch(self, workflow: str, ref: str, inputs: Mapping[str, str]) -> None:
        """Start a workflow by the name of its file, as it is on a branch."""
        path = f"{self._here}/actions/workflows/{part(workflow)}/dispatches"
        self._client.send("POST", path, {"ref": ref, "inputs": dict(inputs)})


def _given(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if value is not None}


def _annotation(given: Annotation) -> dict[str, Any]:
    return {
        "path": given.path, "start_line": given.line, "end_line": given.line, "annotation_level": given.level,
        "title": given.title, "message": given.message,
    }  # fmt: skip
