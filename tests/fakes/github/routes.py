"""The endpoints of a fake GitHub: what each reads or changes, what it demands of a token, and what it refuses."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.fakes.github.shapes import Shapes, blob_sha
from tests.fakes.github.world import Check, Status, World, tarred

LONGEST_BODY = 65_536
LONGEST_SUMMARY = 65_535
LONGEST_MESSAGE = 64 * 1024
LONGEST_TITLE = 255
LONGEST_ISSUE_TITLE = 256
LONGEST_DESCRIPTION = 140
MOST_ANNOTATIONS = 50
MOST_INPUTS = 25
MOST_STATUSES = 1000
LINK_LIVES = 60.0


class Refused(Exception):
    """GitHub's answer to what it does not do."""

    def __init__(self, status: int, message: str, errors: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.errors = status, message, errors


class Reply(NamedTuple):
    """An answer; ``body`` None is none at all."""

    status: int
    body: Any = None
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed


class Listed(NamedTuple):
    """An answer in pages: the things, how each is shown, and the key of the list where it is no bare one."""

    things: list[Any]
    show: Callable[[Any], Any]
    key: str | None = None


@dataclass
class Asked:
    """A request that has been let in."""

    world: World
    shapes: Shapes
    gaps: dict[str, str]
    query: dict[str, str]
    body: dict[str, Any]
    files: Files


@dataclass
class Files:
    """What the second host hands out: the archive behind each signature, and until when."""

    url: str = ""
    kept: dict[str, tuple[bytes, float]] = field(default_factory=dict)

    def link(self, data: bytes, until: float) -> str:
        signature = secrets.token_hex(16)
        self.kept[signature] = (data, until)
        return f"{self.url}/archive?sig={signature}"


class Route(NamedTuple):
    """An endpoint: ``needs`` is what a token must be allowed, one of several."""

    method: str
    pattern: re.Pattern[str]
    needs: tuple[str, ...]
    answer: Callable[[Asked], Reply | Listed]


ROUTES: list[Route] = []
HERE = "/repos/{owner}/{repo}"


def route(method: str, path: str, *needs: str) -> Callable[[Any], Any]:
    """Register an endpoint below the repository; ``{name+}`` is a part that may hold slashes."""
    pattern = re.sub(r"\{(\w+)\+\}", r"(?P<\1>.+)", HERE + path)
    pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", pattern)

    def registered(answer: Callable[[Asked], Reply | Listed]) -> Callable[[Asked], Reply | Listed]:
        ROUTES.append(Route(method, re.compile(pattern), needs, answer))
        return answer

    return registered


def unprocessable(resource: str, field_name: str, message: str) -> Refused:
    error = {"resource": resource, "code": "custom", "field": field_name, "message": message}
    return Refused(422, f"Validation Failed: {message}", [error])


def length(text: str) -> int:
    """Characters of a text as the stricter of two countings has it: in units of UTF-16."""
    return len(text.encode("utf-16-le")) // 2


def found(things: dict[int, Any], number: str) -> Any:
    thing = things.get(int(number)) if number.isdigit() else None
    if thing is None:
        raise Refused(404, "Not Found")
    return thing


def commit_of(asked: Asked, ref: str, status: int = 422) -> Any:
    sha = asked.world.resolve(ref)
    if sha is None:
        raise Refused(status, f"No commit found for SHA: {ref}" if status == 422 else "Not Found")
    return asked.world.commits[sha]


@route("GET", "", "metadata:read")
def repository(asked):
    return Reply(200, asked.shapes.repo(asked.world.repo, full=True))


@route("GET", "/pulls/{number}", "pull-requests:read", "contents:read")
def pull(asked):
    return Reply(200, asked.shapes.pull(found(asked.world.pulls, asked.gaps["number"]), full=True))


@route("GET", "/pulls", "pull-requests:read", "contents:read")
def pulls(asked):
    state, query = asked.query.get("state", "open"), asked.query

    def fits(one):
        head = f"{one.head_repo.owner if one.head_repo else 'unknown'}:{one.head_branch}"
        return (
            state in {"all", one.state}
            and (":" not in query.get("head", "") or query["head"] == head)
            and query.get("base", one.base_branch) == one.base_branch
        )

    fitting = [one for one in asked.world.pulls.values() if fits(one)]
    return Listed(fitting[::-1], asked.shapes.pull)


@route("GET", "/commits", "contents:read")
def commits(asked):
    start = commit_of(asked, asked.query.get("sha", asked.world.default_branch), 404)
    return Listed(asked.world.history(start.sha), asked.shapes.commit)


@route("GET", "/commits/{ref}/statuses", "statuses:read")
def statuses(asked):
    sha = commit_of(asked, asked.gaps["ref"], 404).sha
    return Listed([one for one in asked.world.statuses if one.sha == sha][::-1], asked.shapes.status)


@route("GET", "/commits/{ref}/check-runs", "checks:read")
def checks(asked):
    sha, name = commit_of(asked, asked.gaps["ref"], 404).sha, asked.query.get("check_name")
    fitting = [one for one in asked.world.checks.values() if one.sha == sha and name in {None, one.name}]
    return Listed(fitting[::-1], asked.shapes.check, "check_runs")


@route("GET", "/commits/{ref+}", "contents:read")
def commit(asked):
    return Reply(200, asked.shapes.commit(commit_of(asked, asked.gaps["ref"])))


@route("GET", "/compare/{basehead+}", "contents:read")
def compare(asked):
    base, _, head = asked.gaps["basehead"].partition("...")
    base, head = (commit_of(asked, each.rpartition(":")[2], 404) for each in (base, head))
    before, after = asked.world.history(base.sha), asked.world.history(head.sha)
    shared = [one for one in after if one in before]
    if not shared:
        raise Refused(404, "No common ancestor between them.")
    ahead = [one for one in after if one not in before]
    return Reply(200, asked.shapes.comparison(base, head, (shared[0], ahead[::-1], len(before) - len(shared))))


@route("GET", "/contents/{path+}", "contents:read")
def content(asked):
    files = commit_of(asked, asked.query.get("ref", asked.world.default_branch), 404).files
    path = asked.gaps["path"]
    if path not in files:
        raise Refused(404, "Not Found")
    return Reply(200, asked.shapes.content(path, files[path]))


@route("GET", "/tarball/{ref+}", "contents:read")
def tarball(asked):
    one, repo = commit_of(asked, asked.gaps["ref"], 404), asked.world.repo
    data = tarred(f"{repo.owner}-{repo.name}-{one.sha[:7]}", one)
    return Reply(302, None, {"Location": asked.files.link(data, asked.world.clock() + LINK_LIVES)})


@route("GET", "/git/blobs/{sha}", "contents:read")
def blob(asked):
    everything = {data for one in asked.world.commits.values() for data in one.files.values()}
    data = next((each for each in everything if blob_sha(each) == asked.gaps["sha"]), None)
    if data is None:
        raise Refused(404, "Not Found")
    return Reply(200, asked.shapes.blob(data))


@route("GET", "/actions/artifacts", "actions:read")
def artifacts(asked):
    name = asked.query.get("name")
    fitting = [one for one in asked.world.artifacts.values() if name in {None, one.name}]
    return Listed(fitting[::-1], asked.shapes.artifact, "artifacts")


@route("GET", "/actions/runs/{number}/artifacts", "actions:read")
def artifacts_of_run(asked):
    run, name = found(asked.world.runs, asked.gaps["number"]), asked.query.get("name")
    fitting = [one for one in asked.world.artifacts.values() if one.run is run and name in {None, one.name}]
    return Listed(fitting[::-1], asked.shapes.artifact, "artifacts")


@route("GET", "/actions/artifacts/{number}", "actions:read")
def artifact(asked):
    return Reply(200, asked.shapes.artifact(found(asked.world.artifacts, asked.gaps["number"])))


@route("GET", "/actions/artifacts/{number}/zip", "actions:read")
def archive(asked):
    one = found(asked.world.artifacts, asked.gaps["number"])
    if one.expired:
        raise Refused(410, "Artifact has expired")
    return Reply(302, None, {"Location": asked.files.link(one.data, asked.world.clock() + LINK_LIVES)})


@route("GET", "/actions/runs/{number}", "actions:read")
def run(asked):
    return Reply(200, asked.shapes.run(found(asked.world.runs, asked.gaps["number"])))


@route("GET", "/actions/workflows/{file}/runs", "actions:read")
def runs(asked):
    query = asked.query
    fitting = [
        one for one in asked.world.runs.values()
        if one.path.endswith(f"/{asked.gaps['file']}") and query.get("event", one.event) == one.event
        and query.get("branch", one.head_branch) == one.head_branch
        and query.get("head_sha", one.head_sha) == one.head_sha
        and query.get("status", one.conclusion) in {one.conclusion, one.status}
    ]  # fmt: skip
    return Listed(fitting[::-1], asked.shapes.run, "workflow_runs")


@route("POST", "/actions/workflows/{file}/dispatches", "actions:write")
def dispatch(asked):
    path = next((each for each in asked.world.workflows if each.endswith(f"/{asked.gaps['file']}")), None)
    if path is None:
        raise Refused(404, "Not Found")
    if "workflow_dispatch" not in asked.world.workflows[path]:
        raise Refused(422, "Workflow does not have 'workflow_dispatch' trigger")
    if asked.world.resolve(asked.body["ref"]) is None:
        raise Refused(422, f"No ref found for: {asked.body['ref']}")
    if len(asked.body.get("inputs", {})) > MOST_INPUTS:
        raise Refused(422, "Invalid request.\n\nNo more than 25 properties are allowed.")
    asked.world.dispatched.append({"path": path, **asked.body})
    return Reply(204)


def talked_about(asked, number):
    """The pull request or issue that a comment belongs to."""
    return found(asked.world.pulls | asked.world.issues, number)


def check_comment(body):
    if not body.strip():
        raise unprocessable("IssueComment", "body", "Body cannot be blank")
    if length(body) > LONGEST_BODY:
        raise unprocessable("IssueComment", "body", f"Body is too long (maximum is {LONGEST_BODY} characters)")


@route("GET", "/issues/{number}/comments", "issues:read", "pull-requests:read")
def comments(asked):
    number = talked_about(asked, asked.gaps["number"]).number
    return Listed([one for one in asked.world.comments.values() if one.number == number], asked.shapes.comment)


@route("POST", "/issues/{number}/comments", "issues:write", "pull-requests:write")
def comment_on(asked):
    about = talked_about(asked, asked.gaps["number"])
    if getattr(about, "locked", False):
        raise Refused(403, "Unable to create comment because issue is locked.")
    check_comment(asked.body["body"])
    made = asked.shapes.comment(asked.world.add_comment(about.number, asked.body["body"]))
    return Reply(201, made, {"Location": made["url"]})


@route("PATCH", "/issues/comments/{number}", "issues:write", "pull-requests:write")
def change_comment(asked):
    one = found(asked.world.comments, asked.gaps["number"])
    check_comment(asked.body["body"])
    one.body, one.changed = asked.body["body"], asked.world.clock()
    return Reply(200, asked.shapes.comment(one))


@route("DELETE", "/issues/comments/{number}", "issues:write", "pull-requests:write")
def delete_comment(asked):
    del asked.world.comments[found(asked.world.comments, asked.gaps["number"]).id]
    return Reply(204)


@route("POST", "/statuses/{sha}", "statuses:write")
def set_status(asked):
    world, body = asked.world, asked.body
    sha, context = asked.gaps["sha"], body.get("context", "default")
    if sha not in world.commits:
        raise Refused(422, f"No commit found for SHA: {sha}")
    if length(body.get("description") or "") > LONGEST_DESCRIPTION:
        raise unprocessable("Status", "description", "description is too long (maximum is 140 characters)")
    if length(context) > LONGEST_TITLE:
        raise unprocessable("Status", "context", "context is too long (maximum is 255 characters)")
    for name, text in (("description", body.get("description") or ""), ("context", context)):
        if max(text, default="") > "\uffff":
            raise unprocessable("Status", name, f"{name} doesn't accept 4-byte Unicode")
    if sum(one.sha == sha and one.context == context for one in world.statuses) >= MOST_STATUSES:
        raise unprocessable("Status", "sha", "This SHA and context has reached the maximum number of statuses.")
    given = (body.get("description"), body.get("target_url"))
    world.statuses.append(Status(world.new_id(), sha, body["state"], context, *given, world.clock()))
    made = asked.shapes.status(world.statuses[-1])
    return Reply(201, made, {"Location": made["url"]})


def fill_check(check, body):
    """Put what was sent into a check run; annotations are added to those that are there."""
    output = body.get("output", {})
    annotations = output.get("annotations", [])
    if output and not {"title", "summary"} <= output.keys():
        raise Refused(422, 'Invalid request.\n\n"title", "summary" weren\'t supplied.')
    if len(annotations) > MOST_ANNOTATIONS:
        said = f"No more than {MOST_ANNOTATIONS} items are allowed; {len(annotations)} were supplied."
        raise Refused(422, f"Invalid request.\n\n{said}")
    for name in ("summary", "text"):
        if length(output.get(name) or "") > LONGEST_SUMMARY:
            raise unprocessable("CheckRun", name, f"{name} exceeds a maximum bytesize of {LONGEST_SUMMARY}")
    for each in annotations:
        check_annotation(each)
    if body.get("status") == "completed" and not body.get("conclusion"):
        raise unprocessable("CheckRun", "conclusion", "conclusion is missing")
    check.status = "completed" if body.get("conclusion") else body.get("status", check.status)
    check.conclusion = body.get("conclusion", check.conclusion)
    check.details_url = body.get("details_url", check.details_url)
    check.external_id = body.get("external_id", check.external_id)
    check.started = body.get("started_at", check.started)
    check.completed = body.get("completed_at", check.completed)
    check.output |= {name: value for name, value in output.items() if name != "annotations"}
    check.annotations += annotations


def check_annotation(given):
    limits = {"message": LONGEST_MESSAGE, "raw_details": LONGEST_MESSAGE, "title": LONGEST_TITLE}
    for name, limit in limits.items():
        size = length(given.get(name) or "") if name == "title" else len((given.get(name) or "").encode())
        if size > limit:
            raise unprocessable("CheckRun", f"annotations.{name}", f"{name} is too long")
    if not 1 <= given["start_line"] <= given["end_line"]:
        raise unprocessable("CheckRun", "annotations.end_line", "end_line must not be before start_line")
    if given["start_line"] != given["end_line"] and {"start_column", "end_column"} & given.keys():
        raise unprocessable("CheckRun", "annotations.start_column", "columns need start_line and end_line to be equal")


@route("POST", "/check-runs", "checks:write")
def add_check(asked):
    world, body = asked.world, asked.body
    if body["head_sha"] not in world.commits:
        raise Refused(422, f"No commit found for SHA: {body['head_sha']}")
    made = Check(world.new_id(), body["name"], body["head_sha"], "queued", world.clock())
    fill_check(made, body)
    world.checks[made.id] = made
    return Reply(201, asked.shapes.check(made))


@route("PATCH", "/check-runs/{number}", "checks:write")
def change_check(asked):
    one = found(asked.world.checks, asked.gaps["number"])
    fill_check(one, asked.body)
    return Reply(200, asked.shapes.check(one))


@route("GET", "/check-runs/{number}/annotations", "checks:read")
def annotations(asked):
    return Listed(found(asked.world.checks, asked.gaps["number"]).annotations, asked.shapes.annotation)


@route("GET", "/issues", "issues:read")
def issues(asked):
    state, labels = asked.query.get("state", "open"), set(asked.query.get("labels", "").split(",")) - {""}
    creator = asked.query.get("creator")
    pulls = asked.world.pulls.values() if not labels else ()
    fitting = [
        one for one in (*asked.world.issues.values(), *pulls)
        if state in {"all", one.state} and labels <= set(getattr(one, "labels", ())) and creator in {None, one.author}
    ]  # fmt: skip
    by = "changed" if asked.query.get("sort") == "updated" else "at"
    fitting.sort(
        key=lambda one: (getattr(one, by, one.at), one.number), reverse=asked.query.get("direction", "desc") == "desc"
    )
    return Listed(fitting, asked.shapes.listed_issue)


def check_issue(body):
    for name, most in (("title", LONGEST_ISSUE_TITLE), ("body", LONGEST_BODY)):
        if length(body.get(name) or "") > most:
            raise unprocessable("Issue", name, f"{name} is too long (maximum is {most} characters)")


@route("POST", "/issues", "issues:write")
def add_issue(asked):
    if not asked.world.has_issues:
        raise Refused(410, "Issues are disabled for this repo")
    body = asked.body.get("body") or ""
    check_issue(asked.body)
    made = asked.world.add_issue(asked.body["title"], body, tuple(asked.body.get("labels", ())))
    shown = asked.shapes.issue(made)
    return Reply(201, shown, {"Location": shown["url"]})


@route("PATCH", "/issues/{number}", "issues:write")
def change_issue(asked):
    one = found(asked.world.issues, asked.gaps["number"])
    check_issue(asked.body)
    for name in ("title", "body", "state"):
        setattr(one, name, asked.body.get(name) or getattr(one, name))
    one.reason, one.changed = asked.body.get("state_reason", one.reason), asked.world.clock()
    return Reply(200, asked.shapes.issue(one))
