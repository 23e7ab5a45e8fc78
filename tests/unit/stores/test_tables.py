from __future__ import annotations

import datetime
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluator import errors
from evaluator.stores import tables

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [{"key": "a|1", "body": 'One, "two"\nthree', "page": 3}, {"key": "b", "body": "四", "page": 4}]
COLUMNS = {"id": "key", "text": "body", "meta.page": "page"}


def read(path: Path, columns: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """Chunks as mappings."""
    return [chunk.model_dump(exclude_none=True) for chunk in tables.read_table(path, columns or {}).chunks]


def problems(path: Path, columns: dict[str, str] | None = None) -> list[tuple[str, int]]:
    """Code and line of each problem."""
    with pytest.raises(errors.InputError) as caught:
        tables.read_table(path, columns or {})
    return [(each.code, each.line) for each in caught.value.problems]


def write(folder: Path, kind: str) -> Path:
    """The rows in a file of a kind."""
    path = folder / f"chunks{kind}"
    if kind == ".parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    elif kind in {".csv", ".tsv"}:
        mark = tables.DELIMITERS[kind]
        quoted = [[str(cell).replace('"', '""') for cell in row.values()] for row in ROWS]
        lines = [mark.join(ROWS[0]), *(mark.join(f'"{cell}"' for cell in row) for row in quoted)]
        path.write_text("\ufeff" + "\r\n".join(lines), newline="")
    else:
        text = json.dumps(ROWS) if kind == ".json" else "\n".join(map(json.dumps, ROWS))
        path.write_text(text)
    return path


@pytest.mark.parametrize("kind", [".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet"])
def test_every_kind_of_file_gives_the_same_chunks(tmp_path: Path, kind: str) -> None:
    """Quotes, line ends in cells and text in any script come out alike; a cell of CSV is a text."""
    page = str if kind in tables.DELIMITERS else int
    assert read(write(tmp_path, kind), COLUMNS) == [
        {"id": "a|1", "text": 'One, "two"\nthree', "meta": {"page": page(3)}},
        {"id": "b", "text": "四", "meta": {"page": page(4)}},
    ]


def test_columns_under_their_own_names_need_no_map(tmp_path: Path) -> None:
    """id, text and doc are found; numbers as ids are texts, an empty document is none, other columns are left out."""
    path = tmp_path / "c.csv"
    path.write_text("id,text,doc,more\n7,x,d,y\n8,z,,y\n")
    assert read(path) == [{"id": "7", "text": "x", "doc": "d"}, {"id": "8", "text": "z"}]


def test_vectors_come_with_their_chunks(tmp_path: Path) -> None:
    """A column of lists is put aside, row by row; what JSON cannot hold becomes text in meta."""
    path = tmp_path / "c.parquet"
    day = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)
    pq.write_table(pa.Table.from_pylist([{"id": 1, "text": "x", "v": [1.0, 2.0], "t": day, "b": b"x"}]), path)
    table = tables.read_table(path, {"vector": "v", "meta.t": "t", "meta.b": "b"})
    assert table.vectors == [[1.0, 2.0]]
    assert table.chunks[0].meta == {"t": "2026-01-02T00:00:00+00:00", "b": "b'x'"}


def test_every_bad_row_is_named_with_its_line(tmp_path: Path) -> None:
    """Missing ids, repeated ones, cells too many and too few, each once."""
    path = tmp_path / "c.csv"
    path.write_text('id,text\na,"x\ny"\n,z\na,x\nb\nc,x,y\n"d\x01",x\n')
    assert problems(path) == [
        ("wrong-value", 4), ("duplicate-id", 5), ("syntax", 6), ("syntax", 7), ("bad-id", 8),
    ]  # fmt: skip
    rows = tmp_path / "c.json"
    rows.write_text('[{"id": "a", "text": "x"},\n\n "no row", {"id": "b"}]')
    assert problems(rows) == [("wrong-value", 3), ("missing-field", 3)]


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("c.csv", b"id,text\n\xff,x\n", "encoding"),
        ("c.csv", b'id,text\n"a,x\n', "syntax"),
        ("c.csv", b"", "no-chunks"),
        ("c.json", b'{"id": "a"}', "wrong-value"),
        ("c.json", b"[", "syntax"),
        ("c.parquet", b"PAR1 no it is not PAR1", "syntax"),
        ("c.jsonl", b'{"key": "a", "key": "b"}', "duplicate-key"),
    ],
)
def test_a_damaged_file_is_one_problem(tmp_path: Path, name: str, data: bytes, code: str) -> None:
    """What is not of its kind is said, and nothing is made of the half that can be read."""
    (tmp_path / name).write_bytes(data)
    assert [found for found, _ in problems(tmp_path / name, {"id": "key"} if name == "c.jsonl" else None)] == [code]


def test_a_column_that_is_not_there_is_told_with_the_nearest(tmp_path: Path) -> None:
    """The file, the column, what it may be called, and the option to say so."""
    path = tmp_path / "c.csv"
    path.write_text("doc_id,contents\na,x\n")
    with pytest.raises(errors.UsageError, match=r"no column 'id'.*--column id=COLUMN"):
        tables.read_table(path, {})
    with pytest.raises(errors.UsageError, match="did you mean 'contents'"):
        tables.read_table(path, {"id": "doc_id", "text": "content"})


def test_a_file_of_no_known_kind_is_refused(tmp_path: Path) -> None:
    """The kinds that are read are named."""
    with pytest.raises(errors.UsageError, match=r"\.parquet"):
        tables.read_table(tmp_path / "c.xlsx", {"id": "a"})


@pytest.mark.parametrize("written", ["id", "id=", "=x", "ids=x", "meta.=x", "meta=x"])
def test_a_map_that_says_nothing_is_refused(written: str) -> None:
    """Only FIELD=COLUMN with a field that exists."""
    with pytest.raises(errors.UsageError, match="is not FIELD=COLUMN"):
        tables.parse_columns([written])


def test_a_field_has_one_column() -> None:
    """Named twice, nobody could say which is meant; an equals sign belongs to the column."""
    assert tables.parse_columns(["id=a=b", "meta.x.y=c"]) == {"id": "a=b", "meta.x.y": "c"}
    with pytest.raises(errors.UsageError, match="twice"):
        tables.parse_columns(["id=a", "id=b"])


@pytest.mark.shared
def test_a_real_corpus_is_read(shared: Path) -> None:
    """The sample corpus of another tool, with its own names for id and text."""
    found = tables.read_table(
        shared / "data" / "autorag" / "corpus_data_sample.parquet", {"id": "doc_id", "text": "contents"}
    )
    assert len(found.chunks) == pq.read_metadata(shared / "data" / "autorag" / "corpus_data_sample.parquet").num_rows


@pytest.mark.shared
def test_a_real_vector_store_is_read(shared: Path) -> None:
    """Chunks and vectors of a data set of Lance, as another tool wrote it."""
    pytest.importorskip("lance")
    found = tables.read_table(
        shared / "data" / "tool_exports" / "lancedb" / "chunks.lance", {"doc": "title", "vector": "vector"}
    )
    assert len(found.chunks) == 25
    assert {len(row) for row in found.vectors or ()} == {64}
