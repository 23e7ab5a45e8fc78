"""The table on the terminal: verdict, what failed, and every gated metric, in plain text."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from evaluator.report.parts import Example, Reporter, ReportView, Snippet, Table, TableRow
from evaluator.report.sizes import Tier, trimmed
from evaluator.templates import cut, log_line, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CELL = 48
MAX_TEXT = 160
SHOWN = Tier(examples=5, items=5, rows=40, text=MAX_TEXT, critical=20, full=MAX_TEXT)


def width(text: str) -> int:
    """Columns a text takes on a terminal: East Asian wide characters take two, combining ones none."""
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _render(view: ReportView) -> str:
    shown = trimmed(view, SHOWN)
    return "\n".join(log_line(line) for line in _lines(shown)).rstrip("\n")


def _lines(view: ReportView) -> Iterator[str]:
    yield from (view.verdict, *view.alerts)
    for part in view.above:
        yield from ("", _short(part.title)) if part.title else ()
        for note in part.notes.items:
            yield f"  {_short(f'{note.about}: {note.text}' if note.about else note.text)}"
        yield from _snippet(part.snippet) if part.snippet else ()
        yield from _table(part.table) if part.table else ()
        if part.table and part.examples.items:
            yield from ("", "The questions behind it, the largest change first")
        for example in part.examples.items:
            yield from _example(example)
        yield from (f"  not shown: {part.more}",) if part.more else ()
    yield from ("", view.cost) if view.cost else ()


def _snippet(snippet: Snippet) -> Iterator[str]:
    """Lines to copy, whole: cut they would say something else."""
    yield f"  {_short(snippet.purpose)}"
    yield from (f"    {line}" for line in snippet.lines.items)
    if snippet.lines.more:
        yield f"    # and {snippet.lines.more} more"


def _example(example: Example) -> Iterator[str]:
    critical = "critical: " if example.case.critical else ""
    yield f"  {critical}{_short(example.case.question)}"
    changes = f": {', '.join(example.changes)}" if example.changes else ""
    yield f"    {_short(example.id)}, {_short(example.case.category)}{changes}"
    for cause in example.causes:
        names = f": {', '.join(cause.names.items)}" if cause.names.items else ""
        yield f"    {_short(f'{cause.text}{names}')}"
    for chunk in example.lost.items:
        yield f"    needed {_short(chunk.chunk)}: rank {chunk.before} → {chunk.after}"
    for claim in example.claims.items:
        before = f"; {claim.chunk} supported it before" if claim.chunk is not None else ""
        yield f"    {claim.verdict} now: {_short(claim.claim)}"
        yield f"      {_short(f'{claim.reason}{before}')}"
    for note in example.steps.items:
        yield f"    {_short(f'{note.about}: {note.text}')}"
    if example.full is not None:
        yield from (f"    {_short(finding)}" for finding in example.full.findings)
        yield from (f"    {which}: {_short(text)}" for which, text in example.full.said)


def _table(table: Table) -> Iterator[str]:
    rows = [table.head, *(_cells(row) for row in table.rows.items)]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(
            _padded(cell, columns, right=right) for cell, columns, right in zip(row, widths, table.right, strict=True)
        ).rstrip()


def _cells(row: TableRow) -> list[str]:
    """The last cell may be long: nothing stands to its right."""
    *others, last = row.cells
    return [*(cut(one_line(cell), MAX_CELL) for cell in others), _short(last)]


def _padded(cell: str, columns: int, *, right: bool) -> str:
    space = " " * (columns - width(cell))
    return f"{space}{cell}" if right else f"{cell}{space}"


def _short(text: str) -> str:
    return cut(one_line(text), MAX_TEXT)


REPORTER = Reporter("terminal", None, _render)
