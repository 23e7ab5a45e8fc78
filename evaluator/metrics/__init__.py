"""What is measured of a case: one short file per metric, each presenting itself as the module constant METRIC."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from evaluator import registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.model.score import Metric


@cache
def load() -> Mapping[str, Metric]:
    """All metrics by name.

    Raises:
        DuplicateName: two modules present metrics of one name.
    """
    return registry.find(__name__, "METRIC")
