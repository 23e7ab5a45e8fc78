"""What the ranking metrics share."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from evaluator.model.score import NotApplicable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluator.model.view import CaseView, Gains

NO_NEEDS = NotApplicable("no needs")
NOTHING_RETRIEVED = NotApplicable("nothing retrieved")


def within(ranks: Sequence[int], k: int | None) -> int:
    """How many of some ascending ranks are at most k (None: all)."""
    return len(ranks) if k is None else bisect_right(ranks, k)


def satisfied(gains: Gains, k: int | None) -> int:
    """How many needs are satisfied in the top k."""
    ranks = gains.ranks
    reached = len(ranks) if k is None else bisect_right(ranks, k)
    return reached if gains.plain else sum(map(len, gains.newly[:reached]))


def gains_read(view: CaseView, k: int | None) -> Gains:
    """The gain vector of the metrics that read the context where no cut-off is written."""
    return view.context_gains if k is None else view.gains
