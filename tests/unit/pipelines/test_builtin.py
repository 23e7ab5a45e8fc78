from __future__ import annotations

import json
import math
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import errors
from evaluator.model.config import Bm25
from evaluator.model.config import Pipeline as PipelineConfig
from evaluator.model.fixture import Chunk, Digests, Fixture
from evaluator.model.ports import PipelineSetting
from evaluator.model.record import Answer, Request
from evaluator.pipelines import _bm25
from evaluator.pipelines.builtin import PIPELINE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evaluator.model.ports import Pipeline

CORPUS = [
    "The cat sat on the mat.",
    "A dog and a cat: two animals, one cat more than a dog.",
    "Nothing of interest here",
    "the the the",
    "Dogs chase cats up the trees, and the trees do not mind.",
    "",
]


def setting(texts: Iterable[str | Chunk] | None, **pipeline: Any) -> PipelineSetting:
    """A setting whose fixture holds these texts as c0, c1, … (None: no fixture)."""
    chunks = None if texts is None else tuple(_chunk(number, text) for number, text in enumerate(texts))
    return PipelineSetting(
        config=PipelineConfig.model_validate({"kind": "builtin", **pipeline}),
        folder=Path(),
        fixture=None if chunks is None else Fixture(chunks, Digests(chunks="", documents=None)),
        environment={},
        language="en",
        log=print,
    )


def _chunk(number: int, text: str | Chunk) -> Chunk:
    return Chunk(id=f"c{number}", text=text) if isinstance(text, str) else text


def ask(pipeline: Pipeline, question: str, *, depth: int = 20, language: str = "en") -> Answer:
    """One question to a started pipeline."""
    reply = pipeline.ask(Request("q", question, 5, depth, language), 0)
    assert isinstance(reply, Answer)
    return reply


def found(
    texts: Sequence[str | Chunk], question: str, *, depth: int = 20, language: str = "en", **config: Any
) -> list[str]:
    """Ids of what one question retrieves from these texts."""
    with PIPELINE.open(setting(texts, **config)) as pipeline:
        return [hit.id for hit in ask(pipeline, question, depth=depth, language=language).retrieved]


def plain_bm25(texts: Sequence[str], question: str, *, k1: float = 1.5, b: float = 0.75) -> list[float]:
    """BM25 written down from its definition, over words that are split at spaces."""
    corpus = [Counter(text.split()) for text in texts]
    lengths = [sum(counts.values()) for counts in corpus]
    mean_length = sum(lengths) / len(texts) or 1
    scores = [0.0] * len(texts)
    for word in question.split():
        df = sum(word in counts for counts in corpus)
        idf = math.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
        for place, counts in enumerate(corpus):
            norm = k1 * (1 - b + b * lengths[place] / mean_length)
            scores[place] += idf * counts[word] / (counts[word] + norm) if counts[word] else 0.0
    return scores


WORDS = st.lists(st.sampled_from(["ab", "bc", "cd", "de", "ef", "fg"]), max_size=8).map(" ".join)


@given(
    st.lists(WORDS, min_size=1, max_size=12),
    WORDS,
    st.floats(0, 3),
    st.floats(0, 1),
    st.integers(min_value=1, max_value=13),
)
def test_scores_and_order_follow_the_definition(
    texts: list[str], question: str, k1: float, b: float, depth: int
) -> None:
    """Scores are BM25's to 1e-5, the best first, and chunks without a word of the question stay away."""
    expected = plain_bm25(texts, question, k1=k1, b=b)
    with PIPELINE.open(setting(texts, retriever={"bm25": {"k1": k1, "b": b, "stem": False}})) as pipeline:
        hits = ask(pipeline, question, depth=depth).retrieved
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert len(hits) == min(depth, sum(score > 0 for score in expected))
    assert scores == pytest.approx(sorted(expected, reverse=True)[: len(hits)], abs=1e-5)
    assert scores == pytest.approx([expected[int(hit.id[1:])] for hit in hits], abs=1e-5)


def test_scores_by_hand() -> None:
    """Two chunks of two and four words: each score is one line of arithmetic."""
    with PIPELINE.open(setting(["red fox", "red red blue sky"])) as pipeline:
        first, second = ask(pipeline, "red").retrieved
    idf = math.log(1 + 0.5 / 2.5)
    assert (first.id, second.id) == ("c1", "c0")
    assert first.score == pytest.approx(idf * 2 / (2 + 1.5 * (0.25 + 0.75 * 4 / 3)), abs=1e-6)
    assert second.score == pytest.approx(idf * 1 / (1 + 1.5 * (0.25 + 0.75 * 2 / 3)), abs=1e-6)


