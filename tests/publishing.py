"""A pull request on a fake GitHub, and runs of workflows that publish there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from evaluator.github import event
from evaluator.github.client import Client
from evaluator.github.publishing import Publishing
from evaluator.github.repository import Repository
from evaluator.model.publication import Remark
from evaluator.stages import publish as stage
from evaluator.stages.posting import Pages, Verdict
from evaluator.stages.publish import Wanted
from evaluator.stages.standing import Hub
from tests.fakes.github.server import TOKEN, GitHub
from tests.fakes.github.shapes import Shapes
from tests.fakes.github.world import Comment, Pull
from tests.github import Connect

WORKFLOW = "acme/shop/.github/workflows/{}@refs/heads/main"
CONFIG = "rag-assay.yml"


def verdict(outcome: str = "passed", *, changed: bool = False, comment: str = "", remarks: int = 0) -> Verdict:
    """What came of a run; its comment is in the words of the outcome."""
    told = tuple(
        Remark(path="eval/golden.jsonl", line=at + 1, level="failure", title=f"q{at}", message="recall@5: 1 before")
        for at in range(remarks)
    )
    return Verdict(outcome, f"{outcome.capitalize()}: so it is", comment or f"## {outcome}", changed, told)


@dataclass
class Team:
    """A repository with one pull request, and the runs on it.

    ``said`` are the sentences of the last run that could not do something, ``log`` what runs said.
    """

    server: GitHub
    connect: Connect
    wanted: Wanted = field(default_factory=lambda: Wanted(CONFIG, "shop"))
    log: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    client: Client | None = None
    token: str = TOKEN
    author: str | None = None

    def __post_init__(self) -> None:
        world = self.server.world
        world.add_commit(files={CONFIG: b"suite: shop\n"})
        self.pull: Pull = world.add_pull(world.add_commit("feature"))

    def push(self) -> None:
        """Another commit on the branch of the pull request."""
        self.pull.head_sha = self.server.world.add_commit("feature")

    def hub(self, run: int = 1, attempt: int = 1, *, file: str = "rag.yml", leg: str = "a", **changes: Any) -> Hub:
        """GitHub as a run sees it; ``changes`` are of its activity."""
        self.client = self.connect(self.server.api, token=self.token)
        activity = replace(self.activity(run, attempt, file), **changes)
        name = self.server.world.repo.full_name
        return Hub(
            Repository(self.client, name), Publishing(self.client, name), activity,
            Pages(f"{self.server.web}/{name}"), leg, lambda: self.author, self.log.append,
        )  # fmt: skip

    def activity(self, run: int = 1, attempt: int = 1, file: str = "rag.yml", **payload: Any) -> event.Activity:
        """What a run on the pull request is about, as it stands now."""
        world = self.server.world
        shapes = Shapes(world, self.server.api, self.server.web)
        variables = {
            "GITHUB_EVENT_NAME": "pull_request", "GITHUB_REPOSITORY": world.repo.full_name, "GITHUB_ACTOR": "ada",
            "GITHUB_RUN_ID": str(run), "GITHUB_RUN_ATTEMPT": str(attempt), "GITHUB_SHA": self.pull.merge_sha or "",
            "GITHUB_WORKFLOW_REF": WORKFLOW.format(file), "GITHUB_REF": f"refs/pull/{self.pull.number}/merge",
        }  # fmt: skip
        told = {"pull_request": shapes.pull(self.pull, full=True), "repository": shapes.repo(world.repo), **payload}
        return event.read(event.Surroundings.of(variables), told)

    def publish(self, told: Verdict, run: int = 1, attempt: int = 1, *, hub: Hub | None = None, **changes: Any) -> None:
        """Publish as a run does; ``hub`` is one that was made before."""
        self.said = stage.publish(hub or self.hub(run, attempt, **changes), self.wanted, told)

    def announce(self, run: int = 1, attempt: int = 1, **changes: Any) -> None:
        """Say that a run has begun."""
        self.said = stage.announce(self.hub(run, attempt, **changes), self.wanted)

    @property
    def comments(self) -> list[Comment]:
        """The comments of the pull request, oldest first."""
        return [each for each in self.server.world.comments.values() if each.number == self.pull.number]

    @property
    def comment(self) -> str:
        """The only comment."""
        (comment,) = self.comments
        return comment.body

    def statuses(self, sha: str = "") -> dict[str, str]:
        """What counts on a commit: the newest state of each context."""
        sha = sha or self.pull.head_sha
        return {each.context: each.state for each in self.server.world.statuses if each.sha == sha}
