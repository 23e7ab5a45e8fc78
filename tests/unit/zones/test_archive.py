"""Streams between zones: what a hostile one cannot do."""

from __future__ import annotations

import io
import os
import tarfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluator import errors
from evaluator.zones import archive
from tests.zones import link, stream_of, tree_of

if TYPE_CHECKING:
    from pathlib import Path


def unpacked(stream: io.BytesIO, root: Path) -> list[str]:
    root.mkdir()
    return archive.unpack_tree(stream, root)


def test_a_repository_comes_out_as_it_went_in(tmp_path: Path) -> None:
    """Files, programs, empty folders, links inside and odd names survive the journey."""
    before = tmp_path / "before"
    (before / "empty").mkdir(parents=True)
    (before / "a" / "b").mkdir(parents=True)
    (before / "a" / "b" / "ünï\ncode -x").write_bytes(b"1")
    (before / "run").write_text("#!/bin/sh\n")
    (before / "run").chmod(0o755)
    (before / "a" / "link").symlink_to("../run")

    left_out = unpacked(tree_of(before), tmp_path / "after")

    after = tmp_path / "after"
    assert left_out == []
    assert (after / "a" / "b" / "ünï\ncode -x").read_bytes() == b"1"
    assert os.access(after / "run", os.X_OK)
    assert (after / "a" / "link").readlink() == (before / "a" / "link").readlink()
    assert (after / "empty").is_dir()


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "a/..", "x" * 5000])
def test_a_name_that_is_no_place_inside_is_refused(name: str, tmp_path: Path) -> None:
    """Absolute names, names that lead upwards and endless names are refused, and nothing is written outside."""
    with pytest.raises(errors.ZoneProblem, match="no place inside"):
        unpacked(stream_of({name: b"x"}), tmp_path / "root")

    assert [path.name for path in tmp_path.iterdir()] == ["root"]


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.LNKTYPE])
def test_devices_pipes_and_hard_links_are_refused(kind: bytes, tmp_path: Path) -> None:
    """Only files, folders and symbolic links are unpacked."""
    with pytest.raises(errors.ZoneProblem, match="neither a file"):
        unpacked(stream_of({}, link("x", "/etc/passwd", kind)), tmp_path / "root")


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside", "a/../../outside", "away", "deep/away"])
def test_links_that_lead_out_are_left_out(target: str, tmp_path: Path) -> None:
    """A link that leads out of the repository, also through other links, is not made, and is named."""
    stream = stream_of({"inside": b"x"}, link("away", "/"), link("deep/away", "../away/etc"), link("it", target))

    left_out = unpacked(stream, tmp_path / "root")

    assert "it" in left_out
    assert sorted(path.name for path in (tmp_path / "root").rglob("*")) == ["deep", "inside"]


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    """A file below a name that is a link as well is refused, whichever comes first."""
    (tmp_path / "outside").mkdir()
    stream = stream_of({"a/x": b"x"}, link("a", str(tmp_path / "outside")))

    with pytest.raises(errors.ZoneProblem, match="cannot be made"):
        unpacked(stream, tmp_path / "root")
    assert list((tmp_path / "outside").iterdir()) == []


def test_no_link_is_made_through_a_link(tmp_path: Path) -> None:
    """A link below a name that is a link as well is refused, and nothing is made where that leads."""
    (tmp_path / "outside").mkdir()
    stream = stream_of({}, link("a", str(tmp_path / "outside")), link("a/b/c", "x"))

    with pytest.raises(errors.ZoneProblem, match="cannot be made"):
        unpacked(stream, tmp_path / "root")
    assert list((tmp_path / "outside").iterdir()) == []


def test_what_lies_too_deep_is_refused(tmp_path: Path) -> None:
    """Folders without end are a refusal like any other."""
    with pytest.raises(errors.ZoneProblem, match="too deep"):
        unpacked(stream_of({"a/" * 1500 + "f": b"x"}), tmp_path / "root")


def test_a_farm_of_links_takes_no_time(tmp_path: Path) -> None:
    """Links that double the way with each step, and loops, are dealt with."""
    farm = [link(f"l{step}", f"l{step - 1}/l{step - 1}") for step in range(1, 60)]

    left_out = unpacked(stream_of({}, link("l0", "."), link("loop", "loop"), *farm), tmp_path / "root")

    assert left_out == []


def test_the_folder_of_git_is_left_out(tmp_path: Path) -> None:
    """No .git reaches a zone, wherever it lies."""
    unpacked(stream_of({".git/config": b"x", "sub/.git/config": b"x", "sub/.gitignore": b"x"}), tmp_path / "root")

    assert [path.name for path in (tmp_path / "root").rglob("*") if path.is_file()] == [".gitignore"]


