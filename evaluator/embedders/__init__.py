"""Models that embed texts for ``freeze``: each kind is one module. A run never needs one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator import errors, registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.model.ports import EmbedderKind


def load() -> Mapping[str, EmbedderKind]:
    """Every kind of embedder by its name."""
    return registry.find(__name__, "EMBEDDER")


def choose(written: str) -> tuple[EmbedderKind, str]:
    """The kind that ``NAME:ARGUMENT`` names and its argument; ``MODULE:CALLABLE`` is one of kind ``python``.

    Raises:
        UsageError: it is neither.
    """
    kinds = load()
    name, colon, argument = written.partition(":")
    if not name or not colon or not argument:
        names = ", ".join(f"{each}:…" for each in kinds if each != "python")
        raise errors.UsageError(f"--embedder {written!r} is not MODULE:CALLABLE, nor one of {names}")
    return (kinds[name], argument) if name in kinds else (kinds["python"], written)
