"""Personal data in what people wrote: golden files are committed, and their texts end up in runs and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.stages.lint import Doubt
from evaluator.stages.lints import identifiers
from evaluator.stores.words import spelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evaluator.model.fixture import Fixture
    from evaluator.model.golden import Case
    from evaluator.stages.lints.identifiers import Found
    from evaluator.stores.words import Path


def data(cases: Iterable[Case], fixture: Fixture | None) -> Iterator[Doubt]:
    """The first of each kind in every text of a case, unless the documents themselves hold it."""
    theirs: set[tuple[str, str]] | None = None
    for case in cases:
        for path, text in _texts(case):
            first: dict[str, Found] = {}
            for found in identifiers.find(text):
                if theirs is None:
                    theirs = _of(fixture)
                if (found.kind, found.value) not in theirs:
                    first.setdefault(found.kind, found)
            for found in first.values():
                said = f"{spelled(path)} holds what looks like {found.kind}: put a made-up one in its place"
                yield Doubt("personal-data", said, case.id, path, offset=found.start)


def _texts(case: Case) -> Iterator[tuple[Path, str]]:
    """Everything that people write freely, with its place."""
    for name in ("question", "reference", "source", "notes"):
        text = getattr(case, name)
        if text:
            yield (name,), text
    for index, turn in enumerate(case.history):
        yield ("history", index, "content"), turn.content
    for index, tag in enumerate(case.tags):
        yield ("tags", index), tag
    for index, fact in enumerate(case.facts):
        yield ("facts", index, "text"), fact.text
        for place, alternative in enumerate(fact.any):
            yield ("facts", index, "any", place), alternative


def _of(fixture: Fixture | None) -> set[tuple[str, str]]:
    """What the documents hold: a company's own numbers, which an answer may well have to name."""
    chunks = fixture.chunks if fixture is not None else ()
    return {(found.kind, found.value) for chunk in chunks for found in identifiers.find(chunk.text)}
