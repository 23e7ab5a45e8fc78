"""The held-out cases: means and how many cases they are over, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.model.counting import counted
from evaluator.report import numbers, tables
from evaluator.report.parts import BASELINE, CANDIDATE, CASES, DELTA, Listing, Note, Part, Table, TableRow

if TYPE_CHECKING:
    from evaluator.model.exhibits import HoldoutRow
    from evaluator.report.inputs import Inputs

TITLE = "Held-out cases"


def part(inputs: Inputs) -> Part:
    """Means before and now over the cases that both runs hold out; without a baseline this run's."""
    compared, rows = inputs.exhibits.held_out, inputs.exhibits.holdout
    if not rows:
        return Part(TITLE, table=tables.holdout(inputs))
    note = f"{counted(compared, 'case')} of {inputs.held_out:,} that are held out now, asked alike in both runs."
    head = ("Metric", CASES, BASELINE, CANDIDATE, DELTA)
    return Part(TITLE, notes=Listing.of([Note(note)]), table=Table(head, Listing.of([_row(row) for row in rows])))


def _row(row: HoldoutRow) -> TableRow:
    before, after = numbers.values(row.metric, row.baseline, row.candidate)
    return TableRow((row.metric, str(row.n), before, after, numbers.change(row.metric, row.candidate - row.baseline)))
