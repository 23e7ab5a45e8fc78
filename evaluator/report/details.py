"""What is folded away: everything a reviewer may ask for and does not need for the decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.model.counting import counted
from evaluator.report import (
    abstention,
    causes,
    chunks,
    configuration,
    facts,
    groups,
    holdout,
    judge,
    regressions,
    steps,
    tables,
)
from evaluator.report.parts import Listing, Note, Part
from evaluator.templates import Name

MAX_PLACES = 3

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from evaluator.model.comparison import CaseChange
    from evaluator.report.inputs import Inputs


def folded(inputs: Inputs, behind: Collection[str]) -> tuple[Part, ...]:
    """Every folded part that has something in it; the cases ``behind`` what failed are shown above it."""
    parts = [
        chunks.to_label(inputs),
        *_questions(inputs, behind),
        causes.part(inputs.causes, inputs.head),
        _small(inputs),
        *abstention.parts(inputs),
        groups.part(inputs),
        steps.part(inputs.agents, behind),
        Part("Other metrics", table=tables.other_metrics(inputs)),
        Part("Time, cost and tokens of a question", table=tables.spreads(inputs)),
        *_case_lists(inputs),
        configuration.part(inputs),
        _failures(inputs),
        judge.disagreements(inputs.disagreed),
        Part("Warnings", notes=Listing.of([Note(warning) for warning in _warnings(inputs)])),
        facts.found(inputs),
        holdout.part(inputs),
        _not_evaluated(inputs),
        _accepted(inputs),
    ]
    return tuple(filter(None, parts))


def _warnings(inputs: Inputs) -> list[str]:
    return [*judge.warnings(inputs.head), *inputs.warnings]


def _questions(inputs: Inputs, behind: Collection[str]) -> Iterator[Part]:
    worse = {case: changes for case, changes in _moved(inputs, "worse").items() if case not in behind}
    better = _moved(inputs, "better")
    for title, moved in (("Worse without failing a rule", worse), ("Improved", better)):
        yield Part(f"{title}: {counted(len(moved), 'question')}", examples=regressions.examples(inputs, moved))


def _moved(inputs: Inputs, status: str) -> dict[str, list[CaseChange]]:
    """The changes for better or for worse in the metrics that rules name."""
    found: dict[str, list[CaseChange]] = {}
    for case in inputs.decision.cases:
        change = inputs.change_of.get((case.id, case.rule)) if case.status == status else None
        if change is not None:
            found.setdefault(case.id, []).append(change)
    return found


def _small(inputs: Inputs) -> Part:
    table = tables.small(inputs)
    rows = table.rows.total if table else 0
    needed = inputs.head.config.get("gate", {}).get("min_cases", 0)
    return Part(f"Categories with fewer than {needed} cases: {counted(rows, 'row')}", table=table)


def _case_lists(inputs: Inputs) -> Iterator[Part]:
    comparison = inputs.comparison
    lists = (
        ("New", comparison.new), ("Removed", comparison.removed), ("Changed", comparison.asked_otherwise),
        ("Changed for the judge (facts, reference or expect)", comparison.judged_changed),
    )  # fmt: skip
    for title, ids in lists:
        yield Part(f"{title}: {counted(len(ids), 'case')}", names=Listing.of([Name(case) for case in ids]))


def _failures(inputs: Inputs) -> Part:
    notes = [Note(f"{failed.kind}: {failed.message}", Name(failed.id)) for failed in inputs.failures]
    if inputs.held_out_failures:
        notes.append(Note(f"{counted(inputs.held_out_failures, 'held-out case')} failed too."))
    return Part(f"Pipeline failures: {counted(len(inputs.failures), 'case')}", notes=Listing.of(notes))


def _not_evaluated(inputs: Inputs) -> Part:
    """Rules that decided nothing; those that say the same of many rows are said once."""
    places: dict[tuple[str, str], list[str]] = {}
    for outcome in inputs.decision.rules:
        if outcome.outcome == "not_evaluated":
            where = "" if outcome.scope == "run" else regressions.place(outcome.scope, outcome.category)
            places.setdefault((outcome.rule, outcome.reason), []).append(where)
    notes = [Note(f"{_where(found)}{reason}", Name(rule)) for (rule, reason), found in places.items()]
    return Part("Rules not evaluated", notes=Listing.of(notes))


def _where(places: Sequence[str]) -> str:
    if len(places) > MAX_PLACES:
        return f"{counted(len(places), 'row')}: "
    return f"{', '.join(places)}: " if any(places) else ""


def _accepted(inputs: Inputs) -> Part:
    notes = [
        Note(f"{item.text}. Accepted: {item.accepted}", Name(item.case) if item.case is not None else None)
        for item in inputs.comparison.loosened
        if item.accepted is not None
    ]
    return Part("Accepted", notes=Listing.of(notes))
