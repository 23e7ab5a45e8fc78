"""What a run had of a critical case, and what of that it lost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evaluator import metrics
from evaluator.comparison import critical
from evaluator.metrics import scoring
from evaluator.model.comparison import CaseChange, CriticalOutcome
from evaluator.model.score import Scored
from evaluator.stages import judgements
from evaluator.stages.measuring import ABSTENTION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluator.model.golden import Need
    from evaluator.model.view import CaseView
    from evaluator.stages.measuring import Measured


def held(measured: Measured, *, is_judged: bool = False) -> critical.Held:
    """What a run mostly had of a critical case, by name; with what a judge said of every answer where one was asked.

    What he says of an answer that is the first again is what he says of the first, which he is asked about again.
    """
    first, views = measured.view, (measured.view, *measured.repeats)
    found = critical.Held(
        needs=critical.in_most([_needs(view) for view in views]),
        facts=critical.in_most([frozenset(scoring.facts_in_context(view)) for view in views]),
        abstention=_abstention(views[:1] if is_judged else views),
        judged=judgements.told(first) if is_judged else None,
    )
    if not is_judged or not measured.repeats:
        return found
    others = [view for view in measured.repeats if judgements.replied(view) != judgements.replied(first)]
    told = (critical.Held(frozenset(), frozenset(), _abstention((each,)), judgements.told(each)) for each in others)
    return found._replace(alike=len(measured.repeats) - len(others), others=tuple(told))


def _needs(view: CaseView) -> frozenset[str]:
    """The needs that the context satisfies, by name."""
    satisfied = {index for _, found in view.context_gains.satisfactions for index in found}
    return frozenset(_name(view.labels.relevant[index]) for index in satisfied)


def _abstention(views: Sequence[CaseView]) -> float | None:
    """Whether a case mostly did what it should; None where that is not known of every time."""
    found = [scoring.score_case(view, (ABSTENTION,), metrics.load())[ABSTENTION] for view in views]
    values = [score.value for score in found if isinstance(score, Scored)]
    if len(values) < len(found):
        return None
    return float(2 * math.fsum(values) > len(values))


def _name(need: Need) -> str:
    kind, value = need.declared() if need.quote is None else ("quote", " ".join(need.quote.split()))
    return f"{kind} {value if isinstance(value, str) else sorted(value)}"


def critical_changes(found: Sequence[CriticalOutcome]) -> list[CaseChange]:
    """Critical outcomes that lost something, as changes of a case."""
    return [
        CaseChange(id=entry.id, metric=entry.rule, before=entry.before, after=entry.after)
        for entry in found
        if entry.lost
    ]
