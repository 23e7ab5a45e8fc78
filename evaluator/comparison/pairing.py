"""Which cases of two runs asked the same, and which came, went or changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Asked(NamedTuple):
    """What pairing needs to know of a case in one run."""

    input_hash: str
    holdout: bool


class Pairing(NamedTuple):
    """Case ids, in the candidate's order, then (``removed``) the baseline's.

    ``changed``: the same id asks something else. A case that moved into the holdout counts as removed, one that moved
    out of it as new. ``holdout_removed`` names held-out cases that are gone: for counting, never for publishing.
    """

    paired: tuple[str, ...]
    new: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    pairable: int
    holdout_removed: tuple[str, ...]


def pair(candidate: Mapping[str, Asked], baseline: Mapping[str, Asked]) -> Pairing:
    """Pair by id and input hash."""
    shown = {case: asked for case, asked in baseline.items() if not asked.holdout}
    mine = {case: asked for case, asked in candidate.items() if not asked.holdout}
    common = [case for case in mine if case in shown]
    paired = tuple(case for case in common if mine[case].input_hash == shown[case].input_hash)
    return Pairing(
        paired=paired,
        new=_without(mine, shown),
        changed=tuple(case for case in common if mine[case].input_hash != shown[case].input_hash),
        removed=_without(shown, mine),
        pairable=len(shown),
        holdout_removed=tuple(case for case, asked in baseline.items() if asked.holdout and case not in candidate),
    )


def _without(cases: Iterable[str], others: Mapping[str, Asked]) -> tuple[str, ...]:
    return tuple(case for case in cases if case not in others)
