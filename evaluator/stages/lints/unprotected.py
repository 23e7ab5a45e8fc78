"""Critical cases that a rule for single cases has little to hold on to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.stages.lint import Doubt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evaluator.model.golden import Case


def critical(cases: Iterable[Case]) -> Iterator[Doubt]:
    """Critical cases that expect an answer and name no fact: a chunk can lose its text and still be retrieved."""
    for case in cases:
        if case.critical and case.expect == "answer" and not case.facts:
            text = "this case is critical and names no facts, so lost_facts cannot protect what its answer must state"
            yield Doubt("critical-without-facts", text, case.id, ("critical",))
