"""Critical cases: what a single case may not lose, whatever the means do."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from evaluator.model.comparison import CriticalOutcome, CriticalRule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Held(NamedTuple):
    """What one run had of a case: needs and facts in its context, by name, and the abstention score (None: n/a)."""

    needs: frozenset[str]
    facts: frozenset[str]
    abstention: float | None


HELD: dict[CriticalRule, Callable[[Held], frozenset[str]]] = {
    "lost_needs": attrgetter("needs"),
    "lost_facts": attrgetter("facts"),
}
LONGEST_NAME = 80
RULES: tuple[CriticalRule, ...] = (*HELD, "wrong_abstention")
JUDGED_RULES = ("lost_answer_facts", "new_unsupported_claims")
"""Rules about a critical case that only a judge can decide."""


def outcomes(case: str, before: Held | None, after: Held, *, has_baseline: bool) -> Iterator[CriticalOutcome]:
    """The outcome of every rule for one critical case; ``before`` is None for a case that is not paired."""
    missing = "new case" if has_baseline else "no baseline"
    for rule, held in HELD.items():
        now = held(after)
        if before is None:
            yield CriticalOutcome(id=case, rule=rule, before=None, after=len(now), lost=None, reason=missing)
            continue
        then = held(before)
        gone = sorted(then - now)
        reason = f"no longer in the context: {', '.join(map(_short, gone))}" if gone else "nothing was lost"
        yield CriticalOutcome(id=case, rule=rule, before=len(then), after=len(now), lost=len(gone), reason=reason)
    yield _abstention(case, before, after, missing, has_baseline=has_baseline)


def _short(name: str) -> str:
    """A name that fits in a sentence; a quote may be a paragraph."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _abstention(case: str, before: Held | None, after: Held, missing: str, *, has_baseline: bool) -> CriticalOutcome:
    then, now = (before.abstention if before else None), after.abstention
    outcome = CriticalOutcome(id=case, rule="wrong_abstention", before=then, after=now, lost=None, reason=missing)
    if now is None or (has_baseline and before is not None and then is None):
        return outcome.but(reason="whether it abstained is not known on both sides")
    if has_baseline and before is None:
        return outcome
    wrong = now == 0 and then != 0
    reason = "answered where it should abstain, or abstained where it should answer" if wrong else "nothing was lost"
    return outcome.but(lost=int(wrong), reason=reason)
