"""Each format, imported by the command and compared with what a person wrote or checked, byte by byte.

A folder below tests/gold/import holds the files of another tool, ``command.txt`` with the arguments of
``rag-assay import``, what has to come of it, and ``said.txt``: what stood on stderr.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

GOLD = Path(__file__).parents[1] / "gold" / "import"
FOLDERS = sorted(folder for folder in GOLD.iterdir() if (folder / "command.txt").is_file())
WRITTEN = ("golden.jsonl", "answers.jsonl", "fixture/chunks.jsonl")


def import_(folder: Path) -> dict[str, str]:
    """Import in a folder; what was written and said."""
    arguments = (folder / "command.txt").read_text().split()
    command = [sys.executable, "-m", "evaluator", "import", *arguments, "--out", "out"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    found = {name: (folder / "out" / name).read_text() for name in WRITTEN if (folder / "out" / name).exists()}
    return {**found, "said.txt": done.stderr.replace(f"{folder}{os.sep}", "")}


@pytest.mark.parametrize("gold", FOLDERS, ids=lambda folder: folder.name)
def test_what_is_imported_is_what_was_checked(gold: Path, tmp_path: Path) -> None:
    """Cases, answers, chunks, and what a person is told of the rest."""
    folder = tmp_path / "work"
    shutil.copytree(gold, folder)
    found = import_(folder)
    expected = {name: gold / "expected" / name for name in (*WRITTEN, "said.txt")}
    if os.environ.get("REFRESH_GOLD"):
        for name, text in found.items():
            expected[name].parent.mkdir(parents=True, exist_ok=True)
            expected[name].write_text(text)

    assert found == {name: file.read_text() for name, file in expected.items() if file.exists()}
