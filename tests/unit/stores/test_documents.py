from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from evaluator import errors
from evaluator.stores import documents

if TYPE_CHECKING:
    from pathlib import Path


def test_documents_are_found_by_name_and_read_as_text(tmp_path: Path) -> None:
    """Markdown and text in any depth, in the order of their names; a byte order mark and foreign line ends go."""
    (tmp_path / "b" / ".hidden").mkdir(parents=True)
    (tmp_path / "b" / "two.TXT").write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree")
    (tmp_path / "a é.md").write_text("# Title")
    (tmp_path / "b" / ".hidden" / "no.md").write_text("x")
    (tmp_path / "b" / "report.pdf").write_bytes(b"%PDF")
    found, others = documents.read_documents(tmp_path)
    assert [(each.name, each.text, each.is_markdown) for each in found] == [
        ("a é.md", "# Title", True),
        ("b/two.TXT", "one\ntwo\nthree", False),
    ]
    assert others == ["b/report.pdf"]


def test_every_file_that_cannot_be_read_is_named_at_once(tmp_path: Path) -> None:
    """Bytes that are no text with their line, and what is no regular file."""
    (tmp_path / "a.md").write_bytes(b"fine\nnot \xff fine")
    os.mkfifo(tmp_path / "b.txt")
    with pytest.raises(errors.InputError) as caught:
        documents.read_documents(tmp_path)
    assert [(each.code, each.line) for each in caught.value.problems] == [("encoding", 2), ("unreadable-file", 0)]


@pytest.mark.parametrize(("name", "code"), [("empty", "no-chunks"), ("missing", "missing-file")])
def test_a_folder_without_documents_is_one_sentence(tmp_path: Path, name: str, code: str) -> None:
    """Nothing to read, or no such folder, is said as what it is."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(errors.InputError) as caught:
        documents.read_documents(tmp_path / name)
    assert [each.code for each in caught.value.problems] == [code]
