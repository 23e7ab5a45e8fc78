"""From the values of several runs of one system to how much they vary by themselves (design section 13)."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from evaluator.comparison.sheet import EPSILON
from evaluator.model.noise import CategoryNoise, MetricNoise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Values: TypeAlias = "Mapping[str, Mapping[str, float | None]]"
"""One run: case -> metric -> value; None where it has none."""

FLAKY = 0.4
"""A case is flaky if two runs disagree about it so often: of five runs, one came out otherwise."""

DIGITS = 12
"""A standard deviation is written so exactly: machines differ in the last of more."""


class Flaky(NamedTuple):
    """A case that does not keep its value, the metric in which it does so most, and how often two runs disagree."""

    case: str
    metric: str
    rate: float


class _Spread(NamedTuple):
    """A sum of squares about the cases' own means, and its degrees of freedom."""

    squares: float
    df: int

    @property
    def sd(self) -> float:
        return round(math.sqrt(self.squares / self.df), DIGITS)


def spread(runs: Sequence[Values], categories: Mapping[str, str]) -> dict[str, MetricNoise]:
    """The pooled standard deviation within cases, by metric and category, over runs that should be equal.

    ``categories`` names that of every case that counts. A case without a value in some of the runs is known less well:
    its category's ``n`` counts as many cases as have this many degrees of freedom with a value in every run.
    """
    found: dict[str, dict[str, _Spread]] = {}
    for case, category in categories.items():
        for metric in runs[0].get(case, {}):
            values = _values(runs, case, metric)
            if len(values) > 1:
                known = found.setdefault(metric, {}).get(category, _Spread(0.0, 0))
                found[metric][category] = _Spread(known.squares + _squares(values), known.df + len(values) - 1)
    return {
        metric: _pooled(each, len(runs) - 1).but(kurtosis=_kurtosis(runs, list(categories), metric))
        for metric, each in found.items()
    }


def _kurtosis(runs: Sequence[Values], cases: Sequence[str], metric: str) -> float:
    """The excess kurtosis of the differences between any two runs, all cases together; never below 0."""
    pairs = [pair for case in cases for pair in itertools.combinations(_values(runs, case, metric), 2)]
    squares = [(one - other) ** 2 for one, other in pairs]
    mean = math.fsum(squares) / len(squares)
    if mean <= EPSILON**2:
        return 0.0
    return round(max(0.0, math.fsum(each**2 for each in squares) / len(squares) / mean**2 - 3), DIGITS)


def _pooled(found: Mapping[str, _Spread], each: int) -> MetricNoise:
    whole = _Spread(math.fsum(one.squares for one in found.values()), sum(one.df for one in found.values()))
    return MetricNoise(
        sd=whole.sd,
        categories={name: CategoryNoise(sd=one.sd, n=max(1, one.df // each)) for name, one in sorted(found.items())},
    )


def _values(runs: Sequence[Values], case: str, metric: str) -> list[float]:
    return [value for run in runs if (value := run.get(case, {}).get(metric)) is not None]


def _squares(values: Sequence[float]) -> float:
    if max(values) - min(values) <= EPSILON:
        return 0.0
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values)


def split(whole: Mapping[str, MetricNoise], judged: Mapping[str, MetricNoise] | None) -> dict[str, MetricNoise]:
    """The same with the part of the judge, who judged the same answers again, and that of the pipeline.

    ``judged`` is None where there is no judge; what it has no metric of varies by the pipeline alone.
    """
    known = judged or {}
    return {metric: _split(each, known[metric].sd if metric in known else 0.0) for metric, each in whole.items()}


def _split(whole: MetricNoise, judge: float) -> MetricNoise:
    pipeline = round(math.sqrt(max(0.0, whole.sd**2 - judge**2)), DIGITS)
    return whole.but(judge=min(judge, whole.sd), pipeline=pipeline)


def flips(runs: Sequence[Values], cases: Sequence[str]) -> dict[str, dict[str, float]]:
    """How often two of the runs disagree about a case, by case and metric; nothing of what they agree about."""
    found = {case: dict(_flips(runs, case)) for case in cases}
    return {case: rates for case, rates in found.items() if rates}


def _flips(runs: Sequence[Values], case: str) -> Iterator[tuple[str, float]]:
    for metric in runs[0].get(case, {}):
        # A value that is there in one run and not in another is a disagreement, too.
        values = [run.get(case, {}).get(metric) for run in runs]
        alike = Counter(None if value is None else round(value / EPSILON) for value in values)
        pairs = math.comb(len(values), 2)
        disagreeing = pairs - sum(math.comb(count, 2) for count in alike.values())
        if disagreeing:
            yield metric, disagreeing / pairs


def flaky(cases: Mapping[str, Mapping[str, float]]) -> list[Flaky]:
    """The cases that two runs often disagree about, most often first."""
    worst = [Flaky(case, *max(rates.items(), key=lambda each: each[1])) for case, rates in cases.items() if rates]
    return sorted((each for each in worst if each.rate >= FLAKY), key=lambda each: (-each.rate, each.case))
