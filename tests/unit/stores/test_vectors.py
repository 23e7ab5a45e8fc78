from __future__ import annotations

import io
import os
import pickle
from typing import TYPE_CHECKING

import numpy as np
import pytest

from evaluator.model.fixture import Embedding, question_key
from evaluator.stores import vectors

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.errors import Problem
    from evaluator.model.fixture import Vectors

MODEL = Embedding(model="m", dimension=3)
CHUNKS = np.array([[1, 0, 0], [0, 2, 0]], np.float32)
QUERIES = np.array([[0, 0, 1]], np.float32)


def write(folder: Path) -> None:
    """Sound vectors of two chunks and one question."""
    vectors.write_matrix(folder / "vectors.npy", CHUNKS)
    vectors.write_questions(folder, [question_key("why?")], QUERIES, MODEL)


def read(folder: Path, chunks: int = 2, embedding: Embedding | None = MODEL) -> tuple[Vectors | None, list[Problem]]:
    """What is read, and every problem."""
    problems: list[Problem] = []
    return vectors.read(folder, chunks, embedding, problems), problems


def npy(matrix: object) -> bytes:
    """What numpy.save writes of anything."""
    file = io.BytesIO()
    np.save(file, np.asarray(matrix))
    return file.getvalue()


def header(text: str, body: bytes = b"") -> bytes:
    """An .npy file with this header."""
    written = text.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(written).to_bytes(2, "little") + written + body


def test_what_was_written_is_read(tmp_path: Path) -> None:
    """Rows come back as they were, mapped and read-only, and a question is found by its exact words."""
    write(tmp_path)
    found, problems = read(tmp_path)
    assert problems == []
    assert found is not None
    assert found.chunks.tolist() == CHUNKS.tolist()
    assert isinstance(found.chunks, np.memmap)
    assert not found.chunks.flags.writeable
    asked = found.of_question("why?")
    assert asked is not None
    assert asked.tolist() == [0, 0, 1]
    assert found.of_question("why? ") is None


def test_no_vectors_are_no_problem(tmp_path: Path) -> None:
    """A fixture that is searched by words alone needs none of the three files."""
    assert read(tmp_path) == (None, [])


def test_vectors_without_questions_are_whole(tmp_path: Path) -> None:
    """Chunks may be embedded before there is a golden set."""
    vectors.write_matrix(tmp_path / "vectors.npy", CHUNKS)
    found, problems = read(tmp_path)
    assert problems == []
    assert found is not None
    assert found.of_question("why?") is None


