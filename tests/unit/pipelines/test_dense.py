from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evaluator.model.config import Pipeline as PipelineConfig
from evaluator.model.fixture import Chunk, Digests, Fixture, Vectors, question_key
from evaluator.model.ports import PipelineSetting
from evaluator.model.record import Answer, AnswerFailure, Request
from evaluator.pipelines import _dense
from evaluator.pipelines.builtin import PIPELINE

if TYPE_CHECKING:
    from collections.abc import Sequence

QUESTION = "which?"
NUMBERS = st.floats(-8, 8, width=32)


def vectors(chunks: Sequence[Sequence[float]], query: Sequence[float]) -> Vectors:
    """Frozen vectors of these chunks and of one question."""
    return Vectors(np.array(chunks, np.float32), np.array([query], np.float32), {question_key(QUESTION): 0})


def setting(texts: Sequence[str], frozen: Vectors, retriever: Any) -> PipelineSetting:
    """A setting whose fixture holds these texts as c0, c1, … and these vectors."""
    chunks = tuple(Chunk(id=f"c{number}", text=text) for number, text in enumerate(texts))
    return PipelineSetting(
        config=PipelineConfig.model_validate({"kind": "builtin", "retriever": retriever}), folder=Path(),
        fixture=dataclasses.replace(Fixture(chunks, Digests(chunks="", documents=None)), vectors=frozen),
        environment={}, language="en", log=print,
    )  # fmt: skip


def ranking(texts: Sequence[str], frozen: Vectors, retriever: Any, depth: int = 20) -> list[tuple[str, float | None]]:
    """Ids and scores of what the question retrieves."""
    with PIPELINE.open(setting(texts, frozen, retriever)) as pipeline:
        reply = pipeline.ask(Request("q", QUESTION, 5, depth, "en"), 0)
    assert isinstance(reply, Answer)
    return [(hit.id, hit.score) for hit in reply.retrieved]


def brute_force(chunks: Sequence[Sequence[float]], query: Sequence[float]) -> list[float]:
    """Cosines by their definition, each sum exact."""

    def dot(one: Sequence[float], other: Sequence[float]) -> float:
        return math.fsum(a * b for a, b in zip(one, other, strict=True))

    return [dot(row, query) / math.sqrt(dot(row, row)) / math.sqrt(dot(query, query)) for row in chunks]


@given(st.data())
def test_the_ranking_is_that_of_a_brute_force_search(data: st.DataObject) -> None:
    """For any vectors and depth: the cosines of a program in double precision, in its order, ties by position."""
    rows, columns = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 6))
    matrix = data.draw(arrays(np.float32, (rows, columns), elements=NUMBERS))
    query = data.draw(arrays(np.float32, columns, elements=NUMBERS))
    matrix[(np.abs(matrix) < 0.01).all(axis=1)] = 1
    query = query if np.abs(query).max() >= 0.01 else np.ones(columns, np.float32)
    depth = data.draw(st.integers(1, 35))
    cosines = brute_force(matrix.tolist(), query.tolist())
    found = _dense.Dense(vectors(matrix.tolist(), query.tolist())).search(QUESTION, "en", depth)
    ordered = sorted((round(-cosine, 9), place) for place, cosine in enumerate(cosines) if round(cosine, 9) > 0)
    assert [score for _, score in found] == pytest.approx([-score for score, _ in ordered[:depth]], abs=2e-9)
    assert [score for _, score in found] == pytest.approx([cosines[place] for place, _ in found], abs=2e-9)
    assert found == sorted(found, key=lambda hit: (-hit[1], hit[0]))


def test_a_worked_example() -> None:
    """Length does not count, only direction; what is at a right angle or points away is not retrieved."""
    frozen = vectors([[0, 5, 0], [3, 4, 0], [8, 6, 0], [-1, 0, 0], [0, 0, 1]], [2, 0, 0])
    assert ranking(["a"] * 5, frozen, "dense") == [("c2", 0.8), ("c1", 0.6)]


@pytest.mark.parametrize("rows", [7, 1000, 9001])
def test_equal_vectors_keep_fixture_order_at_every_depth(rows: int) -> None:
    """However many rows a product takes at once, chunks of one vector are equal and the fixture decides."""
    generator = np.random.default_rng(7)
    one, query = generator.normal(size=(2, 384)).astype(np.float32)
    query += one
    frozen = vectors([one.tolist()] * rows, query.tolist())
    search = _dense.Dense(frozen)
    assert [place for place, _ in search.search(QUESTION, "en", 5)] == [0, 1, 2, 3, 4]
    assert len({score for _, score in search.search(QUESTION, "en", rows)}) == 1


