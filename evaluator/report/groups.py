"""Paraphrases that disagree: the same question in other words should get the same answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.model.counting import counted
from evaluator.report import numbers
from evaluator.report.parts import Listing, Part, Table, TableRow
from evaluator.templates import Name, cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.model.exhibits import Difference, Worse
    from evaluator.report.inputs import Inputs

MAX_DIFFERENCES = 4
"""So many ways are told in which one question is worse than the others."""

MAX_FACT = 60
"""Code points of a fact, and of an id, that are shown."""

_DID = {"answered": "was answered", "abstained": "was not answered", "failed": "failed", "unknown": "is not known"}


def part(inputs: Inputs) -> Part:
    """Each question that is answered worse than another one of its group, the worst first."""
    found = inputs.exhibits.paraphrases
    disagreeing = len({each.root for each in found})
    return Part(
        f"Paraphrases that disagree: {disagreeing:,} of {counted(inputs.exhibits.groups, 'group')}",
        table=Table(("Group", "Worse", "How"), Listing.of([_row(each) for each in found])) if found else None,
    )


def _row(worse: Worse) -> TableRow:
    said = [_in_words(difference) for difference in worse.differences]
    more = len(said) - MAX_DIFFERENCES
    shown = [*said[:MAX_DIFFERENCES], *([f"and {more} more"] if more > 0 else [])]
    return TableRow((Name(worse.root), Name(worse.id), "; ".join(shown)))


def _in_words(difference: Difference) -> str:
    other = cut(difference.other, MAX_FACT)
    if difference.behaviour is not None and difference.other_behaviour is not None:
        return f"{_DID[difference.behaviour]}, {other} {_DID[difference.other_behaviour]}"
    if difference.metric is not None:
        here, there = numbers.values(difference.metric, difference.value, difference.other_value)
        return f"{difference.metric} {here}, {other} has {there}"
    return f"its {difference.kind} lacks {', '.join(_facts(difference))}, which that of {other} has"


def _facts(difference: Difference) -> Iterator[str]:
    yield from (f"“{cut(fact, MAX_FACT)}”" for fact in difference.facts)