class Evil:
    """Removes a file when it is unpickled."""

    def __init__(self, victim: str) -> None:
        self.victim = victim

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.unlink, (self.victim,)


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    """A file that holds a pickle, bare or as objects of NumPy's, is refused and does not run."""
    victim = tmp_path / "victim"
    victim.write_text("")
    for data in (pickle.dumps(Evil(str(victim))), npy(np.array([Evil(str(victim))], object))):
        (tmp_path / "vectors.npy").write_bytes(data)
        assert [each.code for each in read(tmp_path)[1]] == ["vectors"]
    assert victim.exists()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no file of numpy.save"),
        (b"\x93NUMPY", "no file of numpy.save"),
        (b"PK\x03\x04zip", "no file of numpy.save"),
        (header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", b"x" * 23), "holds 23 bytes"),
        (header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", b"x" * 25), "holds 25 bytes"),
        (header("{'descr': '<f4', 'fortran_order': False, 'shape': (10**9, 10**9), }"), "no file of numpy.save"),
        (header("{'descr': '<f4', 'fortran_order': False, 'shape': (999999999999, 999999), }"), "cannot be"),
        (header("{'descr': '<f4', 'fortran_order': False, 'shape': (-2, -3), }", b"x" * 24), "cannot be"),
        (header("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }"), "cannot be"),
        (header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 0), }"), "cannot be"),
        (header("{'descr': '<f4', 'fortran_order': False, 'shape': (True, 3), }"), "it states 1 rows of 3"),
        (header("__import__('os').getcwd()"), "no file of numpy.save"),
        (header("(" * 110), "no file of numpy.save"),
        (npy(np.ones((2, 3))), "no matrix of float32"),
        (npy(np.ones((2, 3), np.float16)), "no matrix of float32"),
        (npy(np.ones((2, 3), ">f4")), "no matrix of float32"),
        (npy(np.ones(6, np.float32)), "no matrix of float32"),
        (npy(np.asfortranarray(np.ones((2, 3), np.float32))), "no matrix of float32"),
        (npy(np.array([[1, 2, 3], [0, 0, 0]], np.float32)), "row 2 is all zeros"),
        (npy(np.array([[1, 2, np.nan], [0, 0, 1]], np.float32)), "row 1 is not finite"),
        (npy(np.array([[1, 2, 3], [np.inf, 0, 1]], np.float32)), "row 2 is not finite"),
        (npy(np.array([[1, 2, 3], [1e-20, 0, 0]], np.float32)), "row 2 is of length 1e-20"),
        (npy(np.array([[1e30, 2, 3], [1, 0, 0]], np.float32)), "row 1 is of length 1e+30"),
        (npy(np.ones((3, 3), np.float32)), "it holds 3 rows, and there are 2 chunks"),
        (npy(np.ones((2, 4), np.float32)), "its vectors have 4 dimensions instead of 3"),
    ],
)
def test_a_matrix_that_cannot_be_searched_is_one_sentence(tmp_path: Path, data: bytes, said: str) -> None:
    """Damaged files, other types and shapes, hostile headers and rows without a direction are refused by name."""
    (tmp_path / "vectors.npy").write_bytes(data)
    found, [problem] = read(tmp_path)
    assert found is None
    assert (problem.code, problem.file) == ("vectors", str(tmp_path / "vectors.npy"))
    assert said in problem.message


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """What is no regular file is a problem at once."""
    os.mkfifo(tmp_path / "vectors.npy")
    assert [each.code for each in read(tmp_path)[1]] == ["unreadable-file"]


def test_a_bad_row_is_found_beyond_the_first_block(tmp_path: Path) -> None:
    """Rows are counted over the whole file."""
    matrix = np.ones((vectors.BLOCK + 2, 3), np.float32)
    matrix[-1] = 0
    vectors.write_matrix(tmp_path / "vectors.npy", matrix)
    [problem] = read(tmp_path, len(matrix))[1]
    assert f"row {vectors.BLOCK + 2} is all zeros" in problem.message


def test_questions_and_chunks_are_of_one_model(tmp_path: Path) -> None:
    """Vectors of two models, or of two dimensions, are never compared."""
    write(tmp_path)
    other = Embedding(model="n", dimension=3)
    [problem] = read(tmp_path, embedding=other)[1]
    assert problem.message == "the questions were embedded by m, the chunks by n"
    vectors.write_questions(tmp_path, ["k"], np.ones((1, 2), np.float32), Embedding(model="m", dimension=2))
    [problem] = read(tmp_path, embedding=None)[1]
    assert "its vectors have 2 dimensions, those of vectors.npy 3" in problem.message


def test_a_question_has_one_vector(tmp_path: Path) -> None:
    """A question that is there twice would be searched for by whichever vector comes last."""
    write(tmp_path)
    vectors.write_questions(tmp_path, ["k", "k"], np.eye(3, dtype=np.float32)[:2], Embedding(model="m", dimension=3))
    [problem] = read(tmp_path, embedding=None)[1]
    assert problem.message == "a question is there twice, and only one vector can be its own"


def test_half_of_the_questions_files_is_a_problem(tmp_path: Path) -> None:
    """Vectors without names, names without vectors, and more of one than of the other are told."""
    write(tmp_path)
    vectors.write_questions(tmp_path, ["a", "b"], QUERIES, MODEL)
    assert "it holds 1 rows, and there are 2 questions" in read(tmp_path)[1][0].message
    (tmp_path / "queries.json").unlink()
    assert "there is no queries.json" in read(tmp_path)[1][0].message
    write(tmp_path)
    (tmp_path / "queries.npy").unlink()
    assert [each.code for each in read(tmp_path)[1]] == ["missing-file"]
    write(tmp_path)
    (tmp_path / "queries.json").write_text('{"format": 1, "questions": []}')
    assert [each.code for each in read(tmp_path)[1]] == ["missing-field"]
