from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from evaluator import errors
from evaluator.model.fixture import Embedding, Manifest
from evaluator.stores import fixtures, located, making, values, vectors

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.model.fixture import Digests

CHUNKS = [
    {"id": "a|/#😀", "text": "The first half of a text, ", "doc": "d1", "meta": {"title": "T"}},
    {"id": "b", "text": "and the second half.", "doc": "d1"},
    {"id": "c", "text": "另一个文件。", "doc": "d2"},
]


def write(folder: Path, chunks: list[dict[str, object]] = CHUNKS) -> Path:
    """A fixture without a manifest."""
    folder.mkdir(exist_ok=True)
    (folder / "chunks.jsonl").write_text("".join(json.dumps(chunk) + "\n" for chunk in chunks))
    return folder


def digests(folder: Path, *chunks: tuple[str, str | None]) -> Digests:
    """The digests of chunks given as (text, document)."""
    made = [{"id": f"c{index}", "text": text, "doc": doc} for index, (text, doc) in enumerate(chunks)]
    return fixtures.read_fixture(write(folder, made)).fixture.digests


def test_a_fixture_is_read_in_its_order(tmp_path: Path) -> None:
    """Chunks keep their order, ids, documents and meta (L4)."""
    found = fixtures.read_fixture(write(tmp_path)).fixture
    assert [chunk.model_dump(exclude_none=True) for chunk in found.chunks] == CHUNKS
    assert found.by_doc == {"d1": ("a|/#😀", "b"), "d2": ("c",)}
    assert found.manifest is None


def test_a_missing_manifest_is_one_warning(tmp_path: Path) -> None:
    """A fixture that was never frozen is used, and the warning says what to run."""
    folder = write(tmp_path)
    (warning,) = fixtures.read_fixture(folder).warnings
    assert "rag-assay freeze with its path" in warning
    assert str(folder) not in warning
    assert [(each.severity, each.code) for each in fixtures.verify(folder)] == [("warning", "no-manifest")]


def test_a_frozen_fixture_is_vouched_for(tmp_path: Path) -> None:
    """The manifest holds counts, digests and the sha256 of every file; then there is nothing to say."""
    folder = write(tmp_path)
    np.save(folder / "vectors.npy", np.eye(3, dtype=np.float32))
    manifest = fixtures.write_manifest(folder)
    assert (manifest.chunks, manifest.documents) == (3, 2)
    assert manifest.files == {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("chunks.jsonl", "vectors.npy")
    }
    assert fixtures.verify(folder) == []
    loaded = fixtures.read_fixture(folder)
    assert (loaded.fixture.manifest, loaded.fixture.digests, loaded.warnings) == (manifest, manifest.digests, ())


def test_freezing_again_keeps_what_only_a_person_knows(tmp_path: Path) -> None:
    """Embedding and chunker of the old manifest stay in the new one."""
    folder = write(tmp_path)
    known = {"embedding": Embedding(model="m", dimension=3), "chunker": "v3"}
    values.write_value(folder / "manifest.json", fixtures.write_manifest(folder).model_copy(update=known))
    write(folder, CHUNKS[:2])
    manifest = fixtures.write_manifest(folder)
    assert (manifest.chunks, manifest.embedding, manifest.chunker) == (2, *known.values())
    assert fixtures.verify(folder) == []


