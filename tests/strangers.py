"""A fork's pull request on a fake GitHub, and what its run of the workflow left for another one."""

from __future__ import annotations

import hashlib
import io
import json
from typing import TYPE_CHECKING, Any

from evaluator.model.slugs import suite_slug
from evaluator.zones import fetch, receive
from evaluator.zones.receiving import Asked
from tests.fakes.github.server import TOKEN, GitHub
from tests.fakes.github.shapes import Shapes
from tests.zones import CONFIG, files_in

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.fakes.github.world import Artifact, Pull, Run
    from tests.github import Connect

FIRST, SECOND = ".github/workflows/rag-assay.yml", ".github/workflows/rag-assay-untrusted.yml"
NO_VARIANT = hashlib.sha256(b"").hexdigest()[:8]
ANSWERS = {"collect.json": b"{}", "records.jsonl": b"{}\n"}


class Stranger:
    """Eve's fork with a pull request to main, and a token that may do what the second workflow's may.

    ``said`` is what the zone said.
    """

    def __init__(self, server: GitHub, connect: Connect, root: Path) -> None:
        self.server, self.connect, self.root = server, connect, root
        self.world = server.world
        allowed = ("metadata:read", "contents:read", "actions:read", "pull-requests:write", "statuses:write")
        server.tokens = {TOKEN: frozenset(allowed)}
        self.world.workflows |= {FIRST: ("pull_request", "push"), SECOND: ("workflow_run",)}
        self.said: list[str] = []
        self.event = "workflow_run"
        self.commit()
        self.fork = self.world.add_repo("eve/shop")
        self.pull: Pull = self.add_pull(self.world.add_commit("change"))

    def commit(self, branch: str = "main", files: Mapping[str, bytes] | None = None, **config: Any) -> str:
        """A commit with the configuration on a branch of ours."""
        text = json.dumps(CONFIG | config).encode()
        return self.world.add_commit(branch, files={"rag-assay.yml": text, **(files or {})})

    def add_pull(self, head: str, base: str = "main", **settings: Any) -> Pull:
        """A pull request of the fork."""
        given = {"head_repo": self.fork, "author": "eve", **settings}
        return self.world.add_pull(head, "change", base, **given)

    def run(self, **settings: Any) -> Run:
        """A run of the first workflow on the pull request."""
        given = {"head_repo": self.fork, "head_branch": "change", "path": FIRST, "actor": "eve", **settings}
        return self.world.add_run(
            given.pop("head_sha", self.pull.head_sha), given.pop("event", "pull_request"), **given
        )

    def leave(
        self, run: Run, files: Mapping[str, bytes] | bytes = ANSWERS, *, suite: str = "shop", pull: int | None = None,
        attempt: int = 1, called: str = "", **settings: Any,
    ) -> Artifact:  # fmt: skip
        """The artifact of a run with its answers."""
        number = self.pull.number if pull is None else pull
        name = f"rag-assay-untrusted-{suite_slug(suite)}-{NO_VARIANT}-0123abcd-{number}-{attempt}"
        return self.world.add_artifact(called or name, files, run, **settings)

    def payload(self, run: Run, **changes: Any) -> dict[str, Any]:
        """What the second workflow is started with; ``changes`` are of the first one's run."""
        shapes = Shapes(self.world, self.server.api, self.server.web)
        told = {"action": "completed", "workflow_run": shapes.run(run) | changes}
        return told | {"repository": shapes.repo(self.world.repo)}

    @property
    def variables(self) -> dict[str, str]:
        """What the runner of the second workflow sets."""
        return {
            "GITHUB_EVENT_NAME": self.event, "GITHUB_REPOSITORY": "acme/shop", "GITHUB_ACTOR": "eve",
            "GITHUB_RUN_ID": "900000", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_SHA": self.world.branches["main"],
            "GITHUB_REF": "refs/heads/main", "GITHUB_WORKFLOW_REF": f"acme/shop/{SECOND}@refs/heads/main",
            "GITHUB_API_URL": self.server.api, "GITHUB_SERVER_URL": self.server.web, "GITHUB_TOKEN": TOKEN,
        }  # fmt: skip

    def received(self, run: Run, changes: Mapping[str, Any] | None = None, **asked: Any) -> dict[str, bytes]:
        """What leaves receive."""
        self.root.mkdir(exist_ok=True)
        folder = self.root / str(len(list(self.root.iterdir())))
        folder.mkdir()
        payload, out = io.BytesIO(json.dumps(self.payload(run, **(changes or {}))).encode()), io.BytesIO()
        place = fetch.Workplace(folder, self.variables, self.said.append)
        wanted = Asked(**{"config": "rag-assay.yml", "workflow": FIRST, **asked})
        receive.receive(payload, out, wanted, place, self.connect(self.server.api))
        return files_in(out)
