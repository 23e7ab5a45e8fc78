"""Noisy rows: how far they move by chance alone, and whether they moved farther (design section 8)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from evaluator.comparison import drift, sheet
from evaluator.comparison.sheet import EPSILON, CaseValues, PairValue, Sheet
from evaluator.model.exam import CaseSpread, Noisy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluator.model.comparison import GatedRow
    from evaluator.model.config import Rule

Kind: TypeAlias = Literal["steady", "measured", "tested"]
"""How a row is decided: by its limit alone, beside its measured noise, or beside what its own cases say."""


_Moved: TypeAlias = tuple[str, tuple[float, ...]]
"""A metric, and how far each case moved."""


DRIFT_SHARE = 0.5
"""What a row's fall below its anchor may spend of a row's chance of a false alarm.

An anchor is one run's values for as long as it stands: where that was lucky, later runs are held to its luck.
"""


class Question(NamedTuple):
    """Whether a metric moved over some cases, since the baseline or since another anchor.

    The row over all cases of a suite of one category asks what the category's row does, and an anchor that is still the
    baseline's values asks nothing new. What is asked twice can fail by chance only once.
    """

    metric: str
    cases: frozenset[str]
    is_since_baseline: bool


class Place(NamedTuple):
    """A row before it is decided.

    Attributes:
        metric: what is measured.
        category: where; None for all cases and for the pooled small categories.
        change: per paired case how much better it became, in the metric's own direction; empty where chance has no part
            in what is decided.
        since: the same against the anchor; none where there is no such rule.
        room: how far the mean can fall at all.
        asked: what the row asks, and what it asks of the anchor (None: nothing): two that ask the same are one.
    """

    metric: str
    category: str | None
    change: Sequence[float]
    since: Sequence[float]
    room: float = math.inf
    asked: tuple[Question | None, Question | None] = (None, None)


class Chance(NamedTuple):
    """What chance makes of one row.

    Attributes:
        is_worse, is_better: whether the row moved that way by more than chance.
        has_drifted: the same for its fall below the anchor.
        band: so far it moves by chance, where that was measured.
        p: how often chance moves such a row so far and that way, adjusted for the number of rows; where it was tested.
        needed: about how many cases it would take to tell a fall like this one; None where there is none.
        interval: of the change in the mean, 95 %.
        is_blind: whether chance could have made any fall, however far.
    """

    is_worse: bool
    is_better: bool
    has_drifted: bool
    band: float | None = None
    p: float | None = None
    needed: int | None = None
    interval: tuple[float, float] | None = None
    is_blind: bool = False


def kind(values: Sheet, metric: str, at: str = "mean") -> Kind:
    """How the rows of a metric are decided.

    Percentiles are decided by their limits alone: what is known of noise is about means.
    """
    noise, declared = values.noise, values.declaration(metric)
    is_judged = values.is_judged(metric)
    if at != "mean" or not (is_judged or noise.is_live):
        return "steady"
    known = noise.measured.get(metric)
    if known is not None:
        return "measured" if known.sd > EPSILON else "steady"
    return "tested" if is_judged or declared.reads == "answer" else "steady"


def fewest(values: Sheet, rules: Sequence[Rule], min_cases: int) -> dict[str, int]:
    """How many cases a row needs to be decided, by metric.

    Where sign flips decide, so many that the rarest outcome is rare enough among all rows in which a case moved, none
    of them pooled.
    """
    asked = {each for rule in rules for each in _asked_unpooled(values, rule)}
    tail = values.level / max(1, len(asked))
    reach = math.ceil(-math.log2(tail) - EPSILON)
    tested = {rule.metric for rule in rules if kind(values, rule.metric, rule.at) == "tested"}
    return {rule.metric: max(min_cases, reach if rule.metric in tested else 0) for rule in rules}


def _asked_unpooled(values: Sheet, rule: Rule) -> Iterator[Question]:
    """What the rows of a rule on a noisy metric ask, were each category large enough for one."""
    for cases in [values.cases] if rule.per == "all" else values.by_category.values():
        found = place(values, rule, None, cases)
        if found.change:
            yield from filter(None, found.asked)


def limits_a_mean(rule: Rule) -> bool:
    """Whether a rule limits how far a mean may move."""
    return rule.at == "mean" and (rule.max_drop is not None or rule.max_rise is not None)


def _asks_for_a_change(values: Sheet, rule: Rule, cases: Sequence[CaseValues]) -> bool:
    """Whether a rule asks how far a mean moved; a floor does where the baseline was below it."""
    before = sheet.scored_before(cases, values.column[rule.metric])
    return limits_a_mean(rule) or (rule.min is not None and bool(before) and _mean(before) + EPSILON < rule.min)


def _compared(values: Sheet, metric: str) -> bool:
    return values.has_baseline_of(metric) and values.other_judge(metric) is None


def place(values: Sheet, rule: Rule, category: str | None, cases: Sequence[CaseValues]) -> Place:
    """A row of a rule over the cases of a category, or over others (None)."""
    metric, better = rule.metric, values.better(rule.metric)
    is_noisy = kind(values, metric, rule.at) != "steady" and _compared(values, metric)
    if not is_noisy or not _asks_for_a_change(values, rule, cases):
        return Place(metric, category, (), ())
    pairs = sheet.pairs(cases, values.column[metric])
    since = drift.anchored(values, metric, cases) if rule.max_drop is not None else []
    before = {pair.case.id: pair.before for pair in pairs}
    is_baseline = all(abs(pair.before - before.get(pair.case.id, math.inf)) <= EPSILON for pair in since)
    return Place(
        metric, category, [better * (pair.after - pair.before) for pair in pairs],
        [better * (pair.after - pair.before) for pair in since],
        room=_room(values, metric, list(before.values())), asked=(
            _question(values, metric, pairs, is_since_baseline=True),
            _question(values, metric, since, is_since_baseline=is_baseline),
        ),
    )  # fmt: skip


def _question(values: Sheet, metric: str, found: Sequence[PairValue], *, is_since_baseline: bool) -> Question | None:
    """What a row asks; None of nothing, and of sign flips where there is nothing to flip.

    Where no case moved, no signs whatever make a false alarm, so the other rows can have its share of alpha.
    """
    if not found or (kind(values, metric) == "tested" and not _has_moved([pair.after - pair.before for pair in found])):
        return None
    return Question(metric, frozenset(pair.case.id for pair in found), is_since_baseline)


def _has_moved(moves: Sequence[float]) -> bool:
    return any(abs(each) > EPSILON for each in moves)


def _room(values: Sheet, metric: str, before: Sequence[float]) -> float:
    worst = values.worst(metric)
    return math.inf if worst is None else abs(_mean(before) - worst)


def chances(values: Sheet, places: Sequence[Place]) -> list[Chance | None]:
    """What chance makes of each row, the rows together; None of those that it has no part in."""
    noisy = [place for place in places if place.change]
    count = sum(1 + bool(place.since) for place in noisy)
    if not noisy:
        return [None] * len(places)
    judge = _Judge(values, noisy, count)
    return [judge.of(place) if place.change else None for place in places]


def noisy(values: Sheet, metrics: Sequence[str], rows: Sequence[GatedRow]) -> dict[str, Noisy]:
    """What a category has to exceed its anchor by, for the noisy ones of some metrics among the rows of an exam."""
    gated = [entry for entry in rows if entry.is_noisy]
    tail = values.level / max(1, len(gated) + sum(entry.anchor is not None for entry in gated))
    found = {}
    for metric in metrics:
        how = kind(values, metric)
        if how != "steady":
            spreads = {name: spread(values, metric, name) for name in values.by_category} if how == "measured" else None
            found[metric] = Noisy(tail=tail, spreads=spreads)
    return found


def spread(values: Sheet, metric: str, category: str | None) -> CaseSpread:
    """The larger of a category's and the whole metric's standard deviation within cases."""
    known, times = values.noise.measured[metric], values.noise.repeats - 1
    whole = CaseSpread(
        sd=known.sd, df=times * max(1, sum(each.n for each in known.categories.values())), kurtosis=known.kurtosis
    )
    own = known.categories.get(category) if category is not None else None
    return whole if own is None or own.sd <= known.sd else whole.but(sd=own.sd, df=times * own.n)


class _Judge:
    """All noisy rows of an exam, ``count`` of them with those that are held to an anchor."""

    def __init__(self, values: Sheet, noisy: Sequence[Place], count: int) -> None:
        # Imported late: numpy is nothing that a suite without noise should wait for.
        from evaluator.comparison import statistics  # noqa: PLC0415 - as above

        self._statistics = statistics
        self._values = values
        self._alpha = values.noise.alpha
        self._tail = values.level / count
        asked = len({each for place in noisy for each in place.asked if each is not None})
        tested = [place for place in noisy if kind(values, place.metric) == "tested"]
        falls = {
            _moved(place, found, -1) for place in tested for found in (place.change, place.since) if _has_moved(found)
        }
        rises = {_moved(place, place.change) for place in tested if _has_moved(place.change)}
        self._worse, self._better = self._adjusted(sorted(falls), asked), self._adjusted(sorted(rises), asked)

    def _adjusted(self, moves: Sequence[_Moved], count: int) -> dict[_Moved, float]:
        """Adjusted p-values: Holm's steps among what was tested, with the share of all else that may fail set aside."""
        found = [self._statistics.sign_flip(each) if math.fsum(each) > 0 else 1.0 for _, each in moves]
        share = max(1.0, count / max(1, len(moves))) * self._alpha / self._values.level
        return {each: min(1.0, share * p) for each, p in zip(moves, self._statistics.holm(found), strict=True)}

    def of(self, place: Place) -> Chance:
        """What chance makes of a row."""
        interval = self._statistics.interval(place.change)
        if kind(self._values, place.metric) == "measured":
            return self._measured(place)._replace(interval=interval)
        return self._tested(place)._replace(interval=interval)

    def _measured(self, place: Place) -> Chance:
        known = spread(self._values, place.metric, place.category)
        mean = _mean(place.change)
        fallen = _mean(place.since)
        band = self._statistics.band(known, len(place.change), self._tail)
        since = self._statistics.band(known, max(1, len(place.since)), self._tail * DRIFT_SHARE)
        needed = self._statistics.cases_for(-mean, known, self._tail) if mean < -EPSILON else None
        return Chance(
            -mean - band > EPSILON, mean - band > EPSILON, -fallen - since > EPSILON, band=band, needed=needed,
            is_blind=band - place.room > -EPSILON,
        )  # fmt: skip

    def _tested(self, place: Place) -> Chance:
        worse = self._worse.get(_moved(place, place.change, -1), 1.0)
        drifted = self._worse.get(_moved(place, place.since, -1), 1.0)
        better = self._better.get(_moved(place, place.change), 1.0)
        needed = self._statistics.cases_for_test([-each for each in place.change], self._tail)
        return Chance(
            worse <= self._alpha, better <= self._alpha, drifted <= self._alpha, p=min(worse, better), needed=needed,
        )  # fmt: skip


def _moved(place: Place, moves: Sequence[float], sign: int = 1) -> _Moved:
    return place.metric, tuple(sign * each for each in moves)


def _mean(found: Sequence[float]) -> float:
    return math.fsum(found) / len(found) if found else 0.0
