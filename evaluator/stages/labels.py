"""Labels that no stage goes on with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.errors import Problem
from evaluator.stages import lint

if TYPE_CHECKING:
    from evaluator.stores.golden import GoldenSet


def unsupported(cases: GoldenSet) -> list[Problem]:
    """Labels that cannot be used: quotes, which come later, and alternatives of facts that could never be found."""
    return [
        Problem(doubt.code, doubt.message, *cases.places[doubt.case])
        for doubt in (*lint.quotes(cases.cases), *lint.unsound_facts(cases.cases))
        if doubt.case is not None
    ]
