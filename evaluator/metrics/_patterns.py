"""Regular expressions that people write as ``/pattern/`` among a fact's alternatives."""

from __future__ import annotations


def pattern_of(alternative: str) -> str | None:
    """The pattern of ``/pattern/``; None where the alternative is plain text."""
    is_pattern = len(alternative) > 2 and alternative.startswith("/") and alternative.endswith("/")  # noqa: PLR2004
    return alternative[1:-1] if is_pattern else None
