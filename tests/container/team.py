"""A team whose main keeps baselines on a fake GitHub, as the runs of a forge leave them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.fakes.github.server import TOKEN
from tests.fakes.github.world import Commit

if TYPE_CHECKING:
    from tests.container.world import Forge, Result
    from tests.fakes.github.server import GitHub

WORKFLOW = ".github/workflows/rag.yml"
PREFIX = "rag-assay-baseline-"
TOPICS = ("returns", "refunds", "parcels", "islands")


class Team:
    """A repository, its runner, and the GitHub that keeps what its runs leave.

    Attributes:
        run: the number of the last run whose baselines are kept.
    """

    def __init__(self, forge: Forge, server: GitHub) -> None:
        self.forge, self.server, self.world = forge, server, server.world
        self.run = 0
        self.world.workflows[WORKFLOW] = ("push", "pull_request")
        forge.inputs |= {"github-token": TOKEN, "baseline-workflows": WORKFLOW}
        forge.api = server.api
        forge.before_run = self.mirror

    def write(self, *lost: str, branch: str | None = None, suite: str = "shop", folder: str = "", **more: Any) -> None:
        """Commit a suite with an index that lost some of its chunks; ``more`` are keys of its configuration."""
        config = {
            **more, "suite": suite, "golden": "golden.jsonl", "fixture": "index", "k": 1, "metrics": ["recall@1"],
            "gate": {"rules": [{"metric": "recall@1", "per": "all", "max_drop": 0.0}], "min_cases": 1},
        }  # fmt: skip
        cases = [{"id": topic, "question": f"What about {topic}?", "relevant": [f"c-{topic}"]} for topic in TOPICS]
        chunks = [
            {"id": f"c-{topic}", "text": "Nothing." if topic in lost else f"All about {topic}."} for topic in TOPICS
        ]
        lines = {"golden.jsonl": cases, "index/chunks.jsonl": chunks}
        files = {name: "".join(f"{json.dumps(each)}\n" for each in found) for name, found in lines.items()}
        written = {"rag-assay.yml": json.dumps(config), **files}
        self.forge.commit({f"{folder}{name}": text for name, text in written.items()}, branch)

    def mirror(self) -> None:
        """Tell GitHub of every commit that there is."""
        log = self.forge.git("log", "--all", "--topo-order", "--reverse", "--format=%H %ct %P").splitlines()
        for place, line in enumerate(log):
            sha, at, *parents = line.split()
            names = self.forge.git("ls-tree", "-r", "--name-only", sha).splitlines()
            configurations = [name for name in names if name.endswith("rag-assay.yml")]
            files = {name: self.forge.git("show", f"{sha}:{name}").encode() for name in configurations}
            self.world.commits[sha] = Commit(sha, tuple(parents), "a change", int(at) + place, files)
        self.world.branches["main"] = self.forge.git("rev-parse", "main")

    def push(self) -> tuple[Result, dict[str, Any]]:
        """Push main; GitHub keeps what the run leaves, and this tells what it says of itself."""
        self.forge.git("switch", "--quiet", "main")
        result = self.forge.push()
        [said] = self.keep(result, "push").values()
        return result, said

    def keep(self, result: Result, event: str) -> dict[str, dict[str, Any]]:
        """Have GitHub keep the baselines that a run of main left; what each says of itself, by its name."""
        kept = {name: folder for name, folder in result.artifacts.items() if name.startswith(PREFIX)}
        run, told = self.world.add_run(self.world.branches["main"], path=WORKFLOW, event=event), {}
        self.run = run.id
        for name, folder in kept.items():
            files = {file.name: file.read_bytes() for file in folder.iterdir()}
            told[name] = json.loads(files["baseline.json"])
            if told[name]["kind"] == "run":
                # GitHub's numbers are its own.
                files["baseline.json"] = json.dumps(told[name] | {"run_id": run.id}).encode()
            self.world.add_artifact(name, files, run)
        return told