@pytest.mark.parametrize("end", [0, 100, 512, 600, 1024, 1536])
def test_a_stream_that_was_cut_short_is_refused(end: int, tmp_path: Path) -> None:
    """A stream that ends anywhere before its end is no shorter repository."""
    stream = stream_of({"a": b"x", "b": b"y"})

    with pytest.raises(errors.ZoneProblem, match="tar stream"):
        unpacked(io.BytesIO(stream.getvalue()[:end]), tmp_path / "root")


@pytest.mark.parametrize(
    ("at", "written"),
    [(1024, bytes([255]) * 512), (1024 + 124, bytes([255]) * 10 + b"\xfe\0")],
    ids=["broken", "below 0"],
)
def test_a_header_that_is_none_is_no_end(at: int, written: bytes, tmp_path: Path) -> None:
    """What follows a broken header, or one of a size below zero, would be missing without a word."""
    stream = stream_of({"a": b"x", "b": b""})
    data = bytearray(stream.getvalue())
    data[at : at + len(written)] = written
    if at > 1024:
        unsigned = sum(data[1024:1536]) - sum(data[1024 + 148 : 1024 + 156]) + 8 * ord(" ")
        data[1024 + 148 : 1024 + 156] = b"%06o\0 " % unsigned

    with pytest.raises(errors.ZoneProblem, match=r"cannot be read|below zero"):
        unpacked(io.BytesIO(data), tmp_path / "root")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=3000))
def test_whatever_a_stream_holds_nothing_but_a_refusal_comes_of_it(data: bytes, tmp_path: Path) -> None:
    """Bytes that hold no file are refused in one way."""
    with pytest.raises(errors.ZoneProblem):
        archive.take_files(io.BytesIO(data), tmp_path, ["a"])


def test_too_many_entries_are_refused() -> None:
    """A stream is read no further than its limits."""
    stream = stream_of({f"f{number}": b"" for number in range(20)})

    with (
        pytest.raises(errors.ZoneProblem, match="more than 3 entries"),
        archive.members(stream, archive.Limits(3, 100)) as found,
    ):
        list(found)


def test_too_many_bytes_are_refused_before_they_are_read() -> None:
    """A header that announces too much is enough."""
    stream = stream_of({"a": b"x" * 200})

    with (
        pytest.raises(errors.ZoneProblem, match="more than 0 MB"),
        archive.members(stream, archive.Limits(3, 100)) as found,
    ):
        list(found)


@pytest.mark.parametrize(
    ("files", "others", "says"),
    [
        ({"a": b""}, (), "lacks b"),
        ({"a": b"", "b": b"", "c": b""}, (), "'c' has no place"),
        ({"./a": b"", "b": b""}, (), "'./a' has no place"),
        ({"a": b""}, (link("b", "a"),), "'b' has no place"),
        ({"a": b"", "b": b""}, (link("a", "b", tarfile.LNKTYPE),), "'a' has no place"),
    ],
)
def test_only_the_files_that_were_asked_for_are_taken(
    files: dict[str, bytes], others: tuple[tarfile.TarInfo, ...], says: str, tmp_path: Path
) -> None:
    """A missing file, any other and any link ends it."""
    with pytest.raises(errors.ZoneProblem, match=says):
        archive.take_files(stream_of(files, *others), tmp_path, ["a", "b"])


def test_a_file_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    """The second one does not replace the first."""
    twice = stream_of({"a": b"1"}).getvalue()[:1024] + stream_of({"a": b"2"}).getvalue()

    with pytest.raises(errors.ZoneProblem, match="cannot be unpacked"):
        archive.take_files(io.BytesIO(twice), tmp_path, ["a"])


def test_streams_in_a_stream_go_to_who_takes_them(tmp_path: Path) -> None:
    """Each part is read from the outer stream without being stored; a part that nobody takes is refused."""
    inner = stream_of({"a": b"x"}).getvalue()

    archive.take_parts(stream_of({"in.tar": inner}), {"in.tar": lambda part: archive.take_files(part, tmp_path, ["a"])})
    with pytest.raises(errors.ZoneProblem, match="has no place"):
        archive.take_parts(stream_of({"other": b""}), {"in.tar": lambda _: None})
    with pytest.raises(errors.ZoneProblem, match=r"lacks in\.tar"):
        archive.take_parts(stream_of({}), {"in.tar": lambda _: None})

    assert (tmp_path / "a").read_bytes() == b"x"
