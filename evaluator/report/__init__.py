"""What people read of a run: one view that does all choosing and rounding, then one file per format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator import registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.report.parts import Reporter


def load() -> Mapping[str, Reporter]:
    """Every format by its name."""
    return registry.find(__name__, "REPORTER")
