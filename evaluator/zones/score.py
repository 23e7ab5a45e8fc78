"""score: measures the sealed records by the whole golden set."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from evaluator import __version__, errors, pipelines
from evaluator.model.base import digest
from evaluator.model.record import Collection, PipelineInfo
from evaluator.stages import score as stage
from evaluator.stores import golden, records, values
from evaluator.stores.words import visible
from evaluator.zones import archive
from evaluator.zones.seal import RECORDED

if TYPE_CHECKING:
    from typing import IO

    from evaluator.stages.workspace import Workspace
    from evaluator.stores.golden import GoldenSet
    from evaluator.zones.site import Site

SCORED = (*RECORDED, "run.json")


def score(stream: IO[bytes], out: IO[bytes], site: Site) -> None:
    """Score the sealed records of a repository's pipeline and write the run.

    What collect said of itself was written beside the user's code: everything that is known here as well is taken from
    here, and the records have to answer exactly the questions of the golden set.

    Raises:
        ZoneProblem: they do not, or the stream is not what this zone takes.
        AssayError: as the stage.
    """
    archive.take_parts(stream, {"tree.tar": site.take_tree, "sealed.tar": site.taker(RECORDED)})
    workspace = site.workspace()
    cases = golden.read_golden([workspace.path(file) for file in workspace.config.golden])
    _check_answers(workspace, cases)
    _vouch(workspace, cases)
    stage.score(workspace)
    archive.pack_files(workspace.out, out, SCORED)


def _check_answers(workspace: Workspace, cases: GoldenSet) -> None:
    answered = records.iter_records(workspace.out / "records.jsonl")
    language = workspace.config.language
    for case, record in itertools.zip_longest(cases.cases, answered):
        if case is None or record is None or record.id != case.id:
            about = f"at '{visible(case.id)}'" if case is not None else "after the last case"
            raise errors.ZoneProblem(f"collect did not answer every question once, in golden order: {about}")
        if record.input_hash != case.input_hash(language):
            raise errors.ZoneProblem(f"collect did not ask the question of '{visible(case.id)}'")


def _vouch(workspace: Workspace, cases: GoldenSet) -> None:
    path, config = workspace.out / "collect.json", workspace.config
    said = values.read_value(path, Collection)
    kind = pipelines.kind(config.pipeline.kind)
    info = PipelineInfo(kind=kind.name, version=config.pipeline.version, settings=kind.settings(config.pipeline))
    known = Collection(
        tool=f"rag-assay {__version__}", suite=config.suite, config_sha256=digest(config.model_dump(mode="json")),
        golden_sha256=cases.sha256, fixture=said.fixture, pipeline=info, commit=workspace.commit,
        # What stands on top of a comment is not for the user's code to say; what is measured here is a commit.
        timing={**said.timing, "alerts": (), "uncommitted": False},
    )  # fmt: skip
    values.write_value(path, known)
