"""What failed, worst first, and the questions behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.model.comparison import CaseChange
from evaluator.report import causes, judge, numbers
from evaluator.report.inputs import Inputs, largest_cutoff, split_rule
from evaluator.report.numbers import NOTHING
from evaluator.report.parts import (
    BASELINE,
    CANDIDATE,
    DELTA,
    LOST,
    MORE_EXAMPLES,
    Example,
    Listing,
    LostChunk,
    Table,
    TableRow,
)
from evaluator.report.verdict import is_row_failure
from evaluator.templates import NO_CHANGE, Name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evaluator.model.decision import Decision, RuleOutcome

CRITICAL_METRICS = {
    "lost_needs": "needs in the context",
    "lost_facts": "facts in the context",
    "lost_answer_facts": "facts in the answer",
    "new_unsupported_claims": "unsupported claims",
    "wrong_abstention": "right to answer or abstain",
}
POOLED = "small categories"
ALL = "all cases"
LEAST_DEPTH = 20
"""Every pipeline is asked for at least so many results."""

_LIMITS = {
    "max_drop": "−{}",
    "max_rise": "+{}",
    "min": "at least {}",
    "min_win": "at least {}",
    "drift": "−{} since its anchor",
}


def place(scope: str, category: str | None) -> str:
    """Where a row is, in words."""
    if category is not None:
        return category
    return POOLED if scope == "small" else ALL


def table(inputs: Inputs) -> Table:
    """Every failed rule that is about a row or about critical cases, critical ones first, then the largest change."""
    same: dict[tuple[object, ...], list[RuleOutcome]] = {}
    for outcome in sorted(filter(is_row_failure, inputs.decision.rules), key=_severity):
        metric, kind = split_rule(outcome.rule)
        about = kind if metric == "critical" else metric
        same.setdefault((about, outcome.scope, outcome.category, outcome.before, outcome.after), []).append(outcome)
    rows = [TableRow(_cells(inputs, outcomes)) for outcomes in same.values()]
    return Table(("Metric", "Where", BASELINE, CANDIDATE, DELTA, "Allowed", LOST), Listing.of(rows))


def _severity(outcome: RuleOutcome) -> tuple[bool, float]:
    return not outcome.rule.startswith("critical "), -_size(outcome.before, outcome.after, outcome.limit)


def _size(before: float | None, after: float | None, beside: float | None = None) -> float:
    """How large a change is: as it stands within [0, 1], relative to the larger value elsewhere."""
    known = [value for value in (before, after, beside) if value is not None]
    start = before if before is not None else beside
    if start is None or after is None:
        return 1.0
    return abs(after - start) / max(1.0, *map(abs, known))


def _cells(inputs: Inputs, same: Sequence[RuleOutcome]) -> tuple[str, ...]:
    """One line for all the limits that the same values break."""
    outcome, limits = same[0], {split_rule(other.rule)[1]: other.limit for other in same}
    metric, kind = split_rule(outcome.rule)
    if metric == "critical":
        return _critical_cells(inputs.decision, outcome, kind)
    least = limits.pop("min", limits.pop("min_win", None))
    before, after = numbers.values(metric, outcome.before, outcome.after, beside=least)
    change = None if outcome.before is None or outcome.after is None else outcome.after - outcome.before
    return (
        inputs.named(outcome, metric), place(outcome.scope, outcome.category), before, after,
        numbers.change(metric, change, next(iter(limits.values()), None)),
        "; ".join(map(_limit, same)), _worse_cases(inputs, metric, outcome, _bad_direction(outcome)),
    )  # fmt: skip


def _limit(outcome: RuleOutcome) -> str:
    metric, kind = split_rule(outcome.rule)
    return NOTHING if outcome.limit is None else _LIMITS[kind].format(numbers.limit(metric, outcome.limit))


def _critical_cells(decision: Decision, outcome: RuleOutcome, kind: str) -> tuple[str, ...]:
    cases = [case for case in decision.cases if case.rule == outcome.rule]
    failed = sum(case.status == "failed" for case in cases)
    limit = NOTHING if outcome.limit is None else f"{outcome.limit:g} a case"
    return (
        CRITICAL_METRICS.get(kind, kind),
        "critical cases",
        NOTHING,
        NOTHING,
        NOTHING,
        limit,
        f"{failed} of {len(cases)}",
    )


def _worse_cases(inputs: Inputs, metric: str, outcome: RuleOutcome, worse: int) -> str:
    """How many cases of a row got worse against the baseline; drift looks further back."""
    if inputs.comparison.baseline is None or split_rule(outcome.rule)[1] in ("drift", "min_win"):
        return NOTHING
    return str(sum(1 for _ in changed(inputs, metric, outcome.scope, outcome.category, worse)))


def _bad_direction(outcome: RuleOutcome) -> int:
    """+1 where larger is worse, -1 where smaller is; a limited change that failed went the bad way."""
    _, kind = split_rule(outcome.rule)
    if kind in ("max_drop", "max_rise") and outcome.before is not None and outcome.after is not None:
        return 1 if outcome.after > outcome.before else -1
    return -1


def changed(inputs: Inputs, metric: str, scope: str, category: str | None, direction: int) -> Iterator[CaseChange]:
    """The cases of a row whose value of its metric went one way."""
    by_category = inputs.changes.get(metric, {})
    for name in by_category if scope == "all" else _categories(inputs, metric, category):
        for case in by_category.get(name, ()):
            if direction * ((case.after or 0.0) - (case.before or 0.0)) > NO_CHANGE:
                yield case


def _categories(inputs: Inputs, metric: str, category: str | None) -> Iterable[str]:
    """The one category of a row, or those that its pool is made of."""
    if category is not None:
        return [category]
    enough = inputs.head.config.get("gate", {}).get("min_cases", 0)
    rows = inputs.comparison.rows
    small = (row for row in rows if row.n < enough or row.status == "too few cases")
    return [row.category for row in small if row.metric == metric and row.category is not None]


def behind(inputs: Inputs) -> dict[str, list[CaseChange]]:
    """The cases behind everything that failed, with the changes that are to blame."""
    found: dict[str, dict[str, CaseChange]] = {}
    for change in _failed_changes(inputs):
        found.setdefault(change.id, {}).setdefault(change.metric, change)
    return {case: list(changes.values()) for case, changes in found.items()}


def examples(inputs: Inputs, changes: Mapping[str, Sequence[CaseChange]]) -> Listing[Example]:
    """Questions with what changed for them: failed critical cases first, other critical ones, the largest change."""
    first = {case.id for case in inputs.decision.cases if case.status == "failed"}
    rank = {
        case: (case not in first, not inputs.cases[case].critical, -_worst(found), case)
        for case, found in changes.items()
    }
    most = max(inputs.max_examples * MORE_EXAMPLES, len(first & changes.keys()))
    shown = sorted(changes, key=rank.__getitem__)[:most]
    return Listing(tuple(example(inputs, case, changes[case]) for case in shown), len(changes))


def _failed_changes(inputs: Inputs) -> Iterator[CaseChange]:
    for case in inputs.decision.cases:
        metric, kind = split_rule(case.rule)
        if metric == "critical" and case.status == "failed" and case.id in inputs.cases:
            plain = CaseChange(id=case.id, metric=kind, before=case.before, after=case.after)
            yield inputs.change_of.get((case.id, kind), plain)
    for outcome in sorted(filter(is_row_failure, inputs.decision.rules), key=_severity):
        metric, _ = split_rule(outcome.rule)
        yield from changed(inputs, metric, outcome.scope, outcome.category, _bad_direction(outcome))


def _worst(changes: Iterable[CaseChange]) -> float:
    return max(_size(change.before, change.after) for change in changes)


def example(inputs: Inputs, case: str, changes: Sequence[CaseChange]) -> Example:
    """A question with what changed for it."""
    failure = inputs.failed.get(case)
    return Example(
        id=Name(case),
        case=inputs.cases[case],
        changes=tuple(map(_in_words, changes)),
        lost=Listing.of(_lost_chunks(inputs, changes, inputs.cases[case].returned)),
        failure=f"{failure.kind}: {failure.message}" if failure else None,
        steps=Listing.of(inputs.agents.walks.get(case, ()) if inputs.agents is not None else ()),
        claims=judge.claims(inputs.claims.get(case, ()), changes),
        causes=tuple(causes.lines(inputs.causes, case, inputs.regressed.get(case))),
    )


def _in_words(change: CaseChange) -> str:
    before, after = (
        (f"{value:g}" if value is not None else NOTHING for value in (change.before, change.after))
        if change.metric in CRITICAL_METRICS
        else numbers.values(change.metric, change.before, change.after)
    )
    return f"{CRITICAL_METRICS.get(change.metric, change.metric)} {before} → {after}"


def _lost_chunks(inputs: Inputs, changes: Sequence[CaseChange], returned: int | None) -> list[LostChunk]:
    lost = {item.chunk: item for change in changes for item in change.lost}
    gone = _gone(returned, max(LEAST_DEPTH, largest_cutoff(inputs.head)))
    gone_first = sorted(lost.values(), key=lambda item: (item.rank_after is not None, item.rank_before, item.chunk))
    return [LostChunk(Name(item.chunk), str(item.rank_before), str(item.rank_after or gone)) for item in gone_first]


def _gone(returned: int | None, depth: int) -> str:
    """Where a chunk is that has no rank any more: below the ranking's end, which may be above the depth asked for."""
    if returned is None or returned >= depth:
        return f"not in the top {depth}"
    if returned == 0:
        return "nothing was returned"
    return "not the one result that was returned" if returned == 1 else f"not in the {returned} that were returned"
