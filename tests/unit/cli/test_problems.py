from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.cli import problems
from evaluator.errors import Problem

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_files_below_the_working_directory_are_named_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path that a person could type is shown; one elsewhere stays whole."""
    monkeypatch.chdir(tmp_path)
    here, elsewhere = Problem("x", "m", str(tmp_path / "a" / "g.jsonl"), 1, 2), Problem("x", "m", "/nowhere/g.jsonl")

    assert problems.lines([here, elsewhere]) == ["a/g.jsonl:1:2: m [x]", "/nowhere/g.jsonl: m [x]"]


def test_the_path_in_a_remedy_is_named_from_the_working_directory_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command to copy names the folder as the person would; another path that merely ends alike stays whole."""
    monkeypatch.chdir(tmp_path)
    told = Problem("x", f"run freeze '{tmp_path}/my fixture', not /other{tmp_path}/fixture", "g.jsonl")

    assert problems.lines([told]) == [f"g.jsonl: run freeze 'my fixture', not /other{tmp_path}/fixture [x]"]


def test_the_root_is_not_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the topmost folder an absolute path stays one."""
    monkeypatch.chdir("/")

    assert problems.lines([Problem("x", "m", "/work/g.jsonl")]) == ["/work/g.jsonl: m [x]"]


def test_a_list_that_nobody_would_read_is_cut() -> None:
    """After a hundred problems their number is enough."""
    lines = problems.lines([Problem("x", "m", "g.jsonl", line) for line in range(1, 501)], severity=True)

    assert lines[0] == "error: g.jsonl:1: m [x]"
    assert lines[100:] == ["and 400 more"]


def test_links_are_named_once_each() -> None:
    """Each code leads to its heading, however often it occurs: errors first, and nothing about a mere remark."""
    found = [("bad-id", "warning"), ("syntax", "error"), ("syntax", "error"), ("resolution", "info")]
    those = [Problem(code, "m", "g.jsonl", severity=severity) for code, severity in found]

    assert problems.see(those) == ("rag-assay --explain syntax says what to do; also bad-id",)
    assert problems.see(those[3:]) == ()
