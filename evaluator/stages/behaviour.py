"""Counts who answered and who abstained: by what the cases expect, and by whether the context sufficed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evaluator.metrics.abstention import did_abstain
from evaluator.model.exhibits import BEHAVIOURS, Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.model.exhibits import Behaviour, Side
    from evaluator.model.view import CaseView
    from evaluator.stages.measuring import Measured, Ruler

_EXPECTED: tuple[Side, ...] = ("answer", "abstain")
_CONTEXT: tuple[Side, ...] = ("sufficient", "insufficient")


@dataclass
class Behaviours:
    """Counts over the cases that both runs have, or that the one has where there is no other to compare with."""

    before: Counter[tuple[Side, Behaviour]] = field(default_factory=Counter)
    after: Counter[tuple[Side, Behaviour]] = field(default_factory=Counter)

    def count(self, ruler: Ruler, before: Measured | None, after: Measured) -> None:
        """Count a case; it is asked for under one set of labels in both runs."""
        for counter, measured in ((self.before, before), (self.after, after)):
            if measured is not None:
                did = behaviour_of(measured.view)
                counter[after.view.labels.expect, did] += 1
                value = measured.values[ruler.sufficiency] if ruler.sufficiency is not None else None
                if value is not None and did != "failed":
                    counter["sufficient" if value else "insufficient", did] += 1

    def cells(self) -> Iterator[Cell]:
        """Every combination; of a table in which nobody abstained and nobody should have there is nothing to say."""
        known = {**self.before, **self.after}
        if any(side == "abstain" or did == "abstained" for side, did in known):
            yield from self._table(_EXPECTED)
        if any(side in _CONTEXT for side, _ in known):
            yield from self._table(_CONTEXT)

    def _table(self, sides: tuple[Side, ...]) -> Iterator[Cell]:
        for side in sides:
            for did in BEHAVIOURS:
                before = self.before[side, did] if self.before else None
                yield Cell(side=side, behaviour=did, before=before, after=self.after[side, did])


def behaviour_of(view: CaseView) -> Behaviour:
    """What the pipeline did with a question."""
    if view.failed:
        return "failed"
    abstained = did_abstain(view)
    if not isinstance(abstained, bool):
        return "unknown"
    return "abstained" if abstained else "answered"
