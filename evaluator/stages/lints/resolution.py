"""How small a drop a golden set can show, and its rules can see: per category and over all.

A mean over n cases moves by 1/n when one question is lost. A rule with ``max_drop`` and ``min_lost`` sees the first
number of lost questions that is at least ``min_lost`` and whose share is above ``max_drop``. Where answers vary by
themselves, c cases that got worse while none got better are more than chance only where 2^-c is at most alpha divided
by the number of such rows (the sign test). Rows that a judge decides are read as in tier full.
"""

from __future__ import annotations

import collections
import math
from typing import TYPE_CHECKING, NamedTuple

from evaluator import config as configuration
from evaluator import metrics
from evaluator.comparison import rules
from evaluator.comparison.sheet import EPSILON
from evaluator.model.counting import counted
from evaluator.model.score import MetricId
from evaluator.stages.lint import Doubt
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evaluator.model.config import Config, Rule
    from evaluator.model.golden import Case
    from evaluator.model.score import Metric

DECIMALS = 3


class _Row(NamedTuple):
    """One metric in one category or over all. ``parts`` is the most that one case of it is made of (needs or facts).

    ``alike`` are other metrics of which the same can be said.
    """

    metric: str
    size: int
    parts: int
    rule: Rule | None
    pooled: bool
    alike: tuple[str, ...] = ()


def resolved(cases: Sequence[Case], config: Config) -> Iterator[Doubt]:
    """A line for the whole set and for each category, held-out cases left out: no rule reads them.

    A category of fewer cases than a row of its own needs has none: what there is to say of it is said of thin ones.
    """
    shown = [case for case in cases if case.split == "dev"]
    if not shown:
        return
    by_category: dict[str, list[Case]] = collections.defaultdict(list)
    for case in shown:
        by_category[case.category].append(case)
    ruler = _Ruler(config, categories=len(by_category))
    yield Doubt(
        "resolution", f"over all {counted(len(shown), 'case')}: {ruler.sentence(shown, 'all')}", severity="info"
    )
    for category, members in by_category.items():
        if len(members) < config.gate.min_cases:
            continue
        text = f"category '{visible(category)}', {counted(len(members), 'case')}: {ruler.sentence(members, 'category')}"
        yield Doubt("resolution", text, members[0].id, severity="info")


class _Ruler:
    """The metrics of a configuration whose mean falls when a question is lost, with the rules on them."""

    def __init__(self, config: Config, *, categories: int) -> None:
        self._declared = metrics.load()
        self._min_cases = config.gate.min_cases
        tier: configuration.Tier = "retrieval" if config.judge is None else "full"
        ids = configuration.resolve_metrics(config, self._declared, tier=tier)
        named = [str(metric) for metric in ids if _falls(self._declared[metric.name])]
        written = configuration.effective_rules(config, ids, answers_exist=True)
        expanded = [each.rule for each in rules.expand(written)]
        self._rules = [rule for rule in expanded if rule.max_drop is not None and rule.metric in named]
        self._first = named[:1]
        self._live = config.pipeline.kind in ("python", "command", "http") or config.pipeline.generator is not None
        noisy = sum(categories if rule.per == "category" else 1 for rule in self._rules if self._varies(rule.metric))
        self._beyond_chance = math.ceil(math.log2(max(1, noisy) / config.gate.alpha))

    def sentence(self, cases: Sequence[Case], scope: str) -> str:
        """What of these cases can be seen."""
        rows = [row for row in self._together(self._rows(cases, scope)) if row.size]
        return ". ".join(map(self._row, rows)) if rows else "no metric with a rule about drops applies to them"

    def _together(self, rows: Iterable[_Row]) -> Iterator[_Row]:
        """Judged metrics as one row where the same is to be said of them: by default there are four with one rule."""
        found: dict[object, list[_Row]] = {}
        for row in rows:
            said = row.rule and row.rule.but(metric="any")
            key = (row.size, row.parts, row.pooled, said) if self._is_judged(row.metric) else row.metric
            found.setdefault(key, []).append(row)
        for first, *others in found.values():
            yield first._replace(alike=tuple(row.metric for row in others))

    def _rows(self, cases: Sequence[Case], scope: str) -> Iterator[_Row]:
        limits = {rule.metric: rule for rule in self._rules if rule.per == scope}
        for metric in limits or self._first:
            sizes = [size for case in cases if (size := _parts(self._declared[_name(metric)], case))]
            pooled = scope == "category" and len(sizes) < self._min_cases
            yield _Row(metric, len(sizes), max(sizes, default=1), limits.get(metric), pooled)

    def _row(self, row: _Row) -> str:
        names = f"each of {', '.join((row.metric, *row.alike))}" if row.alike else row.metric
        step = f"{names} moves by {_number(1 / row.size)} with one lost question"
        if row.parts > 1:
            thing = "fact" if self._declared[_name(row.metric)].counts == "facts" else "need"
            step += f", by {_number(1 / row.size / row.parts)} with one {thing} of {row.parts}"
        return f"{step}; {self._seen(row)}"

    def _seen(self, row: _Row) -> str:
        if row.rule is None:
            return "no rule limits its drop"
        if row.pooled:
            return f"it is gated with other small categories only, as fewer than {self._min_cases} cases say little"
        lost = smallest_loss(row.size, row.rule.max_drop or 0.0, row.rule.min_lost or 1)
        if lost is None:
            return "the rule on it can never fail"
        seen = f"the rule fails from {counted(lost, 'lost question')} on ({_number(lost / row.size)})"
        if not self._varies(row.metric):
            return seen
        who = "what a judge says varies by itself" if self._is_judged(row.metric) else "answers vary by themselves"
        return f"{seen}; {who}, and fewer than {self._beyond_chance} worse cases can be chance"

    def _varies(self, metric: str) -> bool:
        return self._is_judged(metric) or (self._live and self._declared[_name(metric)].reads == "answer")

    def _is_judged(self, metric: str) -> bool:
        return self._declared[_name(metric)].reads == "judge"


def smallest_loss(count: int, max_drop: float, min_lost: int) -> int | None:
    """How many of ``count`` questions must be lost for a rule to fail; None where losing all is not enough."""
    enough = (lost for lost in range(min_lost, count + 1) if lost / count > max_drop + EPSILON)
    return next(enough, None)


def _falls(metric: Metric) -> bool:
    return metric.bounded and metric.higher_is_better and not metric.compares


def _name(metric: str) -> str:
    return MetricId.parse(metric).name


def _parts(metric: Metric, case: Case) -> int:
    """Of how many parts a case's value is made; 0 where the metric does not apply to it."""
    if metric.reads == "answer":
        return 1
    if metric.reads == "judge":
        has_labels = not metric.labels or any(getattr(case.labels, label) for label in metric.labels)
        return int(case.expect == "answer" and has_labels)
    if metric.counts == "facts":
        return len(case.labels.facts)
    needs = len(case.labels.relevant)
    return needs if metric.name == "recall" else min(needs, 1)


def _number(value: float) -> str:
    return f"{value:.{max(DECIMALS, 1 - math.floor(math.log10(value)))}f}"
