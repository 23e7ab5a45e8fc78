"""A small repository, the streams that zones hand each other, and the place in which one works."""

from __future__ import annotations

import io
import json
import tarfile
from typing import TYPE_CHECKING, Any

from evaluator.cli import edges
from evaluator.cli.console import Console
from evaluator.cli.options import Given
from evaluator.cli.session import Session
from evaluator.zones import archive
from evaluator.zones.site import Site

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from evaluator.config import Tier
    from evaluator.stages.workspace import Workspace

CONFIG: dict[str, Any] = {
    "suite": "shop", "golden": "eval/golden.jsonl", "fixture": "eval/fixture", "k": 2, "metrics": ["recall@2"],
    "gate": {"rules": [{"metric": "recall@2", "per": "all", "max_drop": 0.0}], "min_cases": 1},
}  # fmt: skip
HOW = "eval/run.json as of 0123abc"
TOPICS = ("returns", "refunds", "parcels", "islands", "batteries", "invoices")


def write_repository(root: Path, **config: Any) -> None:
    """Six chunks and a question about each; every label is there that a case can have."""
    (root / "eval" / "fixture").mkdir(parents=True)
    (root / "rag-assay.yml").write_text(json.dumps(CONFIG | config))
    chunks = [{"id": f"c-{topic}", "doc": topic, "text": f"All about {topic} and nothing else."} for topic in TOPICS]
    cases = [
        {
            "id": topic, "question": f"What about {topic}?", "category": "label-category", "critical": True,
            "relevant": [f"c-{topic}"], "facts": [{"id": "label-fact", "text": topic}], "reference": "label-reference",
            "notes": "label-notes", "source": "label-source", "tags": ["label-tag"],
        }
        for topic in TOPICS
    ]  # fmt: skip
    (root / "eval" / "fixture" / "chunks.jsonl").write_text("".join(f"{json.dumps(chunk)}\n" for chunk in chunks))
    (root / "eval" / "golden.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in cases))


def tree_of(root: Path) -> io.BytesIO:
    """The stream of a folder."""
    stream = io.BytesIO()
    archive.pack_tree(root, stream)
    return io.BytesIO(stream.getvalue())


def stream_of(files: Mapping[str, bytes], *others: tarfile.TarInfo) -> io.BytesIO:
    """The stream of some files, and of entries that are no files."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for name, data in files.items():
            header = tarfile.TarInfo(name)
            header.size = len(data)
            tar.addfile(header, io.BytesIO(data))
        for other in others:
            tar.addfile(other)
    return io.BytesIO(stream.getvalue())


def fetched_of(run: bytes | None = None, base: bytes | None = None, judged: bytes | None = None, **found: Any) -> bytes:
    """What leaves fetch: baselines, the run of a base that was not accepted, and what is to be said of the search."""
    files, said = {}, {"format": 1, "suite": None, "base": "b" * 40, **found}
    for role, data in (("deterministic", run), ("inherited", base), ("judged", judged)):
        if data is not None:
            head = json.loads(data)
            source = {"folder": role, "tier": head["tier"], "commit": head["commit"], "how": HOW}
            said |= {role: {**source, "accepted": role != "inherited"}}
            said |= {"judged": said[role]} if head["tier"] == "full" and role != "inherited" else {}
            files[f"{role}.tar"] = stream_of({"run.json": data}).getvalue()
    return stream_of({"found.json": json.dumps(said).encode(), **files}).getvalue()


def changed(*names: bytes, modes: bytes = b"100644 100644") -> bytes:
    """What git says of changed files: how they were and are, and their names."""
    return b"".join(b":%s %s %s M\0%s\0" % (modes, b"0" * 40, b"1" * 40, name) for name in names)


def event_of(head: int | None = 1, author: str = "ada") -> bytes:
    """The payload of a pull request to repository 1 from another, or from one that was deleted."""
    repo = None if head is None else {"id": head}
    return json.dumps(
        {"pull_request": {"user": {"login": author}, "head": {"repo": repo}, "base": {"repo": {"id": 1}}}}
    ).encode()


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    """A symbolic link, or another entry without content."""
    header = tarfile.TarInfo(name)
    header.type, header.linkname = kind, target
    return header


def files_in(stream: io.BytesIO) -> dict[str, bytes]:
    """Every ordinary file of a stream, by its name."""
    with tarfile.open(fileobj=io.BytesIO(stream.getvalue())) as tar:
        found = {entry.name.removeprefix("./"): tar.extractfile(entry) for entry in tar if entry.isfile()}
        return {name: content.read() for name, content in found.items() if content is not None}


def site(
    place: Path, said: io.StringIO | None = None, commit: str | None = None, *, tier: Tier = "retrieval",
    variables: Mapping[str, str] | None = None,
) -> Site:  # fmt: skip
    """The place of a zone, in a folder that does not exist yet."""
    (place / "tree").mkdir(parents=True)
    (place / "run").mkdir()
    environment = {"PATH": "/usr/bin:/bin", **(variables or {})}
    session = Session(environment=environment, console=Console(said or io.StringIO()))

    def open_workspace(config_file: Path) -> Workspace:
        given = Given(config=config_file, out=place / "run", commit=commit, quiet=False, debug=False)
        return edges.workspace(session, given, tier)

    return Site(root=place / "tree", run=place / "run", config="rag-assay.yml", open=open_workspace)
