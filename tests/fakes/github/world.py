"""What a fake GitHub holds: one repository and its forks, and everything that was made in it.

A test builds a world by its ``add_...`` methods; the endpoints of :mod:`tests.fakes.github.routes` read and change it.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

BOT = "github-actions[bot]"
DAY = 86400.0


@dataclass(frozen=True)
class Repo:
    """A repository: ours or a fork."""

    id: int
    owner: str
    name: str
    private: bool = False
    fork: bool = False

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True)
class Commit:
    """A commit: its parents, the time it was made, and every file as it is there."""

    sha: str
    parents: tuple[str, ...]
    message: str
    at: float
    files: Mapping[str, bytes] = field(repr=False)


@dataclass
class Pull:
    """A pull request; ``head_repo`` None is a fork that was deleted."""

    number: int
    title: str
    author: str
    head_repo: Repo | None
    head_branch: str
    head_sha: str
    base_branch: str
    base_sha: str
    merge_sha: str | None
    at: float
    draft: bool = False
    state: str = "open"
    locked: bool = False
    body: str = ""


@dataclass
class Comment:
    """A comment of a pull request or an issue."""

    id: int
    number: int
    author: str
    body: str
    made: float
    changed: float


@dataclass
class Status:
    """A status of a commit."""

    id: int
    sha: str
    state: str
    context: str
    description: str | None
    target_url: str | None
    at: float


@dataclass
class Check:
    """A check run."""

    id: int
    name: str
    sha: str
    status: str
    at: float
    conclusion: str | None = None
    details_url: str | None = None
    external_id: str | None = None
    started: str | None = None
    completed: str | None = None
    output: dict[str, Any] = field(default_factory=dict)
    annotations: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Run:
    """A run of a workflow; ``pull_numbers`` stays empty for a fork's, as GitHub leaves it."""

    id: int
    event: str
    head_repo: Repo
    head_branch: str | None
    head_sha: str
    path: str
    at: float
    attempt: int = 1
    status: str = "completed"
    conclusion: str | None = "success"
    actor: str = "ada"
    pull_numbers: tuple[int, ...] = ()


@dataclass
class Artifact:
    """An artifact; ``run`` None is one whose run GitHub no longer names."""

    id: int
    name: str
    data: bytes = field(repr=False)
    run: Run | None
    at: float
    expires: float
    digest: str | None
    expired: bool = False


@dataclass
class Issue:
    """An issue that is no pull request."""

    number: int
    title: str
    body: str
    labels: list[str]
    author: str
    at: float
    changed: float
    state: str = "open"
    reason: str | None = None
    locked: bool = False


