"""What a report is made from: the files of a run as values, and what is looked up in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from evaluator.model.decision import RuleOutcome
from evaluator.model.exhibits import Exhibits
from evaluator.report.causes import Causes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluator.model.comparison import CaseChange, Comparison, Row
    from evaluator.model.decision import Decision
    from evaluator.model.exam import Regressed, SpreadRow, Unsupported
    from evaluator.model.run import How, RunHead
    from evaluator.report.judge import Disagreed, Unjudged
    from evaluator.report.steps import Agents

Key = tuple[str, str, str | None]
"""Metric, scope and category: what identifies a row."""


Read = tuple[str, str, str | None, float | None, float | None]
"""Metric, scope and category, and what both runs came to: a mean, or a percentile."""


def split_rule(rule: str) -> tuple[str, str]:
    """``recall@5 max_drop`` as metric and kind of limit; the metric of a critical rule reads ``critical``."""
    metric, _, kind = rule.rpartition(" ")
    return metric, kind


def largest_cutoff(head: RunHead) -> int:
    """How deep the metrics of a run read its rankings; 0 where none has a cut-off."""
    cutoffs = (metric.rpartition("@")[2] for metric in head.summary.all if "@" in metric)
    return max(map(int, cutoffs), default=0)


class Failed(NamedTuple):
    """A case the pipeline did not answer."""

    id: str
    kind: str
    message: str


class CaseText(NamedTuple):
    """What is shown of a case that is not held out; ``returned`` is how many results it got, None if not known."""

    question: str
    category: str
    critical: bool
    returned: int | None = None


class Inferred(NamedTuple):
    """A required fact that was found in other words than the golden set's."""

    case: str
    fact: str
    chunks: tuple[str, ...]
    rank: int | None
    how: How


@dataclass(frozen=True, eq=False, repr=False)
class Inputs:
    """Everything a report is made from.

    Attributes:
        head: the run.
        comparison: what changed.
        decision: the verdict.
        cases: the cases that ``comparison`` and ``decision`` mention, held-out ones left out.
        total: cases of the run, held-out ones included.
        held_out: how many of them are held out.
        failures: the cases that failed and are not held out.
        held_out_failures: how many held-out cases failed.
        facts: how many required facts were found in which way, None standing for those that were not found.
        inferred: those that were found by stems or characters.
        alerts: what a reader must know before reading numbers.
        warnings: sentences about the run.
        spreads: how amounts without bounds are spread.
        percentiles: the percentile (``p95``) that a row gives instead of a mean.
        baseline_uncommitted: whether the baseline is of a commit with uncommitted changes.
        max_examples: questions shown behind the regressions.
        agents: what pipelines that go in steps found and lost; None where none does.
        claims: by case, the claims that became unsupported.
        doubts: what is to be known before judged rows are read.
        unjudged: answers of which the judge did not say all that it was asked.
        causes: why cases fail.
        regressed: by case, what those lost of which some metric fell.
        disagreed: cases of which pipeline and judge say different things about who abstained.
        exhibits: what compare kept of both runs to be looked at.
    """

    head: RunHead
    comparison: Comparison
    decision: Decision
    cases: Mapping[str, CaseText]
    total: int
    held_out: int = 0
    failures: Sequence[Failed] = ()
    held_out_failures: int = 0
    facts: Mapping[How | None, int] = field(default_factory=dict)
    inferred: Sequence[Inferred] = ()
    alerts: tuple[str, ...] = ()
    warnings: Sequence[str] = ()
    spreads: Sequence[SpreadRow] = ()
    percentiles: Mapping[Read, str] = field(default_factory=dict)
    baseline_uncommitted: bool = False
    max_examples: int = 10
    agents: Agents | None = None
    claims: Mapping[str, Sequence[Unsupported]] = field(default_factory=dict)
    doubts: Sequence[str] = ()
    disagreed: Sequence[Disagreed] = ()
    unjudged: Unjudged | None = None
    causes: Causes = field(default_factory=Causes)
    regressed: Mapping[str, Regressed] = field(default_factory=dict)
    exhibits: Exhibits = field(default_factory=Exhibits)

    def named(self, row: Row | RuleOutcome, metric: str) -> str:
        """A metric, with the percentile that is read of it."""
        before, after = (row.before, row.after) if isinstance(row, RuleOutcome) else (row.baseline, row.candidate)
        at = self.percentiles.get((metric, row.scope, row.category, before, after))
        return f"{metric} {at}" if at else metric

    @cached_property
    def change_of(self) -> Mapping[tuple[str, str], CaseChange]:
        """Changes by case and metric, held-out cases left out."""
        return {(change.id, change.metric): change for change in self.comparison.cases if change.id in self.cases}

    @cached_property
    def changes(self) -> Mapping[str, Mapping[str, Sequence[CaseChange]]]:
        """Changes by metric and category where both values are known."""
        found: dict[str, dict[str, list[CaseChange]]] = {}
        for change in self.change_of.values():
            if change.before is not None and change.after is not None:
                category = self.cases[change.id].category
                found.setdefault(change.metric, {}).setdefault(category, []).append(change)
        return found

    @cached_property
    def failed(self) -> Mapping[str, Failed]:
        """The failures by case."""
        return {failure.id: failure for failure in self.failures}

    @cached_property
    def outcomes(self) -> Mapping[Key, Mapping[str, RuleOutcome]]:
        """What every rule came to in a row, by the kind of limit (``max_drop``)."""
        found: dict[Key, dict[str, RuleOutcome]] = {}
        for outcome in self.decision.rules:
            metric, kind = split_rule(outcome.rule)
            found.setdefault((metric, outcome.scope, outcome.category), {})[kind] = outcome
        return found
