"""What differs between the configurations of two runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from evaluator.model.comparison import ConfigurationChange

if TYPE_CHECKING:
    from evaluator.model.run import RunHead

DATA = {
    "documents": "fixture documents", "chunks": "fixture chunks",
    "embedding": "fixture embedding", "vectors": "fixture vectors",
    "prompt": "text of pipeline.generator.template", "judge_models": "judge, as it answered",
    "judge_prompts": "text of the judge's prompts", "tool": "version",
}  # fmt: skip
"""Prints that stand for what a reader would call part of the configuration."""

DIGESTS = ("documents", "chunks", "vectors", "prompt")
SHOWN = 12
"""Characters of a digest that are shown."""

OF_BOTH = ("prompt", "judge_models", "judge_prompts")
"""Prints that say nothing where one of the runs has none: it was not judged, or its files were not there."""


def changes(
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    prints_before: Mapping[str, str],
    prints_after: Mapping[str, str],
) -> tuple[ConfigurationChange, ...]:
    """Every key whose value differs, lists as wholes, and what differs by its print (a digest, a name)."""
    old, new = dict(_flat(before)), dict(_flat(after))
    keys = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
    found = [ConfigurationChange(key=key, before=old.get(key), after=new.get(key)) for key in keys]
    data = [
        name
        for name in DATA
        if prints_before.get(name) != prints_after.get(name)
        and (name not in OF_BOTH or {name} <= prints_before.keys() & prints_after.keys())
    ]
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


def of_head(head: RunHead) -> dict[str, str]:
    """What a run depends on, by name: its fingerprints, and who judged it by which prompts."""
    found = {**head.fingerprint, "tool": head.tool}
    if head.judge is not None:
        found["judge_models"] = " and ".join(head.judge.answered or (head.judge.model,))
        prompts = sorted(head.judge.prompts.items())
        found["judge_prompts"] = ", ".join(f"{language} {digest[:SHOWN]}" for language, digest in prompts)
    return found


def _short(name: str, value: str | None) -> str | None:
    """A digest's beginning; what has a name is named in full."""
    return value[:SHOWN] if value is not None and name in DIGESTS else value
