"""What one call of the command line carries from ``main`` to its commands, and back when something goes wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from evaluator.cli.console import Console

DEBUG_VARIABLE = "RAG_ASSAY_DEBUG"


@dataclass
class Session:
    """One call.

    Attributes:
        environment: the caller's variables.
        console: where people read.
        debug: a traceback goes to stderr.
        out: the output folder, as soon as a command knows it; a traceback is written there.
    """

    environment: Mapping[str, str]
    console: Console
    debug: bool = False
    out: Path | None = None

    def __post_init__(self) -> None:
        self.debug = self.debug or bool(self.environment.get(DEBUG_VARIABLE))