@given(st.lists(st.lists(st.integers(0, 9), max_size=9), min_size=1, max_size=9), st.floats(0, 3), st.floats(0, 1))
def test_the_index_is_the_one_bm25s_builds(corpus: list[list[int]], k1: float, b: float) -> None:
    """Built at once for the whole corpus, every score is bit for bit what bm25s computes text by text."""
    corpus[0].extend(range(10))
    theirs = bm25s.BM25(k1=k1, b=b)
    theirs.index((corpus, {str(token): token for token in range(10)}), show_progress=False)
    ours = _bm25.postings(corpus, 10, Bm25(k1=k1, b=b))
    assert ours.bounds == theirs.scores["indptr"].tolist()
    assert ours.texts.tolist() == theirs.scores["indices"].tolist()
    assert ours.scores.tolist() == theirs.scores["data"].tolist()
    assert ours.scores.dtype == theirs.scores["data"].dtype


@given(
    st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=9), min_size=1, max_size=12),
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8),
)
def test_scores_are_those_of_bm25s(corpus: list[list[str]], question: list[str]) -> None:
    """For any texts and question, every score is bit for bit what bm25s gives for the same tokens."""
    theirs = bm25s.BM25()
    theirs.index(corpus, show_progress=False)
    known = [word for word in question if word in theirs.vocab_dict]
    expected = theirs.get_scores(known).tolist() if known else [0.0] * len(corpus)
    index = _bm25.Index([" ".join(text) for text in corpus], str, Bm25())
    found = dict(index.search(" ".join(question), len(corpus)))
    assert [found.get(place, 0.0) for place in range(len(corpus))] == expected


def test_hits_agree_with_bm25s_own_retrieval() -> None:
    """The same tokens given to bm25s itself retrieve the same chunks with the same scores, repeated words included."""
    corpus = [text.lower().replace(".", "").replace(",", "").replace(":", "").split() for text in CORPUS]
    theirs = bm25s.BM25()
    theirs.index(corpus, show_progress=False)
    places, scores = theirs.retrieve([["the", "cat", "the"]], k=4, show_progress=False, backend_selection="numpy")
    with PIPELINE.open(setting(CORPUS, retriever={"bm25": {"stem": False}})) as pipeline:
        hits = ask(pipeline, "the cat, the").retrieved
    assert [(hit.id, hit.score) for hit in hits] == [
        (f"c{i}", s) for i, s in zip(places[0], scores[0].tolist(), strict=True)
    ]


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.0000001, 2.0]), max_size=60), st.integers(1, 70))
def test_the_best_are_the_first_of_a_full_stable_sort(values: list[float], depth: int) -> None:
    """Choosing before sorting never changes what a sort of everything would give, ties included."""
    scores = np.array(values, dtype=np.float32)
    exact = scores.tolist()
    ranked = sorted((place for place, score in enumerate(exact) if score > 0), key=lambda place: -exact[place])
    assert _bm25.best(scores, depth) == [(place, exact[place]) for place in ranked[:depth]]


def test_ties_keep_fixture_order_at_every_depth() -> None:
    """Among chunks of equal score the fixture decides, wherever the cut falls."""
    texts = ["dog", "cat", "cat", "cat cat", "cat", "dog", "cat"]
    ranking = ["c3", "c1", "c2", "c4", "c6"]
    assert [found(texts, "cat", depth=depth) for depth in range(1, 7)] == [ranking[:depth] for depth in range(1, 7)]


@pytest.mark.parametrize("question", ["", " \n", "?!", "elephant", "\ud800", "👍"])
def test_a_question_without_known_words_retrieves_nothing(question: str) -> None:
    """No word of the corpus, no result: nothing is made up to fill the ranking."""
    assert found(CORPUS, question) == []


@pytest.mark.parametrize("texts", [[], [""], ["", "…"]])
def test_a_fixture_without_words_retrieves_nothing(texts: list[str]) -> None:
    """A fixture that holds no word at all is searched without an error or a warning."""
    assert found(texts, "cat") == []


def test_hits_carry_the_chunk_and_there_is_no_answer() -> None:
    """A hit is the chunk as the fixture has it with a plain float as score; the pipeline writes no answer."""
    with PIPELINE.open(setting([Chunk(id="x", text="One Cat", doc="d", meta={"title": "t"}), "dog"])) as pipeline:
        reply = ask(pipeline, "cats")
        pipeline.close()
    (hit,) = reply.retrieved
    assert (hit.id, hit.doc, hit.text, type(hit.score)) == ("x", "d", "One Cat", float)
    assert (reply.context, reply.answer, reply.abstained) == (None, None, None)


def test_each_case_is_searched_in_its_own_language() -> None:
    """Question and corpus are stemmed by the language of the case, as its BCP 47 tag says."""
    texts = ["Sju dagar", "Seven days"]
    with PIPELINE.open(setting(texts)) as pipeline:
        swedish = [ask(pipeline, word, language="sv-FI").retrieved for word in ("dagarnas", "day")]
        english = [ask(pipeline, word, language="EN").retrieved for word in ("dagarnas", "day")]
        unknown = [ask(pipeline, word, language="sw").retrieved for word in ("dagarnas", "day", "days")]
    assert [[hit.id for hit in hits] for hits in swedish] == [["c0"], []]
    assert [[hit.id for hit in hits] for hits in english] == [[], ["c1"]]
    assert [[hit.id for hit in hits] for hits in unknown] == [[], [], ["c1"]]


