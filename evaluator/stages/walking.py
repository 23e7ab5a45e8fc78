"""Walks two runs side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.stages.held import Run
    from evaluator.stores.runs import RunReader, StoredCase


class Met(NamedTuple):
    """One case id in both runs, or in one of them."""

    mine: StoredCase | None
    theirs: StoredCase | None


def meet(candidate: Run, baseline: RunReader | None, *, whole: bool) -> Iterator[Met]:
    """Every case of the candidate, in its order, then those that only the baseline has.

    Where the candidate is not ``whole`` (``--only``), the baseline is taken to hold the same cases. It holds none that
    it had no time for.
    """
    if baseline is None:
        yield from (Met(mine, None) for mine in candidate.cases())
        return
    others = set(baseline.ids)
    for mine in candidate.cases():
        theirs = baseline.case(mine.case.id) if mine.case.id in others else None
        yield Met(mine, theirs if theirs is not None and not theirs.case.is_unasked else None)
    if whole:
        known = set(candidate.ids)
        left = (baseline.case(case) for case in baseline.ids if case not in known)
        yield from (Met(None, theirs) for theirs in left if not theirs.case.is_unasked)
