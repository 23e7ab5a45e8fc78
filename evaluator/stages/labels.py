"""Where in the golden files a doubt about a case stands, and labels that no stage goes on with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.errors import Problem
from evaluator.stages import lint, stale
from evaluator.stores import golden

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evaluator.stages.lint import Doubt
    from evaluator.stores.golden import GoldenSet
    from evaluator.stores.located import Located


def unsound(cases: GoldenSet) -> list[Problem]:
    """Quotes and alternatives of facts that could never be found in any text."""
    return problems(cases, [*stale.unsound_quotes(cases.cases), *lint.unsound_facts(cases.cases)])


def problems(cases: GoldenSet, doubts: Iterable[Doubt]) -> list[Problem]:
    """Doubts with file, line and column; the golden files are read again only if there is one."""
    items: dict[str, dict[int, Located]] = {}
    found = []
    for doubt in doubts:
        file, line = cases.places[doubt.case or cases.cases[0].id]
        where = (0, 0)
        if doubt.case is not None:
            if file not in items:
                items[file] = {item.line: item for item in golden.items(Path(file), [])}
            item = items[file][line]
            where = item.place(doubt.path) if doubt.offset is None else item.inside(doubt.path, doubt.offset)
        found.append(Problem(doubt.code, doubt.message, file, *where, severity=doubt.severity))
    return found
