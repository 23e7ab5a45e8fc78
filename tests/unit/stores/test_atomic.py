from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from evaluator import errors
from evaluator.stores import atomic

if TYPE_CHECKING:
    from pathlib import Path


def names(folder: Path) -> list[str]:
    """The files of a folder."""
    return sorted(file.name for file in folder.iterdir())


def test_writes_the_bytes_and_makes_the_folder(tmp_path: Path) -> None:
    """A file appears whole, in a folder that need not be there yet, and nothing else is left beside it."""
    path = tmp_path / "new" / "deep" / "file.json"
    atomic.write_text(path, "å\r\n")
    assert path.read_bytes() == b"\xc3\xa5\r\n"
    assert names(path.parent) == ["file.json"]


def test_an_exception_keeps_the_old_file(tmp_path: Path) -> None:
    """Whatever goes wrong while writing, the old file stays as it was and nothing else is left."""
    path = tmp_path / "file"
    atomic.write_bytes(path, b"old")

    def interrupted() -> None:
        with atomic.atomic_file(path) as file:
            file.write(b"half of the n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_a_reader_meanwhile_sees_the_old_file(tmp_path: Path) -> None:
    """Until the block ends the old file is what readers find."""
    path = tmp_path / "file"
    atomic.write_bytes(path, b"old")
    with atomic.atomic_file(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


def test_the_file_may_be_read_by_whom_the_system_says(tmp_path: Path) -> None:
    """A new file has the permissions that any new file of this process has."""
    atomic.write_bytes(tmp_path / "ours", b"")
    (tmp_path / "plain").write_bytes(b"")
    assert stat.S_IMODE((tmp_path / "ours").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    """Writing to a symbolic link leaves the file it points to alone."""
    (tmp_path / "elsewhere").write_bytes(b"theirs")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    atomic.write_bytes(tmp_path / "link", b"ours")
    assert (tmp_path / "elsewhere").read_bytes() == b"theirs"
    assert (tmp_path / "link").read_bytes() == b"ours"


@pytest.mark.parametrize("name", ["file/inside", "folder"])
def test_a_refusal_is_one_sentence(tmp_path: Path, name: str) -> None:
    """Where the system refuses, the error names the file and the reason."""
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    with pytest.raises(errors.FileProblem, match=f"{name} cannot be written: "):
        atomic.write_bytes(tmp_path / name, b"x")
    assert names(tmp_path) == ["file", "folder"]


def test_another_files_error_is_not_taken_for_this_ones(tmp_path: Path) -> None:
    """An error about some other file inside the block keeps its own name."""
    with pytest.raises(FileNotFoundError), atomic.atomic_file(tmp_path / "file"):
        (tmp_path / "missing").read_bytes()
    assert names(tmp_path) == []