def test_stemming_can_be_switched_off() -> None:
    """With ``stem: false`` words match as they stand, whatever the language."""
    assert found(["cats", "cat"], "cat", retriever={"bm25": {"stem": False}}) == ["c1"]
    assert found(["cats", "cat"], "cat") == ["c0", "c1"]


def test_with_k1_and_b_zero_every_word_counts_alike() -> None:
    """k1 = 0 and b = 0 leave only whether a word occurs: neither its count nor the length matters."""
    texts = ["cat cat cat", "a very long text about one single cat", "dog"]
    with PIPELINE.open(setting(texts, retriever={"bm25": {"k1": 0.0, "b": 0.0}})) as pipeline:
        hits = ask(pipeline, "cat").retrieved
    assert [hit.id for hit in hits] == ["c0", "c1"]
    assert hits[0].score == hits[1].score == pytest.approx(math.log(1 + 1.5 / 2.5), abs=1e-6)


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [("怎么退货", "zh", ["c0"]), ("退款", "zh-Hant", ["c1"]), ("返品の方法", "ja", ["c2"]), ("คืนเงิน", "th", ["c3"])],
)
def test_text_without_spaces_is_searched_by_bigrams(question: str, language: str, expected: list[str]) -> None:
    """Chinese, Japanese and Thai questions find the sentence that shares their words, without a space in either."""
    texts = [
        "商品可以在三十天内退货。", "我们会在五天内退款到您的账户。", "返品は三十日以内に受け付けます。",
        "เราจะคืนเงินภายในห้าวัน", "Returns are free.",
    ]  # fmt: skip
    assert found(texts, question, language=language, depth=1) == expected


def test_ids_are_kept_exactly() -> None:
    """Pipes, slashes, spaces, emoji, 300 characters and ids that differ by case come back as they are."""
    ids = ["a|b", "a/../b#1", " two  spaces ", "🙂", "x" * 300, "Doc", "doc", "<b>&amp;"]
    assert found([Chunk(id=name, text="cat") for name in ids], "cat") == ids


def test_threads_get_what_one_caller_gets() -> None:
    """Questions asked by many threads at once, in several languages, are answered as if asked in turn."""
    questions = [(word, tag) for word in ("cats", "the dogs", "trees", "mats") for tag in ("en", "sv", "de", "zh")] * 8
    with PIPELINE.open(setting(CORPUS)) as pipeline:
        alone = [ask(pipeline, word, language=tag) for word, tag in questions]
    with PIPELINE.open(setting(CORPUS)) as pipeline, ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda question: ask(pipeline, question[0], language=question[1]), questions))
    assert together == alone


def test_settings_name_the_parameters() -> None:
    """What is recorded of the pipeline is its retriever with every parameter, written or not."""
    config = PipelineConfig.model_validate({"kind": "builtin", "retriever": {"bm25": {"k1": 2.0}}})
    assert PIPELINE.settings(config) == {"retriever": {"bm25": {"k1": 2.0, "b": 0.75, "stem": True}}}


@pytest.mark.parametrize(
    ("texts", "pipeline", "error"),
    [
        (CORPUS, {"retriever": "dense"}, errors.PipelineError),
        (CORPUS, {"retriever": "hybrid"}, errors.PipelineError),
        (None, {}, errors.PipelineError),
    ],
)
def test_what_cannot_work_is_refused_at_the_start(
    texts: list[str] | None, pipeline: dict[str, Any], error: type[errors.AssayError]
) -> None:
    """A generator that does not exist yet, no fixture or no vectors is an error and never an empty ranking."""
    with pytest.raises(error, match=r"builtin|frozen vectors"), PIPELINE.open(setting(texts, **pipeline)):
        pass


def test_numpy_is_imported_by_a_search_only() -> None:
    """Looking at the kinds of pipelines there are costs nothing."""
    program = "import sys, evaluator.pipelines.builtin; print({'numpy', 'Stemmer'} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.strip() == "set()"


def lines(file: Path) -> list[bytes]:
    """Lines of a file, without an empty last one."""
    return file.read_bytes().splitlines()


@pytest.mark.shared
def test_real_questions_find_their_passages(shared: Path) -> None:
    """On 300 answerable questions over 1,837 passages, mean recall@5 is at least 0.73."""
    suite = shared / "suites" / "clapnq"
    chunks = [Chunk.model_validate_json(line) for line in lines(suite / "fixture" / "chunks.jsonl")]
    cases = [json.loads(line) for line in lines(suite / "golden.jsonl")]
    recalls = []
    with PIPELINE.open(setting(chunks)) as pipeline:
        for case in cases:
            if relevant := set(case.get("relevant", ())):
                top = {hit.id for hit in ask(pipeline, case["question"]).retrieved[:5]}
                recalls.append(len(relevant & top) / len(relevant))
    assert len(recalls) == 300
    assert math.fsum(recalls) / len(recalls) >= 0.73
