"""What a report is made of. All text is as it was written by whoever wrote it: a format makes it harmless."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from evaluator.comparison.diagnosis import CAUSES
from evaluator.model.counting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from evaluator.report.inputs import CaseText
    from evaluator.templates import Name, Safe

T = TypeVar("T")

MORE_EXAMPLES = 5
"""So many times the questions of a comment are in the summary; no format shows more."""


class Listing(NamedTuple, Generic[T]):
    """The first items of a list, and how many there are in all."""

    items: tuple[T, ...] = ()
    total: int = 0

    @classmethod
    def of(cls, items: Sequence[T]) -> Listing[T]:
        """All of them."""
        return cls(tuple(items), len(items))

    def top(self, number: int) -> Listing[T]:
        """At most so many of them."""
        return self if len(self.items) <= number else self._replace(items=self.items[:number])

    @property
    def more(self) -> int:
        """How many are left out."""
        return self.total - len(self.items)


class TableRow(NamedTuple):
    """The cells of a row; a ``quiet`` row tells of no change and is the first to be left out."""

    cells: tuple[str, ...]
    quiet: bool = False


class Table(NamedTuple):
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
FAILING = "Failing"
NUMBERS: Collection[str] = (
    BASELINE, CANDIDATE, DELTA, CASES, LOST, MEAN, MEDIAN, P95, NEEDS, REACHED, FAILING, *CAUSES,
)  # fmt: skip


class LostChunk(NamedTuple):
    """A chunk that fell or went, in words: ``3``, ``not in the top 20``, ``not in the 7 that were returned``."""

    chunk: Name
    before: str
    after: str


class ClaimNote(NamedTuple):
    """A claim that became unsupported; ``chunk`` and ``quote`` supported it before, if it was there."""

    claim: str
    verdict: str
    reason: str
    chunk: Name | None = None
    quote: str | None = None


class CauseNote(NamedTuple):
    """A sentence about why a question fails, with what it names."""

    text: str
    names: Listing[Name] = Listing()


class Given(NamedTuple):
    """A chunk that the model got, or no longer gets; ``where`` says which, in words."""

    chunk: Name
    where: str
    text: str


class Full(NamedTuple):
    """A critical case in full.

    Attributes:
        findings: what became of it under each rule.
        said: what was expected, what was said before and what is said now: (which of it, the text).
        heading: how many chunks the model got, and how many of them came or went.
        given: those chunks.
    """

    findings: tuple[str, ...]
    said: tuple[tuple[str, str], ...]
    heading: str
    given: Listing[Given]


class Example(NamedTuple):
    """A question behind a change.

    ``changes`` reads ``recall@5 1.000 → 0.500``; ``steps`` has a note for each need, ``causes`` say why it
    fails and what it lost beside chunks and claims; ``full`` is for critical cases.
    """

    id: Name
    case: CaseText
    changes: tuple[str, ...]
    lost: Listing[LostChunk]
    failure: str | None
    steps: Listing[Note] = Listing()
    claims: Listing[ClaimNote] = Listing()
    causes: tuple[CauseNote, ...] = ()
    full: Full | None = None


class Note(NamedTuple):
    """A sentence, and what it is about if that has a name."""

    text: str
    about: Name | None = None


class Snippet(NamedTuple):
    """Lines to copy, and what for. They are harmless as they are, in a block of code."""

    purpose: str
    lines: Listing[Safe]


class Part(NamedTuple):
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


NOTHING_TO_SAY = Part("")


class Compared(NamedTuple):
    """What a run was compared with; ``counts`` says how many cases could be paired."""

    commit: Name | None
    age: str | None
    source: Name
    counts: str
    uncommitted: bool = False


class ReportView(NamedTuple):
    """A report, chosen, sorted and rounded; a format only lays it out.

    Attributes:
        icon, verdict: the outcome for a quick look, and in words.
        tool, suite, tier, commit, uncommitted, cases: what was measured, and with what.
        alerts: what a reader must know before reading numbers.
        reasons: why, where nothing else says it.
        loosened: what made the exam easier and was not accepted.
        failed: every rule that failed, critical ones first, then the largest change, and the questions behind it.
        in_question: critical cases about which a person has to decide.
        judged: what is to be known before judged rows are read.
        max_examples: questions shown at first.
        tables: all cases, then categories per gated metric.
        compared: with what, None where there was no baseline.
        details, left_out: what is folded away, and what did not fit.
        marker: by which a comment is found again; its last line.
        cost: what judging cost, in one line; empty without a judge.
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
    judged: Part = NOTHING_TO_SAY
    in_question: Part = NOTHING_TO_SAY
    cost: str = ""

    @property
    def above(self) -> tuple[Part, ...]:
        """What is not folded away, in order."""
        first = (self.loosened, self.reasons, self.failed, self.in_question, self.judged)
        return tuple(filter(None, (*first, *self.tables)))


class Reporter(NamedTuple):
    """A format, presented by its module as the constant REPORTER; without ``file_name`` it is printed."""

    name: str
    file_name: str | None
    render: Callable[[ReportView], str]
