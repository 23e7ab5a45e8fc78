"""A change that nothing of the suite depends on: told by prepare, decided without a run, and kept by nobody."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from evaluator.model.comparison import Comparison
from evaluator.model.decision import Decision
from evaluator.zones import passing, publish
from evaluator.zones.judging import Happened
from evaluator.zones.prepare import Passing, Preparation, prepare
from tests.zones import CONFIG, changed, event_of, files_in, site, stream_of, tree_of, write_repository

if TYPE_CHECKING:
    from pathlib import Path

WHEN = ["src/**"]
NONCE = "0123456789abcdef0123456789abcdef"
MAY = Passing()


class Prepared:
    """What prepare makes of a change to a small repository."""

    def __init__(self, tmp_path: Path, *names: bytes, passes: Passing | None = MAY, **parts: bytes | None) -> None:
        write_repository(tmp_path / "repo", when=WHEN)
        told: dict[str, Any] = {
            "event.json": event_of(), "changed": changed(*names),
            "older.yml": (tmp_path / "repo" / "rag-assay.yml").read_bytes(),
        } | {name.replace("_", "."): data for name, data in parts.items()}  # fmt: skip
        given = {name: data for name, data in told.items() if data is not None}
        out, said = io.BytesIO(), io.StringIO()
        wanted = Preparation("collect", happened=Happened("auto", "pull_request"), passes=passes)
        stream = stream_of({"tree.tar": tree_of(tmp_path / "repo").getvalue(), **given})
        prepare(stream, out, wanted, site(tmp_path / "zone", said))
        self.files, self.said = files_in(out), said.getvalue()
        self.concern = self.files[".rag-assay/about"].decode().splitlines()[3]


def test_a_change_of_something_else_is_passed_by(tmp_path: Path) -> None:
    """Nothing of the repository leaves the zone."""
    prepared = Prepared(tmp_path, b"README.md")

    assert prepared.files == {".rag-assay/about": b"shop\nretrieval\nshop\nnone\nours\n"}
    assert "nothing that this suite depends on changed" in prepared.said


@pytest.mark.parametrize(
    ("names", "given", "says"),
    [
        ([b"README.md", b"src/a.py"], {}, "src/a.py changed, which when names by src/**"),
        ([b"eval/golden.jsonl"], {}, "eval/golden.jsonl changed, which the configuration names"),
        ([b"README.md"], {"changed": None}, "it is not known which files changed"),
        ([b"README.md"], {"older_yml": None}, "the configuration is another one than in the base"),
        (
            [b"README.md"],
            {"older_yml": json.dumps(CONFIG).encode()},
            "the configuration is another one than in the base",
        ),
        ([b"README.md"], {"changed": changed(b"src", modes=b"160000 160000")}, "src/ changed, which when names"),
        ([b"README.md"], {"changed": changed(b"src", modes=b"120000 000000")}, "src/ changed, which when names"),
        ([b"build/x"], {"passes": Passing(("build",))}, "build/x changed, which the workflow names"),
        ([b"README.md"], {"passes": None}, ""),
        # What judges a stranger's answers would wait for some.
        ([b"README.md"], {"event_json": event_of(head=2)}, ""),
        ([b"README.md"], {"event_json": None}, ""),
    ],
)
def test_any_other_is_measured(tmp_path: Path, names: list[bytes], given: dict[str, Any], says: str) -> None:
    """The log says why."""
    prepared = Prepared(tmp_path, *names, **given)

    assert prepared.concern == "some"
    assert says in prepared.said
    assert "eval/golden.jsonl" in prepared.files


def test_a_change_that_git_did_not_describe_is_refused(tmp_path: Path) -> None:
    """Names without what they were could hide a link."""
    with pytest.raises(Exception, match="a change is not described as git does"):
        Prepared(tmp_path, changed=b"README.md\0src\0")


def test_a_repository_cannot_say_so_itself(tmp_path: Path) -> None:
    """What it has at the place of what prepare tells is gone."""
    (tmp_path / "repo" / ".rag-assay").mkdir(parents=True)
    (tmp_path / "repo" / ".rag-assay" / "about").write_text("shop\nretrieval\nshop\nnone\n")

    assert Prepared(tmp_path, b"src/a.py").concern == "some"


def test_the_decision_is_a_pass_that_nobody_keeps(tmp_path: Path) -> None:
    """With this attempt's nonce, nothing measured, no baseline of it, and no reason for a comment."""
    write_repository(tmp_path / "repo", when=WHEN)
    out = io.BytesIO()
    stream = stream_of({"tree.tar": tree_of(tmp_path / "repo").getvalue()})

    passing.decide(stream, out, site(tmp_path / "zone"), nonce=NONCE)

    files = files_in(out)
    decision = Decision.model_validate_json(files["decision.json"])
    assert (decision.outcome, decision.exit_code, decision.accepted, decision.nonce) == ("passed", 0, False, NONCE)
    assert [reason.code for reason in decision.reasons] == ["unaffected"]
    assert Comparison.model_validate_json(files["comparison.json"]).rows == ()
    assert files["outputs"].decode().split() == [
        "outcome=passed", "exit-code=0", "cases=0", "regressions=0", "failures=0", "unscored=0",
    ]  # fmt: skip
    assert {"run.json", "records.jsonl", "collect.json", "baseline.json"} & files.keys() == set()
    folder = tmp_path / "told"
    folder.mkdir()
    for name in ("comment.md", "decision.json", "publication.json"):
        (folder / name).write_bytes(files[name])
    told = publish.verdict(folder, NONCE)
    assert (told.outcome, told.quiet, told.changed) == ("passed", True, False)
    assert told.sentence == "Passed: nothing that this suite depends on changed"
