"""What comes out of the zone with the user's code: valid, of known names, without keys, or nothing."""

from __future__ import annotations

import base64
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.zones.keys import Keys
from evaluator.zones.log import SHOWN, log
from evaluator.zones.seal import seal
from tests.zones import files_in, stream_of

if TYPE_CHECKING:
    from pathlib import Path

KEY = "sk-very-secret-0123456789"
COLLECTION: dict[str, Any] = {
    "format": 1, "tool": "rag-assay 0.1.0", "suite": "shop", "config_sha256": "a", "golden_sha256": "b",
    "fixture": None, "pipeline": {"kind": "python", "version": None, "settings": {}}, "commit": None,
    "timing": {"started_at": "2026-03-01T08:00:00+00:00", "seconds": 1.5, "latency_ms": {"q1": 2.0},
               "uncommitted": False, "alerts": [], "warnings": ["one"]},
}  # fmt: skip
RECORD: dict[str, Any] = {
    "id": "q1", "input_hash": "c", "retrieved": [], "context": [], "answer": "Yes.", "abstained": None, "steps": None,
    "usage": None, "meta": None, "duplicates": [], "failure": None,
}  # fmt: skip
AGAIN = {key: value for key, value in RECORD.items() if key not in ("id", "input_hash")}


def run(*records: dict[str, Any], **collection: Any) -> io.BytesIO:
    """The stream of a run."""
    lines = "".join(f"{json.dumps(RECORD | record)}\n" for record in records or ({},))
    return stream_of({"collect.json": json.dumps(COLLECTION | collection).encode(), "records.jsonl": lines.encode()})


def sealed(stream: io.BytesIO, tmp_path: Path, keys: Keys | None = None) -> tuple[dict[str, bytes], str]:
    """What leaves, and what the zone says when it refuses."""
    out, says = io.BytesIO(), ""
    try:
        seal(stream, out, keys or Keys({}), folder=tmp_path)
    except errors.LeakedKey as error:
        says = str(error)
    return files_in(out), says


def test_a_valid_run_leaves_as_it_is(tmp_path: Path) -> None:
    """Both files keep their values."""
    files, says = sealed(run({"answer": "ünï"}, {"id": "q2"}), tmp_path, Keys({"K": KEY}))

    assert says == ""
    assert sorted(files) == ["collect.json", "records.jsonl"]
    assert json.loads(files["collect.json"]) == COLLECTION
    assert [json.loads(line) for line in files["records.jsonl"].splitlines()] == [
        RECORD | {"answer": "ünï"},
        RECORD | {"id": "q2"},
    ]


@pytest.mark.parametrize(
    "record",
    [
        {"answer": f"It is {KEY}."},
        {"answer": base64.b64encode(f"Bearer {KEY}".encode()).decode()},
        {"meta": {"headers": [{"auth": KEY}]}},
        {"meta": {KEY: 1}},
        {"usage": {"by": KEY}},
        {"context": [KEY]},
        {"retrieved": [{"id": "c", "doc": None, "score": None, "text": f"x{KEY}"}]},
        {"steps": [{"query": KEY, "retrieved": []}]},
        {"failure": {"kind": "error", "message": f"401 for {KEY}"}},
        {"id": KEY},
        {"repeats": [{**AGAIN, "answer": f"Once more: {KEY}."}]},
    ],
    ids=str,
)
def test_a_key_never_leaves(record: dict[str, Any], tmp_path: Path) -> None:
    """Wherever a key stands it is replaced, and the zone fails and names the variable, never the value."""
    files, says = sealed(run(record, {"id": "q2"}), tmp_path, Keys({"OTHER": "o" * 20, "RAG_KEY": KEY}))

    whole = b"".join(files.values())
    assert KEY.encode() not in whole
    assert base64.b64encode(f"Bearer {KEY}".encode()) not in whole
    assert "RAG_KEY" in says
    assert "1 of" in says
    assert KEY not in says
    assert "OTHER" not in says


def test_a_key_in_the_settings_never_leaves(tmp_path: Path) -> None:
    """What a run says of itself is looked through as well."""
    pipeline = {"kind": "python", "version": KEY, "settings": {"target": KEY}}

    files, says = sealed(run(pipeline=pipeline), tmp_path, Keys({"RAG_KEY": KEY}))

    assert KEY.encode() not in files["collect.json"]
    assert "settings" in says


@pytest.mark.parametrize(
    "stream",
    [
        run({"retrieved": "c1"}),
        run({"unknown": 1}),
        run({}, {}),
        run({"meta": {"x": float("nan")}}),
        run(format=2),
        run(timing={"started_at": "x", "seconds": 1.0}),
        run(timing={"started_at": "x", "seconds": 1.0, "latency_ms": {"q1": "fast"}}),
        run(timing={"started_at": "x" * 65, "seconds": 1.0, "latency_ms": {}}),
        stream_of({"collect.json": b"[" * 100_000, "records.jsonl": b""}),
        stream_of({"collect.json": json.dumps(COLLECTION).encode(), "records.jsonl": b'{"id": "q1"'}),
        stream_of({"collect.json": json.dumps(COLLECTION).encode(), "records.jsonl": b"x" * (9 << 20)}),
        stream_of({"collect.json": json.dumps(COLLECTION).encode()}),
        stream_of({"collect.json": b"", "records.jsonl": b"", "decision.json": b"{}"}),
    ],
)
def test_what_is_no_run_is_refused(stream: io.BytesIO, tmp_path: Path) -> None:
    """Other fields, other types, no numbers, endless lines, missing and further files: nothing leaves, exit code 4."""
    out = io.BytesIO()

    with pytest.raises(errors.ZoneProblem) as caught:
        seal(io.BytesIO(stream.getvalue()), out, Keys({}), folder=tmp_path)

    assert caught.value.exit_code == 4
    assert out.getvalue() == b""


def test_the_log_shows_no_key_and_no_endless_line() -> None:
    """Each line comes out at once, keys replaced; of a line that is too long only the beginning is shown."""
    printed = f"calling with {KEY}\n{'x' * 200_000}\nlast without an end".encode()
    lines: list[str] = []

    log(io.BytesIO(printed), Keys({"RAG_KEY": KEY}), lines.append)

    assert lines == ["calling with [the value of RAG_KEY]", "x" * SHOWN, "last without an end"]
