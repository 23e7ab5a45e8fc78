"""Amounts the pipeline reports of its own use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.model.score import NotApplicable

if TYPE_CHECKING:
    from evaluator.model.view import CaseView

LARGEST = 1e12
"""No amount: sums of such numbers end beyond what a float can hold."""


def is_reported(view: CaseView, name: str) -> bool:
    """Whether ``usage`` says anything under this key."""
    return (view.usage or {}).get(name) is not None


def reported(view: CaseView, name: str) -> float | NotApplicable:
    """What ``usage`` says under this key; not applicable where that is nothing or no amount."""
    if not is_reported(view, name):
        return NotApplicable(f"the pipeline reports no usage.{name}")
    amount = _amount((view.usage or {})[name])
    return NotApplicable(f"usage.{name} is not a number between 0 and {LARGEST:g}") if amount is None else amount


def _amount(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        amount = float(value)
    except OverflowError:
        return None
    return amount if 0 <= amount <= LARGEST else None
