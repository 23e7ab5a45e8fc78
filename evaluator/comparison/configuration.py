"""What differs between the configurations of two runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evaluator.model.comparison import ConfigurationChange

DATA = {
    "documents": "fixture documents", "chunks": "fixture chunks",
    "embedding": "fixture embedding", "vectors": "fixture vectors",
}  # fmt: skip
"""Fingerprints that stand for data a reader would call part of the configuration."""


def changes(
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    prints_before: Mapping[str, str],
    prints_after: Mapping[str, str],
) -> tuple[ConfigurationChange, ...]:
    """Every key whose value differs, lists as wholes, and the data that differs by digest."""
    old, new = dict(_flat(before)), dict(_flat(after))
    keys = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
    found = [ConfigurationChange(key=key, before=old.get(key), after=new.get(key)) for key in keys]
    data = [name for name in DATA if prints_before.get(name) != prints_after.get(name)]
    found.extend(
        ConfigurationChange(
            key=DATA[name],
            before=_short(name, prints_before.get(name)),
            after=_short(name, prints_after.get(name)),
        )
        for name in data
    )
    return tuple(found)


def _flat(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, part in value.items():
        if isinstance(part, Mapping):
            yield from _flat(part, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", part


def _short(name: str, value: str | None) -> str | None:
    """A digest's beginning; a model is named in full."""
    return value[:12] if value is not None and name != "embedding" else value
