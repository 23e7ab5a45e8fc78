"""Providers of judges: each is one module that presents itself as the module constant JUDGE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator import registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.model.judge import JudgeKind


def load() -> Mapping[str, JudgeKind]:
    """Every provider by its name."""
    return registry.find(__name__, "JUDGE")


def kind(name: str) -> JudgeKind:
    """The provider of a name; the others are not imported.

    Raises:
        KeyError: there is none of that name.
    """
    found: JudgeKind = registry.named(__name__, "JUDGE", name)
    return found
