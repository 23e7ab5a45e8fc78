from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluator import errors
from evaluator.model.exchange import Intake, Suite
from evaluator.model.golden import Case
from evaluator.stores import exchanging, importers
from evaluator.stores.importers._trec_files import Ranked, read_topics, single, trec_order

if TYPE_CHECKING:
    from pathlib import Path

TREC = importers.load()["trec"]
FINITE = st.floats(allow_nan=False, allow_infinity=False)
QRELS = "1 0 a 1\n1 0 b 0\n"


def read(folder: Path, **files: bytes | str) -> Intake:
    """Import files of these contents."""
    settings = {}
    for name, content in files.items():
        settings[name] = folder / name
        settings[name].write_bytes(content if isinstance(content, bytes) else content.encode())
    return exchanging.read(TREC, settings)


def problems(folder: Path, **files: bytes | str) -> list[tuple[str, str, int]]:
    """Codes, files and lines of everything that is wrong."""
    with pytest.raises(errors.InputError) as caught:
        read(folder, **files)
    return [(each.code, each.file.removeprefix(f"{folder}/"), each.line) for each in caught.value.problems]


def suite(answers: dict[str, Any] | None = None, **fields: Any) -> Suite:
    """A golden set of one case, and what was retrieved for it."""
    return Suite([Case.model_validate({"id": "q", "question": "why", **fields})], answers or {})


def hits(*found: tuple[str, float | None]) -> dict[str, Any]:
    """An answer to the one case."""
    return {"q": {"id": "q", "retrieved": [{"id": name, "score": score} for name, score in found]}}


def write(one: Suite, **settings: str) -> dict[str, bytes]:
    """Export a suite."""
    return exchanging.files_of(TREC, one, settings)


class TestOrder:
    """The order of a run."""

    def test_it_is_that_of_trec_eval(self) -> None:
        """By score in single precision, descending; ties by id, descending, byte by byte."""
        run = {"b": 16_777_216.0, "a": 16_777_217.0, "Z": 2.0, "z": 2.0, "é": 2.0, "big": 1e39, "low": -1e39}
        found = trec_order(Ranked(single(score), name, score) for name, score in run.items())

        assert [name for name, _ in found] == ["big", "b", "a", "é", "z", "Z", "low"]

    @example({"a": 1e39, "b": 2e39, "c": -1e39, "d": -2e39})
    @given(st.dictionaries(st.text("abc", min_size=1, max_size=3), FINITE, max_size=8))
    def test_scores_never_rise_down_a_ranking(self, run: dict[str, float]) -> None:
        """Whatever double precision says, so that nobody is warned of an order that is right; and all stay finite."""
        scores = [score for _, score in trec_order(Ranked(single(score), name, score) for name, score in run.items())]

        assert scores == sorted(scores, reverse=True)
        assert all(map(math.isfinite, scores))


class TestMistakes:
    """Lines that are no judgements, results or topics."""

    @pytest.mark.parametrize(
        ("files", "found"),
        [
            ({"qrels": "1 0 a\n2 0 b 1 x y\n"}, [("syntax", "qrels", 1), ("syntax", "qrels", 2)]),
            ({"qrels": "1 0 a 1\n1 0 b high\n1 0 c 1.5\n"}, [("wrong-value", "qrels", 2), ("wrong-value", "qrels", 3)]),
            ({"qrels": "1 0 a 1\n1 0 a 2\n"}, [("wrong-value", "qrels", 2)]),
            ({"qrels": "1 0 a 5000\n"}, [("wrong-value", "qrels", 1)]),
            ({"qrels": b"1 0 a 1\n1 0 caf\xe9 1\n1 0 \xff 1\n"}, [("encoding", "qrels", 2), ("encoding", "qrels", 3)]),
            ({"qrels": "\ufeff1 0 a 1\n".encode("utf-16")}, [("encoding", "qrels", 1)]),
            ({"qrels": ""}, [("no-cases", "", 0)]),
            ({"qrels": "1 0 a\x1bb 1\n"}, [("syntax", "qrels", 1)]),
            ({"qrels": QRELS, "run": "1 Q0 a 1 nan t\n1 Q0 b 2 x t\n1 Q0 c 3 1_0 t\n"},
             [("wrong-value", "run", 1), ("wrong-value", "run", 2), ("wrong-value", "run", 3)]),
            ({"qrels": QRELS, "topics": "1 why\n1 how\nlonely\n"},
             [("duplicate-id", "topics", 2), ("syntax", "topics", 3)]),
            ({"qrels": QRELS, "topics": "<top>\n<num> 1\n</top>\n"}, [("missing-field", "topics", 1)]),
        ],
    )  # fmt: skip
    def test_each_is_named_with_file_and_line(
        self, files: dict[str, bytes | str], found: list[tuple[str, str, int]], tmp_path: Path
    ) -> None:
        """All of them at once, in files of any encoding."""
        assert problems(tmp_path, **files) == found

    def test_a_missing_file_is_named(self, tmp_path: Path) -> None:
        """Judgements that are not there are a mistake, not an empty golden set."""
        with pytest.raises(errors.InputError, match="there is no such file"):
            exchanging.read(TREC, {"qrels": tmp_path / "gone"})


