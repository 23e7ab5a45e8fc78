"""A repository on a fake GitHub whose main keeps baselines, made as they are made or as an attacker makes them."""

from __future__ import annotations

import hashlib
import json
import shutil
from typing import TYPE_CHECKING, Any

from evaluator.github.repository import Repository
from evaluator.model.baseline import Found, artifact_name
from evaluator.zones.fetching import Asked, Fetching
from tests.fakes.github.server import GitHub
from tests.fakes.github.world import Artifact, Run
from tests.github import Connect
from tests.zones import CONFIG

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

WORKFLOW = ".github/workflows/rag-assay.yml"
SUITE = "shop"


class Baselines:
    """The history of a main branch and its artifacts, and searches in it.

    Attributes:
        template: a run.json as the suite makes it.
        log: what a search said.
        config: the configuration that is committed.
    """

    def __init__(self, server: GitHub, connect: Connect, template: bytes, root: Path) -> None:
        self.server, self.connect, self.root = server, connect, root
        self.world = server.world
        self.world.workflows[WORKFLOW] = ("push", "schedule", "workflow_dispatch", "pull_request")
        self.template: dict[str, Any] = json.loads(template)
        self.log: list[str] = []
        self.config: dict[str, Any] = dict(CONFIG)
        self.calls = 0

    def commit(self, files: Mapping[str, bytes] | None = None, **baseline: Any) -> str:
        """A commit of main with the configuration."""
        config = self.config | ({"baseline": baseline} if baseline else {})
        return self.world.add_commit(files={"rag-assay.yml": json.dumps(config).encode(), **(files or {})})

    def run_json(self, commit: str, tier: str = "retrieval", chain: tuple[str, ...] = (), **changes: Any) -> bytes:
        """A run of a commit."""
        history = {**self.template["history"], "chain": list(chain)}
        return json.dumps({**self.template, "commit": commit, "tier": tier, "history": history, **changes}).encode()

    def files(
        self, commit: str, run: Run, *, tier: str = "retrieval", chain: tuple[str, ...] = (), accepted: bool = True,
        **manifest: Any,
    ) -> dict[str, bytes]:  # fmt: skip
        """What an artifact holds."""
        data = self.run_json(commit, tier, chain)
        said = {
            "format": 1, "suite": SUITE, "tier": tier, "branch": "main", "commit": commit, "run_id": run.id,
            "attempt": 1, "event": run.event, "accepted": accepted, "accepted_by": "gate" if accepted else None,
            "reason": None if accepted else "failed", "created_at": "2026-11-30T10:00:00.000+00:00", "kind": "run",
            "run_sha256": hashlib.sha256(data).hexdigest(), "chain": list(chain),
        }  # fmt: skip
        return {"baseline.json": json.dumps(said | manifest).encode(), "run.json": data}

    def keep(
        self, commit: str, files: Mapping[str, bytes] | bytes | None = None, *, tier: str = "retrieval",
        run: Mapping[str, Any] | None = None, artifact: Mapping[str, Any] | None = None, variant: str = "", **said: Any,
    ) -> Artifact:  # fmt: skip
        """The artifact of a run of a commit; ``run`` and ``artifact`` are what GitHub says otherwise than usual."""
        made = self.world.add_run(commit, **{"event": "push", **(run or {})})
        files = files if files is not None else self.files(commit, made, tier=tier, **said)
        name = artifact_name(SUITE, "full" if tier == "full" else "retrieval", "main", variant)
        return self.world.add_artifact(name, files, made, **(artifact or {}))

    def find(self, base: str | None = None, tier: str = "retrieval", **asked: Any) -> Found:
        """What a change of a commit (the tip of main if none is named) is compared with."""
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir()
        client = self.connect(self.server.api)
        wanted = Asked(
            base=base or self.world.branches["main"], config="rag-assay.yml",
            tier="full" if tier == "full" else "retrieval",
            repository=self.world.repo.id, default_branch="main", workflows=(WORKFLOW,),
        )._replace(**asked)  # fmt: skip
        found = Fetching(Repository(client, self.world.repo.full_name), wanted, self.root, self.log.append).found()
        self.calls = client.calls
        return found

    def said(self, artifact: Artifact) -> str:
        """Why an artifact was passed by."""
        [line] = [line for line in self.log if line.startswith(f"artifact {artifact.id} ")]
        return line.partition(": ")[2]
