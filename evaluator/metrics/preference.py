"""Preference: whether this answer is better than the baseline's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._judged import Settled, judged, judgement_of
from evaluator.model.score import Metric, NotApplicable, Unscored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView

NOT_COMPARED = NotApplicable("not compared: needs `score --against` and a paired case of the baseline")


def value(view: CaseView) -> float:
    """1 if it is better in both orders, 0 if it is worse in both, else 0.5."""
    if view.failed and view.judgement is None:
        raise Settled(NOT_COMPARED)
    judgement = judgement_of(view)
    if judgement.preference is None:
        if "preference" in judgement.unscored:
            raise Settled(Unscored(judgement.unscored["preference"]))
        raise Settled(NOT_COMPARED)
    both = {judgement.preference.first, judgement.preference.second}
    return 1.0 if both == {"win"} else 0.0 if both == {"loss"} else 0.5


METRIC = Metric(
    name="preference",
    title="whether the answer is better than the baseline's",
    formula="1 if the answer is preferred to the baseline's in both orders, 0 if the baseline's is, else 0.5",
    source="pairwise comparison of Zheng et al. 2023, with both orders against position bias",
    score=judged(value),
    reads="judge",
    counts="other",
    cutoff="none",
    asks=("preference",),
    compares=True,
)