def test_tabs_let_an_id_hold_a_space(tmp_path: Path) -> None:
    """Columns that are separated by tabs may have spaces inside."""
    found = read(tmp_path, qrels="q 1\t0\tchunk one\t1\n", run="q 1\tQ0\tchunk one\t1\t2.5\tmine\n")

    assert [draft.value for draft in found.cases] == [{"id": "q 1", "question": "q 1", "relevant": ["chunk one"]}]
    assert found.answers is not None
    assert found.answers["q 1"].value["retrieved"] == [{"id": "chunk one", "score": 2.5}]


def test_topics_may_be_marked_up(tmp_path: Path) -> None:
    """The form of the early tracks: number and title between marks, with or without their words."""
    file = tmp_path / "topics"
    file.write_text(
        "<top>\n<num> Number: 401\n<title> foreign minorities,\n Germany\n<desc> Description:\nx\n</top>\n\n"
        "<top>\n<num>402</num>\n<title>behavioral genetics</title>\n</top>\n"
    )
    intake = Intake()

    assert read_topics(file, intake) == {"401": ("foreign minorities, Germany", 1), "402": ("behavioral genetics", 9)}
    assert intake.problems == []


class TestExport:
    """Writing qrels, topics and a run."""

    def test_an_export_reads_back_as_it_was(self, tmp_path: Path) -> None:
        """Judgements, grades, questions, order and scores; a second export is the same, byte by byte."""
        found = hits(("b", 2.5), ("a", 2.5), ("c", 0.1))
        first = write(suite(found, relevant=["a", {"chunk": "b", "grade": 3}], irrelevant=["c"]))
        assert first == {
            "qrels.trec": b"q 0 a 1\nq 0 b 3\nq 0 c 0\n", "topics.tsv": b"q\twhy\n",
            "run.trec": b"q Q0 b 1 2.5 rag-assay\nq Q0 a 2 2.5 rag-assay\nq Q0 c 3 0.1 rag-assay\n",
        }  # fmt: skip
        back = read(tmp_path, qrels=first["qrels.trec"], run=first["run.trec"], topics=first["topics.tsv"])
        again = Suite(
            [Case.model_validate(draft.value) for draft in back.cases],
            {name: draft.value for name, draft in (back.answers or {}).items()},
        )

        assert write(again) == first

    def test_scores_that_do_not_give_the_order_are_replaced_and_that_is_said(self) -> None:
        """The order as given is the truth, and in a run nothing but scores can say it."""
        for found in (hits(("a", 1.0), ("b", 2.0)), hits(("a", None), ("b", 2.0)), hits(("a", 1.0), ("b", 1.0))):
            one = suite(found)
            files = write(one, tag="mine")

            assert files["run.trec"] == b"q Q0 a 1 2.0 mine\nq Q0 b 2 1.0 mine\n"
            assert any("its scores do not give" in sentence for sentence in one.remarks)

    def test_what_it_cannot_hold_is_named(self) -> None:
        """Fields, needs of documents and of alternatives, repeated results: each with how often it came up."""
        one = suite(
            hits(("a", 3.0), ("a", 2.0)), relevant=[{"doc": "d"}, {"any_of": ["x", "y"]}, {"quote": "so"}],
            reference="because", facts=[{"id": "f", "text": "so"}],
        )  # fmt: skip
        files = write(one)

        assert files["qrels.trec"] == b"q 0 x 1\nq 0 y 1\n"
        assert files["run.trec"] == b"q Q0 a 1 3.0 rag-assay\n"
        assert {sentence.partition(",")[0]: count for sentence, count in one.remarks.items()} == {
            "field 'facts'": 1, "field 'reference'": 1, "need of a document or a quote": 2, "any_of need": 1,
            "result that repeats an earlier one": 1,
        }  # fmt: skip

    @pytest.mark.parametrize("fields", [{"id": "a b"}, {"relevant": ["a\u00a0b"]}])
    def test_an_id_with_a_space_is_refused(self, fields: dict[str, Any]) -> None:
        """A line with a column too many would be read as something else."""
        with pytest.raises(errors.UsageError, match="separates its columns by white space"):
            write(suite(**fields))
