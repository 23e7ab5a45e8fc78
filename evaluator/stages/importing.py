"""Import: what another tool's files hold, held to what a golden set is held to before anything is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator import errors
from evaluator.model.golden import Case
from evaluator.stages import lint, stale
from evaluator.stores import exchanging

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.model.exchange import Draft, Format, Intake, Settings


def read(kind: Format, settings: Settings) -> Intake:
    """What another tool's files hold.

    Raises:
        InputError: every problem of every file; also alternatives of facts and quotes that could never be found.
    """
    intake = exchanging.read(kind, settings)
    unsound = [problem for draft in intake.cases for problem in _unsound(draft)]
    if unsound:
        raise errors.InputError(unsound)
    return intake


def _unsound(draft: Draft) -> Iterator[errors.Problem]:
    if not draft.value.get("facts") and not any(isinstance(need, dict) for need in draft.value.get("relevant", ())):
        return
    case = [Case.model_validate(draft.value)]
    for doubt in (*stale.unsound_quotes(case), *lint.unsound_facts(case)):
        yield errors.Problem(doubt.code, doubt.message, draft.file, draft.line)
