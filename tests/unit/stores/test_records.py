from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.model.record import Failure, Hit, Record
from evaluator.stores import records

if TYPE_CHECKING:
    from pathlib import Path

KEYS = [
    "id", "input_hash", "retrieved", "context", "answer", "abstained", "steps", "usage", "meta", "duplicates",
    "failure",
]  # fmt: skip


def build_record(case: str, **fields: Any) -> Record:
    """A record of one hit."""
    base: dict[str, Any] = {
        "id": case, "input_hash": "h", "retrieved": [Hit(id="c|/#😀", score=1.5)], "context": ["c|/#😀"],
        "answer": None, "abstained": None, "steps": None, "usage": None, "meta": None, "duplicates": [],
        "failure": None,
    }  # fmt: skip
    return Record.model_validate(base | fields)


RECORDS = [build_record("å"), build_record("b", failure=Failure(kind="timeout", message="60 s")), build_record("c")]


def test_a_line_has_exactly_the_documented_keys(tmp_path: Path) -> None:
    """A record is one line with the keys of the contract, in its order, and is read back the same."""
    path = tmp_path / "records.jsonl"
    records.write_records(path, iter(RECORDS))
    lines = path.read_text().splitlines()
    assert [list(json.loads(line)) for line in lines] == [KEYS] * 3
    assert json.loads(lines[0])["retrieved"] == [{"id": "c|/#😀", "doc": None, "score": 1.5, "text": None}]
    assert list(records.iter_records(path)) == RECORDS
    assert records.sha256_of(path) == hashlib.sha256(path.read_bytes()).hexdigest()


def test_whatever_byte_it_was_killed_at_whole_records_remain(tmp_path: Path) -> None:
    """Of a part file cut anywhere, the whole lines are read and a writer goes on behind them."""
    path = tmp_path / "out" / "records.jsonl.part"
    with records.RecordWriter(path) as writer:
        for record in RECORDS:
            writer.add(record)
    whole = path.read_bytes()
    ends = [index + 1 for index, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(0, len(whole), 7):
        path.write_bytes(whole[:cut])
        kept = [record for record, end in zip(RECORDS, ends, strict=True) if end <= cut]
        assert list(records.read_part(path)) == kept
        with records.RecordWriter(path) as writer:
            writer.add(RECORDS[2])
        assert list(records.read_part(path)) == [*kept, RECORDS[2]]


def test_a_record_is_on_disk_as_soon_as_it_is_added(tmp_path: Path) -> None:
    """What was added is there for the next process although this one never closes the file."""
    path = tmp_path / "records.jsonl.part"
    with records.RecordWriter(path) as writer:
        writer.add(RECORDS[0])
        assert list(records.read_part(path)) == RECORDS[:1]


def test_no_part_file_no_records(tmp_path: Path) -> None:
    """A collect that never began has nothing to go on from."""
    assert list(records.read_part(tmp_path / "records.jsonl.part")) == []


def test_a_damaged_line_of_a_part_file_is_refused(tmp_path: Path) -> None:
    """A whole line that is no record is not passed over."""
    path = tmp_path / "records.jsonl.part"
    path.write_bytes(b'{"id":"a"}\n')
    with pytest.raises(errors.FileProblem, match=r"part:1:1: field 'input_hash' is missing \(and \d+ more\)"):
        list(records.read_part(path))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (b'"id":"b"', b'"id":"\xc3\xa5"', r"jsonl:2: the case of line 1 is recorded a second time"),
        (b'"score":1.5', b'"score":1e999', r"jsonl:1:\d+: retrieved\[0\]\.score must be a finite number"),
        (b'"score":1.5', b'"score":NaN', r"jsonl:1:\d+: NaN and Infinity are no JSON numbers"),
        (b'"meta":null', b'"meta":{"x":[-1e999]}', r"jsonl:1:\d+: meta\.x\[0\] is too large for a number"),
        (b'"usage":null', b'"usages":null', r"jsonl:1:\d+: unknown field 'usages'; did you mean 'usage'\?"),
        (b'"failure":null}\n', b'"failure":nu', r"jsonl:1:\d+: not valid JSON"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, old: bytes, new: bytes, sentence: str) -> None:
    """Reading ends with one sentence that names the line."""
    path = tmp_path / "records.jsonl"
    records.write_records(path, RECORDS)
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    with pytest.raises(errors.FileProblem, match=sentence):
        list(records.iter_records(path))


def test_records_before_a_damaged_line_are_still_given(tmp_path: Path) -> None:
    """The file is streamed: what comes before a mistake has been seen already."""
    path = tmp_path / "records.jsonl"
    records.write_records(path, RECORDS)
    path.write_bytes(path.read_bytes().replace(b'"id":"b"', b'"id":5'))
    reading = records.iter_records(path)
    assert next(reading) == RECORDS[0]
    with pytest.raises(errors.FileProblem, match=r":2:7: id must be text, not 5"):
        next(reading)


def test_nan_is_refused_with_the_case_and_the_old_file_stays(tmp_path: Path) -> None:
    """A NaN that somebody made without validation is named and never stored."""
    path = tmp_path / "records.jsonl"
    records.write_records(path, RECORDS)
    before = path.read_bytes()
    broken = RECORDS[1].model_copy(update={"meta": {"x": float("nan")}})
    with pytest.raises(errors.FileProblem, match="case 'b' cannot be written: NaN or Infinity"):
        records.write_records(path, [RECORDS[0], broken])
    assert path.read_bytes() == before


def test_missing_files_are_named(tmp_path: Path) -> None:
    """A file that is not there is one sentence, for its records and for its digest."""
    with pytest.raises(errors.FileProblem, match=r"records\.jsonl: there is no such file"):
        list(records.iter_records(tmp_path / "records.jsonl"))
    with pytest.raises(errors.FileProblem, match=r"records\.jsonl does not exist"):
        records.sha256_of(tmp_path / "records.jsonl")
