"""The files of an output folder: which stage writes which, and what a person is told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator import errors
from evaluator.cli.failures import TRACEBACK_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evaluator.model.decision import Decision
    from evaluator.stages.workspace import Workspace

WRITES = {
    "collect": ("collect.json", "records.jsonl"),
    "score": ("run.json", "baseline-rescored.json"),
    "compare": ("comparison.json", "exam.json"),
    "gate": ("decision.json",),
    "report": ("comment.md", "summary.md"),
}
READS = {
    "score": ("collect.json", "records.jsonl"),
    "compare": ("run.json",),
    "gate": ("run.json", "comparison.json", "exam.json"),
    "report": ("run.json", "comparison.json", "exam.json", "decision.json"),
    "publish": ("comparison.json", "decision.json", "comment.md", "summary.md"),
}
"""What a stage needs of the ones before it; records.jsonl as well where run.json names it."""

ALL = tuple(name for names in WRITES.values() for name in names)


def clear_after(stage: str, out: Path) -> None:
    """Remove what this stage and the ones after it wrote earlier, so that no old result can be taken for a new one.

    Collect's own files stay until it replaces them.
    """
    names = list(WRITES)
    stale = [name for later in names[names.index(stage) :] for name in WRITES[later] if later != "collect"]
    for name in (*stale, TRACEBACK_FILE):
        (out / name).unlink(missing_ok=True)


def require_before(stage: str, out: Path) -> None:
    """Make sure that the stages before this one have run.

    Raises:
        FileProblem: a file that this stage reads is not there; the command that writes it is named.
    """
    writer = {name: earlier for earlier, names in WRITES.items() for name in names}
    for name in READS.get(stage, ()):
        if not (out / name).exists():
            raise errors.FileProblem(f"{out / name} does not exist; rag-assay {writer[name]} writes it")


def written(out: Path) -> Iterator[Path]:
    """The files that are there, in the order of the stages."""
    for names in WRITES.values():
        yield from (out / name for name in names if (out / name).is_file())


def warn(workspace: Workspace, since: int = 0) -> None:
    """Log the warnings that a stage left for the report without logging them itself."""
    for warning in workspace.warnings[since:]:
        workspace.log(f"warning: {warning}")


def verdict(decision: Decision) -> list[str]:
    """The decision and its reasons, one line each."""
    return [f"{decision.outcome}", *(f"  {reason.text} [{reason.code}]" for reason in decision.reasons)]


def decision_text(out: Path) -> str:
    """What ``--format json`` prints: decision.json as it was written."""
    return (out / "decision.json").read_text(encoding="utf-8")
