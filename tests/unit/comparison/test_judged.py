"""The half that a judge decides, row by row."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.comparison import gate
from evaluator.comparison.enforcement import STANDS_FOR, Belief
from evaluator.comparison.sheet import CaseValues, JudgedHalf, Sheet
from evaluator.model.comparison import Exam, JudgeTerms, Judging
from evaluator.model.score import MetricId
from tests import sheets
from tests.court import calibration

FAITHFULNESS = {**sheets.METRICS, "faithfulness": sheets.metric("faithfulness", reads="judge")}
BELIEVED = Belief(0.6, calibration(), "j" * 64)
NOT_BELIEVED = Belief(0.6, None, "j" * 64)
SCORE = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


def exam(values: list[CaseValues], belief: Belief, advisory: str = "inconclusive", **rule: Any) -> Exam:
    """An exam of one judged metric, beside one of recall in which nothing changed."""
    both = [case._replace(before=_and_recall(case.before), after=_and_recall(case.after)) for case in values]
    half = JudgedHalf(frozenset({"faithfulness"}), belief)
    ids = (MetricId("faithfulness"), MetricId("recall", 5))
    terms = JudgeTerms.model_validate(
        {"min_kappa": 0.6, "advisory": advisory, "sample": None, "seed": 0, "calibration": None}
    )
    judging = Judging(terms=terms, metrics=("faithfulness",), has_baseline=True)
    rules = (sheets.rule("faithfulness", **rule), sheets.rule())
    return sheets.exam(Sheet(ids, FAITHFULNESS, both, has_baseline=True, judged=half), *rules, judging=judging)


def _and_recall(values: tuple[float | None, ...] | None) -> tuple[float | None, ...] | None:
    return None if values is None else (*values, 1.0)


@given(
    st.lists(st.tuples(SCORE, st.none() | SCORE), min_size=1, max_size=12),
    st.sampled_from([{}, {"per": "category"}, {"min": 0.5}, {"max_drop": 0.1, "min_lost": 2, "min": 0.3}]),
    st.integers(0, 3),
)
def test_what_an_enforced_judge_does_not_pass_no_other_one_passes(
    pairs: list[tuple[float, float | None]], rule: dict[str, Any], unscored: int
) -> None:
    """Without calibration a run is never greener than with it, unless the configuration says so."""
    values = [
        sheets.case(f"c{n}", before, None if n < unscored else after, unscored=frozenset({0} if n < unscored else ()))
        for n, (before, after) in enumerate(pairs)
    ]
    enforced = gate.decide(exam(values, BELIEVED, **rule)).outcome
    advisory = gate.decide(exam(values, NOT_BELIEVED, **rule)).outcome
    assert advisory != "failed"
    assert enforced == "passed" or advisory == "inconclusive"


@given(st.lists(st.tuples(SCORE, SCORE), min_size=1, max_size=12))
def test_advisory_pass_is_never_stopped_by_the_judge(pairs: list[tuple[float, float]]) -> None:
    """Whatever the values, they hold nothing up; what else is measured still does."""
    assert gate.decide(exam(sheets.cases(*pairs), NOT_BELIEVED, "pass", min=0.9)).outcome == "passed"


@pytest.mark.parametrize(
    ("metric", "doubt"),
    [
        ("faithfulness", None),
        ("noise_sensitivity", None),
        ("context_utilisation", None),
        ("correctness", "not calibrated"),
        ("paraphrase_consistency", "not calibrated"),
    ],
)
def test_a_metric_without_labels_of_its_own_is_believed_as_what_it_is_read_from(metric: str, doubt: str | None) -> None:
    """Labels of claims speak for every verdict on claims, and for nothing else."""
    known = Belief(0.6, calibration(("faithfulness",)), "j" * 64)
    assert known.doubt(metric, ["en"] * 5) == doubt


def test_of_many_languages_the_most_frequent_stand_for_all() -> None:
    """Six languages of a sixth each: none makes up a fifth, and a judge is not believed in all of them for that."""
    known = Belief(0.6, calibration(), "j" * 64)
    assert known.doubt("faithfulness", ["en", "sv", "hu", "pl", "zh", "de"]) == "not calibrated for de"
    assert known.doubt("faithfulness", ["en", "en", "sv", "hu", "pl", "zh", "de", "fr", "es", "it", "nl"]) is None


def test_neither_case_nor_underline_makes_another_language() -> None:
    """EN and en_GB are calibrated as en is, and count as one language; a region of its own calibration has that one."""
    known = Belief(0.6, calibration(), "j" * 64)
    assert [known.doubt("faithfulness", [tag]) for tag in ("EN", "en_GB", "En-us")] == [None] * 3
    assert known.doubt("faithfulness", ["SV"]) == "not calibrated for sv"
    assert known.doubt("faithfulness", ["sv", "SV", "en", "en", "en", "en", "en"]) == "not calibrated for sv"


def test_what_stands_for_a_metric_is_one_that_people_label() -> None:
    """No metric is believed by way of two others."""
    assert not set(STANDS_FOR.values()) & (STANDS_FOR.keys() - set(STANDS_FOR.values()))


def test_kappa_that_only_rounding_would_lift_is_below() -> None:
    """0.59996 is not 0.6, in the sentence either."""
    known = Belief(0.6, calibration(kappa=0.59996), "j" * 64)
    assert known.doubt("faithfulness", ["en"]) == "kappa 0.59996 below 0.6 for en"
