"""What collect needs before it asks anything, looked at so that a mistake shows before a pipeline is started."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluator import config as configuration
from evaluator import errors, metrics, pipelines
from evaluator.errors import Problem
from evaluator.model.record import Request
from evaluator.stages import lint
from evaluator.stages.labels import unsupported
from evaluator.stores import fixtures, golden
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluator.model.config import Config
    from evaluator.model.fixture import Fixture
    from evaluator.model.golden import Case
    from evaluator.model.ports import PipelineKind
    from evaluator.stages.workspace import Workspace
    from evaluator.stores.golden import GoldenSet

GRANTED = ("PATH", "HOME", "LANG", "TMPDIR")
"""Variables that every pipeline sees."""

REFUSED = ("GITHUB_", "ACTIONS_", "RUNNER_", "INPUT_")
"""Variables that begin like this are the runner's: no pipeline sees them, whatever the configuration says."""


@dataclass(frozen=True)
class Work:
    """What is to be asked, of what.

    Attributes:
        kind: the kind of pipeline.
        golden: the whole golden set.
        fixture: the frozen index, if there is one.
        cases: the cases that are asked, by id, in golden order.
        requests: what is asked, in the same order.
        cutoff: the largest cut-off of the metrics; 0 where none has one.
        environment: the variables that the pipeline sees.
    """

    kind: PipelineKind
    golden: GoldenSet
    fixture: Fixture | None
    cases: Mapping[str, Case]
    requests: Sequence[Request]
    cutoff: int
    environment: dict[str, str]


def prepare(workspace: Workspace) -> Work:
    """Read and check everything.

    Raises:
        InputError: the golden set, the fixture or the metrics have mistakes, or the fixture lacks what is labelled.
        UsageError: a case that was asked for by its id is not in the golden set.
        PipelineError: the configuration grants the pipeline a variable that it may not see.
    """
    config = workspace.config
    measured = configuration.resolve_metrics(config, metrics.load(), workspace.config_file)
    environment = _environment(workspace)
    cases = golden.read_golden([workspace.path(file) for file in config.golden])
    problems = unsupported(cases)
    if problems:
        raise errors.InputError(problems)
    chosen = _chosen(cases.cases, workspace.only)
    fixture = _fixture(workspace, cases)
    workspace.handed.golden, workspace.handed.fixture = cases, fixture
    return Work(
        kind=_kind(config.pipeline.kind), golden=cases, fixture=fixture, cases=chosen, environment=environment,
        requests=[_request(case, config, configuration.depth(config, measured)) for case in chosen.values()],
        cutoff=max((metric.k for metric in measured if metric.k is not None), default=0),
    )  # fmt: skip


def _kind(name: str) -> PipelineKind:
    kinds = pipelines.load()
    if name not in kinds:
        raise errors.NotYetSupported(f"pipeline.kind {name} is not yet supported; there are {', '.join(kinds)}")
    return kinds[name]


def _chosen(cases: Sequence[Case], only: Sequence[str]) -> dict[str, Case]:
    known = {case.id: case for case in cases}
    unknown = [identifier for identifier in only if identifier not in known]
    if unknown:
        near = difflib.get_close_matches(unknown[0], known, n=1)
        hint = f"; the nearest id is '{visible(near[0])}'" if near else ""
        named = ", ".join(f"'{visible(identifier)}'" for identifier in unknown)
        raise errors.UsageError(f"the golden set has no case {named}{hint}")
    return {identifier: case for identifier, case in known.items() if not only or identifier in only}


def _fixture(workspace: Workspace, cases: GoldenSet) -> Fixture | None:
    if workspace.config.fixture is None:
        return None
    loaded = fixtures.read_fixture(workspace.path(workspace.config.fixture))
    workspace.warnings.extend(loaded.warnings)
    stale = list(lint.stale_ids(cases.cases, loaded.fixture))
    if stale and not workspace.allow_stale:
        places = [cases.places[doubt.case or ""] for doubt in stale]
        raise errors.InputError(
            Problem(doubt.code, doubt.message, *place) for doubt, place in zip(stale, places, strict=True)
        )
    if stale:
        count = len({doubt.case for doubt in stale})
        workspace.warnings.append(
            f"{len(stale)} labels of {count} cases name what the fixture does not hold and nothing can retrieve"
        )
    return loaded.fixture


def _request(case: Case, config: Config, depth: int) -> Request:
    return Request(
        id=case.id, question=case.question, k=config.k, depth=depth, language=case.language or config.language,
        history=tuple({"role": turn.role, "content": turn.content} for turn in case.history),
    )  # fmt: skip


def _environment(workspace: Workspace) -> dict[str, str]:
    """The only variables that the pipeline sees: those that every pipeline does, and those that were named.

    Raises:
        PipelineError: one that was named is the runner's.
    """
    named = workspace.config.pipeline.env
    refused = [name for name in named if name.upper().startswith(REFUSED)]
    if refused:
        raise errors.PipelineError(
            f"pipeline.env names {', '.join(map(visible, refused))}: a pipeline never sees variables that begin with "
            f"{', '.join(REFUSED)}; pass what it needs under another name"
        )
    missing = [name for name in named if name not in workspace.environment]
    if missing:
        workspace.warnings.append(f"pipeline.env names {', '.join(map(visible, missing))}, which is not set")
    return {name: workspace.environment[name] for name in (*GRANTED, *named) if name in workspace.environment}