class World:
    """One repository with what belongs to it.

    Attributes:
        clock: seconds since 1970; what is made later is never older.
        bot: who writes with the tokens of this world.
        renamed: former names of the repository, which GitHub redirects.
        workflows: files of workflows and the events each is started by.
        dispatched: what was asked to be run.
        has_issues: whether the repository's settings allow them.
    """

    def __init__(self, name="acme/shop", *, private=False, clock: Callable[[], float] = time.time) -> None:
        owner, _, short = name.partition("/")
        self.clock = clock
        self.repo = Repo(1001, owner, short, private)
        self.repos = {self.repo.id: self.repo}
        self.default_branch = "main"
        self.bot = BOT
        self.renamed: set[str] = set()
        self.commits: dict[str, Commit] = {}
        self.branches: dict[str, str] = {}
        self.pulls: dict[int, Pull] = {}
        self.comments: dict[int, Comment] = {}
        self.statuses: list[Status] = []
        self.checks: dict[int, Check] = {}
        self.artifacts: dict[int, Artifact] = {}
        self.runs: dict[int, Run] = {}
        self.issues: dict[int, Issue] = {}
        self.has_issues = True
        self.workflows: dict[str, tuple[str, ...]] = {}
        self.dispatched: list[dict[str, Any]] = []
        self.users: dict[str, int] = {}
        self._ids = itertools.count(5001)
        self._numbers = itertools.count(1)

    def new_id(self) -> int:
        return next(self._ids)

    def user_id(self, login: str) -> int:
        return self.users.setdefault(login, 100 + len(self.users))

    def add_repo(self, name: str, *, fork: bool = True, private: bool = False) -> Repo:
        owner, _, short = name.partition("/")
        made = Repo(self.new_id(), owner, short, private, fork)
        self.repos[made.id] = made
        return made

    def add_commit(
        self, branch: str | None = "main", *, parents: tuple[str, ...] | None = None,
        files: Mapping[str, bytes] | None = None, message: str = "a change", age: float = 0.0,
    ) -> str:  # fmt: skip
        """A commit, after the newest of the branch, or of main where the branch begins. Gives its SHA."""
        tip = self.branches.get(branch or "") or self.branches.get(self.default_branch)
        parents = ((tip,) if tip else ()) if parents is None else parents
        before = self.commits[parents[0]].files if parents else {}
        told = json.dumps([parents, message, len(self.commits)])
        sha = hashlib.sha1(told.encode(), usedforsecurity=False).hexdigest()
        self.commits[sha] = Commit(sha, parents, message, self.clock() - age, {**before, **(files or {})})
        if branch is not None:
            self.branches[branch] = sha
        return sha

    def add_pull(self, head_sha: str, branch: str = "feature", base: str = "main", **settings: Any) -> Pull:
        """A pull request with the merge commit that GitHub tests."""
        base_sha = self.branches[base]
        merge = self.add_commit(None, parents=(base_sha, head_sha), message="merge")
        made = Pull(
            number=next(self._numbers), title="A change", author="ada", head_repo=self.repo, head_branch=branch,
            head_sha=head_sha, base_branch=base, base_sha=base_sha, merge_sha=merge, at=self.clock(),
        )  # fmt: skip
        for name, value in settings.items():
            setattr(made, name, value)
        self.pulls[made.number] = made
        return made

    def add_comment(self, number: int, body: str, author: str | None = None) -> Comment:
        now = self.clock()
        made = Comment(self.new_id(), number, author or self.bot, body, now, now)
        self.comments[made.id] = made
        return made

    def add_run(self, head_sha: str, event: str = "push", **settings: Any) -> Run:
        path = next(iter(self.workflows), ".github/workflows/rag-assay.yml")
        made = Run(self.new_id(), event, self.repo, self.default_branch, head_sha, path, self.clock())
        for name, value in settings.items():
            setattr(made, name, value)
        self.runs[made.id] = made
        return made

    def add_artifact(
        self, name: str, files: Mapping[str, bytes] | bytes, run: Run | None, *, age: float = 0.0, **settings: Any
    ) -> Artifact:
        """An artifact of files, or of the bytes of an archive that GitHub would not have made."""
        data = files if isinstance(files, bytes) else zipped(files)
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        made_at = self.clock() - age
        made = Artifact(self.new_id(), name, data, run, made_at, made_at + 90 * DAY, digest)
        made.expired = made.expires <= self.clock()
        for key, value in settings.items():
            setattr(made, key, value)
        self.artifacts[made.id] = made
        return made

    def add_issue(self, title: str, body: str = "", labels: tuple[str, ...] = (), author: str | None = None) -> Issue:
        now = self.clock()
        made = Issue(next(self._numbers), title, body, list(labels), author or self.bot, now, now)
        self.issues[made.number] = made
        return made

    def resolve(self, ref: str) -> str | None:
        """The SHA of a branch or of an abbreviated or whole SHA; None: there is none."""
        name = ref.removeprefix("refs/").removeprefix("heads/")
        if name in self.branches:
            return self.branches[name]
        found = [sha for sha in self.commits if len(ref) >= 7 and sha.startswith(ref)]
        return found[0] if len(found) == 1 else None

    def history(self, sha: str) -> list[Commit]:
        """A commit and everything before it, newest first, all parents followed."""
        found, waiting = set(), [sha]
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting += self.commits[one].parents
        places = {each: place for place, each in enumerate(self.commits)}
        return sorted((self.commits[each] for each in found), key=lambda each: (-each.at, -places[each.sha]))

    def moment(self, at: float) -> str:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def zipped(files: Mapping[str, bytes]) -> bytes:
    """An archive as GitHub makes it of an artifact's files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def tarred(folder: str, commit: Commit) -> bytes:
    """A commit as GitHub packs it: below one folder, with its name in a header of the whole archive."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz", pax_headers={"comment": commit.sha}) as archive:
        top = tarfile.TarInfo(folder)
        top.type = tarfile.DIRTYPE
        archive.addfile(top)
        for name, data in commit.files.items():
            header = tarfile.TarInfo(f"{folder}/{name}")
            header.size = len(data)
            archive.addfile(header, io.BytesIO(data))
    return stream.getvalue()


def pages(items: list[Any], size: int) -> Iterator[list[Any]]:
    """Items in pages; none is one empty page."""
    yield from (items[at : at + size] for at in range(0, max(len(items), 1), size))
