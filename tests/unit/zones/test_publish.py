"""decide finishes what is published; publish believes it only if it is this attempt's."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.model.publication import Publication
from evaluator.zones import publish
from tests.unit.zones.test_flow import Flow
from tests.zones import stream_of, write_repository

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def regressed(tmp_path: Path) -> dict[str, bytes]:
    """What decide hands on of a change that loses a chunk."""
    for name in ("main", "worse"):
        write_repository(tmp_path / name)
    path = tmp_path / "worse" / "eval" / "fixture" / "chunks.jsonl"
    path.write_text(path.read_text().replace("All about parcels and", "All about nothing, so"))
    baseline = Flow(tmp_path / "main", tmp_path / "zones-main").whole()["run.json"]
    return Flow(tmp_path / "worse", tmp_path / "zones-worse").whole(baseline)


def told(files: dict[str, bytes]) -> Publication:
    return Publication.model_validate_json(files["publication.json"])


def test_the_cases_behind_a_failure_are_remarked_on_their_lines(regressed: dict[str, bytes]) -> None:
    """'parcels' is the third line of the golden file, a critical case that lost its passage and its fact."""
    publication = told(regressed)

    assert publication.outcome == "failed"
    assert publication.sentence.startswith("Failed: recall@2 max_drop over all cases: worse by 0.1667")
    [remark] = publication.remarks
    assert (remark.path, remark.line, remark.level) == ("eval/golden.jsonl", 3, "failure")
    assert remark.title == "RAG Assay: parcels"
    assert "needs in the context: 1 before, 0 now" in remark.message
    assert "recall@2: 1.000 before, 0.000 now (lost c-parcels: rank 1, now 3)" in remark.message


def test_they_are_annotations_too(regressed: dict[str, bytes]) -> None:
    """One command a line, with commas and colons of the title escaped (G15)."""
    [line] = regressed["annotations"].decode().splitlines()

    assert line.startswith("::error file=eval/golden.jsonl,line=3,title=RAG Assay%3A parcels::")


def test_a_pass_has_nothing_to_remark(tmp_path: Path) -> None:
    """And without a change there is nothing to comment on, where only changes are."""
    write_repository(tmp_path / "repo")
    first = Flow(tmp_path / "repo", tmp_path / "first").whole()
    same = told(Flow(tmp_path / "repo", tmp_path / "second").whole(first["run.json"]))

    assert (same.outcome, same.changed, same.remarks) == ("passed", False, ())


def test_a_held_out_case_is_never_named(tmp_path: Path) -> None:
    """A case of the holdout that got worse has neither remark nor annotation."""
    write_repository(tmp_path / "repo")
    golden = tmp_path / "repo" / "eval" / "golden.jsonl"
    lines = [json.loads(line) for line in golden.read_text().splitlines()]
    golden.write_text(
        "".join(f"{json.dumps(each | ({'split': 'holdout'} if each['id'] == 'parcels' else {}))}\n" for each in lines)
    )
    baseline = Flow(tmp_path / "repo", tmp_path / "first").whole()["run.json"]
    chunks = tmp_path / "repo" / "eval" / "fixture" / "chunks.jsonl"
    chunks.write_text(chunks.read_text().replace("All about parcels and", "All about nothing, so"))
    files = Flow(tmp_path / "repo", tmp_path / "second").whole(baseline)

    assert b"parcels" not in files["publication.json"] + files["annotations"]


def taken(files: dict[str, bytes], folder: Path, nonce: str = "n1") -> Any:
    """The verdict that publish takes out of these files."""
    folder.mkdir()
    names = ("comment.md", "decision.json", "publication.json")
    parts = {name: files[name] for name in names if name in files}
    publish.take(stream_of({"event.json": b"{}", **parts}), folder)
    return publish.verdict(folder, nonce)


def test_a_verdict_of_this_attempt_is_told(regressed: dict[str, bytes], tmp_path: Path) -> None:
    """With the comment as the report has it, less its mark."""
    verdict = taken(regressed, tmp_path / "room")

    assert verdict.outcome == "failed"
    assert verdict.comment.startswith("## ❌ Failed")
    assert "<!--" not in verdict.comment


@pytest.mark.parametrize(
    "change",
    [
        {"nonce": "another"},
        {"outcome": "passed"},
        {"outcome": "passed", "told": "passed"},
        {"without": "comment.md"},
        {"without": "publication.json"},
        {"text": b"{}"},
    ],
)
def test_whatever_is_not_this_attempts_is_an_error(
    change: dict[str, Any], regressed: dict[str, bytes], tmp_path: Path
) -> None:
    """A green status takes what a green job takes: the nonce, a whole decision, an exit code that fits."""
    files = dict(regressed)
    for name, key in (("decision.json", "outcome"), ("publication.json", "told")):
        if key in change:
            files[name] = files[name].replace(b'"outcome":"failed"', f'"outcome":"{change[key]}"'.encode(), 1)
    if "without" in change:
        del files[change["without"]]
    if "text" in change:
        files["decision.json"] = change["text"]

    assert taken(files, tmp_path / "room", change.get("nonce", "n1")).outcome == "error"


def test_no_nonce_is_nobodys(regressed: dict[str, bytes], tmp_path: Path) -> None:
    """An empty nonce is no word to agree on."""
    files = regressed | {"decision.json": regressed["decision.json"].replace(b'"nonce":"n1"', b'"nonce":""')}

    assert taken(files, tmp_path / "room", "").outcome == "error"


@pytest.mark.parametrize("event", [b"no", b"[" * 100_000, b"\xff"])
def test_a_payload_that_is_no_json_is_refused(event: bytes, tmp_path: Path) -> None:
    """Without what happened there is nobody to tell."""
    with pytest.raises(errors.ZoneProblem, match="payload"):
        publish.take(stream_of({"event.json": event}), tmp_path)


def test_anything_else_has_no_place(tmp_path: Path) -> None:
    """The zone with the token takes finished text and nothing of the repository."""
    with pytest.raises(errors.ZoneProblem, match="no place"):
        publish.take(io.BytesIO(stream_of({"event.json": b"{}", "app.py": b""}).getvalue()), tmp_path)
