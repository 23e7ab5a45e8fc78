"""The system under test: each kind takes a question and gives an Answer or an AnswerFailure (design section 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator import registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.model.ports import PipelineKind


def load() -> Mapping[str, PipelineKind]:
    """Every kind of pipeline by its name."""
    return registry.find(__name__, "PIPELINE")


def kind(name: str) -> PipelineKind:
    """One kind of pipeline.

    Raises:
        KeyError: there is none of this name.
    """
    found: PipelineKind = registry.named(__name__, "PIPELINE", name)
    return found
