"""Average precision: precision at every rank that satisfies needs; its mean over the cases is MAP."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evaluator.metrics._ranking import NO_NEEDS, within
from evaluator.model.score import Metric, Score, Scored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, k: int | None) -> Score:
    """Mean over the needs of the credited share of the ranking down to where each is satisfied, 0 where it is not."""
    if not view.needs:
        return NO_NEEDS
    found = view.gains
    ranks = found.ranks[: within(found.ranks, k)]
    if found.plain:
        # Every rank is credited and satisfies one need.
        return Scored(math.fsum([number / rank for number, rank in enumerate(ranks, 1)]) / len(view.needs))
    credited = [rank for rank, satisfied_at in found.credited if k is None or satisfied_at <= k]
    terms = [len(needs) * within(credited, rank) / rank for rank, needs in zip(ranks, found.newly, strict=False)]
    return Scored(math.fsum(terms) / len(view.needs))


METRIC = Metric(
    name="map",
    title="how much of the ranking down to each need was of use",
    formula="(1 / needs) x sum over the ranks i of the top k that newly satisfy needs of "
    "(needs newly satisfied x credited ranks up to i / i); a rank is credited if its chunk takes part in a first "
    "satisfaction within the top k",
    source="trec_eval map, map_cut",
    score=score,
    reads="ranking",
    counts="chunks",
)
