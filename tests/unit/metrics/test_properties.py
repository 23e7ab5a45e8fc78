from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from evaluator import metrics
from evaluator.metrics import scoring
from evaluator.model.golden import Labels
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


@given(rankings, needs, st.data())
def test_satisfying_one_more_need_never_lowers_a_value(
    ranking: list[str], wanted: list[ResolvedNeed], data: st.DataObject
) -> None:
    """A result that satisfies an open need in place of an irrelevant one makes recall, hit, mrr and ndcg no worse."""
    relevant = {chunk for need in wanted for way in need.ways for chunk in way}
    open_needs = set(range(len(wanted))).difference(*(found for _, found in case(ranking, wanted).gains.satisfactions))
    irrelevant = [place for place, chunk in enumerate(ranking) if chunk not in relevant]
    single = [way[0] for index in open_needs for way in wanted[index].ways if len(way) == 1]
    if not irrelevant or not single:
        return
    place, chunk = data.draw(st.sampled_from(irrelevant)), data.draw(st.sampled_from(single))
    before = values(ranking, wanted, RANKED)
    after = values([*ranking[:place], chunk, *ranking[place + 1 :]], wanted, RANKED)

    assert all(after[name] >= before[name] for name in before)


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
