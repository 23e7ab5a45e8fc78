"""The outcome in words, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.model.counting import counted
from evaluator.model.decision import SELF_REPORTED
from evaluator.report.inputs import Inputs, split_rule
from evaluator.templates import cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evaluator.model.decision import Decision, Reason, RuleOutcome

ICONS = {"passed": "✅", "failed": "❌", "inconclusive": "⚪"}
MAX_PARTS = 3
MAX_NAME = 60
MAX_REASON = 160

SAID_ELSEWHERE = ("no-baseline", "loosened", "passed", SELF_REPORTED, "unjudged")
"""Codes of reasons that the verdict itself or a list of its own says."""

OF_ROWS = ("not-comparable", "removed", "unscored", "baseline-unscored")
"""Codes of reasons that begin with a metric and where it was read."""

_FELL = {
    "max_drop": "fell",
    "max_rise": "rose",
    "min": "is below its floor",
    "min_win": "was won too seldom",
    "drift": "drifted below its anchor",
}
_LOST = {
    "lost_needs": "lost a passage it needs",
    "lost_facts": "lost a required fact",
    "lost_answer_facts": "lost a required fact of its answer",
    "new_unsupported_claims": "claims something new that its context does not support",
    "wrong_abstention": "is answered where it should not be, or the reverse",
}


def is_row_failure(outcome: RuleOutcome) -> bool:
    """Whether a table can show what failed: a metric in a row, or critical cases."""
    metric, kind = split_rule(outcome.rule)
    return outcome.outcome == "failed" and (kind in _FELL or metric == "critical")


def sentence(inputs: Inputs) -> str:
    """The verdict; whose word it is stands first, then a missing baseline."""
    outcome = inputs.decision.outcome
    say = {"passed": _passed, "failed": _failed, "inconclusive": _inconclusive}[outcome]
    whose = "Self-reported by a fork. " if inputs.decision.is_self_reported else ""
    words = f"{outcome.capitalize()}: {say(inputs)}"
    if inputs.comparison.baseline is None:
        return f"{whose}No baseline. {words}"
    # A baseline that no judge has seen is none for half of the run.
    half = any(reason.code == "no-baseline" for reason in inputs.decision.reasons)
    return f"{whose}No baseline for what a judge decides. {words}" if half else f"{whose}{words}"


def reasons(inputs: Inputs) -> list[str]:
    """The reasons that no other part of the report says."""
    failures = [outcome for outcome in inputs.decision.rules if is_row_failure(outcome)]
    return _together(
        reason
        for reason in inputs.decision.reasons
        if reason.code not in SAID_ELSEWHERE and not any(_says(reason.text, outcome) for outcome in failures)
    )


def _together(found: Iterable[Reason]) -> list[str]:
    """Texts of reasons; rows of which the same is said are named together, and what to do about them is said once."""
    places: dict[str, list[str]] = {}
    for reason in found:
        place, mark, why = reason.text.partition(": ") if reason.code in OF_ROWS else (reason.text, "", "")
        places.setdefault(f"{mark}{why}" if mark else reason.text, []).append(place if mark else "")
    return [f"{_rows(rows)}{why}" for why, rows in places.items()]


def _rows(places: Sequence[str]) -> str:
    more = len(places) - MAX_PARTS
    return f"{', '.join(places[:MAX_PARTS])} and {counted(more, 'more row')}" if more > 0 else ", ".join(places)


def _says(text: str, outcome: RuleOutcome) -> bool:
    return text.startswith(outcome.rule) and text.endswith(outcome.reason)


def _passed(inputs: Inputs) -> str:
    if inputs.comparison.baseline is None:
        measured = counted(inputs.total - inputs.held_out, "case")
        held = any(outcome.outcome == "passed" for outcome in inputs.decision.rules)
        return f"every limit held in {measured}" if held else f"{measured} measured, with no limit to hold them to"
    compared = counted(inputs.comparison.paired, "case")
    advisory = sum(row.status == "regressed" for row in inputs.comparison.rows)
    if advisory:
        return (
            f"no enforced regression in {compared}, but {counted(advisory, 'advisory row')} fell{_not_enforced(inputs)}"
        )
    return f"no regression in {compared}{_not_enforced(inputs)}"


def _not_enforced(inputs: Inputs) -> str:
    is_passed_over = any(reason.code == "not-enforced" for reason in inputs.decision.reasons)
    return "; judged rows not enforced" if is_passed_over else ""


def _failed(inputs: Inputs) -> str:
    parts = list(_failures(inputs.decision))
    # A run may fail for something that is in no row.
    return _joined(parts, MAX_PARTS, "failure") if parts else _joined(reasons(inputs), 1, "reason")


def _inconclusive(inputs: Inputs) -> str:
    easier = any(item.accepted is None for item in inputs.comparison.loosened)
    return _joined([*(["this change makes its own exam easier"] if easier else []), *reasons(inputs)], 1, "reason")


def _joined(parts: Sequence[str], most: int, noun: str) -> str:
    shown = "; ".join(cut(part, MAX_REASON) for part in parts[:most])
    more = len(parts) - most
    return f"{shown}; and {more} more {noun if more == 1 else f'{noun}s'}" if more > 0 else shown


def _failures(decision: Decision) -> Iterator[str]:
    """Critical cases first: they outrank any mean. Then a part per metric; a fall says all that drift would."""
    by_metric: dict[str, dict[str, list[RuleOutcome]]] = {}
    for outcome in filter(is_row_failure, decision.rules):
        metric, kind = split_rule(outcome.rule)
        by_metric.setdefault(metric, {}).setdefault(kind, []).append(outcome)
    for kind in by_metric.pop("critical", {}):
        yield _critical(decision, kind)
    for metric, kinds in by_metric.items():
        if "max_drop" in kinds:
            kinds.pop("drift", None)
        what = " and ".join(f"{_FELL[kind]} {_where(found)}" for kind, found in kinds.items())
        yield f"{cut(metric, MAX_NAME)} {what}"


def _critical(decision: Decision, kind: str) -> str:
    number = sum(case.rule == f"critical {kind}" and case.status == "failed" for case in decision.cases)
    cases = counted(number, "critical case") if number == 1 else f"{counted(number, 'critical case')}: each"
    return f"{cases} {_LOST.get(kind, f'breaks {kind}')}"


def _where(outcomes: Sequence[RuleOutcome]) -> str:
    categories = [outcome.category for outcome in outcomes if outcome.scope == "category"]
    if len(categories) == 1:
        return f"in {cut(str(categories[0]), MAX_NAME)}"
    if categories:
        return f"in {counted(len(categories), 'category')}"
    return "over all cases" if any(outcome.scope == "all" for outcome in outcomes) else "in the small categories"
