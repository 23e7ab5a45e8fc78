"""Which rows a comparison lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluator.model.comparison import GatedRow, Row


def one_each(found: Sequence[GatedRow]) -> list[Row]:
    """Where several rules speak of one row: the one that regressed, else one that limits a change, else the first.

    A row that applies to no case in either run says nothing; its rule is still in the decision, as not evaluated.
    """
    best: dict[tuple[str, str, str | None], Row] = {}
    for entry in found:
        row = entry.row
        if row.baseline is None and row.candidate is None:
            continue
        key = (row.metric, row.scope, row.category)
        if key not in best or _weight(row) > _weight(best[key]):
            best[key] = row
    return list(best.values())


def _weight(row: Row) -> tuple[bool, bool]:
    return row.status == "regressed", row.tolerance is not None
