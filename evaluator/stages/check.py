"""check: every problem of the files that people write, at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from evaluator import config as configuration
from evaluator import errors, metrics, pipelines
from evaluator.errors import Problem
from evaluator.metrics import quotes
from evaluator.stages import against, frozen, judge_check, known_noise, labels, lint, lints, preparing, stale
from evaluator.stores import accepted, fixtures, golden
from evaluator.stores.words import Finding, spelled, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from evaluator.model.config import Config, PythonTarget
    from evaluator.model.fixture import Fixture
    from evaluator.model.golden import Case
    from evaluator.stages.lint import Doubt
    from evaluator.stores.golden import GoldenSet

T = TypeVar("T")


def check(config_file: Path, *, today: str, out: Path | None = None) -> tuple[Problem, ...]:
    """The problems of the configuration, and those of the files it names without the codes that it ignores.

    A mistake in one key or line does not hide those of others. ``today`` is the date that entries of accepted.yml are
    held against; a run in ``out`` tells what lost chunks said. Nothing is written and no pipeline started.
    """
    config, problems = configuration.look(config_file, metrics.load())
    if config is None:
        return tuple(problems)
    folder = config_file.parent
    kinds = pipelines.load()
    found = _Found()
    cases, wrong = golden.look([folder / file for file in config.golden])
    kind = kinds[config.pipeline.kind]
    unusable = preparing.pipeline_mistakes(config, kind) or preparing.unaskable(config, kind, cases.cases)
    unusable += judge_check.mistakes(config, folder, cases.cases)
    problems += configuration.place([*_missing(config, folder), *unusable], config_file)
    problems.sort(key=lambda problem: (problem.line, problem.column))
    if config.golden:
        found.problems += wrong
    fixture = _fixture(config, cases, folder, found)
    _others(config, folder, found, today)
    found.problems += [*judge_check.problems(config, folder), *known_noise.problems(config, folder)]
    # What a set as a whole is too small to say is not known while a part of it, or a rule, cannot be read.
    whole = not problems and not wrong
    baseline = folder / config.baseline.file if config.baseline.file is not None else None
    trail = stale.Trail(fixture, baseline, out) if fixture is not None else None
    doubts = _doubts(cases, trail, config, whole=whole)
    found.problems += [*labels.problems(cases, doubts), *judge_check.doubts(config, config_file, cases.cases)]
    return (*problems, *(problem for problem in found.problems if problem.code not in config.check.ignore))


class _Found:
    """Collects problems; a part that cannot be read does not hide those of the next."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def of(self, read: Callable[[], T], file: Path) -> T | None:
        """What was read, or None and the reason why not."""
        try:
            return read()
        except errors.InputError as error:
            self.problems += error.problems
        except errors.AssayError as error:
            self.problems.append(Problem(error.slug, str(error), str(file)))
        return None


def _missing(config: Config, folder: Path) -> Iterator[Finding]:
    """What the configuration names that a run would look for in vain."""
    pipeline = config.pipeline
    named = {("accepted",): config.accepted, ("baseline", "file"): config.baseline.file}
    if pipeline.kind == "recorded" and pipeline.recorded is not None:
        named["pipeline", "recorded", "file"] = pipeline.recorded.file
    for path, written in named.items():
        if written is not None and not (folder / written).is_file():
            yield Finding("missing-file", path, "value", f"{spelled(path)}: there is no file '{visible(written)}'")
    if pipeline.kind == "python" and pipeline.python is not None:
        yield from _unfindable(pipeline.python, folder)


def _unfindable(target: PythonTarget, folder: Path) -> Iterator[Finding]:
    """Folders and interpreter that are not there; whether the target can be imported only its interpreter knows."""
    section = ("pipeline", "python")
    for index, entry in enumerate(target.path):
        if not (folder / entry).exists():
            sentence = f"pipeline.python.path[{index}]: there is no folder '{visible(entry)}'"
            yield Finding("missing-file", (*section, "path", index), "value", sentence)
    if target.python is not None and "/" in target.python and not (folder / target.python).is_file():
        sentence = f"pipeline.python.python: there is no interpreter '{visible(target.python)}'"
        yield Finding("missing-file", (*section, "python"), "value", sentence)


def _fixture(config: Config, cases: GoldenSet, folder: Path, found: _Found) -> Fixture | None:
    if config.fixture is None:
        return None
    place = folder / config.fixture
    looked = found.of(lambda: fixtures.look(place, with_vectors=True), place)
    if looked is None:
        return None
    fixture, problems = looked
    found.problems += problems
    if fixture is not None and not any(problem.code == "vectors" for problem in problems):
        found.problems += frozen.problems(config, cases, fixture, place)
    return fixture


def _others(config: Config, folder: Path, found: _Found, today: str) -> None:
    """Read accepted.yml and the baseline, where they are."""
    entries, baseline = folder / (config.accepted or ""), folder / (config.baseline.file or "")
    if entries.is_file():
        found.of(lambda: accepted.read_accepted(entries, known_metrics=metrics.load(), today=today), entries)
    if config.suite and baseline.is_file():
        found.of(lambda: against.older_config(against.read_baseline(baseline, config.suite)), baseline)


def _doubts(cases: GoldenSet, trail: stale.Trail | None, config: Config, *, whole: bool) -> Iterator[Doubt]:
    if trail is not None:
        yield from _of_fixture(cases.cases, trail, config.language)
    yield from stale.unsound_quotes(cases.cases)
    yield from lint.unsound_facts(cases.cases)
    yield from lint.contradictions(cases.cases)
    yield from lints.of_cases(cases, trail.fixture if trail is not None else None, config)
    if whole:
        yield from lint.coverage(cases.cases, config.gate.min_cases)
        yield from lints.of_the_set(cases, config)


def _of_fixture(cases: Sequence[Case], trail: stale.Trail, language: str) -> Iterator[Doubt]:
    fixture = trail.fixture
    quoted = quotes.resolve((need for case in cases for need in case.relevant), fixture)
    yield from lint.stale_ids(cases, fixture, language, trail)
    yield from stale.renumbered(cases, trail)
    yield from stale.lost_quotes(cases, quoted, fixture)
    yield from stale.contradicted_quotes(cases, quoted)
