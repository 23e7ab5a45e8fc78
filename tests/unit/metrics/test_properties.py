from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from evaluator import metrics
from evaluator.metrics import scoring
from evaluator.model.fixture import Chunk, Digests, Fixture
from evaluator.model.golden import Labels, Need
from evaluator.model.score import MetricId, Scored
from evaluator.model.view import CaseView, Passage, ResolvedNeed

if TYPE_CHECKING:
    from collections.abc import Sequence

CHUNKS = "ABCDEFGH"
IDS = [
    MetricId(metric.name, k)
    for metric in metrics.load().values()
    for k in ((None, 1, 2, 3, 5, 10) if metric.cutoff == "optional" else (None,))
]
RANKED = [wanted for wanted in IDS if wanted.name in {"recall", "hit", "mrr", "ndcg", "ndcg_exp"}]

ways = st.lists(st.sampled_from(CHUNKS), min_size=1, max_size=3, unique=True).map(tuple)
needs = st.lists(
    st.builds(ResolvedNeed, st.lists(ways, max_size=3, unique=True).map(tuple), st.integers(1, 4)),
    min_size=1,
    max_size=4,
)
rankings = st.lists(st.sampled_from(CHUNKS + "XYZ"), max_size=8)


def case(ranking: Sequence[str], wanted: Sequence[ResolvedNeed]) -> CaseView:
    """A case whose context is its ranking."""
    passages = {chunk: Passage(None, chunk) for chunk in ranking}
    return CaseView(Labels(), wanted, tuple(ranking), tuple(ranking), passages)


def values(ranking: Sequence[str], wanted: Sequence[ResolvedNeed], ids: Sequence[MetricId] = IDS) -> dict[str, float]:
    """Every value that there is."""
    scores = scoring.score_case(case(ranking, wanted), ids, metrics.load())
    return {str(metric): score.value for metric, score in scores.items() if isinstance(score, Scored)}


@given(rankings, needs)
def test_bounded_values_are_between_0_and_1(ranking: list[str], wanted: list[ResolvedNeed]) -> None:
    """Whatever the ranking and the needs; a value outside would be refused."""
    bounded = {metric.name for metric in metrics.load().values() if metric.bounded}
    found = values(ranking, wanted)

    assert all(0 <= value <= 1 for name, value in found.items() if name.partition("@")[0] in bounded)


@given(rankings, st.lists(st.tuples(st.sampled_from(CHUNKS), st.integers(1, 4)), unique_by=lambda each: each[0]))
def test_plain_ids_are_groups_of_one(ranking: list[str], wanted: list[tuple[str, int]]) -> None:
    """The short way for plain ids gives what the general one gives for groups whose other member never comes."""
    plain = [ResolvedNeed(((chunk,),), grade) for chunk, grade in wanted]
    groups = [ResolvedNeed(((chunk,), (f"never {chunk}",)), grade) for chunk, grade in wanted]

    assert values(ranking, plain) == values(ranking, groups)


def satisfied(ranking: Sequence[str], wanted: Sequence[ResolvedNeed]) -> set[int]:
    """The needs that a ranking satisfies, by their number."""
    return {need for _, needs in case(ranking, wanted).gains.satisfactions for need in needs}


def improvements(ranking: Sequence[str], wanted: Sequence[ResolvedNeed]) -> list[list[str]]:
    """Every ranking with a chunk in an irrelevant one's place that satisfies an open need, alone or with others."""
    relevant = {chunk for need in wanted for way in need.ways for chunk in way}
    before = satisfied(ranking, wanted)
    changed = [
        [*ranking[:place], chunk, *ranking[place + 1 :]]
        for place, old in enumerate(ranking)
        if old not in relevant
        for chunk in sorted(relevant.difference(ranking))
    ]
    return [better for better in changed if satisfied(better, wanted) > before]


@given(rankings, needs, st.data())
def test_satisfying_one_more_need_never_lowers_a_value(
    ranking: list[str], wanted: list[ResolvedNeed], data: st.DataObject
) -> None:
    """A result that satisfies an open need in place of an irrelevant one makes recall, hit, mrr and ndcg no worse."""
    better = improvements(ranking, wanted)
    if not better:
        return
    before, after = values(ranking, wanted, RANKED), values(data.draw(st.sampled_from(better)), wanted, RANKED)

    assert all(after[name] >= before[name] for name in before)


@st.composite
def separate(draw: st.DrawFn) -> list[ResolvedNeed]:
    """Needs of which no two have a chunk in common."""
    order, border = draw(st.permutations(CHUNKS)), draw(st.integers(2, 6))
    parts = (order[:border], order[border:])
    own = [st.lists(st.lists(st.sampled_from(part), min_size=1, unique=True).map(tuple), max_size=3) for part in parts]
    return [ResolvedNeed(tuple(dict.fromkeys(draw(each)))) for each in own]


@given(rankings, separate(), st.data())
def test_satisfying_one_more_need_never_lowers_average_precision_where_no_chunk_serves_two(
    ranking: list[str], wanted: list[ResolvedNeed], data: st.DataObject
) -> None:
    """The same for map, as long as every chunk is of one need."""
    better = improvements(ranking, wanted)
    if not better:
        return
    ids = [each for each in IDS if each.name == "map"]
    before, after = values(ranking, wanted, ids), values(data.draw(st.sampled_from(better)), wanted, ids)

    assert all(after[name] >= before[name] - 1e-12 for name in before)