def test_everything_that_is_not_as_the_manifest_says(tmp_path: Path) -> None:
    """Each difference is a problem that names the file and what to do, and the fixture is refused."""
    folder = write(tmp_path)
    matrix = np.eye(3, dtype=np.float32)
    np.save(folder / "vectors.npy", matrix)
    vectors.write_questions(folder, ["a", "b", "c"], matrix, Embedding(model="m", dimension=3))
    fixtures.write_manifest(folder)
    write(folder, CHUNKS[:2])
    (folder / "vectors.npy").unlink()
    (folder / "queries.npy").unlink()
    problems = [each for each in fixtures.verify(folder) if each.code == "manifest"]
    changed = "chunks.jsonl is not the file that was frozen"
    remedy = f"; if that is meant, run rag-assay freeze {folder}; if not, restore the file"
    assert [each.message for each in problems] == [
        sentence + remedy
        for sentence in (
            f"{changed}: it holds 2 chunks instead of 3, and the documents changed too",
            "queries.npy is missing",
            "vectors.npy is missing",
        )
    ]
    assert {(each.file, each.code) for each in problems} == {(str(folder / "manifest.json"), "manifest")}
    with pytest.raises(errors.InputError) as caught:
        fixtures.read_fixture(folder)
    assert list(caught.value.problems) == problems


@pytest.mark.parametrize(
    ("chunks", "what"),
    [
        (
            [*CHUNKS[:2], {**CHUNKS[2], "text": "另一个。"}],
            "some of its chunks are others, and the documents changed too",
        ),
        (
            [
                {**CHUNKS[0], "text": "The first half of"},
                {**CHUNKS[1], "text": "a text, and the second half."},
                CHUNKS[2],
            ],
            "some of its chunks are others, cut from the same documents",
        ),
        (
            [{**CHUNKS[0], "text": "The first half of a text, and the second half."}, CHUNKS[2]],
            "it holds 2 chunks instead of 3, cut from the same documents",
        ),
        ([CHUNKS[0], {"id": "b", "text": "no document"}], "it holds 2 chunks instead of 3"),
        ([{**CHUNKS[0], "meta": {}}, *CHUNKS[1:]], "its chunks are the same, only how they are written is not"),
    ],
)
def test_a_changed_chunk_file_is_one_problem(tmp_path: Path, chunks: list[dict[str, object]], what: str) -> None:
    """One sentence says what became of the chunks, and whether the documents are still the same."""
    folder = write(tmp_path)
    fixtures.write_manifest(folder)
    write(folder, chunks)
    (problem,) = fixtures.verify(folder)
    assert problem.message.startswith(f"chunks.jsonl is not the file that was frozen: {what}; if that is meant, ")


def test_the_folder_in_the_remedy_can_be_pasted(tmp_path: Path) -> None:
    """A folder with a space is quoted as a shell needs it."""
    folder = write(tmp_path / "my index")
    fixtures.write_manifest(folder)
    write(folder, CHUNKS[:2])
    (problem,) = fixtures.verify(folder)
    assert f"run rag-assay freeze '{folder}'; " in problem.message


def test_a_manifest_that_was_written_by_hand_is_seen(tmp_path: Path) -> None:
    """Numbers that are not those of the file are a problem even where its sha256 is right."""
    folder = write(tmp_path)
    manifest = fixtures.write_manifest(folder)
    values.write_value(folder / "manifest.json", manifest.model_copy(update={"chunks": 4}))
    (problem,) = fixtures.verify(folder)
    assert problem.message.startswith("chunks.jsonl is the file that was frozen, but the manifest's")


def test_vectors_of_other_chunks_are_never_vouched_for(tmp_path: Path) -> None:
    """Freezing again after the chunks changed refuses vectors that did not change with them, and says what to do."""
    folder = write(tmp_path)
    np.save(folder / "vectors.npy", np.eye(3, dtype=np.float32))
    before = fixtures.write_manifest(folder)
    write(folder, [{**CHUNKS[0], "text": "Another text"}, *CHUNKS[1:]])
    with pytest.raises(errors.UsageError, match="made for the chunks as they were; embed them again"):
        fixtures.write_manifest(folder)
    (folder / "vectors.npy").unlink()
    assert fixtures.write_manifest(folder).digests != before.digests


