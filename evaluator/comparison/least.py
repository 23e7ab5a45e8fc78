"""The least that a rule asks of a row: a floor of its mean (``min``), or of its wins (``min_win``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from evaluator.comparison import numbers
from evaluator.comparison.sheet import EPSILON
from evaluator.model.decision import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluator.comparison.noisy import Chance
    from evaluator.model.comparison import Exam, Row, RuledRow
    from evaluator.model.decision import RuleOutcome


def floor(exam: Exam, entry: RuledRow, outcome: RuleOutcome) -> Iterator[RuleOutcome]:
    """What a floor comes to in a row; ``outcome`` is undecided, with the floor as its limit."""
    minimum = outcome.limit or 0.0
    outcome = outcome.but(before=entry.floor_before, after=entry.floor)
    if entry.floor is None:
        if entry.row.scope == "all":
            yield outcome.but(reason="applies to no case")
        return
    shown, limit = numbers.beside(entry.floor, minimum)
    if entry.floor + EPSILON >= minimum:
        yield outcome.but(outcome="passed", reason=f"{shown} reaches the floor {limit}")
    elif exam.gate.floor_policy == "no_worse" and _was_below(entry, minimum):
        fallen = entry.floor + EPSILON < (entry.floor_before or 0.0)
        worse = "no worse than chance makes it" if fallen else "no worse"
        yield outcome.but(outcome="passed", reason=f"below the floor {limit} before, and {worse}")
    else:
        yield outcome.but(outcome=_below(entry), reason=f"{shown} is below the floor {limit}")


def _was_below(entry: RuledRow, minimum: float) -> bool:
    before, now = entry.floor_before, entry.floor
    if before is None or now is None:
        return False
    return before + EPSILON < minimum and now + entry.floor_noise + EPSILON >= before


def _below(entry: RuledRow) -> Literal["failed", "advisory"]:
    return "failed" if entry.unenforced is None else "advisory"


def noise(row: Row, chance: Chance | None) -> float:
    """How far a floor's mean may fall by chance: sign flips tell of the fall there was, and of no other."""
    if chance is None:
        return 0.0
    if chance.band is not None:
        return chance.band
    return 0.0 if chance.is_worse else max(0.0, -(row.delta or 0.0))


def wins(exam: Exam, entry: RuledRow, outcome: RuleOutcome) -> Iterator[RuleOutcome]:
    """The same of wins; what answers were compared with, where there is no baseline, is not known."""
    outcome = outcome.but(after=entry.floor)
    if entry.floor is None or not exam.has_baseline:
        if entry.row.scope == "all":
            yield outcome
        return
    shown, limit = numbers.beside(entry.floor, outcome.limit or 0.0)
    if entry.floor + EPSILON >= (outcome.limit or 0.0):
        yield outcome.but(outcome="passed", reason=f"{shown} reaches the {limit} that is asked for")
    else:
        yield outcome.but(outcome=_below(entry), reason=f"{shown} is below the {limit} that is asked for")


def without_cases(exam: Exam, rules: Sequence[RuleOutcome]) -> Iterator[Reason]:
    """Written rules of both kinds that say nothing of any case."""
    for metric in sorted(_required(exam, "min")):
        if _is_unevaluated(rules, f"{metric} min"):
            yield Reason(code="undecided-rule", text=f"the floor on {metric} applies to no case")
    for metric in undecided_wins(exam, rules):
        text = f"the rule on {metric} could be decided in no row: no answer was compared with the baseline's"
        yield Reason(code="undecided-rule", text=text)


def undecided_wins(exam: Exam, rules: Sequence[RuleOutcome]) -> list[str]:
    """Metrics whose written rule on wins says nothing although there is a baseline."""
    required = sorted(_required(exam, "min_win")) if exam.has_baseline else []
    return [metric for metric in required if _is_unevaluated(rules, f"{metric} min_win")]


def _required(exam: Exam, part: str) -> set[str]:
    if not exam.written:
        return set()
    return {rule.metric for rule in exam.rules if getattr(rule, part) is not None and not rule.optional}


def _is_unevaluated(rules: Sequence[RuleOutcome], name: str) -> bool:
    found = [outcome.outcome for outcome in rules if outcome.rule == name]
    return bool(found) and all(outcome == "not_evaluated" for outcome in found)
