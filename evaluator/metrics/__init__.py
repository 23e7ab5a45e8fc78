"""What is measured of a case: one short file per metric, each presenting itself as the module constant METRIC."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

from evaluator import registry

if TYPE_CHECKING:
    from evaluator.model.score import Metric


class _Metrics(Mapping[str, "Metric"]):
    """Every metric by its name. One that is asked for is imported alone: a run computes a few of all there are."""

    def __init__(self) -> None:
        self._known: dict[str, Metric] = {}
        self._is_whole = False

    def __getitem__(self, name: str) -> Metric:
        if name not in self._known and not self._is_whole and name.isidentifier():
            module = f"{__name__}.{name}"
            found = importlib.import_module(module) if importlib.util.find_spec(module) is not None else None
            metric = getattr(found, "METRIC", None)
            if metric is not None and metric.name == name:
                self._known[name] = metric
        return self._known[name] if name in self._known else self._whole()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())

    def _whole(self) -> dict[str, Metric]:
        if not self._is_whole:
            self._known, self._is_whole = registry.find(__name__, "METRIC"), True
        return self._known


@cache
def load() -> Mapping[str, Metric]:
    """All metrics by name; when it is gone through, DuplicateName is raised where two modules present one name."""
    return _Metrics()
