"""Drift: how far a row has fallen below its anchor over any number of accepted runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison import numbers
from evaluator.comparison.sheet import EPSILON, PairValue
from evaluator.model.run import History

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluator.comparison.sheet import CaseValues, Sheet
    from evaluator.model.exam import ExamFile, Noisy

MAX_CHAIN = 100
"""So many accepted runs are remembered by name."""


class _Moved(NamedTuple):
    anchor: dict[str, float]
    pending: tuple[str, ...]


def next_history(state: ExamFile, *, accepted: bool, higher_is_better: Mapping[str, bool], link: str | None) -> History:
    """The history that this run hands on.

    New, changed and relabelled cases enter at this run's value. In an accepted run a category whose row exceeds its
    anchor for the second time in succession takes this run's values as its anchor. The anchor of a metric that no rule
    names any more is kept, for the day when one does again. ``link`` names the run that was
    compared with, None where there was none.
    """
    moved = {
        metric: _move(state, metric, better=1 if higher_is_better[metric] else -1, accepted=accepted)
        for metric in state.values
    }
    chain = (*state.history.chain, *([link] if link is not None else []))[-MAX_CHAIN:]
    return History(
        anchor={**state.history.anchor, **{metric: part.anchor for metric, part in moved.items()}},
        pending={
            **{metric: known for metric, known in state.history.pending.items() if metric not in moved},
            **{metric: part.pending for metric, part in moved.items() if part.pending},
        },
        chain=chain,
        judge=state.history.judge,
    )


def anchored(values: Sheet, metric: str, cases: Sequence[CaseValues]) -> list[PairValue]:
    """The anchor and the candidate's value of every paired case, scored in the baseline itself or not."""
    anchor, column = values.anchor.get(metric, {}), values.column[metric]
    return [
        PairValue(case, anchor[case.id], now)
        for case in cases
        if case.before is not None and case.after is not None and case.id in anchor
        and (now := case.after[column]) is not None
    ]  # fmt: skip


def _move(state: ExamFile, metric: str, *, better: int, accepted: bool) -> _Moved:
    values = state.values[metric]
    anchor = state.history.anchor.get(metric, {})
    pending = state.history.pending.get(metric, ())
    # A case that could not be scored this time is no new one when it can be again.
    kept = {case: value for case, value in anchor.items() if case in state.categories}
    kept |= {case: anchor.get(case, value) for case, value in values.items()}
    if not accepted:
        return _Moved(kept, pending)
    exceeding = _exceeding(state, metric, better)
    twice = exceeding & set(pending)
    moved = {
        case: values.get(case, value) if state.categories[case] in twice else value for case, value in kept.items()
    }
    return _Moved(moved, tuple(sorted(exceeding - twice)))


def _exceeding(state: ExamFile, metric: str, better: int) -> set[str]:
    """The categories whose row exceeds its anchor, by more than chance makes."""
    differences: dict[str, list[float]] = {}
    anchor = state.history.anchor.get(metric, {})
    for case, value in state.values[metric].items():
        if case in anchor:
            differences.setdefault(state.categories[case], []).append(better * (value - anchor[case]))
    noise = state.noise.get(metric)
    return {category for category, found in differences.items() if _exceeds(found, noise, category)}


def _exceeds(differences: Sequence[float], noise: Noisy | None, category: str) -> bool:
    rise = numbers.mean(differences) or 0.0
    if noise is None or rise <= EPSILON:
        return rise > EPSILON
    from evaluator.comparison import statistics  # noqa: PLC0415 - only what is noisy needs numpy

    if noise.spreads is None:
        return statistics.sign_flip(differences) <= noise.tail
    return rise - statistics.band(noise.spreads[category], len(differences), noise.tail) > EPSILON
