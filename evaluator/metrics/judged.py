"""Judged: how much of what was retrieved anybody has labelled; where it falls, other drops may only look like drops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.metrics._ranking import NO_NEEDS, NOTHING_RETRIEVED
from evaluator.model.score import Metric, Score, Scored

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def score(view: CaseView, k: int | None) -> Score:
    """Labelled share of the top k retrieved; a repeated id counts as unlabelled. A failed case scores 0."""
    if not view.needs:
        return NO_NEEDS
    if view.failed:
        return Scored(0.0)
    retrieved = view.ranking[:k]
    labelled = {chunk for need in view.needs for way in need.ways for chunk in way}.union(view.labels.irrelevant)
    return Scored(len(labelled.intersection(retrieved)) / len(retrieved)) if retrieved else NOTHING_RETRIEVED


METRIC = Metric(
    name="judged",
    title="share of the top k that is labelled, relevant or not",
    formula="labelled (relevant or irrelevant) in the top k / retrieved in the top k",
    source="Judged@k of ir_measures",
    score=score,
    reads="ranking",
    counts="chunks",
)
