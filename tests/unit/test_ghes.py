"""The actions for GitHub Enterprise Server: the others, but for what differs there."""

from __future__ import annotations

import difflib
import re
import runpy
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import documents

ROOT = Path(__file__).parents[2]
WRITER: dict[str, Any] = runpy.run_path(str(ROOT / "scripts" / "ghes.py"))
VARIANTS: dict[Path, str] = WRITER["variants"]()
PATHS = sorted(VARIANTS)


def test_every_action_has_one() -> None:
    """And there is none of an action that is gone."""
    there = {path for path in (ROOT / "ghes").rglob("*") if path.is_file()}

    assert there == set(VARIANTS)
    assert {ROOT / "ghes" / "action.yml", ROOT / "ghes" / "baseline" / "action.yml"} <= there


def test_every_one_is_named() -> None:
    """Whoever has such a server finds which action is for which workflow."""
    section = documents.sections("action.md")["GitHub Enterprise Server"]
    places = [path.parent.relative_to(ROOT) for path in PATHS]

    assert [place for place in places if f"`rag-assay/rag-assay/{place}@v" not in section] == []


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.parent.name)
def test_it_is_what_would_be_written(path: Path) -> None:
    """`make ghes` was run since the last change."""
    assert path.read_text() == VARIANTS[path]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.parent.name)
def test_only_artifacts_and_paths_differ(path: Path) -> None:
    """Inputs, outputs, order and conditions are the same."""
    source = ROOT / path.relative_to(ROOT / "ghes")
    diff = difflib.ndiff(source.read_text().splitlines(), path.read_text().splitlines())
    differing = [line[2:].strip() for line in diff if line[0] in "+-"]

    assert [
        line for line in differing if not re.search(r"actions/\w+-artifact@|GITHUB_ACTION_PATH|^# Written by", line)
    ] == []
    assert re.findall(r"artifact@\w+ # v(\d)", path.read_text()).count("3") == path.read_text().count("-artifact@")


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.parent.name)
def test_its_scripts_are_there(path: Path) -> None:
    """GITHUB_ACTION_PATH is the folder of the variant."""
    steps = yaml.safe_load(path.read_text())["runs"]["steps"]
    scripts = [
        step["run"].strip('"').replace("$GITHUB_ACTION_PATH", str(path.parent)) for step in steps if "run" in step
    ]

    assert scripts
    assert all(Path(script).resolve().parent == ROOT / "scripts" and Path(script).is_file() for script in scripts)
