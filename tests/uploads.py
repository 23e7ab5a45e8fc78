"""What a stranger's run of the workflow uploads, made by hand, and the zones that measure it by the base."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from evaluator.stores.fixtures import read_fixture
from evaluator.stores.golden import read_golden
from evaluator.zones.decide import decide
from evaluator.zones.judging import NOTHING, Granted
from evaluator.zones.keys import Keys
from evaluator.zones.score import score
from evaluator.zones.seal import seal
from evaluator.zones.untrusted import Stranger
from tests.fakes.llm_server import KEY
from tests.zones import TOPICS, fetched_of, files_in, site, stream_of, tree_of, write_repository

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from evaluator.model.golden import Case

COMMIT = "f0" * 20
STRANGER = Stranger()
RECORDED = {"kind": "recorded", "recorded": {"file": "answers.jsonl"}}
"""A pipeline whose answers move by nothing but the change."""


class Fork:
    """The base of a change, and an upload that answers every question of it as well as can be.

    Attributes:
        repo: the files of the base.
        records: what is uploaded, by case; a test makes of them what a stranger would.
        collect: collect.json.
        said: what the zones print.
        hosts: where the judge is asked; with any, its key is granted and the run is judged.
    """

    def __init__(self, place: Path, **config: Any) -> None:
        place.mkdir()
        self.place, self.repo, self.said, self.count = place, place / "base", io.StringIO(), 0
        self.hosts: tuple[str, ...] = ()
        write_repository(self.repo, **({"pipeline": RECORDED} | config))
        self.records: dict[str, dict[str, Any]] = {name: self.record(name) for name in TOPICS}
        path, has_fixture = self.repo / "eval" / "fixture", config.get("fixture", "") is not None
        self.collect: dict[str, Any] = {
            "format": 1, "tool": "x", "suite": "shop", "config_sha256": "", "golden_sha256": "",
            "fixture": read_fixture(path).fixture.digests.model_dump() if has_fixture else None,
            "pipeline": {"kind": "recorded", "version": None, "settings": {}}, "commit": None,
            "timing": {"started_at": "", "seconds": 1.0, "latency_ms": dict.fromkeys(TOPICS, 5.0)},
        }  # fmt: skip

    @property
    def cases(self) -> dict[str, Case]:
        """The base's golden set."""
        return {case.id: case for case in read_golden([self.repo / "eval" / "golden.jsonl"]).cases}

    def relabel(self, case: str, **labels: Any) -> None:
        """Change a case of the base's golden set."""
        path = self.repo / "eval" / "golden.jsonl"
        rows = map(json.loads, path.read_text().splitlines())
        path.write_text("".join(f"{json.dumps(row | labels if row['id'] == case else row)}\n" for row in rows))

    def record(self, case: str, **changed: Any) -> dict[str, Any]:
        """A right answer."""
        chunk = {"id": f"c-{case}", "doc": case, "score": 1.0, "text": f"All about {case} and nothing else."}
        return {
            "id": case, "input_hash": self.cases[case].input_hash("en"), "retrieved": [chunk],
            "context": [chunk["id"]], "answer": f"All about {case}.", "abstained": False, "steps": None,
            "usage": None, "meta": None, "duplicates": [], "failure": None, **changed,
        }  # fmt: skip

    def retrieve(self, case: str, *hits: str | dict[str, Any]) -> None:
        """Have a case retrieve these and hand them to the model; a text alone is an id."""
        found = [{"id": hit} if isinstance(hit, str) else hit for hit in hits]
        self.records[case] |= {"retrieved": found, "context": [hit["id"] for hit in found]}

    def uploaded(self, lines: Iterable[Mapping[str, Any]] | None = None) -> dict[str, bytes]:
        """The files of the upload; ``lines`` are other records than those."""
        rows = self.records.values() if lines is None else lines
        return {
            "collect.json": json.dumps(self.collect).encode(),
            "records.jsonl": "".join(f"{json.dumps(row)}\n" for row in rows).encode(),
        }

    def sealed(self, files: Mapping[str, bytes] | None = None) -> bytes:
        """What leaves seal."""
        out, folder = io.BytesIO(), self._folder("seal")
        folder.mkdir()
        seal(stream_of(files or self.uploaded()), out, Keys({}), folder=folder)
        return out.getvalue()

    def scored(self, sealed: bytes | None = None, stranger: Stranger | None = STRANGER, **parts: bytes) -> bytes:
        """What leaves score."""
        out = io.BytesIO()
        parts = {"tree.tar": tree_of(self.repo).getvalue(), "sealed.tar": sealed or self.sealed(), **parts}
        granted = Granted(("JUDGE_KEY",), self.hosts) if self.hosts else NOTHING
        place = site(
            self._folder("score"), self.said, COMMIT, tier="full" if self.hosts else "retrieval",
            variables={"JUDGE_KEY": KEY} if self.hosts else {},
        )  # fmt: skip
        score(stream_of(parts), out, place, granted, stranger=stranger)
        return files_in(out)["scored.tar"]

    def run(self, sealed: bytes | None = None, stranger: Stranger | None = STRANGER) -> dict[str, Any]:
        """The run that was scored."""
        found: dict[str, Any] = json.loads(files_in(io.BytesIO(self.scored(sealed, stranger)))["run.json"])
        return found

    def own(self) -> bytes:
        """The run that the same records make where they are the repository's own."""
        return json.dumps(self.run(stranger=None)).encode()

    def decided(self, baseline: bytes | None = None, scored: bytes | None = None, **wanted: Any) -> dict[str, bytes]:
        """What leaves decide."""
        out = io.BytesIO()
        parts = {"tree.tar": tree_of(self.repo).getvalue(), "scored.tar": scored or self.scored()}
        parts |= {"fetched.tar": fetched_of(baseline)} if baseline is not None else {}
        wanted = {"nonce": "n1", "self_reported": True, **wanted}
        decide(stream_of(parts), out, site(self._folder("decide"), self.said), **wanted)
        return files_in(out)

    def _folder(self, name: str) -> Path:
        self.count += 1
        return self.place / f"{name}-{self.count}"


def decision_of(files: Mapping[str, bytes]) -> dict[str, Any]:
    """decision.json."""
    found: dict[str, Any] = json.loads(files["decision.json"])
    return found


def codes_of(files: Mapping[str, bytes]) -> list[str]:
    """The codes of its reasons."""
    return [reason["code"] for reason in decision_of(files)["reasons"]]


def case_of(run: Mapping[str, Any], case: str) -> dict[str, Any]:
    """A case of a run."""
    found: dict[str, Any] = next(each for each in run["cases"] if each["id"] == case)
    return found
