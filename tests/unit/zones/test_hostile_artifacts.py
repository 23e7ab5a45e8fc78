"""Artifacts that an attacker made: each is refused with its reason, in bounded memory and time, the next is tried."""

from __future__ import annotations

import hashlib
import io
import json
import resource
import struct
import time
import zipfile
import zlib
from typing import TYPE_CHECKING

import pytest

from evaluator.github import candidates
from evaluator.github.repository import Repository
from evaluator.model.baseline import artifact_name
from evaluator.stores import zipped
from tests.baselines import Baselines
from tests.fakes.github.world import Artifact
from tests.fakes.github.world import zipped as zip_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MEGABYTE = 1 << 20


def archive(**entries: bytes | zipfile.ZipInfo) -> bytes:
    """An archive of entries by their names, ``.`` written as ``_``."""
    return zip_of({name.replace("_", "."): data for name, data in entries.items() if isinstance(data, bytes)})


def entry(name: str, data: bytes = b"x", **fields: object) -> bytes:
    """An archive with one entry that has unusual fields."""
    info = zipfile.ZipInfo(name)
    for field, value in fields.items():
        setattr(info, field, value)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        made.writestr(info, data)
    return stream.getvalue()


def twice() -> bytes:
    """An archive with two files of one name: readers differ in which they take."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        made.writestr("run.json", b"1")
        with pytest.warns(UserWarning, match="Duplicate name"):
            made.writestr("run.json", b"2")
    return stream.getvalue()


def bomb(size: int) -> bytes:
    """An archive of zeros, a thousandth of what it unpacks to."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made,
        made.open("run.json", "w", force_zip64=True) as file,
    ):
        for _ in range(size // MEGABYTE):
            file.write(bytes(MEGABYTE))
    return stream.getvalue()


def lying(data: bytes, size: int) -> bytes:
    """An archive whose list of entries claims another size of its first file."""
    at = data.index(b"PK\x01\x02")
    return data[: at + 24] + struct.pack("<L", size) + data[at + 28 :]


def crowded(count: int) -> bytes:
    """An archive of very many entries: its list alone would fill the memory."""
    one = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    directory = one * count
    return directory + struct.pack(
        "<4s4H2LH", b"PK\x05\x06", 0, 0, count & 0xFFFF, count & 0xFFFF, len(directory), 0, 0
    )


def encrypted() -> bytes:
    data = bytearray(archive(run_json=b"x"))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def damaged() -> bytes:
    data = entry("run.json", b"what it says")
    return data.replace(b"what it says", b"what it SAYS", 1)


def undeflatable() -> bytes:
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packed.compress(b"x" * 500) + packed.flush()
    return zip_of({"run.json": b"x" * 500}).replace(body, b"\xff" * len(body))


SHAPES: dict[str, tuple[Callable[[], bytes], str]] = {
    "no zip": (lambda: b"<html>Server Error</html>", "no zip file, or not whole"),
    "nothing": (lambda: b"", "no zip file, or not whole"),
    "cut short": (lambda: archive(run_json=b"x" * 5000)[:-30], "no zip file, or not whole"),
    "a comment behind the end": (lambda: archive(run_json=b"x")[:-2] + b"\x03\x00abc", "no zip file, or not whole"),
    "a path upwards": (lambda: entry("../run.json"), "'../run.json', which has no place in it"),
    "a path upwards, Windows": (lambda: entry("..\\run.json"), "which has no place in it"),
    "an absolute path": (lambda: entry("/etc/passwd"), "'/etc/passwd', which has no place in it"),
    "a folder": (lambda: entry("run.json/"), "which has no place in it"),
    "a name with an end": (lambda: entry("run.jsonX/../../x").replace(b"nX", b"n\0"), "no place in it"),
    "another file": (lambda: archive(run_json=b"x", evil_sh=b"x"), "'evil.sh', which has no place in it"),
    "a name of two lines": (lambda: entry("a\n::error::b"), "'a\\n::error::b'"),
    "a symbolic link": (lambda: entry("run.json", b"/etc/passwd", external_attr=0o120777 << 16), "no ordinary file"),
    "a device": (lambda: entry("run.json", external_attr=0o060666 << 16), "no ordinary file"),
    "a name twice": (twice, "'run.json' twice"),
    "an unusual packing": (lambda: entry("run.json", compress_type=zipfile.ZIP_LZMA), "packed in an unusual way"),
    "encrypted": (encrypted, "encrypted"),
    "very many entries": (lambda: crowded(400_000), "more entries than it may"),
    "a long list of few": (lambda: crowded(65536 + 5), "more entries than it may"),
    "a sum that is wrong": (damaged, "the archive is broken"),
    "data that is no deflate": (undeflatable, "the archive is broken"),
    "no manifest": (lambda: archive(run_json=b"{}"), "the archive has no baseline.json"),
    "no run": (lambda: archive(baseline_json=b"{}"), "the archive has no run.json"),
}  # fmt: skip


class TestArchives:
    """Bytes that are no archive of ours."""

    @pytest.mark.parametrize(("make", "reason"), SHAPES.values(), ids=SHAPES.keys())
    def test_it_is_refused_and_the_next_is_tried(
        self, baselines: Baselines, make: Callable[[], bytes], reason: str
    ) -> None:
        """With its reason in the log; nothing is left of it, in its folder or beside it (G9)."""
        good = baselines.commit()
        baselines.keep(good)
        hostile = baselines.keep(baselines.commit(), make())

        found = baselines.find()

        assert found.deterministic is not None
        assert found.deterministic.commit == good
        assert reason in baselines.said(hostile)
        kept = {path.name for path in baselines.root.iterdir()}
        assert kept == {"found.json", "rag-assay.yml", found.deterministic.folder}

    def test_a_bomb_is_refused_before_it_is_unpacked(self, baselines: Baselines) -> None:
        """Its list says 2 GB: neither the memory nor the disk nor the time for them is spent (G9)."""
        hostile = baselines.keep(baselines.commit(), lying(bomb(8 * MEGABYTE), 2048 * MEGABYTE))
        before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()

        baselines.find()

        assert "holds more than 1,024 MB" in baselines.said(hostile)
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024
        assert time.process_time() - began < 5

    def test_a_bomb_that_hides_its_size_is_cut_off(self, baselines: Baselines) -> None:
        """No more is unpacked than the list of entries says."""
        hostile = baselines.keep(baselines.commit(), lying(bomb(64 * MEGABYTE), 1000))

        baselines.find()

        assert "the archive is broken" in baselines.said(hostile)

    def test_an_archive_that_is_too_large_is_not_even_fetched(self, baselines: Baselines) -> None:
        """GitHub tells the size before."""
        baselines.keep(baselines.commit())
        [artifact] = (
            Repository(baselines.connect(baselines.server.api), "acme/shop")
            .artifacts(artifact_name("shop", "retrieval", "main"))
            .items
        )
        large = artifact.model_copy(update={"size_in_bytes": (256 << 20) + 1})

        sifted = candidates.sift([large], candidates.Terms(1001, "main", {baselines.world.branches["main"]: 0}))

        assert sifted == ((), (candidates.Rejected(artifact.id, "it is larger than 256 MB"),))

    def test_another_archive_than_github_names_is_refused(self, baselines: Baselines) -> None:
        """The digest is GitHub's own, of what was uploaded (G9)."""
        hostile = baselines.keep(baselines.commit(), artifact={"digest": f"sha256:{'0' * 64}"})

        baselines.find()

        assert "not the one that GitHub names the digest of" in baselines.said(hostile)

    def test_a_server_that_names_none_is_believed(self, baselines: Baselines) -> None:
        """Older servers have no digests."""
        baselines.keep(baselines.commit(), artifact={"digest": None})

        assert baselines.find().deterministic is not None

    def test_the_host_of_archives_is_not_shown_the_token(self, baselines: Baselines) -> None:
        """The second server of the fake fails on an Authorization header, as the real one does (G10)."""
        baselines.keep(baselines.commit())

        assert baselines.find().deterministic is not None


NESTED = 10 * MEGABYTE


class TestRuns:
    """Archives in order whose run is none."""

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b"not JSON", "not valid JSON"),
            (b"", "not valid JSON"),
            (b"[" * NESTED, "run.json"),
            (b'{"a":' * (NESTED // 5), "run.json"),
            (b'{"format": 1, "format": 1}', "format"),
            (b'{"format": NaN}', "NaN"),
            (b'{"format": 2}', "format 2"),
            (b"\xff\xfe{", "run.json"),
        ],
        ids=["text", "nothing", "10 MB of lists", "10 MB of objects", "key twice", "NaN", "format", "no UTF-8"],
    )
    def test_it_is_refused(self, baselines: Baselines, data: bytes, reason: str) -> None:
        """Whatever its manifest says of it (G9)."""
        hostile = self.keep(baselines, data)
        began = time.process_time()

        found = baselines.find()

        assert found.deterministic is None
        assert reason in baselines.said(hostile)
        assert time.process_time() - began < 5

    @pytest.mark.parametrize(
        ("old", "new", "reason"),
        [
            (b'"suite": "shop"', b'"suite": "other"', "of suite 'other'"),
            (b'"recall@2": 1.0', b'"recall@2": NaN', "NaN"),
            (b'"recall@2": 1.0', b'"recall@2": 1e999', "run.json"),
            (b'"id": "refunds"', b'"id": "returns"', "twice"),
            (b'"critical": true', b'"critical": true, "critical": false', "critical"),
            (b'"records": null', b'"records": {"file": "../x", "sha256": "0"}', "it is records.jsonl"),
            (b'"records": null', b'"records": {"file": "other.jsonl", "sha256": "0"}', "it is records.jsonl"),
        ],
    )
    def test_a_run_with_one_wrong_value_is_refused(
        self, baselines: Baselines, old: bytes, new: bytes, reason: str
    ) -> None:
        """Every case is read before it is believed: comparing would stop at it with a mistake that is nobody's (G9)."""
        base = baselines.commit()
        data = baselines.run_json(base)
        assert old in data
        hostile = self.keep(baselines, data.replace(old, new, 1), base)

        found = baselines.find()

        assert found.deterministic is None
        assert reason in baselines.said(hostile)

    def keep(self, baselines: Baselines, data: bytes, base: str | None = None) -> Artifact:
        """An artifact in order, but for its run."""
        base = base or baselines.commit()
        run = baselines.world.add_run(base)
        files = baselines.files(base, run)
        said = json.loads(files["baseline.json"])
        digest = hashlib.sha256(data).hexdigest()
        made = baselines.keep(
            base, {"baseline.json": json.dumps(said | {"run_sha256": digest}).encode(), "run.json": data}
        )
        made.run = run
        return made

    @pytest.mark.parametrize("data", [b"[" * NESTED, b"{", b'{"format": 1, "format": 1}', b'{"format": NaN}', b"null"])
    def test_a_manifest_that_is_none_is_refused(self, baselines: Baselines, data: bytes) -> None:
        """It is read as strictly as everything else (G9)."""
        base = baselines.commit()
        hostile = baselines.keep(base, {"baseline.json": data, "run.json": b"{}"})

        baselines.find()

        assert "baseline.json" in baselines.said(hostile)


def test_what_fits_is_unpacked_whole(tmp_path: Path) -> None:
    """The bound is on everything together, and what is exactly as large is let through."""
    data = archive(run_json=b"x" * 600, baseline_json=b"y" * 400)

    zipped.take(io.BytesIO(data), tmp_path, ("run.json", "baseline.json"), most=1000)

    assert (tmp_path / "run.json").read_bytes() == b"x" * 600
    assert (tmp_path / "baseline.json").read_bytes() == b"y" * 400
