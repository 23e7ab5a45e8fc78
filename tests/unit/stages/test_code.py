from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from evaluator.stages import code
from tests.workbench import Bench

if TYPE_CHECKING:
    from pathlib import Path

OURS = frozenset({"records.jsonl"})


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A command that is in a folder beside the configuration's."""
    for name, text in (("suite/app.py", "1"), ("lib/app.js", "1"), ("lib/.git/HEAD", "1"), ("elsewhere.py", "1")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    pipeline = {"kind": "command", "command": {"run": ["node", "../lib/app.js"]}}
    return Bench(tmp_path / "suite", [{"id": "q1", "question": "?"}], pipeline)


def digest(bench: Bench) -> str | None:
    return code.digest_of_code(bench.workspace(), OURS)


@pytest.mark.parametrize("name", ["suite/app.py", "suite/new/prompt.txt", "lib/app.js", "lib/helper.js"])
def test_a_file_of_the_code_that_changes_or_comes_is_noticed(bench: Bench, tmp_path: Path, name: str) -> None:
    """The configuration's folder counts, and the folder of a program that the command names."""
    before = digest(bench)
    assert before == digest(bench)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("2")

    assert before != digest(bench)


@pytest.mark.parametrize(
    "name", ["elsewhere.py", "lib/.git/HEAD", "suite/__pycache__/app.pyc", "suite/out/records.jsonl"]
)
def test_what_is_no_code_changes_nothing(bench: Bench, tmp_path: Path, name: str) -> None:
    """Files that no path leads to, what tools keep for themselves, and what the run itself writes."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    before = digest(bench)
    (tmp_path / name).write_text("2")

    assert before == digest(bench)


def test_the_folders_python_imports_from_count(bench: Bench, tmp_path: Path) -> None:
    """pipeline.python.path may lead out of the configuration's folder."""
    bench.pipeline = {"kind": "python", "python": {"target": "app:ask", "path": ["../lib"]}}
    before = digest(bench)
    (tmp_path / "lib" / "helper.py").write_text("2")

    assert before != digest(bench)


def test_links_are_followed_once(bench: Bench, tmp_path: Path) -> None:
    """Code behind a link is code, a link in a circle ends, and a pipe is not waited for."""
    (tmp_path / "suite" / "shared").symlink_to(tmp_path)
    (tmp_path / "suite" / "gone").symlink_to(tmp_path / "nothing")
    os.mkfifo(tmp_path / "suite" / "pipe")
    before = digest(bench)
    (tmp_path / "elsewhere.py").write_text("2")

    assert before is not None
    assert before != digest(bench)


def test_too_much_to_look_at_is_not_known(bench: Bench, tmp_path: Path) -> None:
    """Too many files, or one that is too large, give no digest at all rather than one of a part of them."""
    large = tmp_path / "suite" / "index.bin"
    with large.open("wb") as file:
        file.truncate(code.MAX_BYTES + 1)
    assert digest(bench) is None

    large.unlink()
    assert digest(bench) is not None
    for number in range(code.MAX_FILES):
        (tmp_path / "lib" / str(number)).touch()
    assert digest(bench) is None


def test_a_large_golden_set_does_not_count(bench: Bench) -> None:
    """What a run reads anyway is no reason to ask everything again."""
    bench.cases = [{"id": f"q{number}", "question": "?" * 900_000} for number in range(25)]

    assert digest(bench) is not None
