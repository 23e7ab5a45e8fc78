from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import errors
from evaluator.stages.fixture_diff import diff

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evaluator.model.fixture_diff import FixtureDiff

Rows = "Sequence[tuple[str, str, str | None]]"


def fixture(folder: Path, rows: Sequence[tuple[str, str, str | None]]) -> Path:
    """A fixture of chunks given as (id, text, document)."""
    folder.mkdir(exist_ok=True)
    lines = [json.dumps({"id": name, "text": text, "doc": doc}) for name, text, doc in rows]
    (folder / "chunks.jsonl").write_text("\n".join(lines))
    return folder


def compared(
    tmp_path: Path, old: Sequence[tuple[str, str, str | None]], new: Sequence[tuple[str, str, str | None]]
) -> FixtureDiff:
    """What differs between two fixtures."""
    return diff(fixture(tmp_path / "old", old), fixture(tmp_path / "new", new))


OLD = [("a", "One.", "d1"), ("b", "Two.", "d1"), ("c", "Three.", "d2"), ("e", "Gone.", "d3"), ("f", "Same.", "d4")]


def test_every_kind_of_change_is_told_apart(tmp_path: Path) -> None:
    """By hand: b changed, c is now x in another document, e and its document went, n came, a and f stayed."""
    new = [("a", "One.", "d1"), ("b", "Two!", "d1"), ("x", "Three.", "d5"), ("f", "Same.", "d4"), ("n", "New.", "d4")]
    found = compared(tmp_path, OLD, new)
    assert found.chunks.model_dump() == {
        "changed": ("b",), "added": ("n",), "removed": ("e",), "unchanged": 2,
        "moved": ({"before": {"id": "c", "doc": "d2"}, "after": {"id": "x", "doc": "d5"}},),
    }  # fmt: skip
    assert found.documents is not None
    assert found.documents.model_dump() == {
        "changed": ("d1", "d4"), "added": ("d5",), "removed": ("d2", "d3"), "unchanged": 0,
    }  # fmt: skip


def test_cutting_anew_changes_chunks_and_no_document(tmp_path: Path) -> None:
    """The same text in other pieces: what changed is the cutting."""
    found = compared(tmp_path, [("a", "One. Two.", "d")], [("a1", "One.", "d"), ("a2", " Two.", "d")])
    assert found.documents is not None
    assert (found.documents.changed, found.documents.unchanged) == ((), 1)
    assert (found.chunks.added, found.chunks.removed) == (("a1", "a2"), ("a",))


def test_equal_texts_stay_in_their_document(tmp_path: Path) -> None:
    """A text that stands in two documents moves within each of them when ids are given anew."""
    found = compared(tmp_path, [("1", "T", "d"), ("2", "T", "e")], [("4", "T", "e"), ("3", "T", "d")])
    assert [(each.before.id, each.after.id) for each in found.chunks.moved] == [("1", "3"), ("2", "4")]


def test_documents_are_not_compared_where_a_chunk_names_none(tmp_path: Path) -> None:
    """Half a document would be called changed."""
    assert compared(tmp_path, [("a", "x", None)], [("a", "x", "d")]).documents is None


def test_vectors_of_texts_that_stayed_are_compared(tmp_path: Path) -> None:
    """Another vector of one text counts once, wherever its row is; other dimensions cannot be compared."""
    old = fixture(tmp_path / "old", [("a", "A", "d"), ("b", "B", "d")])
    new = fixture(tmp_path / "new", [("b", "B", "d"), ("c", "A", "d"), ("n", "N", "d")])
    np.save(old / "vectors.npy", np.array([[1, 0], [0, 1]], np.float32))
    np.save(new / "vectors.npy", np.array([[0, 1.000001], [1, 1], [5, 5]], np.float32))
    assert diff(old, new).vectors.changed == 1
    np.save(new / "vectors.npy", np.ones((3, 3), np.float32))
    assert diff(old, new).vectors.changed is None


def test_a_fixture_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    """Nothing is said of half a comparison."""
    with pytest.raises(errors.InputError):
        diff(fixture(tmp_path / "old", OLD), tmp_path / "nowhere")


ROWS = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("uvwx"), st.sampled_from("de")),
    min_size=1, max_size=6, unique_by=lambda row: row[0],
)  # fmt: skip


@given(ROWS, ROWS)
def test_every_chunk_is_counted_once(
    tmp_path_factory: pytest.TempPathFactory, old: list[tuple[str, str, str]], new: list[tuple[str, str, str]]
) -> None:
    """Unchanged, moved, changed and removed are all of the old; unchanged, moved, changed and added all of the new."""
    folder = tmp_path_factory.mktemp("pair")
    found = compared(folder, old, new).chunks
    stayed = found.unchanged + len(found.moved) + len(found.changed)
    assert stayed + len(found.removed) == len(old)
    assert stayed + len(found.added) == len(new)
    back = compared(folder, new, old).chunks
    assert (set(back.added), back.unchanged) == (set(found.removed), found.unchanged)


def test_a_fixture_differs_in_nothing_from_itself(tmp_path: Path) -> None:
    """No change is invented."""
    found = compared(tmp_path, OLD, OLD)
    assert found.chunks.unchanged == len(OLD)
    assert not any((found.chunks.changed, found.chunks.moved, found.chunks.added, found.chunks.removed))
