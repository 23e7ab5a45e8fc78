"""What collect said of itself, held to what is known without it: it was written beside the user's code."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from evaluator import __version__, errors, pipelines
from evaluator.model.base import digest
from evaluator.model.record import Collection, PipelineInfo
from evaluator.stores import records, values
from evaluator.stores.words import visible

if TYPE_CHECKING:
    from evaluator.model.fixture import Digests
    from evaluator.stages.workspace import Workspace
    from evaluator.stores.golden import GoldenSet


def vouch(workspace: Workspace, cases: GoldenSet) -> None:
    """Write collect.json anew by what the repository knows; the records have to answer exactly its questions.

    Raises:
        ZoneProblem: they do not.
        FileProblem: the files are not what leaves seal.
    """
    _check_answers(workspace, cases)
    path = workspace.out / "collect.json"
    said = values.read_value(path, Collection)
    # What stands on top of a comment is not for the user's code to say; what is measured here is a commit.
    timing = {**said.timing, "alerts": (), "uncommitted": False}
    values.write_value(path, of_repository(workspace, cases, said.fixture).but(timing=timing))


def of_repository(workspace: Workspace, cases: GoldenSet, fixture: Digests | None) -> Collection:
    """What collect.json says as far as the repository alone knows it."""
    config = workspace.config
    kind = pipelines.kind(config.pipeline.kind)
    info = PipelineInfo(kind=kind.name, version=config.pipeline.version, settings=kind.settings(config.pipeline))
    return Collection(
        tool=f"rag-assay {__version__}", suite=config.suite, config_sha256=digest(config.model_dump(mode="json")),
        golden_sha256=cases.sha256, fixture=fixture, pipeline=info,
        commit=workspace.commit, timing={},
    )  # fmt: skip


def _check_answers(workspace: Workspace, cases: GoldenSet) -> None:
    answered = records.iter_records(workspace.out / "records.jsonl")
    language = workspace.config.language
    for case, record in itertools.zip_longest(cases.cases, answered):
        if case is None or record is None or record.id != case.id:
            about = f"at '{visible(case.id)}'" if case is not None else "after the last case"
            raise errors.ZoneProblem(f"collect did not answer every question once, in golden order: {about}")
        if record.input_hash != case.input_hash(language):
            raise errors.ZoneProblem(f"collect did not ask the question of '{visible(case.id)}'")
