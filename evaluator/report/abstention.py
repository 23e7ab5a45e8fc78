"""Who answered and who abstained, as tables of two by two: beside what was expected, and beside the context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.model.counting import counted
from evaluator.report.parts import Listing, Note, Part, Table, TableRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluator.model.exhibits import Behaviour, Cell, Side
    from evaluator.report.inputs import Inputs

_SIDES: Mapping[Side, str] = {
    "answer": "an answer",
    "abstain": "no answer",
    "sufficient": "suffices",
    "insufficient": "does not suffice",
}
_BEHAVIOURS: Mapping[Behaviour, str] = {
    "answered": "Answered",
    "abstained": "Abstained",
    "failed": "Failed",
    "unknown": "Not known",
}
_RARE: tuple[Behaviour, ...] = ("failed", "unknown")
"""Columns that are left out where nothing is in them."""


def parts(inputs: Inputs) -> Iterator[Part]:
    """A table beside ``expect``; one beside the context, where a judge said whether it sufficed."""
    cells = inputs.exhibits.behaviour
    expected = [cell for cell in cells if cell.side in ("answer", "abstain")]
    context = [cell for cell in cells if cell.side in ("sufficient", "insufficient")]
    yield _part("Abstention", "Expected", expected)
    yield _part("Abstention and the context", "The context", context)._replace(
        notes=Listing.of(list(_warnings(context)))
    )


def _part(title: str, first: str, cells: Sequence[Cell]) -> Part:
    if not cells:
        return Part("")
    shown = [
        did
        for did in _BEHAVIOURS
        if did not in _RARE or any(_is_there(cell) for cell in cells if cell.behaviour == did)
    ]
    by_side: dict[Side, dict[Behaviour, Cell]] = {}
    for cell in cells:
        by_side.setdefault(cell.side, {})[cell.behaviour] = cell
    rows = [TableRow((_SIDES[side], *(_moved(found[did]) for did in shown))) for side, found in by_side.items()]
    number = counted(sum(cell.after for cell in cells), "case")
    table = Table((first, *(_BEHAVIOURS[did] for did in shown)), Listing.of(rows))
    return Part(f"{title}: {number}", table=table)


def _is_there(cell: Cell) -> bool:
    return bool(cell.before or cell.after)


def _moved(cell: Cell) -> str:
    return f"{cell.after:,}" if cell.before in (None, cell.after) else f"{cell.before:,} → {cell.after:,}"


def _warnings(context: Sequence[Cell]) -> Iterator[Note]:
    """What no context supports is likely to be made up."""
    for cell in context:
        if (cell.side, cell.behaviour) == ("insufficient", "answered") and cell.after:
            were = "was" if cell.after == 1 else "were"
            yield Note(f"{counted(cell.after, 'question')} {were} answered although the context does not suffice.")