@given(rankings, needs, st.permutations(CHUNKS + "XYZ"))
def test_names_do_not_matter(ranking: list[str], wanted: list[ResolvedNeed], names: list[str]) -> None:
    """Renaming every chunk changes no value."""
    new = dict(zip(CHUNKS + "XYZ", names, strict=True))
    renamed = [ResolvedNeed(tuple(tuple(new[c] for c in way) for way in need.ways), need.grade) for need in wanted]

    assert values([new[chunk] for chunk in ranking], renamed) == values(ranking, wanted)


@given(st.lists(st.sampled_from(CHUNKS + "XYZ"), min_size=1, max_size=8), needs, st.data())
def test_repeating_a_chunk_never_raises_a_value(
    ranking: list[str], wanted: list[ResolvedNeed], data: st.DataObject
) -> None:
    """A copy of an earlier result in a later place is worth no more than an irrelevant one there (S9)."""
    place = data.draw(st.integers(1, len(ranking)))
    copy = data.draw(st.sampled_from(ranking[:place]))
    repeated, irrelevant = ([*ranking[:place], chunk, *ranking[place:]] for chunk in (copy, "nobody's"))
    ids = [wanted for wanted in IDS if wanted.name != "context_tokens"]

    assert values(repeated, wanted, ids) == values(irrelevant, wanted, ids)


@given(st.lists(st.sampled_from(CHUNKS), min_size=1, max_size=8, unique=True), st.data())
def test_plain_needs_give_the_classic_values(ranking: list[str], data: st.DataObject) -> None:
    """With plain ids recall, precision and average precision are what every textbook says."""
    relevant = data.draw(st.sets(st.sampled_from(CHUNKS), min_size=1))
    found = values(ranking, [ResolvedNeed(((chunk,),)) for chunk in sorted(relevant)])
    hits = [rank for rank, chunk in enumerate(ranking, 1) if chunk in relevant]
    precisions = [number / rank for number, rank in enumerate(hits, 1)]

    assert abs(found["recall"] - len(hits) / len(relevant)) < 1e-12
    assert abs(found["precision"] - len(hits) / len(ranking)) < 1e-12
    assert abs(found["map"] - sum(precisions) / len(relevant)) < 1e-12
    assert found["mrr"] == (1 / hits[0] if hits else 0)


@st.composite
def quoted(draw: st.DrawFn) -> tuple[list[list[str]], list[Need], list[str]]:
    """Documents as words of their chunks, quotes out of them, and a ranking of chunk ids."""
    documents = []
    for doc in "de":
        words = [f"{doc}{word:02}" for word in range(draw(st.integers(2, 12)))]
        ends = [0, *sorted(draw(st.sets(st.integers(1, len(words) - 1), max_size=4))), len(words)]
        documents.append([" ".join(words[start:end]) for start, end in itertools.pairwise(ends)])
    wanted = []
    for _ in range(draw(st.integers(1, 3))):
        words = " ".join(draw(st.sampled_from(documents))).split()
        start = draw(st.integers(0, len(words) - 1))
        wanted.append(Need(quote=" ".join(words[start : draw(st.integers(start + 1, len(words)))])))
    ids = [f"{number}.{place}" for number, chunks in enumerate(documents) for place in range(len(chunks))]
    return documents, wanted, draw(st.lists(st.sampled_from(ids), max_size=6))


def by_content(documents: Sequence[Sequence[str]], wanted: Sequence[Need], ranking: Sequence[str]) -> dict[str, float]:
    """Every value of a ranking under needs by quote; chunk ids are the numbers of document and chunk."""
    chunks = [
        Chunk(id=f"{number}.{place}", doc=str(number), text=text)
        for number, texts in enumerate(documents)
        for place, text in enumerate(texts)
    ]
    held = Fixture(tuple(chunks), Digests(chunks="", documents=None))
    return values(ranking, scoring.resolve_needs(Labels(relevant=tuple(wanted)), fixture=held, hits=()))


@given(quoted(), st.data())
def test_merging_chunks_of_one_document_never_lowers_recall(
    drawn: tuple[list[list[str]], list[Need], list[str]], data: st.DataObject
) -> None:
    """Two adjacent chunks made one, in the index and in the ranking: what was satisfied is satisfied."""
    documents, wanted, ranking = drawn
    joints = [(number, place) for number, chunks in enumerate(documents) for place in range(len(chunks) - 1)]
    if not joints:
        return
    number, place = data.draw(st.sampled_from(joints))
    chunks = documents[number]
    merged = [*chunks[:place], " ".join(chunks[place : place + 2]), *chunks[place + 2 :]]
    new = {f"{number}.{old}": f"{number}.{old - (old > place)}" for old in range(len(chunks))}
    after = by_content(
        [merged if other == number else texts for other, texts in enumerate(documents)],
        wanted,
        list(dict.fromkeys(new.get(chunk, chunk) for chunk in ranking)),
    )

    assert after["recall"] >= by_content(documents, wanted, ranking)["recall"]


@given(quoted())
def test_every_quote_of_a_document_is_satisfied_by_all_of_its_chunks(
    drawn: tuple[list[list[str]], list[Need], list[str]],
) -> None:
    """However documents are cut, a passage of them can be retrieved."""
    documents, wanted, _ = drawn
    everything = [f"{number}.{place}" for number, chunks in enumerate(documents) for place in range(len(chunks))]

    assert by_content(documents, wanted, everything)["recall"] == 1
