"""What GitHub answers of each thing, with every field that its description demands."""

from __future__ import annotations

import base64
import hashlib
from typing import Any
from urllib.parse import quote

from tests.fakes.github.world import (
    Artifact,
    Check,
    Comment,
    Commit,
    Issue,
    Pull,
    Repo,
    Run,
    Status,
    World,
)

USER_LINKS = {
    "events_url": "/events{/privacy}", "followers_url": "/followers", "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}", "organizations_url": "/orgs", "received_events_url": "/received_events",
    "repos_url": "/repos", "starred_url": "/starred{/owner}{/repo}", "subscriptions_url": "/subscriptions",
}  # fmt: skip
REPO_LINKS = {
    "archive_url": "/{archive_format}{/ref}", "assignees_url": "/assignees{/user}", "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}", "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}", "commits_url": "/commits{/sha}", "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}", "contributors_url": "/contributors", "deployments_url": "/deployments",
    "downloads_url": "/downloads", "events_url": "/events", "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}", "git_refs_url": "/git/refs{/sha}", "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}", "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}", "keys_url": "/keys{/key_id}", "labels_url": "/labels{/name}",
    "languages_url": "/languages", "merges_url": "/merges", "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}", "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}", "stargazers_url": "/stargazers", "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers", "subscription_url": "/subscription", "tags_url": "/tags", "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}  # fmt: skip
COUNTS = (
    "forks", "forks_count", "open_issues", "open_issues_count", "size", "stargazers_count", "watchers",
    "watchers_count",
)  # fmt: skip
CHANGED = ("additions", "deletions", "changed_files", "comments", "commits", "review_comments")
HAS = ("has_downloads", "has_issues", "has_projects", "has_wiki", "has_pages")


class Shapes:
    """Makes the JSON of things; ``api`` and ``web`` are the addresses that links in it begin with."""

    def __init__(self, world: World, api: str, web: str) -> None:
        self.world, self.api, self.web = world, api, web

    def _node(self, kind: str, number: int) -> str:
        return base64.b64encode(f"{kind}{number}".encode()).decode()

    def user(self, login: str) -> dict[str, Any]:
        number, url = self.world.user_id(login), f"{self.api}/users/{quote(login)}"
        return {
            "login": login, "id": number, "node_id": self._node("U", number), "gravatar_id": "",
            "avatar_url": f"{self.web}/avatars/{number}", "html_url": f"{self.web}/{login}", "url": url,
            "type": "Bot" if login.endswith("[bot]") else "User", "site_admin": False,
            **{name: url + path for name, path in USER_LINKS.items()},
        }  # fmt: skip

    def small_repo(self, repo: Repo) -> dict[str, Any]:
        """As a run has it."""
        url = f"{self.api}/repos/{repo.full_name}"
        return {
            "id": repo.id, "node_id": self._node("R", repo.id), "name": repo.name, "full_name": repo.full_name,
            "private": repo.private, "fork": repo.fork, "owner": self.user(repo.owner), "description": None,
            "html_url": f"{self.web}/{repo.full_name}", "url": url,
            **{name: url + path for name, path in REPO_LINKS.items()},
        }  # fmt: skip

    def repo(self, repo: Repo, *, full: bool = False) -> dict[str, Any]:
        """As a pull request has it, or as it is answered by itself."""
        web, moment = f"{self.web}/{repo.full_name}", self.world.moment(self.world.clock())
        extra = {"network_count": 0, "subscribers_count": 0, "has_discussions": False} if full else {}
        return self.small_repo(repo) | {
            "clone_url": f"{web}.git", "git_url": f"{web}.git", "ssh_url": f"{web}.git", "svn_url": web,
            "default_branch": self.world.default_branch, "homepage": None, "language": "Python", "mirror_url": None,
            "archived": False, "disabled": False, "license": None,
            "visibility": "private" if repo.private else "public", "pushed_at": moment, "created_at": moment,
            "updated_at": moment,
            **dict.fromkeys(COUNTS, 0), **dict.fromkeys(HAS, True), **extra,
        }  # fmt: skip

    def commit(self, commit: Commit) -> dict[str, Any]:
        url, person = self._commit_url(commit.sha), {"name": "Ada", "email": "ada@example.com"}
        person["date"] = self.world.moment(commit.at)
        tree = hashlib.sha1(commit.sha.encode(), usedforsecurity=False).hexdigest()
        return {
            "sha": commit.sha, "node_id": self._node("C", int(commit.sha[:6], 16)), "url": url,
            "html_url": f"{self.web}/{self.world.repo.full_name}/commit/{commit.sha}",
            "comments_url": f"{url}/comments",
            "commit": {
                "url": url, "author": person, "committer": person, "message": commit.message, "comment_count": 0,
                "tree": {"sha": tree, "url": f"{self._here}/git/trees/{tree}"},
            },
            "author": self.user("ada"), "committer": None,
            "parents": [{"sha": sha, "url": self._commit_url(sha)} for sha in commit.parents],
        }  # fmt: skip

    @property
    def _here(self) -> str:
        return f"{self.api}/repos/{self.world.repo.full_name}"

    def _commit_url(self, sha: str) -> str:
        return f"{self._here}/commits/{sha}"

    def comparison(self, base: Commit, head: Commit, found: tuple[Commit, list[Commit], int]) -> dict[str, Any]:
        """``found`` is the merge base, the commits the head has beyond the base, and how many it lacks."""
        merge_base, ahead, behind = found
        web = f"{self.web}/{self.world.repo.full_name}/compare/{base.sha}...{head.sha}"
        status = {(True, True): "diverged", (True, False): "ahead", (False, True): "behind"}
        return {
            "url": f"{self._here}/compare/{base.sha}...{head.sha}", "html_url": web, "permalink_url": web,
            "diff_url": f"{web}.diff", "patch_url": f"{web}.patch", "base_commit": self.commit(base),
            "merge_base_commit": self.commit(merge_base), "ahead_by": len(ahead), "behind_by": behind,
            "status": status.get((bool(ahead), bool(behind)), "identical"), "total_commits": len(ahead),
            "commits": [self.commit(each) for each in ahead], "files": [],
        }  # fmt: skip

    def content(self, path: str, data: bytes) -> dict[str, Any]:
        sha = blob_sha(data)
        url = f"{self._here}/contents/{quote(path)}"
        return {
            "type": "file", "name": path.rpartition("/")[2], "path": path, "sha": sha, "size": len(data), "url": url,
            "html_url": url, "git_url": f"{self._here}/git/blobs/{sha}", "download_url": url,
            "_links": {"self": url, "git": f"{self._here}/git/blobs/{sha}", "html": url},
            # From 1 MB on GitHub leaves the content out.
            "content": base64.encodebytes(data).decode() if len(data) <= 1 << 20 else "",
            "encoding": "base64" if len(data) <= 1 << 20 else "none",
        }  # fmt: skip

    def blob(self, data: bytes) -> dict[str, Any]:
        sha = blob_sha(data)
        return {
            "sha": sha, "node_id": self._node("B", int(sha[:6], 16)), "size": len(data), "encoding": "base64",
            "url": f"{self._here}/git/blobs/{sha}", "content": base64.encodebytes(data).decode(),
        }  # fmt: skip

    def pull(self, pull: Pull, *, full: bool = False) -> dict[str, Any]:
        url, web = f"{self._here}/pulls/{pull.number}", f"{self.web}/{self.world.repo.full_name}/pull/{pull.number}"
        issue, at = f"{self._here}/issues/{pull.number}", self.world.moment(pull.at)
        closed = at if pull.state == "closed" else None
        links = {
            "self": url, "html": web, "issue": issue, "comments": f"{issue}/comments",
            "review_comments": f"{url}/comments", "review_comment": f"{self._here}/pulls/comments{{/number}}",
            "commits": f"{url}/commits", "statuses": f"{self._here}/statuses/{pull.head_sha}",
        }  # fmt: skip
        made = {
            "id": 9000 + pull.number, "node_id": self._node("P", pull.number), "number": pull.number, "url": url,
            "html_url": web, "diff_url": f"{web}.diff", "patch_url": f"{web}.patch", "issue_url": issue,
            "comments_url": links["comments"], "commits_url": links["commits"], "statuses_url": links["statuses"],
            "review_comments_url": links["review_comments"], "review_comment_url": links["review_comment"],
            "_links": {name: {"href": href} for name, href in links.items()},
            "title": pull.title, "body": None, "user": self.user(pull.author), "state": pull.state,
            "locked": pull.locked, "draft": pull.draft, "labels": [], "assignee": None, "assignees": [],
            "milestone": None,
            "author_association": "CONTRIBUTOR", "auto_merge": None, "created_at": at, "updated_at": at,
            "closed_at": closed, "merged_at": None, "merge_commit_sha": pull.merge_sha,
            "head": self._side(pull.head_repo, pull.head_branch, pull.head_sha),
            "base": self._side(self.world.repo, pull.base_branch, pull.base_sha),
        }  # fmt: skip
        more = {
            "mergeable": True, "mergeable_state": "clean", "merged": False, "merged_by": None,
            "maintainer_can_modify": False, **dict.fromkeys(CHANGED, 1),
        }  # fmt: skip
        return made | more if full else made

    def _side(self, repo: Repo | None, branch: str, sha: str) -> dict[str, Any]:
        owner = repo.owner if repo else "unknown"
        return {
            "label": f"{owner}:{branch}", "ref": branch, "sha": sha, "user": self.user(owner) if repo else None,
            "repo": self.repo(repo) if repo else None,
        }  # fmt: skip

    def small_pull(self, pull: Pull) -> dict[str, Any]:
        """As a run and a check run have it."""

        def side(repo: Repo, branch: str, sha: str) -> dict[str, Any]:
            url = f"{self.api}/repos/{repo.full_name}"
            return {"ref": branch, "sha": sha, "repo": {"id": repo.id, "url": url, "name": repo.name}}

        return {
            "id": 9000 + pull.number, "number": pull.number, "url": f"{self._here}/pulls/{pull.number}",
            "head": side(pull.head_repo or self.world.repo, pull.head_branch, pull.head_sha),
            "base": side(self.world.repo, pull.base_branch, pull.base_sha),
        }  # fmt: skip

    def comment(self, comment: Comment) -> dict[str, Any]:
        url = f"{self._here}/issues/comments/{comment.id}"
        issue = f"{self._here}/issues/{comment.number}"
        return {
            "id": comment.id, "node_id": self._node("IC", comment.id), "url": url, "issue_url": issue,
            "html_url": f"{self.web}/{self.world.repo.full_name}/pull/{comment.number}#issuecomment-{comment.id}",
            "user": self.user(comment.author), "body": comment.body, "author_association": "NONE",
            "created_at": self.world.moment(comment.made), "updated_at": self.world.moment(comment.changed),
        }  # fmt: skip

    def status(self, status: Status) -> dict[str, Any]:
        at = self.world.moment(status.at)
        return {
            "id": status.id, "node_id": self._node("S", status.id), "url": f"{self._here}/statuses/{status.sha}",
            "avatar_url": None, "state": status.state, "context": status.context, "description": status.description,
            "target_url": status.target_url, "created_at": at, "updated_at": at, "creator": self.user(self.world.bot),
        }  # fmt: skip

    def check(self, check: Check) -> dict[str, Any]:
        url = f"{self._here}/check-runs/{check.id}"
        return {
            "id": check.id, "node_id": self._node("CR", check.id), "head_sha": check.sha, "name": check.name,
            "url": url,
            "html_url": f"{self.web}/{self.world.repo.full_name}/runs/{check.id}", "details_url": check.details_url,
            "external_id": check.external_id, "status": check.status, "conclusion": check.conclusion,
            "started_at": check.started, "completed_at": check.completed, "check_suite": {"id": 7}, "app": None,
            "pull_requests": [],
            "output": {
                **{name: check.output.get(name) for name in ("title", "summary", "text")},
                "annotations_count": len(check.annotations), "annotations_url": f"{url}/annotations",
            },
        }  # fmt: skip

    def annotation(self, given: dict[str, Any]) -> dict[str, Any]:
        optional = ("start_column", "end_column", "title", "raw_details")
        return {"blob_href": f"{self.web}/blob", **dict.fromkeys(optional), **given}

    def artifact(self, artifact: Artifact) -> dict[str, Any]:
        url, at, run = f"{self._here}/actions/artifacts/{artifact.id}", self.world.moment(artifact.at), artifact.run
        return {
            "id": artifact.id, "node_id": self._node("A", artifact.id), "name": artifact.name, "url": url,
            "size_in_bytes": len(artifact.data), "archive_download_url": f"{url}/zip", "expired": artifact.expired,
            "created_at": at, "updated_at": at, "expires_at": self.world.moment(artifact.expires),
            "digest": artifact.digest,
            "workflow_run": None if run is None else {
                "id": run.id, "repository_id": self.world.repo.id, "head_repository_id": run.head_repo.id,
                "head_branch": run.head_branch, "head_sha": run.head_sha,
            },
        }  # fmt: skip

    def run(self, run: Run) -> dict[str, Any]:
        url, at = f"{self._here}/actions/runs/{run.id}", self.world.moment(run.at)
        workflow = 300 + sorted({*self.world.workflows, run.path}).index(run.path)
        links = ("jobs", "logs", "cancel", "rerun", "artifacts")
        person = {"name": "Ada", "email": "ada@example.com"}
        return {
            "id": run.id, "node_id": self._node("WR", run.id), "name": "RAG Assay", "run_number": 1, "event": run.event,
            "display_title": "A change", "head_branch": run.head_branch, "head_sha": run.head_sha, "path": run.path,
            "status": run.status, "conclusion": run.conclusion, "run_attempt": run.attempt, "url": url,
            "workflow_id": workflow, "workflow_url": f"{self._here}/actions/workflows/{workflow}",
            "html_url": f"{self.web}/{self.world.repo.full_name}/actions/runs/{run.id}",
            "check_suite_url": f"{self._here}/check-suites/7", "created_at": at, "updated_at": at, "run_started_at": at,
            **{f"{name}_url": f"{url}/{name}" for name in links},
            "actor": self.user(run.actor), "triggering_actor": self.user(run.actor),
            "head_commit": {
                "id": run.head_sha, "tree_id": run.head_sha, "message": "a change", "timestamp": at, "author": person,
                "committer": person,
            },
            "repository": self.small_repo(self.world.repo), "head_repository": self.small_repo(run.head_repo),
            "pull_requests": [self.small_pull(self.world.pulls[each]) for each in run.pull_numbers],
        }  # fmt: skip

    def issue(self, issue: Issue) -> dict[str, Any]:
        url, at = f"{self._here}/issues/{issue.number}", self.world.moment(issue.at)
        return {
            "id": 8000 + issue.number, "node_id": self._node("I", issue.number), "number": issue.number, "url": url,
            "html_url": f"{self.web}/{self.world.repo.full_name}/issues/{issue.number}", "repository_url": self._here,
            "labels_url": f"{url}/labels{{/name}}", "comments_url": f"{url}/comments", "events_url": f"{url}/events",
            "title": issue.title, "body": issue.body, "user": self.user(issue.author), "state": issue.state,
            "locked": issue.locked, "labels": [{"name": name} for name in issue.labels], "assignee": None,
            "milestone": None, "comments": 0, "closed_at": at if issue.state == "closed" else None, "created_at": at,
            "updated_at": self.world.moment(issue.changed), "state_reason": issue.reason, "author_association": "NONE",
        }  # fmt: skip

    def listed_issue(self, one: Issue | Pull) -> dict[str, Any]:
        """One of a list of issues, in which GitHub has pull requests, too."""
        if isinstance(one, Issue):
            return self.issue(one)
        shown = self.issue(Issue(one.number, one.title, one.body, [], one.author, one.at, one.at, one.state))
        url = f"{self._here}/pulls/{one.number}"
        page = f"{self.web}/{self.world.repo.full_name}/pull/{one.number}"
        links = {"url": url, "html_url": page, "diff_url": f"{page}.diff", "patch_url": f"{page}.patch"}
        return shown | {"pull_request": links, "html_url": page}


def blob_sha(data: bytes) -> str:
    """The SHA that git knows a file's content by."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
