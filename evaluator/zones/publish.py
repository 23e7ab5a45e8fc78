"""publish: the only zone with a token that may write. It takes finished text and runs nobody's code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evaluator import errors
from evaluator.model.decision import EXIT_CODES, Decision
from evaluator.model.publication import Publication
from evaluator.model.received import NAME, Received
from evaluator.stages.posting import Verdict
from evaluator.stores import values
from evaluator.zones import archive
from evaluator.zones.decide import PUBLICATION

if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO

EVENT = "event.json"
DECISION = "decision.json"
COMMENT = "comment.md"
PUBLISHED = (COMMENT, DECISION, PUBLICATION)
LARGEST = 64 << 20
"""Bytes of any of the files: GitHub's payloads are below 25 MB."""


def take(stream: IO[bytes], folder: Path) -> Any:
    """Take the stream; the event's payload.

    Raises:
        ZoneProblem: the stream is not what this zone takes.
    """
    archive.take_files(stream, folder, (EVENT,), (*PUBLISHED, NAME))
    try:
        return json.loads(values.read_whole(folder / EVENT, LARGEST))
    except (ValueError, RecursionError):
        raise errors.ZoneProblem("the event's payload is not JSON") from None


def received_in(folder: Path) -> Received | None:
    """The pull request that the run before a workflow run was of, if the stream had one.

    Raises:
        FileProblem: it is none.
    """
    path = folder / NAME
    return values.read_value(path, Received) if path.exists() else None


def verdict(folder: Path, nonce: str) -> Verdict:
    """What is to be told of the files that were taken; no verdict where they are not whole or not this attempt's."""
    try:
        decision = values.read_value(folder / DECISION, Decision)
        told = values.read_value(folder / PUBLICATION, Publication)
        comment = values.read_whole(folder / COMMENT, LARGEST).decode("utf-8", "replace")
    except errors.FileProblem as problem:
        return Verdict.none(str(problem))
    # As the Action's last step: a green status needs all that a green job needs.
    if not nonce or decision.nonce != nonce or told.outcome != decision.outcome:
        return Verdict.none("the decision is not this attempt's")
    if decision.exit_code != EXIT_CODES[decision.outcome]:
        return Verdict.none("the decision contradicts itself")
    return Verdict.of(told, comment)
