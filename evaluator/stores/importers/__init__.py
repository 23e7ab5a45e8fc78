"""Golden sets and answers in the formats of other tools: one file each, presenting itself as the constant FORMAT.

These modules are imported for ``rag-assay import --help``: what reads JSON is imported where it is used.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from evaluator import registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.model.exchange import Format


@cache
def load() -> Mapping[str, Format]:
    """All formats by name.

    Raises:
        DuplicateName: two modules present formats of one name.
    """
    return registry.find(__name__, "FORMAT")
