"""Collects what people look at when they decide about a change: critical cases with all that the model got and said."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evaluator.comparison.judged import is_open
from evaluator.comparison.rows import UNLABELLED
from evaluator.metrics.abstention import did_abstain
from evaluator.model.exhibits import (
    MAX_BEGINNING,
    MAX_CASES,
    MAX_TEXT,
    MAX_UNLABELLED,
    CriticalCase,
    Exhibits,
    Finding,
    Passage,
    Reply,
    Unlabelled,
)
from evaluator.model.score import MetricId
from evaluator.stages.behaviour import Behaviours
from evaluator.templates import cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evaluator.model.comparison import CriticalOutcome, Exam, Row
    from evaluator.model.exhibits import InQuestion
    from evaluator.model.run import RunCase
    from evaluator.model.view import CaseView
    from evaluator.stages.measuring import Measured, Ruler

ORDER = ("failed", "advisory", "open", "older")


@dataclass
class Collected:
    """What was kept so far, of cases that are not held out."""

    critical: dict[str, CriticalCase] = field(default_factory=dict)
    unlabelled: dict[tuple[str, int | None], list[Unlabelled]] = field(default_factory=dict)
    behaviours: Behaviours = field(default_factory=Behaviours)

    def compare(self, ruler: Ruler, case: RunCase, before: Measured, after: Measured) -> None:
        """Keep what has to be labelled of a paired case, in case its row has to be decided."""
        for k, judged in ruler.labelled:
            then, now = before.values[judged], after.values[judged]
            kept = self.unlabelled.setdefault((case.category, k), [])
            if then is not None and now is not None and now < then and len(kept) < MAX_UNLABELLED:
                kept.extend(_unlabelled(case.id, before.view, after.view, k))

    def look_at(self, case: str, before: Measured | None, after: Measured, found: Sequence[CriticalOutcome]) -> None:
        """Keep a critical case if something was lost in it, or may have been."""
        if case in self.critical or len(self.critical) >= MAX_CASES:
            return
        if any(outcome.lost or outcome.unconfirmed or outcome.missing for outcome in found):
            self.critical[case] = _in_full(case, before.view if before is not None else None, after.view)

    def exhibits(self, new: Exam, old: Exam | None) -> Exhibits:
        """What is shown, given both exams."""
        findings = _findings(new, old)
        kept = [
            self.critical[case].but(findings=tuple(found)) for case, found in findings.items() if case in self.critical
        ]
        kept.sort(key=lambda case: min(ORDER.index(finding.verdict) for finding in case.findings))
        return Exhibits(
            critical=tuple(kept), unlabelled=tuple(self._to_label(new)), behaviour=tuple(self.behaviours.cells())
        )

    def _to_label(self, exam: Exam) -> Iterable[Unlabelled]:
        """The results that leave rows undecided."""
        found: dict[tuple[str, str], Unlabelled] = {}
        for row in (entry.row for entry in exam.rows if entry.row.reason.startswith(UNLABELLED)):
            for (category, k), kept in self.unlabelled.items():
                if k == MetricId.parse(row.metric).k and _is_of(row, category, exam):
                    found.update(((each.id, each.chunk), each) for each in kept)
        return found.values()


def _is_of(row: Row, category: str, exam: Exam) -> bool:
    if row.scope != "small":
        return row.category in (None, category)
    rows = [entry.row for entry in exam.rows if entry.row.metric == row.metric and entry.row.category == category]
    return any(each.n < exam.gate.min_cases for each in rows)


def _unlabelled(case: str, before: CaseView, after: CaseView, k: int | None) -> Iterator[Unlabelled]:
    known = {chunk for need in after.needs for way in need.ways for chunk in way}.union(after.labels.irrelevant)
    known.update(before.ranking[:k])
    for rank, (chunk, passage) in enumerate(after.described(after.ranking[:k]), 1):
        if chunk not in known:
            known.add(chunk)
            text = None if passage.text is None else cut(passage.text, MAX_BEGINNING)
            yield Unlabelled(id=case, chunk=chunk, rank=rank, text=text)


def _findings(new: Exam, old: Exam | None) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    said = set()
    for finding, case in _of_exam(new):
        said.add((case, finding.rule))
        found.setdefault(case, []).append(finding)
    for finding, case in _of_exam(old) if old is not None else ():
        if (case, finding.rule) not in said:
            found.setdefault(case, []).append(finding.but(verdict="older"))
    return found


def _of_exam(exam: Exam) -> Iterator[tuple[Finding, str]]:
    for outcome in exam.critical:
        limit = getattr(exam.gate.critical, outcome.rule)
        over = limit is not None and outcome.lost is not None and outcome.lost > limit
        if over or is_open(exam, outcome):
            verdict: InQuestion = "open" if not over else "failed" if outcome.unenforced is None else "advisory"
            doubt = "" if outcome.unenforced is None else f" (the judge is not enforced: {outcome.unenforced})"
            yield Finding(rule=outcome.rule, verdict=verdict, reason=f"{outcome.reason}{doubt}"), outcome.id


def _in_full(case: str, before: CaseView | None, after: CaseView) -> CriticalCase:
    labels = after.labels
    return CriticalCase(
        id=case, expect=labels.expect, findings=(),
        reference=None if labels.reference is None else cut(labels.reference, MAX_TEXT),
        before=_reply(before) if before is not None else None, after=_reply(after),
        context=tuple(_passages(before, after)),
    )  # fmt: skip


def _reply(view: CaseView) -> Reply:
    abstained = did_abstain(view)
    return Reply(
        answer=None if view.answer is None else cut(view.answer, MAX_TEXT),
        abstained=abstained if isinstance(abstained, bool) else None, failed=view.failed,
    )  # fmt: skip


def _passages(before: CaseView | None, after: CaseView) -> Iterator[Passage]:
    then, now = (_places(view) if view is not None else {} for view in (before, after))
    for chunk, text in {**now, **then}:
        key = chunk, text
        shown = None if text is None else cut(text, MAX_TEXT)
        yield Passage(chunk=chunk, text=shown, before=then.get(key), after=now.get(key))


def _places(view: CaseView) -> Mapping[tuple[str, str | None], int]:
    """Where each chunk first stands in the context, by id and text."""
    found: dict[tuple[str, str | None], int] = {}
    for place, (chunk, passage) in enumerate(view.described(view.context), 1):
        found.setdefault((chunk, passage.text), place)
    return found
