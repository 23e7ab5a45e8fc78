"""What collect needs before it asks anything, looked at so that a mistake shows before a pipeline is started."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator import config as configuration
from evaluator import errors, metrics, pipelines, templates
from evaluator.metrics import quotes
from evaluator.model.record import Request
from evaluator.stages import frozen, labels, lint, stale
from evaluator.stores import fixtures, golden
from evaluator.stores.words import Finding, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evaluator.model.config import Config
    from evaluator.model.fixture import Fixture
    from evaluator.model.golden import Case
    from evaluator.model.ports import Mistake, PipelineKind
    from evaluator.model.score import MetricId
    from evaluator.stages.lint import Doubt
    from evaluator.stages.workspace import Workspace
    from evaluator.stores.golden import GoldenSet

GRANTED = ("PATH", "HOME", "LANG", "TMPDIR")
"""Variables that every pipeline sees."""

REHEARSED = 50
"""So many questions are put into a pipeline's templates before anything is started."""


class Work(NamedTuple):
    """What is to be asked, of what.

    Attributes:
        kind: the kind of pipeline.
        golden: the whole golden set.
        fixture: the frozen index, if there is one.
        cases: the cases that are asked, by id, in golden order.
        requests: what is asked, in the same order.
        deepest: the metric with the largest cut-off; None where none has one.
        environment: the variables that the pipeline sees.
    """

    kind: PipelineKind
    golden: GoldenSet
    fixture: Fixture | None
    cases: Mapping[str, Case]
    requests: Sequence[Request]
    deepest: MetricId | None
    environment: dict[str, str]


def prepare(workspace: Workspace) -> Work:
    """Read and check everything.

    Raises:
        InputError: metrics, rules or the pipeline's section have mistakes, or the golden set or the fixture, or the
            fixture lacks what is labelled.
        UsageError: a case that was asked for by its id is not in the golden set.
    """
    config = workspace.config
    kind = _kind(config.pipeline.kind)
    wrong = pipeline_mistakes(config, kind)
    if wrong:
        raise errors.InputError(configuration.place(wrong, workspace.config_file))
    measured = configuration.resolve_metrics(config, metrics.load(), workspace.config_file)
    cases, fixture = _suite(workspace)
    chosen = _chosen(cases.cases, workspace.only)
    workspace.handed.golden, workspace.handed.fixture = cases, fixture
    depth = configuration.depth(config, measured)
    requests = [_request(case, config, depth) for case in chosen.values()]
    wrong = _unaskable(config, kind, requests[:REHEARSED])
    if wrong:
        raise errors.InputError(configuration.place(wrong, workspace.config_file))
    return Work(
        kind=kind, golden=cases, fixture=fixture, cases=chosen, requests=requests,
        deepest=max((each for each in measured if each.k is not None), key=lambda each: each.k or 0, default=None),
        environment=_environment(workspace),
    )  # fmt: skip


def _suite(workspace: Workspace) -> tuple[GoldenSet, Fixture | None]:
    """Golden set and fixture.

    Raises:
        InputError: every problem of both, and of the one held against the other.
    """
    config = workspace.config
    cases, problems = golden.look([workspace.path(file) for file in config.golden])
    problems += labels.unsound(cases)
    fixture = None
    if config.fixture is not None:
        place = workspace.path(config.fixture)
        fixture, found = fixtures.look(place, with_vectors=frozen.searches_vectors(config))
        problems += [problem for problem in found if problem.severity == "error"]
        if fixture is not None and not problems:
            problems += frozen.problems(config, cases, fixture, place)
        workspace.warnings.extend(problem.message for problem in found if problem.severity != "error")
    doubts = [] if fixture is None else _stale(workspace, cases, fixture)
    if not workspace.allow_stale:
        problems += labels.problems(cases, doubts)
    if problems:
        raise errors.InputError(problems)
    if doubts:
        workspace.alerts.append(stale.alert(doubts))
    return cases, fixture


def _stale(workspace: Workspace, cases: GoldenSet, fixture: Fixture) -> list[Doubt]:
    """Labels that nothing in the fixture satisfies; what became of the quotes is handed on."""
    written = workspace.config.baseline.file
    trail = stale.Trail(fixture, workspace.path(written) if written is not None else None, workspace.out)
    quoted = quotes.resolve((need for case in cases.cases for need in case.relevant), fixture)
    workspace.handed.quoted = quoted
    return [
        *lint.stale_ids(cases.cases, fixture, workspace.config.language, trail),
        *stale.lost_quotes(cases.cases, quoted, fixture),
    ]


def pipeline_mistakes(config: Config, kind: PipelineKind) -> list[Finding]:
    """What is wrong with the section of the pipeline that only its kind can know."""
    return _findings(kind.mistakes(config.pipeline, templates.of_config))


def _findings(mistakes: Iterable[Mistake]) -> list[Finding]:
    return [Finding("wrong-value", ("pipeline", *path), "value", sentence) for path, sentence in mistakes]


def unaskable(config: Config, kind: PipelineKind, cases: Sequence[Case]) -> list[Finding]:
    """Why none of the first questions of a golden set could be asked at all."""
    return _unaskable(
        config, kind, [_request(case, config, configuration.depth(config, ())) for case in cases[:REHEARSED]]
    )


def _unaskable(config: Config, kind: PipelineKind, requests: Sequence[Request]) -> list[Finding]:
    return _findings(kind.rehearse(config.pipeline, templates.of_config, requests))


def _kind(name: str) -> PipelineKind:
    try:
        return pipelines.kind(name)
    except KeyError:
        there = ", ".join(pipelines.load())
        raise errors.NotYetSupported(f"pipeline.kind {name} is not yet supported; there are {there}") from None


def _chosen(cases: Sequence[Case], only: Sequence[str]) -> dict[str, Case]:
    known = {case.id: case for case in cases}
    unknown = [identifier for identifier in only if identifier not in known]
    if unknown:
        near = errors.nearest(unknown[0], known)
        hint = f"; the nearest id is '{visible(near)}'" if near else ""
        named = ", ".join(f"'{visible(identifier)}'" for identifier in unknown)
        raise errors.UsageError(f"the golden set has no case {named}{hint}")
    return {identifier: case for identifier, case in known.items() if not only or identifier in only}


def _request(case: Case, config: Config, depth: int) -> Request:
    return Request(
        id=case.id, question=case.question, k=config.k, depth=depth, language=case.language or config.language,
        history=tuple({"role": turn.role, "content": turn.content} for turn in case.history),
    )  # fmt: skip


def _environment(workspace: Workspace) -> dict[str, str]:
    """The only variables that the pipeline sees: those that every pipeline does, and those that were named."""
    named = workspace.config.pipeline.env
    missing = [name for name in named if name not in workspace.environment]
    if missing:
        workspace.warnings.append(f"pipeline.env names {', '.join(map(visible, missing))}, which is not set")
    return {name: workspace.environment[name] for name in (*GRANTED, *named) if name in workspace.environment}
