"""Amounts the pipeline reports of its own use."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evaluator.model.score import NotApplicable

if TYPE_CHECKING:
    from evaluator.model.view import CaseView


def is_reported(view: CaseView, name: str) -> bool:
    """Whether ``usage`` says anything under this key."""
    return (view.usage or {}).get(name) is not None


def reported(view: CaseView, name: str) -> float | NotApplicable:
    """What ``usage`` says under this key; not applicable where that is nothing or no amount."""
    if not is_reported(view, name):
        return NotApplicable(f"the pipeline reports no usage.{name}")
    amount = _amount((view.usage or {})[name])
    return NotApplicable(f"usage.{name} is not a number of 0 or more") if amount is None else amount


def _amount(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        amount = float(value)
    except OverflowError:
        return None
    return amount if math.isfinite(amount) and amount >= 0 else None
