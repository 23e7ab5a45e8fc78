from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evaluator import errors
from evaluator.model.decision import Decision
from evaluator.model.fixture import Digests, Manifest
from evaluator.model.record import Collection, PipelineInfo
from evaluator.stores import values

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = Manifest(
    files={"chunks.jsonl": "ab"}, chunks=1, documents=None, digests=Digests(chunks="cd", documents=None)
)
TEXT = (
    b'{"format":1,\n"files":{"chunks.jsonl":"ab"},\n"chunks":1,\n"documents":null,\n'
    b'"digests":{"chunks":"cd","documents":null},\n"embedding":null,\n"chunker":null}\n'
)


def build_collection(**settings: Any) -> Collection:
    """A collect.json whose open parts hold ``settings``."""
    return Collection(
        tool="t", suite="s", config_sha256="a", golden_sha256="b", fixture=None, commit=None, timing={},
        pipeline=PipelineInfo(kind="builtin", version=None, settings=settings),
    )  # fmt: skip


def test_one_top_level_key_a_line(tmp_path: Path) -> None:
    """A value is written so that a diff of two files is about the keys that differ, and read back the same."""
    path = tmp_path / "manifest.json"
    values.write_value(path, MANIFEST)
    assert path.read_bytes() == TEXT
    assert values.read_value(path, Manifest) == MANIFEST


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    """A file that an editor marked as UTF-8 is read."""
    path = tmp_path / "manifest.json"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT)
    assert values.read_value(path, Manifest) == MANIFEST


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (TEXT[:60], ":4:4: not valid JSON: it ends in the middle of a value"),
        (b"", ":1:1: not valid JSON: it ends in the middle of a value"),
        (b"[]", " is not a file of rag-assay: it names no format"),
        (TEXT.replace(b'"format":1,\n', b'"form":1,\n'), " is not a file of rag-assay: it names no format"),
        (
            TEXT.replace(b'"format":1', b'"format":2'),
            " has format 2; this version of rag-assay reads format 1",
        ),
        (
            TEXT.replace(b'"format":1', b'"format":true'),
            " has format true; this version of rag-assay reads format 1",
        ),
        (TEXT.replace(b'"chunker"', b'"chunks"'), ':7:1: duplicate key "chunks"'),
        (TEXT.replace(b'"chunks":1', b'"chunks":NaN'), ":3:10: NaN and Infinity are no JSON numbers"),
        (
            TEXT.replace(b'"chunks":1', b'"chunks":"x"').replace(b'"chunker"', b'"chunkr"'),
            ":3:10: chunks must be a whole number, not 'x' (and 1 more)",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(tmp_path: Path, data: bytes, sentence: str) -> None:
    """A damaged file, or one of another format, is refused with its name, the place and the reason."""
    path = tmp_path / "manifest.json"
    path.write_bytes(data)
    with pytest.raises(errors.FileProblem) as caught:
        values.read_value(path, Manifest)
    assert str(caught.value) == f"{path}{sentence}"


def test_a_number_that_became_infinite_is_refused(tmp_path: Path) -> None:
    """1e999 is refused in the open parts of a value as well."""
    path = tmp_path / "collect.json"
    values.write_value(path, build_collection(deep=[{"k1": 12345}]))
    path.write_bytes(path.read_bytes().replace(b"12345", b"1e999"))
    with pytest.raises(errors.FileProblem, match=r"pipeline\.settings\.deep\[0\]\.k1 is too large for a number"):
        values.read_value(path, Collection)


def test_nan_is_never_written(tmp_path: Path) -> None:
    """A value that holds NaN is refused and the old file stays; the words themselves are only text."""
    path = tmp_path / "collect.json"
    values.write_value(path, build_collection(text="NaN and Infinity"))
    before = path.read_bytes()
    with pytest.raises(errors.FileProblem, match="NaN or Infinity would stand in it"):
        values.write_value(path, build_collection(x=float("nan")))
    assert path.read_bytes() == before
    assert values.read_value(path, Collection).pipeline.settings == {"text": "NaN and Infinity"}


def test_missing_and_unreadable_files_are_named(tmp_path: Path) -> None:
    """A file that is not there, and a folder in its place, are one sentence each."""
    with pytest.raises(errors.FileProblem, match=r"decision\.json does not exist"):
        values.read_value(tmp_path / "decision.json", Decision)
    with pytest.raises(errors.FileProblem, match="cannot be read: Is a directory"):
        values.read_value(tmp_path, Decision)


def test_a_file_beyond_all_measure_is_not_read(tmp_path: Path) -> None:
    """A file above 64 MB is refused before anything is made of it."""
    path = tmp_path / "decision.json"
    with path.open("wb") as file:
        file.truncate(values.MAX_BYTES + 1)
    with pytest.raises(errors.FileProblem, match="is larger than 64 MB"):
        values.read_value(path, Decision)
