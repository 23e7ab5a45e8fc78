"""Random judgements and runs, with ties and grades, measured by trec_eval's own code and by ir_measures too."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import ir_measures
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from evaluator import metrics
from evaluator.metrics import scoring
from evaluator.model.golden import Labels
from evaluator.model.score import MetricId, Scored
from evaluator.model.view import CaseView, ResolvedNeed
from evaluator.stores.importers._trec_files import Ranked, single, trec_order

if TYPE_CHECKING:
    from collections.abc import Mapping

Qrels = dict[str, int]
Run = dict[str, float]

CUTS = (1, 2, 3, 5, 10)
TREC_EVAL = {
    "map": "map", "recip_rank": "mrr", "ndcg": "ndcg", "set_P": "precision", "set_recall": "recall",
    **{
        f"{theirs}_{k}": f"{ours}@{k}"
        for theirs, ours in {
            "P": "precision", "recall": "recall", "ndcg_cut": "ndcg", "map_cut": "map", "success": "hit",
        }.items()
        for k in CUTS
    },
}  # fmt: skip
FAMILIES = {"map", "recip_rank", "ndcg", "set_P", "set_recall"} | {
    f"{name}.{','.join(map(str, CUTS))}" for name in ("P", "recall", "ndcg_cut", "map_cut", "success")
}
IR_MEASURES = {
    "AP": "map", "RR": "mrr", "nDCG": "ndcg", "SetP": "precision", "SetR": "recall",
    **{
        f"{theirs}@{k}": f"{ours}@{k}"
        for theirs, ours in {
            "P": "precision", "R": "recall", "nDCG": "ndcg", "AP": "map", "Success": "hit",
        }.items()
        for k in CUTS
    },
}  # fmt: skip
OTHER_TIES = {**{f"RR@{k}": f"mrr@{k}" for k in CUTS}, **{f"Judged@{k}": f"judged@{k}" for k in (1, 2, 3)}}
"""Measures that ir_measures computes by itself, ties in another order than trec_eval's."""

MEASURES = [ir_measures.parse_measure(name) for name in IR_MEASURES]

DOCUMENTS = [*"ABCDEFGHIJ", "a", "Z9", "é", "漢"]
NEAR = (0.0, 1.0, 1.0 + 1e-9, 1.0 - 1e-9, 0.1 + 0.2, 0.3, -1.5, 2e30, 16_777_216.0, 16_777_217.0)
"""Scores that tie, or that double precision alone can tell apart."""

qrels = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 4), min_size=1)
scores = st.one_of(st.sampled_from(NEAR), st.floats(-1e6, 1e6, allow_subnormal=False))
runs = st.dictionaries(st.sampled_from([*DOCUMENTS, "unjudged 1", "unjudged 2"]), scores, min_size=1)


def ordered(scored: Run) -> list[str]:
    """The ranking that a run is imported as."""
    return [name for name, _ in trec_order(Ranked(single(score), name, score) for name, score in scored.items())]


def ours(judged: Qrels, scored: Run, names: Mapping[str, str]) -> dict[str, float]:
    """Our values by the name that the other program has for them."""
    ranking = ordered(scored)
    needs = [ResolvedNeed(((name,),), grade) for name, grade in judged.items() if grade > 0]
    view = CaseView(Labels(irrelevant=tuple(name for name in judged if judged[name] <= 0)), needs, ranking, ranking, {})
    ids = {theirs: MetricId.parse(name) for theirs, name in names.items()}
    found = scoring.score_case(view, ids.values(), metrics.load())
    return {theirs: score.value for theirs, name in ids.items() if isinstance(score := found[name], Scored)}


def relevant(judged: Qrels) -> bool:
    """Whether there is anything to find: without, no metric of ours applies."""
    return any(grade > 0 for grade in judged.values())


@given(qrels.filter(relevant), runs)
def test_values_are_those_of_trec_evals_own_code(judged: Qrels, scored: Run) -> None:
    """Every measure that both have, to 1e-9: grades, ties and scores that single precision cannot tell apart."""
    theirs = pytrec_eval.RelevanceEvaluator({"q": judged}, FAMILIES).evaluate({"q": scored})["q"]
    found = ours(judged, scored, TREC_EVAL)

    assert found.keys() == theirs.keys()
    assert found == pytest.approx(theirs, abs=1e-9, rel=0)


@given(qrels.filter(relevant), runs)
def test_values_are_those_of_ir_measures(judged: Qrels, scored: Run) -> None:
    """The same against the measures as ir_measures declares them."""
    theirs = {
        str(found.measure): found.value for found in ir_measures.iter_calc(MEASURES, {"q": judged}, {"q": scored})
    }

    assert ours(judged, scored, IR_MEASURES) == pytest.approx(theirs, abs=1e-9, rel=0)


@given(st.lists(st.tuples(qrels.filter(relevant), runs), min_size=1, max_size=5))
def test_means_are_those_of_ir_measures(topics: list[tuple[Qrels, Run]]) -> None:
    """Means over several topics, each of which has something to find."""
    theirs = ir_measures.calc_aggregate(
        MEASURES,
        {str(place): judged for place, (judged, _) in enumerate(topics)},
        {str(place): scored for place, (_, scored) in enumerate(topics)},
    )
    values = [ours(judged, scored, IR_MEASURES) for judged, scored in topics]

    for measure, mean in theirs.items():
        own = scoring.summarise([Scored(value[str(measure)]) for value in values]).mean
        assert own is not None
        assert math.isclose(own, mean, abs_tol=1e-9)


@given(qrels.filter(relevant), runs.filter(lambda scored: len(scored) >= 3))
def test_what_ir_measures_computes_itself_is_the_same_for_one_order(judged: Qrels, scored: Run) -> None:
    """Reciprocal rank with a cut-off, and the labelled share of the first results where as many were retrieved."""
    untied = {name: float(-place) for place, name in enumerate(ordered(scored))}
    measures = [ir_measures.parse_measure(name) for name in OTHER_TIES]
    theirs = {
        str(found.measure): found.value for found in ir_measures.iter_calc(measures, {"q": judged}, {"q": untied})
    }

    assert ours(judged, scored, OTHER_TIES) == pytest.approx(theirs, abs=1e-9, rel=0)


@given(st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-2, 2), min_size=1).filter(relevant), runs)
def test_a_grade_of_0_or_below_is_irrelevant_as_for_trec_eval(judged: Qrels, scored: Run) -> None:
    """Negative grades, which some judgements have for spam, are worth what unjudged documents are."""
    names = {
        "map": "map",
        "recip_rank": "mrr",
        "P_5": "precision@5",
        "recall_5": "recall@5",
        "success_5": "hit@5",
        "ndcg": "ndcg",
        "ndcg_cut_5": "ndcg@5",
    }
    theirs = pytrec_eval.RelevanceEvaluator({"q": judged}, FAMILIES).evaluate({"q": scored})["q"]

    assert ours(judged, scored, names) == pytest.approx({name: theirs[name] for name in names}, abs=1e-9, rel=0)