def test_a_manifest_cannot_make_us_read_elsewhere(tmp_path: Path) -> None:
    """Only files of a fixture are looked at; any other name is a problem."""
    folder = write(tmp_path / "fixture")
    (tmp_path / "secret").write_bytes(b"s")
    manifest = fixtures.write_manifest(folder)
    files = {**manifest.files, "../secret": hashlib.sha256(b"s").hexdigest()}
    values.write_value(folder / "manifest.json", manifest.model_copy(update={"files": files}))
    (problem,) = fixtures.verify(folder)
    assert problem.message.startswith("../secret is no file of a fixture; ")


def test_a_damaged_manifest_has_a_place(tmp_path: Path) -> None:
    """What is wrong with the manifest itself is told with line and column."""
    folder = write(tmp_path)
    fixtures.write_manifest(folder)
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"chunks":3', '"chunk":3'))
    found = [(each.code, each.line, each.column) for each in fixtures.verify(folder)]
    assert found == [("unknown-field", 3, 1), ("missing-field", 1, 1)]
    path.write_text("{")
    assert [(each.code, each.line) for each in fixtures.verify(folder)] == [("syntax", 1)]
    with pytest.raises(errors.FileProblem, match="not valid JSON"):
        fixtures.write_manifest(folder)


def test_every_problem_of_the_chunks_at_once(tmp_path: Path) -> None:
    """Duplicate ids name both lines; the rest has line and column."""
    path = write(tmp_path, []) / "chunks.jsonl"
    lines = [
        '{"id":"a","text":"x"}',
        '{"id":"a","text":"y"}',
        '{"id":"b"}',
        '{"id":"c\\n","text":"x","doc":"\\t"}',
        '{"id":"d","text":"x","meta":{"deep":[1,{"n":-1e999}]}}',
        '{"id":"e","text":"x","metadata":{}}',
        '{"id":"A","text":""}',
    ]
    path.write_text("\n".join(lines))
    assert [(each.code, each.line, each.column, each.message) for each in fixtures.verify(tmp_path)] == [
        ("duplicate-id", 2, 7, "the chunk id 'a' is there already, on line 1"),
        ("missing-field", 3, 1, "field 'text' is missing"),
        ("bad-id", 4, 7, "the id 'c\\n' holds control characters"),
        ("bad-id", 4, 30, "the doc '\\t' holds control characters"),
        ("not-finite", 5, 45, "meta.deep[1].n is too large for a number"),
        ("unknown-field", 6, 22, "unknown field 'metadata'; did you mean 'meta'?"),
    ]
    with pytest.raises(errors.InputError):
        fixtures.write_manifest(tmp_path)


@pytest.mark.parametrize("content", [None, "", "\n\n"])
def test_a_fixture_without_chunks_is_refused(tmp_path: Path, content: str | None) -> None:
    """A folder without chunks.jsonl, or with an empty one, is one problem."""
    if content is not None:
        (tmp_path / "chunks.jsonl").write_text(content)
    (problem,) = fixtures.verify(tmp_path)
    assert problem.code == ("missing-file" if content is None else "no-chunks")
    assert problem.file == str(tmp_path / "chunks.jsonl")


def test_rechunking_changes_one_digest_and_another_corpus_both(tmp_path: Path) -> None:
    """The digest of the documents does not depend on where they are cut, in any script; that of the chunks does."""
    chinese = "\u3000\u3000年假为十天。病假另计。"
    whole = digests(tmp_path, ("One two  three.", "d"), (chinese, "e"))
    cut = digests(tmp_path, ("One tw", "d"), ("o three.\n", "d"), (chinese[2:7], "e"), (f" {chinese[7:]}\u3000", "e"))
    moved = digests(tmp_path, (chinese, "e"), ("One two  three.", "d"))
    other = digests(tmp_path, ("One two four.", "d"), (chinese, "e"))
    assert whole.documents == cut.documents == moved.documents != other.documents
    assert len({whole.chunks, cut.chunks, moved.chunks, other.chunks}) == 4


