"""What a row comes to under its rule, in a word and in a sentence (design section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison import noisy, numbers
from evaluator.comparison.sheet import EPSILON
from evaluator.model.counting import counted

if TYPE_CHECKING:
    from evaluator.comparison.noisy import Chance
    from evaluator.comparison.sheet import Sheet
    from evaluator.model.comparison import Row, Status
    from evaluator.model.config import Rule


class Seen(NamedTuple):
    """What is known of a row beside its means.

    Attributes:
        fewest: so many cases it needs to be decided.
        chance: what chance makes of it; None of a row that has none.
        is_small: whether its cases are pooled with those of other small categories.
        worse: how many of its cases got worse.
    """

    fewest: int
    chance: Chance | None = None
    is_small: bool = False
    worse: int = 0


def tolerance(rule: Rule | None, before: float | None) -> float | None:
    """How far a row may move; None where no rule limits it."""
    if rule is None:
        return None
    return rule.max_drop if rule.max_drop is not None else allowed_rise(rule, before)


def allowed_rise(rule: Rule, before: float | None) -> float | None:
    """How much a lower-is-better metric may rise: the rule's number, or its percentage of the baseline."""
    if isinstance(rule.max_rise, str):
        return None if before is None else float(rule.max_rise.removesuffix("%")) / 100 * before
    return rule.max_rise


def status(values: Sheet, row: Row, rule: Rule | None, seen: Seen) -> tuple[Status, str]:
    """What a row that both runs have comes to, and why."""
    delta = row.delta or 0.0
    if abs(delta) <= EPSILON:
        return "unchanged", "no change"
    if rule is not None and _is_too_small(row, seen):
        return "too few cases", f"{counted(row.n, 'case')}, {seen.fewest} are needed"
    if rule is None and not values.declaration(row.metric).bounded:
        return "not evaluated", "no rule names it"
    if delta * values.better(row.metric) > 0:
        is_noisy = noisy.kind(values, row.metric, rule.at if rule else "mean") != "steady"
        return _better(abs(delta), seen.chance, is_noisy=is_noisy)
    if rule is None or row.tolerance is None:
        return "not evaluated", "worse; no rule sets a limit"
    return _worse(abs(delta), row.tolerance, rule, seen)


def without_relabelled(row: Row, left_out: int, seen: Seen) -> Row:
    """A row without the cases that a judge judged by other labels; too many of them, and it is about other cases.

    A category that is small in any case is pooled, and the rest is seen there.
    """
    if not left_out:
        return row
    said = f"{counted(left_out, 'relabelled case')} left out"
    if seen.is_small and not row.n and left_out < seen.fewest:
        return row.but(status="too few cases", reason=said)
    is_small_anyway = seen.is_small and left_out + row.n < seen.fewest
    if row.status == "regressed" or left_out <= row.n or is_small_anyway:
        return row.but(reason=f"{row.reason} ({said})")
    cases = f"{left_out} of {counted(left_out + row.n, 'case')} judged by other facts, reference or expect than before"
    return row.but(status="not comparable", reason=f"{cases}; accepted.yml can name them")


def _is_too_small(row: Row, seen: Seen) -> bool:
    # What was measured tells of any number of cases; sign flips of too few can show nothing.
    is_tested = seen.chance is not None and seen.chance.band is None
    return seen.is_small or (is_tested and row.n < seen.fewest)


def _better(rise: float, chance: Chance | None, *, is_noisy: bool) -> tuple[Status, str]:
    if chance is None:
        # Of what moves by itself no more is said than of a fall, where nobody asked how far it may.
        return ("not evaluated", "better; no rule sets a limit") if is_noisy else ("improved", "better")
    if chance.is_better:
        return "improved", "better, by more than chance makes"
    return "within noise", f"within noise: better by {_apart_from_chance(rise, chance)}, {_chance(rise, chance)}"


def _worse(drop: float, limit: float, rule: Rule, seen: Seen) -> tuple[Status, str]:
    shown, shown_limit = numbers.beside(drop, limit)
    shown = max(shown, _apart_from_chance(drop, seen.chance), key=len)
    lost = f"{counted(seen.worse, 'case')} lost"
    by = f"worse by {shown}" if rule.at == "mean" else f"{rule.at} worse by {shown}"
    if drop - limit <= EPSILON:
        return "within noise", f"within noise: {lost}; {by}, {shown_limit} is allowed"
    if rule.min_lost is not None and seen.worse < rule.min_lost:
        return "within noise", f"within noise: {lost}, {rule.min_lost} are needed; {by}"
    if seen.chance is None:
        return "regressed", f"{by}, {shown_limit} is allowed; {lost}"
    if not seen.chance.is_worse:
        return "within noise", f"within noise: {lost}; {by}, {_chance(drop, seen.chance)}{_needed(seen.chance)}"
    return "regressed", f"{by}, {shown_limit} is allowed, {_chance(drop, seen.chance)}; {lost}"


def _apart_from_chance(change: float, chance: Chance | None) -> str:
    """A change in as many digits as it takes to tell it from what chance makes."""
    band = chance.band if chance is not None else None
    return f"{change:.4g}" if band is None else numbers.beside(change, band)[0]


def _chance(change: float, chance: Chance) -> str:
    """How far chance moves such a row, or how often it moves one so far."""
    if chance.band is not None:
        _, shown = numbers.beside(change, chance.band)
        return f"chance alone makes {shown}"
    return f"p = {chance.p:.2g} among all rows" if chance.p is not None else ""


def _needed(chance: Chance) -> str:
    return "" if chance.needed is None else f"; about {counted(chance.needed, 'case')} would tell"
