"""At which step an agentic pipeline found what is needed, and what of it never reached the model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluator.model.counting import counted
from evaluator.report import numbers
from evaluator.report.parts import NEEDS, REACHED, Listing, Note, Part, Table, TableRow
from evaluator.templates import Name, cut

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from evaluator.model.run import RunCase, RunNeed

MAX_SHOWN = 50
"""Code points of a need and of a query that are shown, so that what became of it still fits on the line."""

MAX_OTHERS = 50
"""Cases that did not change and lost something on the way, of which that is told."""

LAST_STEP = 9
"""Steps from here on are counted together."""


@dataclass
class Agents:
    """What is said of pipelines that go in steps.

    Attributes:
        cases: how many have steps and are not held out.
        needs: by the step that found them (None: by no step), how many needs, and how many of them the model got.
        values: by metric, the values of all steps together and of what the model got, a pair for each case.
        walks: by case, a note for each need; of the cases that are shown, and of some that lost a need on the way.
    """

    cases: int
    needs: dict[int | None, tuple[int, int]]
    values: dict[str, list[tuple[float, float]]]
    walks: dict[str, tuple[Note, ...]]


class Walks:
    """Collects what is to be said of the steps of all cases; of one that is held out nothing is."""

    def __init__(self, mentioned: Collection[str]) -> None:
        self._mentioned = mentioned
        self._others = 0
        self._agents = Agents(0, {}, {}, {})

    def take(self, case: RunCase) -> None:
        """Look at the next case."""
        if case.steps is None or case.gathered is None:
            return
        self._agents.cases += 1
        context = frozenset(case.context)
        reached = [_is_in(need, context) for need in case.needs]
        for need, is_reached in zip(case.needs, reached, strict=True):
            step = min(need.found.step, LAST_STEP) if need.found is not None else None
            needs, in_context = self._agents.needs.get(step, (0, 0))
            self._agents.needs[step] = (needs + 1, in_context + is_reached)
        for metric, value in case.gathered.union.items():
            pair = (value, case.gathered.context.get(metric))
            if pair[0] is not None and pair[1] is not None:
                self._agents.values.setdefault(metric, []).append((pair[0], pair[1]))
        if case.id in self._mentioned or (not all(reached) and self._others < MAX_OTHERS):
            self._others += case.id not in self._mentioned
            self._agents.walks[case.id] = tuple(_walk(case, reached))

    def agents(self) -> Agents | None:
        """What was collected; None where no case has steps."""
        return self._agents if self._agents.cases else None


def _is_in(need: RunNeed, context: frozenset[str]) -> bool:
    return any(context.issuperset(way) for way in need.chunks)


def _walk(case: RunCase, reached: Sequence[bool]) -> Iterator[Note]:
    for need, is_reached in zip(case.needs, reached, strict=True):
        if need.found is None:
            where, odd = "found in no step", is_reached
        else:
            step = (case.steps or ())[need.found.step - 1]
            query = cut(" ".join(step.query.split()), MAX_SHOWN)
            where, odd = f"found in step {need.found.step} ('{query}'), rank {need.found.rank}", not is_reached
        ending = ("; in what the model got" if is_reached else "; not in what the model got") if odd else ""
        yield Note(f"{where}{ending}", Name(cut(_named(need), MAX_SHOWN)))


def _named(need: RunNeed) -> str:
    if isinstance(need.need, str):
        return need.need
    for kind, words in (("chunk", ""), ("doc", "document "), ("quote", "")):
        if kind in need.need:
            return f"{words}{need.need[kind]}"
    return f"one of {', '.join(need.need.get('any_of', ()))}"


def part(agents: Agents | None, behind: Collection[str]) -> Part:
    """What is folded away of the steps: the cases ``behind`` what failed come first."""
    if agents is None:
        return Part("")
    order = [*(case for case in behind if case in agents.walks), *(case for case in agents.walks if case not in behind)]
    walks = [
        Note(f"needed {note.about}: {note.text}", Name(case)) for case in order for note in agents.walks[case]
    ]  # fmt: skip
    return Part(
        f"Steps of the agent: {counted(agents.cases, 'question')}",
        notes=Listing.of([*_means(agents.values), *walks]),
        table=Table(("Found in", NEEDS, REACHED), Listing.of(list(_rows(agents.needs)))),
    )


def _means(values: Mapping[str, Sequence[tuple[float, float]]]) -> Iterator[Note]:
    for metric, pairs in values.items():
        union, context = (math.fsum(side) / len(pairs) for side in zip(*pairs, strict=True))
        shown = numbers.values(metric, union, context)
        yield Note(f"{metric} of all steps together {shown[0]}, of what the model got {shown[1]}")


def _rows(needs: Mapping[int | None, tuple[int, int]]) -> Iterator[TableRow]:
    for step in sorted(needs, key=lambda step: (step is None, step)):
        name = "no step" if step is None else f"step {step}" if step < LAST_STEP else f"step {step} or later"
        yield TableRow((name, *map(str, needs[step])))
