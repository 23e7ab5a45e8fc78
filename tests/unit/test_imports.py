"""What starting the command may import: a person who asks for help does not wait for numpy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluator import metrics
from evaluator.cli import root

ROOT = Path(__file__).parents[2]
HEAVY = {"pydantic", "pydantic_core", "numpy", "jinja2", "yaml", "jiter", "Stemmer"}
JUDGES = ("anthropic", "openai", "requests")
LISTING = """
import atexit, json, pathlib, sys
listed = pathlib.Path(sys.argv.pop(1))
atexit.register(lambda: listed.write_text(json.dumps(sorted(sys.modules))))
from evaluator.cli import main
main()
"""


def imported_by(tmp_path: Path, *arguments: str) -> set[str]:
    """All modules that a real process has imported when a command line has ended with 0."""
    for name in JUDGES:
        (tmp_path / f"{name}.py").write_text("")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    listed = tmp_path / "listed.json"
    command = [sys.executable, "-c", LISTING, str(listed), *arguments]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(listed.read_text()))


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], *([name, "--help"] for name in root.COMMANDS)], ids=" ".join
)
def test_help_imports_nothing_heavy(arguments: list[str], tmp_path: Path) -> None:
    """Neither the overview nor the help of any command loads what only the work itself needs."""
    assert imported_by(tmp_path, *arguments) & HEAVY == set()


def test_the_overview_imports_no_command(tmp_path: Path) -> None:
    """``--help`` lists the commands without importing one, nor a stage."""
    commands = {f"evaluator.cli.{lazy.target.partition(':')[0]}" for lazy in root.COMMANDS.values()}

    assert imported_by(tmp_path, "--help") & {*commands, "evaluator.stages", "evaluator.templates"} == set()


def test_the_retrieval_tier_imports_no_judge(tmp_path: Path) -> None:
    """A whole run without a judge loads no client of a model, although they could be imported."""
    chunk = {"id": "c1", "text": "Returns are free within 30 days."}
    case = {"id": "q1", "question": "how long are returns free", "relevant": ["c1"]}
    (tmp_path / "fixture").mkdir()
    (tmp_path / "fixture" / "chunks.jsonl").write_text(json.dumps(chunk))
    (tmp_path / "golden.jsonl").write_text(json.dumps(case))
    (tmp_path / "rag-assay.yml").write_text("suite: s\ngolden: golden.jsonl\nfixture: fixture\n")

    imported = imported_by(tmp_path, "run")
    assert imported & {"jmespath", "urllib3", "evaluator.stores.vectors", "evaluator.pipelines._dense"} == set()
    assert "evaluator.stages.report" in imported
    assert imported & {*JUDGES, "httpx", "aiohttp"} == set()
    assert imported & {"bm25s", "importlib.metadata"} == set()
    # Where coverage is measured it has loaded them before anything of ours.
    assert (imported - imported_by(tmp_path, "--version")) & {"html.entities"} == set()
    judged = {f"evaluator.metrics.{name}" for name, metric in metrics.load().items() if metric.reads == "judge"}
    assert judged
    assert imported & judged == set()
