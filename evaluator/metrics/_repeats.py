"""Several scores of one case, whose question was asked several times, as one (``pipeline.repeats``)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evaluator.model.score import Scored, Unscored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluator.model.score import MetricId, Score


def together(found: Sequence[Mapping[MetricId, Score]]) -> Mapping[MetricId, Score]:
    """Every metric of the first, as the mean over all that have it.

    The mean is over the scored ones, which must be more than half: what is said of a few does not stand for the rest.
    One that could not be judged leaves the whole without a value, for a mean over the others might hide a failure.
    """
    first, *others = found
    if not others:
        return first
    return {
        metric: _mean([score, *(each[metric] for each in others if metric in each)]) for metric, score in first.items()
    }


def _mean(scores: Sequence[Score]) -> Score:
    unscored = [score for score in scores if isinstance(score, Unscored)]
    values = [score.value for score in scores if isinstance(score, Scored)]
    if unscored:
        return unscored[0]
    if 2 * len(values) > len(scores):
        return Scored(math.fsum(values) / len(values))
    return next(score for score in scores if not isinstance(score, Scored))