@pytest.mark.parametrize(
    "chunks",
    [
        [("ab", "x"), ("c", "y")],
        [("a", "x"), ("bc", "y")],
        [("abc", "x")],
        [("a", "x"), ("b", "x"), ("c", "y"), ("", "z")],
    ],
)
def test_text_cannot_wander_between_documents(tmp_path: Path, chunks: list[tuple[str, str]]) -> None:
    """Which document a text belongs to is part of the digest."""
    reference = digests(tmp_path, ("ab", "x"), ("c", "z"))
    assert digests(tmp_path, *chunks).documents != reference.documents


def test_documents_are_unknown_where_a_chunk_names_none(tmp_path: Path) -> None:
    """One chunk without a document leaves documents without number and digest."""
    assert digests(tmp_path, ("x", "d"), ("y", None)).documents is None
    assert fixtures.write_manifest(tmp_path).documents is None


def test_meta_and_layout_are_in_no_digest(tmp_path: Path) -> None:
    """Digests are of ids, texts and documents alone."""
    before = fixtures.read_fixture(write(tmp_path)).fixture.digests
    write(tmp_path, [{**chunk, "meta": {"x": 1}} for chunk in CHUNKS])
    assert fixtures.read_fixture(tmp_path).fixture.digests == before


def test_a_fixture_is_made_of_a_file_of_chunks(tmp_path: Path) -> None:
    """The file is copied as it is, meta included, and frozen; doing it again changes nothing."""
    source = write(tmp_path / "source") / "chunks.jsonl"
    out = tmp_path / "new" / "fixture"
    manifest = making.make_fixture(source, out)
    assert (out / "chunks.jsonl").read_bytes() == source.read_bytes()
    assert values.read_value(out / "manifest.json", Manifest) == manifest
    assert making.make_fixture(source, out) == manifest
    assert making.make_fixture(out / "chunks.jsonl", out) == manifest


def test_other_chunks_are_not_overwritten_unless_told(tmp_path: Path) -> None:
    """A fixture of other chunks stays, without force; vectors that belong to them stop it in any case."""
    source = write(tmp_path / "source", CHUNKS[:1]) / "chunks.jsonl"
    out = write(tmp_path / "out")
    before = (out / "chunks.jsonl").read_bytes()
    with pytest.raises(errors.UsageError, match="is a fixture of other chunks already"):
        making.make_fixture(source, out)
    (out / "vectors.npy").write_bytes(b"v")
    with pytest.raises(errors.UsageError, match=r"vectors\.npy belongs to other chunks"):
        making.make_fixture(source, out, force=True)
    assert (out / "chunks.jsonl").read_bytes() == before
    (out / "vectors.npy").unlink()
    assert making.make_fixture(source, out, force=True).chunks == 1
    assert (out / "chunks.jsonl").read_bytes() == source.read_bytes()


def test_no_fixture_is_made_of_bad_chunks(tmp_path: Path) -> None:
    """Chunks with problems, or a missing file, leave no folder behind."""
    source = write(tmp_path / "source", [{"id": "a"}]) / "chunks.jsonl"
    for chunks in (source, tmp_path / "missing.jsonl"):
        with pytest.raises(errors.InputError):
            making.make_fixture(chunks, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_chunk_beyond_all_measure_is_one_problem(tmp_path: Path) -> None:
    """The longest line that is read is 8 MB."""
    write(tmp_path, [{"id": "a", "text": "x" * located.MAX_LINE}, *CHUNKS])
    assert [(each.code, each.line) for each in fixtures.verify(tmp_path)] == [("line-too-long", 1)]


@pytest.mark.shared
def test_the_real_fixture(shared: Path) -> None:
    """The 1,837 real chunks are read, each with its document."""
    found = fixtures.read_fixture(shared / "suites" / "clapnq" / "fixture").fixture
    assert len(found.chunks) == 1837
    assert found.digests.documents is not None
