"""What a careful colleague would say of a golden set: one module for each thing that is looked at.

A module has a function that yields :class:`evaluator.stages.lint.Doubt`. Messages name ids and places and repeat no
text of a case: they are published beside pull requests, and held-out cases and personal data must not be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.stages.lints import alike, copied, personal, references, resolution, stated, unprotected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.model.config import Config
    from evaluator.model.fixture import Fixture
    from evaluator.stages.lint import Doubt
    from evaluator.stores.golden import GoldenSet


def of_cases(golden: GoldenSet, fixture: Fixture | None, config: Config) -> Iterator[Doubt]:
    """Doubts about single cases, which stand whatever is wrong with others."""
    cases, language = golden.cases, config.language
    yield from unprotected.critical(cases)
    yield from references.contradicting(cases, language)
    yield from personal.data(cases, fixture)
    yield from alike.questions(golden, language)
    if fixture is not None:
        yield from copied.wording(cases, fixture, language)
        yield from stated.facts_in(cases, fixture, language)


def of_the_set(golden: GoldenSet, config: Config) -> Iterator[Doubt]:
    """How small a drop the set as a whole can show."""
    yield from resolution.resolved(golden.cases, config)
