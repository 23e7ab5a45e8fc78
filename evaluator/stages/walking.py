"""Walks two runs side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.stages.held import Run
    from evaluator.stores.runs import RunReader, StoredCase


class Met(NamedTuple):
    """One case id in both runs, or in one of them; ``untimed`` where the baseline had no time for it."""

    mine: StoredCase | None
    theirs: StoredCase | None
    untimed: bool = False


def meet(candidate: Run, baseline: RunReader | None, *, whole: bool) -> Iterator[Met]:
    """Every case of the candidate, in its order, then those that only the baseline has.

    Where the candidate is not ``whole`` (``--only``), the baseline is taken to hold the same cases. Of a case that it
    had no time for nothing is handed on but that this was so.
    """
    if baseline is None:
        yield from (Met(mine, None) for mine in candidate.cases())
        return
    others = set(baseline.ids)
    for mine in candidate.cases():
        theirs = baseline.case(mine.case.id) if mine.case.id in others else None
        yield _met(mine, theirs)
    if whole:
        known = set(candidate.ids)
        yield from (_met(None, baseline.case(case)) for case in baseline.ids if case not in known)


def _met(mine: StoredCase | None, theirs: StoredCase | None) -> Met:
    untimed = theirs is not None and theirs.case.is_unasked
    return Met(mine, None if untimed else theirs, untimed)
