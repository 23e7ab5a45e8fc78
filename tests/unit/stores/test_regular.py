from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from evaluator import config, errors
from evaluator.model.fixture import Manifest
from evaluator.stores import fixtures, golden, records, values
from evaluator.stores.regular import open_regular

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

READERS: dict[str, Callable[[Path], object]] = {
    "golden.jsonl": lambda file: golden.read_golden([file]),
    "golden.yml": lambda file: golden.read_golden([file]),
    "chunks.jsonl": lambda file: fixtures.read_fixture(file.parent),
    "manifest.json": lambda file: fixtures.read_fixture(file.parent),
    "rag-assay.yml": config.load_config,
    "value.json": lambda file: values.read_value(file, Manifest),
    "records.jsonl": lambda file: list(records.iter_records(file)),
    "records.jsonl.part": lambda file: list(records.read_part(file)),
    "any": records.sha256_of,
}


def pipe(file: Path) -> None:
    os.mkfifo(file)


def link(file: Path) -> None:
    file.symlink_to("/dev/zero")


@pytest.mark.parametrize("put", [pipe, link])
@pytest.mark.parametrize("name", READERS)
def test_what_has_no_end_or_never_begins_is_refused(tmp_path: Path, name: str, put: Callable[[Path], None]) -> None:
    """A pipe nobody writes to and a link to a device are one sentence, whoever reads them, and are not waited for."""
    if name == "manifest.json":
        (tmp_path / "chunks.jsonl").write_text('{"id": "a", "text": "b"}\n')
    put(tmp_path / name)

    with pytest.raises((errors.FileProblem, errors.InputError), match="it is not a regular file"):
        READERS[name](tmp_path / name)


def test_a_link_to_a_file_is_that_file(tmp_path: Path) -> None:
    """Links are followed."""
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    with open_regular(tmp_path / "link") as file:
        assert file.read() == b"content"


def test_a_folder_is_said_to_be_one(tmp_path: Path) -> None:
    """The system's own words, as where a file is opened without us."""
    with pytest.raises(IsADirectoryError):
        open_regular(tmp_path)