def test_a_deep_search_of_many_real_sized_vectors_is_exact() -> None:
    """The choice made in single precision loses nothing that double precision would retrieve."""
    generator = np.random.default_rng(3)
    centre = generator.normal(size=384)
    # So near to each other that single precision cannot tell them apart.
    matrix = (centre + 1e-4 * generator.normal(size=(3000, 384))).astype(np.float32)
    query = centre.astype(np.float32)
    exact = matrix.astype(np.float64) @ query.astype(np.float64)
    exact /= np.linalg.norm(matrix.astype(np.float64), axis=1) * np.linalg.norm(query.astype(np.float64))
    expected = sorted(range(3000), key=lambda place: (-round(exact[place], 9), place))[:50]
    found = _dense.Dense(Vectors(matrix, query[None], {question_key(QUESTION): 0})).search(QUESTION, "en", 50)
    assert [round(exact[place], 9) for place, _ in found] == [round(exact[place], 9) for place in expected]
    assert [place for place, _ in found] == expected


def test_hybrid_by_hand() -> None:
    """Ranks of both searches by hand: BM25 finds c1, c0 (c1 twice the word), dense c2, c1; k = 60.

    c1: 1/61 + 1/62, c2: 1/61, c0: 1/62. What neither finds is not there.
    """
    texts = ["which pays", "which which pays", "dense only", "neither"]
    frozen = vectors([[-1, 0], [1, 1], [1, 0], [0, 1]], [1, 0])
    assert ranking(texts, frozen, "hybrid") == [
        ("c1", pytest.approx(1 / 61 + 1 / 62)),
        ("c2", pytest.approx(1 / 61)),
        ("c0", pytest.approx(1 / 62)),
    ]
    assert ranking(texts, frozen, {"hybrid": {"k": 1}}) == [
        ("c1", pytest.approx(1 / 2 + 1 / 3)),
        ("c2", pytest.approx(1 / 2)),
        ("c0", pytest.approx(1 / 3)),
    ]


def test_fused_ties_keep_fixture_order() -> None:
    """First of one and second of the other is as good as the other way round, whichever search is named first."""
    assert _dense.fuse([[5, 2], [2, 5]], 60) == [(2, 1 / 61 + 1 / 62), (5, 1 / 61 + 1 / 62)]


@given(st.lists(st.permutations(range(8)), min_size=2, max_size=2), st.integers(1, 100))
def test_fusion_never_prefers_what_both_rank_lower(rankings: list[list[int]], k: int) -> None:
    """A chunk above another in both rankings is above it in the fused one."""
    fused = [place for place, _ in _dense.fuse(rankings, k)]
    for one in range(8):
        for other in range(8):
            if all(ranks.index(one) < ranks.index(other) for ranks in rankings):
                assert fused.index(one) < fused.index(other)


def test_the_depth_does_not_change_the_order() -> None:
    """A metric with a deeper cut-off leaves what stands above as it is."""
    generator = np.random.default_rng(1)
    texts = [" ".join(generator.choice(["which", "a", "b", "c"], 9)) for _ in range(300)]
    frozen = vectors(generator.normal(size=(300, 8)).tolist(), generator.normal(size=8).tolist())
    for retriever in ("dense", "hybrid"):
        deep = ranking(texts, frozen, retriever, 100)
        assert [ranking(texts, frozen, retriever, depth) for depth in (1, 5, 20)] == [deep[:1], deep[:5], deep[:20]]


def test_a_question_that_was_not_frozen_fails_by_name() -> None:
    """No vector is a failure of the case that says what to run, never an empty ranking."""
    with PIPELINE.open(setting(["a"], vectors([[1, 0]], [1, 0]), "dense")) as pipeline:
        reply = pipeline.ask(Request("q", "another?", 5, 20, "en"), 0)
    assert isinstance(reply, AnswerFailure)
    assert "run rag-assay freeze" in reply.message


def test_settings_name_the_retriever_and_its_parameters() -> None:
    """What is recorded tells dense and hybrid apart, with every parameter."""
    config = PipelineConfig.model_validate({"kind": "builtin", "retriever": "hybrid"})
    assert PIPELINE.settings(config) == {
        "retriever": {"hybrid": {"bm25": {"k1": 1.5, "b": 0.75, "stem": True}, "k": 60}}
    }
