"""What a report is made of. All text is as it was written by whoever wrote it: a format makes it harmless."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from evaluator.model.counting import counted
from evaluator.model.decision import RuleOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from evaluator.model.comparison import CaseChange, Comparison, Row, SpreadRow
    from evaluator.model.decision import Decision
    from evaluator.model.run import How, RunHead
    from evaluator.report.steps import Agents
    from evaluator.templates import Name, Safe

T = TypeVar("T")

MORE_EXAMPLES = 5
"""So many times the questions of a comment are in the summary; no format shows more."""


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
    """What is shown of a case that is not held out."""

    question: str
    category: str
    critical: bool


class Inferred(NamedTuple):
    """A required fact that was found in other words than the golden set's."""

    case: str
    fact: str
    chunks: tuple[str, ...]
    rank: int | None
    how: How


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Listing(Generic[T]):
    """The first items of a list, and how many there are in all."""

    items: tuple[T, ...] = ()
    total: int = 0

    @classmethod
    def of(cls, items: Sequence[T]) -> Listing[T]:
        """All of them."""
        return cls(tuple(items), len(items))

    def top(self, number: int) -> Listing[T]:
        """At most so many of them."""
        return self if len(self.items) <= number else dataclasses.replace(self, items=self.items[:number])

    @property
    def more(self) -> int:
        """How many are left out."""
        return self.total - len(self.items)


class TableRow(NamedTuple):
    """The cells of a row; a ``quiet`` row tells of no change and is the first to be left out."""

    cells: tuple[str, ...]
    quiet: bool = False


@dataclass(frozen=True)
class Table:
    """A table; a column whose heading is in ``numbers`` is set to the right."""

    head: tuple[str, ...]
    rows: Listing[TableRow]

    @property
    def right(self) -> tuple[bool, ...]:
        """Which columns hold numbers."""
        return tuple(heading in NUMBERS for heading in self.head)


BASELINE, CANDIDATE, DELTA, CASES, LOST, MEAN = "Baseline", "This change", "Δ", "Cases", "Got worse", "Mean"
MEDIAN, P95 = "p50", "p95"
NEEDS, REACHED = "Needs", "In what the model got"
NUMBERS: Collection[str] = (BASELINE, CANDIDATE, DELTA, CASES, LOST, MEAN, MEDIAN, P95, NEEDS, REACHED)


class LostChunk(NamedTuple):
    """A chunk that fell or went, in words: ``3``, ``not in the top 20``."""

    chunk: Name
    before: str
    after: str


@dataclass(frozen=True)
class Example:
    """A question behind a change. ``changes`` reads ``recall@5 1.000 → 0.500``; ``steps`` has a note for each need."""

    id: Name
    case: CaseText
    changes: tuple[str, ...]
    lost: Listing[LostChunk]
    failure: str | None
    steps: Listing[Note] = Listing()


class Note(NamedTuple):
    """A sentence, and what it is about if that has a name."""

    text: str
    about: Name | None = None


class Snippet(NamedTuple):
    """Lines to copy, and what for. They are harmless as they are, in a block of code."""

    purpose: str
    lines: Listing[Safe]


@dataclass(frozen=True)
class Part:
    """A part of a report: whatever of these it has, in this order."""

    title: str
    notes: Listing[Note] = Listing()
    snippet: Snippet | None = None
    table: Table | None = None
    examples: Listing[Example] = Listing()
    names: Listing[Name] = Listing()

    def __bool__(self) -> bool:
        rows = self.table.rows.total if self.table else 0
        return bool(self.notes.total or rows or self.examples.total or self.names.total)

    @property
    def more(self) -> str:
        """What of it is left out, in words; empty where nothing is."""
        rows = self.table.rows.more if self.table else 0
        missing = {
            "entry": self.notes.more, "row": rows, "question": self.examples.more, "case": self.names.more
        }  # fmt: skip
        return ", ".join(counted(number, noun) for noun, number in missing.items() if number)


class Compared(NamedTuple):
    """What a run was compared with; ``counts`` says how many cases could be paired."""

    commit: Name | None
    age: str | None
    source: Name
    counts: str
    uncommitted: bool = False


@dataclass(frozen=True)
class ReportView:
    """A report, chosen, sorted and rounded; a format only lays it out.

    Attributes:
        icon, verdict: the outcome for a quick look, and in words.
        tool, suite, tier, commit, uncommitted, cases: what was measured, and with what.
        alerts: what a reader must know before reading numbers.
        reasons: why, where nothing else says it.
        loosened: what made the exam easier and was not accepted.
        failed: every rule that failed, critical ones first, then the largest change, and the questions behind it.
        max_examples: questions shown at first.
        tables: all cases, then categories per gated metric.
        compared: with what, None where there was no baseline.
        details, left_out: what is folded away, and what did not fit.
        marker: by which a comment is found again; its last line.
    """

    icon: str
    verdict: str
    tool: str
    suite: Name
    tier: str
    commit: Name | None
    cases: str
    alerts: tuple[str, ...]
    reasons: Part
    loosened: Part
    failed: Part
    max_examples: int
    tables: tuple[Part, ...]
    compared: Compared | None
    details: tuple[Part, ...]
    marker: Safe
    uncommitted: bool = False
    left_out: str = ""

    @property
    def above(self) -> tuple[Part, ...]:
        """What is not folded away, in order."""
        return tuple(part for part in (self.loosened, self.reasons, self.failed, *self.tables) if part)


@dataclass(frozen=True)
class Reporter:
    """A format, presented by its module as the constant REPORTER; without ``file_name`` it is printed."""

    name: str
    file_name: str | None
    render: Callable[[ReportView], str]
