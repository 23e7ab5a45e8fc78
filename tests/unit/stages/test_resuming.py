from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.model.record import Failure, Record
from evaluator.stages.recording import Note
from evaluator.stages.resuming import Partial

if TYPE_CHECKING:
    from pathlib import Path

IDENTITY = {"config_sha256": "1", "fixture": None}


def record(identifier: str, failure: Failure | None = None, answer: str | None = None) -> Record:
    return Record(
        id=identifier, input_hash="h", retrieved=(), context=(), answer=answer, abstained=None, steps=None, usage=None,
        meta=None, duplicates=(), failure=failure,
    )  # fmt: skip


def filled(folder: Path, *identifiers: str) -> Partial:
    with Partial(folder, IDENTITY) as part:
        for identifier in identifiers:
            part.add(record(identifier), Note(1.5, ("a warning",)))
    return Partial(folder, IDENTITY)


def test_what_was_kept_is_found_again(tmp_path: Path) -> None:
    """Records come back with their times and what was left out of their replies."""
    part = filled(tmp_path, "q1", "q2")

    assert part.exists()
    assert part.is_of_use()
    assert [(found.id, note) for found, note in part.kept()] == [
        ("q1", Note(1.5, ("a warning",))),
        ("q2", Note(1.5, ("a warning",))),
    ]


def test_another_identity_has_no_use_for_it(tmp_path: Path) -> None:
    """Answers under another configuration are not taken for answers under this one."""
    filled(tmp_path, "q1")

    assert not Partial(tmp_path, {**IDENTITY, "config_sha256": "2"}).is_of_use()


def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    """A first run has nothing to go on from."""
    assert not Partial(tmp_path, IDENTITY).exists()


def test_a_torn_end_costs_what_was_torn(tmp_path: Path) -> None:
    """A writer killed in the middle of a line loses that line; going on after it, nothing is glued together."""
    filled(tmp_path, "q1", "q2")
    for name in ("records.jsonl.part", "collect.json.part"):
        file = tmp_path / name
        file.write_bytes(file.read_bytes()[:-5])
    part = Partial(tmp_path, IDENTITY)
    assert part.is_of_use()
    with part:
        part.add(record("q3"), Note(2.0))

    assert [(found.id, note.latency_ms) for found, note in Partial(tmp_path, IDENTITY).kept()] == [
        ("q1", 1.5),
        ("q3", 2.0),
    ]


def test_files_that_are_damaged_are_of_no_use(tmp_path: Path) -> None:
    """A part that is no longer whole in its middle, or without its notes, is not gone on from."""
    part = filled(tmp_path, "q1", "q2")
    part.path.write_bytes(b"{}\n" + part.path.read_bytes())
    assert not part.is_of_use()

    (tmp_path / "collect.json.part").unlink()
    assert not part.is_of_use()


def test_a_failed_case_is_to_be_asked_again(tmp_path: Path) -> None:
    """A failure is no answer; when the case is asked again, the later record counts."""
    with Partial(tmp_path, IDENTITY) as part:
        part.add(record("q1", Failure(kind="timeout", message="no reply")), Note())
        part.add(record("q2"), Note())
    assert [found.id for found, _ in part.kept()] == ["q2"]
    with Partial(tmp_path, IDENTITY) as again:
        again.add(record("q1", answer="now"), Note())

    lines = list(again.lines(["q1", "q2"]))
    assert b'"now"' in lines[0]
    assert [line.endswith(b"\n") for line in lines] == [True, True]


def test_lines_come_in_the_order_asked_for(tmp_path: Path) -> None:
    """Answers arrive in any order; the final file has the golden one."""
    part = filled(tmp_path, "q3", "q1", "q2")

    assert [line[:10] for line in part.lines(["q1", "q2", "q3"])] == [b'{"id":"q1"', b'{"id":"q2"', b'{"id":"q3"']


def test_discarding_leaves_nothing(tmp_path: Path) -> None:
    """After the final files are written, the part files are gone."""
    part = filled(tmp_path, "q1")
    part.discard()
    part.discard()

    assert list(tmp_path.iterdir()) == []
