"""What a repository on GitHub holds: everything that is only read."""

from __future__ import annotations

import base64
import binascii
import itertools
import re
from typing import IO, TYPE_CHECKING, Generic, NamedTuple, TypeVar
from urllib.parse import quote

from evaluator import errors
from evaluator.github import values

if TYPE_CHECKING:
    from evaluator.github.client import Client, Listing

T = TypeVar("T", bound=values.FromGitHub)
NAME = re.compile(r"[A-Za-z0-9._-]+/[A-Za-z0-9._-]+")
MOST_PAGES = 5
MOST_HISTORY = 3
"""Pages of 100 commits."""


class Listed(NamedTuple, Generic[T]):
    """Things of a list; ``complete`` unless there are more than were read."""

    items: tuple[T, ...]
    complete: bool


class Ancestry(NamedTuple):
    """A commit and its first parents, nearest first; ``complete`` where they were followed to the very first."""

    commits: tuple[str, ...]
    complete: bool


class Repository:
    """Reads one repository. Every method may raise a GitHubError, whose kind says why it is not to be had."""

    def __init__(self, client: Client, name: str) -> None:
        """``name`` is that of owner and repository with a slash between them.

        Raises:
            UsageError: it is none.
        """
        self._client, self._here = client, here(name)

    def about(self) -> values.Repo:
        """The repository itself."""
        return values.read(values.Repo, self._client.get(self._here))

    def pull(self, number: int) -> values.Pull:
        """A pull request."""
        return values.read(values.Pull, self._client.get(f"{self._here}/pulls/{number}"))

    def pulls_from(self, owner: str, branch: str) -> Listed[values.Pull]:
        """The open pull requests of a branch, whichever of the owner's repositories has it and whatever base they name.

        A workflow run of a fork names none, so that they are found by this and then by their head.
        """
        params = {"state": "open", "head": f"{owner}:{branch}"}
        return _found(values.Pull, self._client.listed(f"{self._here}/pulls", most=MOST_PAGES, **params))

    def pulls(self) -> Listed[values.Pull]:
        """The open pull requests, newest first: for want of the branch that one is from."""
        return _found(values.Pull, self._client.listed(f"{self._here}/pulls", most=MOST_PAGES, state="open"))

    def commit(self, ref: str) -> values.Commit:
        """A commit by its SHA or a branch."""
        return values.read(values.Commit, self._client.get(f"{self._here}/commits/{part(ref)}"))

    def first_parents(self, sha: str, most: int = MOST_HISTORY) -> Ancestry:
        """A commit and what its branch was before it: merged branches are passed by.

        GitHub lists all that a commit is made of, in pages; at most so many are read.
        """
        parents: dict[str, tuple[values.Parent, ...]] = {}
        chain: list[str] = []
        following: str | None = sha
        pages = self._client.pages(f"{self._here}/commits", sha=sha)
        for page, _ in itertools.islice(pages, most):
            parents |= {each.sha: each.parents for each in values.read_all(values.Commit, page)}
            while following in parents:
                chain.append(following)
                before = parents[following]
                # A commit twice would be one that is its own ancestor.
                del parents[following]
                following = before[0].sha if before else None
            if following is None:
                break
        return Ancestry(tuple(chain), complete=following is None)

    def merge_base(self, base: str, head: str) -> str:
        """The last commit that two have in common."""
        path = f"{self._here}/compare/{part(base)}...{part(head)}"
        found = values.read(values.Comparison, self._client.get(path, per_page=1))
        return found.merge_base_commit.sha

    def content(self, path: str, ref: str) -> bytes:
        """A file as it is at a commit, whatever its size: a golden set can have more than GitHub shows at once."""
        parts = "/".join(map(part, path.split("/")))
        found = self._client.get(f"{self._here}/contents/{parts}", ref=ref)
        if not isinstance(found, dict) or found.get("type") != "file":
            raise errors.GitHubError(f"'{path}' is no file at {ref}")
        file = values.read(values.File, found)
        if file.encoding != "base64":
            blob = self._client.get(f"{self._here}/git/blobs/{file.sha}")
            file = values.read(values.File, {**blob, "type": "file"} if isinstance(blob, dict) else blob)
        return _decoded(file, path)

    def artifacts(self, name: str) -> Listed[values.Artifact]:
        """Artifacts of a name, in no order that could be relied on: of forks too, and expired ones."""
        path = f"{self._here}/actions/artifacts"
        return _found(values.Artifact, self._client.listed(path, "artifacts", MOST_PAGES, name=name))

    def artifacts_of(self, run: int, name: str | None = None) -> Listed[values.Artifact]:
        """Artifacts of one run, of a name or of any: each attempt may have made one."""
        path, named = f"{self._here}/actions/runs/{run}/artifacts", {} if name is None else {"name": name}
        return _found(values.Artifact, self._client.listed(path, "artifacts", MOST_PAGES, **named))

    def download(self, artifact: int, into: IO[bytes], most: int) -> None:
        """Write the archive of an artifact into an empty stream: hostile bytes, at most so many of them."""
        self._client.download(f"{self._here}/actions/artifacts/{artifact}/zip", into, most)

    def tarball(self, sha: str, into: IO[bytes], most: int) -> None:
        """Write the files of a commit into an empty stream, as a compressed tar of one folder, at most so large."""
        self._client.download(f"{self._here}/tarball/{part(sha)}", into, most)

    def run(self, number: int) -> values.Run:
        """A run of a workflow."""
        return values.read(values.Run, self._client.get(f"{self._here}/actions/runs/{number}"))

    def runs(self, workflow: str, **params: str) -> Listed[values.Run]:
        """Runs of a workflow by the name of its file, newest first; ``params`` are the API's, as ``branch``."""
        path = f"{self._here}/actions/workflows/{part(workflow)}/runs"
        return _found(values.Run, self._client.listed(path, "workflow_runs", 1, **params))


def here(name: str) -> str:
    """The path of a repository in the API.

    Raises:
        UsageError: it is no name of one.
    """
    if not NAME.fullmatch(name) or {".", ".."} & set(name.split("/")):
        raise errors.UsageError("GITHUB_REPOSITORY names no repository: OWNER/NAME")
    return f"/repos/{name}"


def _found(kind: type[T], listing: Listing) -> Listed[T]:
    return Listed(values.read_all(kind, listing.items), listing.complete)


def part(name: str) -> str:
    """A part of a path that leads nowhere else, whatever is in it.

    Raises:
        GitHubError: it is none.
    """
    if name in {"", ".", ".."}:
        raise errors.GitHubError(f"'{name}' is no name of anything on GitHub")
    return quote(name, safe="")


def _decoded(file: values.File, path: str) -> bytes:
    try:
        data = base64.b64decode("".join(file.content.split()), validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if len(data) != file.size:
        raise errors.GitHubError(f"GitHub does not answer with the whole of '{path}'")
    return data
