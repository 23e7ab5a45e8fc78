from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from evaluator import errors
from evaluator.cli import outputs

if TYPE_CHECKING:
    from pathlib import Path

COLLECTED = {"collect.json", "records.jsonl", "records.jsonl.part", "notes.txt"}
EVERYTHING = COLLECTED | {"run.json", "comparison.json", "exam.json", "decision.json", "comment.md", "summary.md"}


def full(folder: Path) -> Path:
    """An output folder in which everything was done, and something of the user's."""
    for name in (*EVERYTHING, "internal-error.txt"):
        (folder / name).touch()
    return folder


@pytest.mark.parametrize(
    ("stage", "left"),
    [
        ("collect", COLLECTED),
        ("score", COLLECTED),
        ("compare", COLLECTED | {"run.json"}),
        ("gate", COLLECTED | {"run.json", "comparison.json", "exam.json"}),
        ("report", EVERYTHING - {"comment.md", "summary.md"}),
    ],
)
def test_nothing_that_was_decided_before_a_stage_outlives_it(stage: str, left: set[str], tmp_path: Path) -> None:
    """A stage removes what it and later stages wrote: an old green result cannot be taken for the new one."""
    outputs.clear_after(stage, full(tmp_path))

    assert {file.name for file in tmp_path.iterdir()} == left


def test_a_folder_that_is_not_there_is_clear(tmp_path: Path) -> None:
    """The first run has nothing to remove."""
    outputs.clear_after("collect", tmp_path / "new")

    assert not (tmp_path / "new").exists()


def test_files_are_named_in_the_order_of_the_stages(tmp_path: Path) -> None:
    """What was written is listed from the records to the comment."""
    named = [file.name for file in outputs.written(full(tmp_path))]

    assert named[0] == "collect.json"
    assert named[-2:] == ["comment.md", "summary.md"]


def test_a_stage_out_of_order_is_told_what_comes_before(tmp_path: Path) -> None:
    """The first file that is missing is named with the command that writes it."""
    (tmp_path / "collect.json").touch()
    (tmp_path / "records.jsonl").touch()
    outputs.require_before("score", tmp_path)

    with pytest.raises(errors.FileProblem, match=re.escape("run.json does not exist; rag-assay score writes it")):
        outputs.require_before("gate", tmp_path)
