"""Builds the one view that every format lays out: all choosing, sorting and rounding happens here and below."""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING

from evaluator.model.counting import counted
from evaluator.model.record import UNASKED
from evaluator.model.slugs import slug
from evaluator.report import (
    acceptance,
    causes,
    chunks,
    configuration,
    critical,
    details,
    judge,
    regressions,
    tables,
    verdict,
)
from evaluator.report.parts import Compared, Listing, Note, Part, ReportView
from evaluator.templates import Name, Safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evaluator.model.comparison import CaseChange, Loosened
    from evaluator.report.inputs import Inputs

SHORT_COMMIT = 12
HOUR = datetime.timedelta(hours=1)


def build_view(inputs: Inputs) -> ReportView:
    """The whole report of a run."""
    behind, in_question = regressions.behind(inputs), critical.in_question(inputs)
    head, words = inputs.head, verdict.sentence(inputs)
    return ReportView(
        icon=verdict.ICONS[inputs.decision.outcome],
        verdict=words,
        tool=head.tool,
        suite=Name(head.suite),
        tier=head.tier,
        commit=_commit(head.commit),
        cases=_cases(inputs),
        alerts=_alerts(inputs),
        reasons=Part("", notes=Listing.of([Note(text) for text in verdict.reasons(inputs) if text not in words])),
        loosened=Part(
            "What made the exam easier", notes=Listing.of(_loosened(inputs)), snippet=acceptance.snippet(inputs)
        ),
        failed=_failed(inputs, behind),
        in_question=critical.part(inputs, in_question),
        max_examples=inputs.max_examples,
        tables=tuple(filter(None, (chunks.other_chunking(inputs), *tables.visible(inputs)))),
        compared=_compared(inputs),
        details=details.folded(inputs, {**behind, **in_question}),
        marker=marker(head.suite),
        uncommitted=head.timing.get("uncommitted") is True,
        judged=judge.part(inputs.doubts, inputs.unjudged),
        cost=judge.cost(head),
    )


def _failed(inputs: Inputs, behind: Mapping[str, Sequence[CaseChange]]) -> Part:
    """Every rule that failed, above it which half broke, and the questions behind it."""
    rows = [outcome for outcome in inputs.decision.rules if verdict.is_row_failure(outcome)]
    places = [
        outcome.category
        for outcome in rows
        if outcome.scope in ("all", "category") and outcome.rule.partition(" ")[0].partition("@")[0] in causes.SEARCHES
    ]
    notes = [*causes.halves(inputs.causes, behind), *causes.advice(inputs.head, inputs.causes, places)] if rows else []
    return Part(
        "What failed", notes=Listing.of(notes), table=regressions.table(inputs),
        examples=critical.in_full(inputs, regressions.examples(inputs, behind)),
    )  # fmt: skip


def marker(suite: str) -> Safe:
    """The line by which the comment of a suite is found again: unlike for suites of unlike names."""
    return Safe(f"<!-- rag-assay suite={slug(suite)} -->")


def _commit(commit: str | None) -> Name | None:
    if commit is None:
        return None
    return Name(commit[:SHORT_COMMIT] if re.fullmatch("[0-9a-f]{40,64}", commit) else commit)


def _cases(inputs: Inputs) -> str:
    held_out = f", {inputs.held_out:,} of them held out" if inputs.held_out else ""
    return f"{counted(inputs.total, 'case')}{held_out}"


def _loosened(inputs: Inputs) -> list[Note]:
    items = [item for item in inputs.comparison.loosened if item.accepted is None]
    return [Note(_with_place(item), Name(item.case) if item.case is not None else None) for item in items]


def _with_place(item: Loosened) -> str:
    return item.text if item.where is None else f"{item.text} ({item.where})"


def _alerts(inputs: Inputs) -> tuple[str, ...]:
    found = [*_of_strangers(inputs), *inputs.alerts, *configuration.alerts(inputs)]
    failures = sum(failed.kind != UNASKED for failed in inputs.failures)
    if failures:
        cases = counted(inputs.total - inputs.held_out, "case")
        found.append(f"The pipeline failed for {failures:,} of {cases}; each counts as the worst value.")
    return tuple(found)


def _of_strangers(inputs: Inputs) -> Iterable[str]:
    if inputs.head.self_reported is None:
        return ()
    from evaluator.report import self_reported  # noqa: PLC0415 - only strangers' runs pay for it

    return self_reported.sayings(inputs.head.self_reported)


def _compared(inputs: Inputs) -> Compared | None:
    comparison = inputs.comparison
    if comparison.baseline is None:
        return None
    counts = [(len(comparison.new), "new"), (len(comparison.removed), "removed")]
    counts += [(len(comparison.asked_otherwise), "changed")]
    counts += [(len(comparison.judged_changed), "changed for the judge")] if comparison.judged_changed else []
    others = "".join(f", {number:,} {word}" for number, word in counts)
    return Compared(
        commit=_commit(comparison.baseline.commit),
        age=age(comparison.baseline.created_at, inputs.head.timing.get("started_at")),
        source=Name(comparison.baseline.source),
        counts=f"{counted(comparison.paired, 'case')} paired{others}",
        uncommitted=inputs.baseline_uncommitted,
    )


def age(then: object, now: object) -> str | None:
    """``3 days old``; None where either time is missing or unreadable, or they are in the wrong order."""
    try:
        start, end = (datetime.datetime.fromisoformat(time) for time in (then, now) if isinstance(time, str))
        passed = end - start
    except (ValueError, TypeError):
        return None
    if passed < datetime.timedelta():
        return None
    if passed < HOUR:
        return "less than an hour old"
    return f"{counted(passed.days, 'day')} old" if passed.days > 1 else f"{counted(passed // HOUR, 'hour')} old"
