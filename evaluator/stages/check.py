"""check: every problem of the files that people write, at once."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, TypeVar

from evaluator import config as configuration
from evaluator import errors, metrics
from evaluator.errors import Problem
from evaluator.stages import lint
from evaluator.stores import accepted, fixtures, golden, located

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from evaluator.model.config import Config
    from evaluator.model.fixture import Fixture
    from evaluator.stores.golden import GoldenSet
    from evaluator.stores.located import Located

T = TypeVar("T")


def check(config_file: pathlib.Path, *, today: str) -> tuple[Problem, ...]:
    """The problems of configuration, golden set, fixture and accepted.yml, without the codes that it ignores.

    ``today`` is the date that entries of accepted.yml are held against. Nothing is written and no pipeline started.
    """
    found = _Findings()
    config = found.of(lambda: configuration.load_config(config_file), config_file)
    if config is None:
        return tuple(found.problems)
    folder = config_file.parent
    found.of(lambda: _rules(config, config_file), config_file)
    cases = found.of(lambda: golden.read_golden([folder / file for file in config.golden]), config_file)
    fixture = _fixture(config, folder, found)
    if config.accepted is not None:
        file = folder / config.accepted
        found.of(lambda: accepted.read_accepted(file, known_metrics=metrics.load(), today=today), file)
    if cases is not None:
        found.problems += _doubts(cases, fixture, config)
    return tuple(problem for problem in found.problems if problem.code not in config.check.ignore)


class _Findings:
    """Collects problems; a part that cannot be read does not hide those of the next."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def of(self, read: Callable[[], T], file: pathlib.Path) -> T | None:
        """What was read, or None and the reason why not."""
        try:
            return read()
        except errors.InputError as error:
            self.problems += error.problems
        except errors.AssayError as error:
            self.problems.append(Problem(error.slug, str(error), str(file)))
        return None


def _rules(config: Config, file: pathlib.Path) -> None:
    """Metrics and rules have to name what can be computed."""
    measured = configuration.resolve_metrics(config, metrics.load(), file)
    configuration.effective_rules(config, measured, answers_exist=True, file=file)


def _fixture(config: Config, folder: pathlib.Path, found: _Findings) -> Fixture | None:
    if config.fixture is None:
        return None
    place = folder / config.fixture
    looked = found.of(lambda: fixtures.look(place), place)
    if looked is None:
        return None
    fixture, problems = looked
    found.problems += problems
    return fixture


def _doubts(cases: GoldenSet, fixture: Fixture | None, config: Config) -> Iterator[Problem]:
    places = _Places(cases)
    if fixture is not None:
        yield from map(places.problem, lint.stale_ids(cases.cases, fixture))
    yield from map(places.problem, lint.quotes(cases.cases))
    yield from map(places.problem, lint.unsound_facts(cases.cases))
    yield from map(places.problem, lint.contradictions(cases.cases))
    yield from map(places.problem, lint.coverage(cases.cases, config.gate.min_cases))


class _Places:
    """Finds the place of a doubt; the golden files are read again only if there is one."""

    def __init__(self, cases: GoldenSet) -> None:
        self._cases = cases
        self._items: dict[str, dict[int, Located]] = {}

    def problem(self, doubt: lint.Doubt) -> Problem:
        """The doubt with its file, line and column."""
        file, line = self._cases.places[doubt.case or self._cases.cases[0].id]
        if doubt.case is None:
            return Problem(doubt.code, doubt.message, file, severity=doubt.severity)
        if file not in self._items:
            self._items[file] = {item.line: item for item in _items(pathlib.Path(file))}
        place = self._items[file][line].place(doubt.path)
        return Problem(doubt.code, doubt.message, file, place.line, place.column, doubt.severity)


def _items(path: pathlib.Path) -> Iterable[Located]:
    if path.suffix.lower() not in golden.YAML_SUFFIXES:
        return located.read_json_lines(path, str(path), [])
    document = located.read_yaml(path, str(path), [])
    return document.items() if document is not None else ()
