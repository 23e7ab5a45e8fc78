"""What GitHub answers, read into frozen values: only the fields that are used, each checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

import pydantic

from evaluator import errors

if TYPE_CHECKING:
    from collections.abc import Iterable

Number: TypeAlias = Annotated[int, pydantic.Field(gt=0)]
SHA = r"(?:[0-9a-f]{40}|[0-9a-f]{64})"
Sha: TypeAlias = Annotated[str, pydantic.StringConstraints(pattern=rf"\A{SHA}\z")]


class FromGitHub(pydantic.BaseModel):
    """A part of an answer. Fields that are not named here are GitHub's own business."""

    model_config = pydantic.ConfigDict(
        strict=True, frozen=True, extra="ignore", allow_inf_nan=False, defer_build=True, protected_namespaces=()
    )


class User(FromGitHub):
    """Who did something."""

    login: str


class Repo(FromGitHub):
    """A repository; its number stays when its name changes."""

    id: Number
    full_name: str
    default_branch: str = ""


class Side(FromGitHub):
    """The head or the base of a pull request; ``repo`` is None where a fork was deleted."""

    ref: str
    sha: Sha
    repo: Repo | None = None


class Pull(FromGitHub):
    """A pull request."""

    number: Number
    state: str
    locked: bool = False
    head: Side
    base: Side
    user: User | None = None


class Parent(FromGitHub):
    """A parent of a commit."""

    sha: Sha


class Commit(FromGitHub):
    """A commit and its parents, the branch it was made on first."""

    sha: Sha
    parents: Annotated[tuple[Parent, ...], pydantic.Field(strict=False)]


class Comparison(FromGitHub):
    """Two commits and the last one they share."""

    merge_base_commit: Parent


class Origin(FromGitHub):
    """Where an artifact comes from, as far as GitHub still says."""

    id: Number | None = None
    repository_id: Number | None = None
    head_repository_id: Number | None = None
    head_branch: str | None = None
    head_sha: Sha | None = None


class Artifact(FromGitHub):
    """An artifact; ``digest`` is that of the archive (``sha256:`` and hexadecimal), which old servers do not have."""

    id: Number
    name: str
    size_in_bytes: Annotated[int, pydantic.Field(ge=0)]
    expired: bool
    digest: str | None = None
    workflow_run: Origin | None = None


class Run(FromGitHub):
    """A run of a workflow: ``path`` is the file of the workflow, ``event`` what started it."""

    id: Number
    event: str
    path: str
    head_branch: str | None = None
    head_sha: Sha
    run_attempt: Number = 1
    conclusion: str | None = None
    repository: Repo
    head_repository: Repo | None = None
    actor: User | None = None
    html_url: str

    @property
    def has_ended(self) -> bool:
        """Whether it came to a conclusion."""
        return self.conclusion is not None


class MergeGroup(FromGitHub):
    """What a merge queue is about to merge."""

    head_sha: Sha
    base_ref: str
    base_sha: Sha


class Comment(FromGitHub):
    """A comment; ``user`` is None where the account was deleted."""

    id: Number
    user: User | None = None
    body: str | None = None
    html_url: str


class Issue(FromGitHub):
    """An issue, or a pull request, which GitHub lists among them and which has ``pull_request``."""

    number: Number
    state: str
    user: User | None = None
    body: str | None = None
    html_url: str
    pull_request: Any = None


class Status(FromGitHub):
    """A status of a commit, the newest of its context first in any list."""

    state: str
    context: str
    description: str | None = None
    target_url: str | None = None


class Check(FromGitHub):
    """A check run."""

    id: Number
    name: str
    head_sha: Sha
    external_id: str | None = None
    conclusion: str | None = None


class File(FromGitHub):
    """A file at a commit; GitHub leaves the content of large ones out."""

    type: str
    sha: Sha
    size: Annotated[int, pydantic.Field(ge=0)]
    content: str = ""
    encoding: str = ""


T = TypeVar("T", bound=FromGitHub)


def read(kind: type[T], found: Any, of: str = "GitHub's answer") -> T:
    """A part of an answer, or of something else that GitHub writes.

    Raises:
        GitHubError: it is not what GitHub documents.
    """
    try:
        return kind.model_validate(found)
    except pydantic.ValidationError as error:
        place = ".".join(map(str, error.errors(include_url=False, include_input=False)[0]["loc"]))
        raise errors.GitHubError(f"{of} has no usable {kind.__name__.lower()} {place}".rstrip()) from None


def read_all(kind: type[T], found: Iterable[Any]) -> tuple[T, ...]:
    """Parts of an answer.

    Raises:
        GitHubError: one is not what GitHub documents.
    """
    return tuple(read(kind, each) for each in found)
