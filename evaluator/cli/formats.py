"""The problems of ``check`` for programs: a JSON list, workflow commands of GitHub, SARIF 2.1.0."""

from __future__ import annotations

import collections
import json
import re
import urllib.parse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator import __version__
from evaluator.cli import problems
from evaluator.github.commands import MOST_ANNOTATIONS, command
from evaluator.model.counting import counted
from evaluator.templates import log_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from evaluator.errors import Problem

MOST_RESULTS = 25_000
"""How many results GitHub takes in one run of a SARIF file; it refuses a file with more."""

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"error": "error", "warning": "warning"}
"""What is annotated, by severity; a remark about the whole set is no finding on a line."""


def as_json(found: Sequence[Problem], root: Path) -> str:  # noqa: ARG001 - one signature for all formats
    """A list of objects with code, severity, file, line, column and message."""
    return json.dumps(list(map(problems.as_json, found)), ensure_ascii=False, indent=1) + "\n"


def as_github(found: Sequence[Problem], root: Path) -> str:
    """Workflow commands: at most ten of a level, the last of which says how many are left."""
    return "".join(f"{line}\n" for level in LEVELS for line in _commands(found, root, level))


def _commands(found: Sequence[Problem], root: Path, level: str) -> Iterator[str]:
    those = [problem for problem in found if problem.severity == level]
    shown = those if len(those) <= MOST_ANNOTATIONS else those[: MOST_ANNOTATIONS - 1]
    for problem in shown:
        yield _command(problems.near(problem, root))
    left = collections.Counter(problem.code for problem in those[len(shown) :])
    if left:
        codes = ", ".join(f"{count} {code}" for code, count in left.most_common())
        rest = counted(left.total(), f"more {level}")
        yield command(level, {"title": "rag-assay check"}, f"{rest} in the log of this step: {codes}")


def _command(problem: Problem) -> str:
    places = {"file": problem.file, "line": problem.line, "col": problem.column, "title": problem.code}
    return command(problem.severity, places, log_line(problem.message))


def as_sarif(found: Sequence[Problem], root: Path) -> str:
    """A SARIF 2.1.0 log of one run, errors first; paths are relative to the root of the checkout."""
    listed = sorted((each for each in found if each.severity in LEVELS), key=lambda each: each.severity)[:MOST_RESULTS]
    codes = sorted({problem.code for problem in listed})
    levels = {problem.code: LEVELS[problem.severity] for problem in reversed(listed)}
    said = problems.explanations()
    driver = {
        "name": "rag-assay",
        "fullName": "RAG Assay check",
        "semanticVersion": __version__,
        "rules": [_rule(code, levels[code], said) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(problems.near(problem, root), codes.index(problem.code)) for problem in listed],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=1) + "\n"


def _rule(code: str, level: str, said: Mapping[str, str]) -> dict[str, Any]:
    help_text = said.get(code, f"See {problems.MESSAGES}#{code}.")
    plain = " ".join(re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", help_text).replace("`", "").split())
    first = re.match(r".+?[.](?= |$)", plain)
    return {
        "id": code,
        "name": "".join(part.capitalize() for part in code.split("-")),
        "shortDescription": {"text": first[0] if first else plain},
        "fullDescription": {"text": plain},
        "help": {"text": plain, "markdown": help_text},
        "defaultConfiguration": {"level": level},
    }


def _result(problem: Problem, rule: int) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(problem.file)}
    if problem.line:
        place["region"] = {"startLine": problem.line, **({"startColumn": problem.column} if problem.column else {})}
    return {
        "ruleId": problem.code,
        "ruleIndex": rule,
        "level": LEVELS[problem.severity],
        "message": {"text": log_line(problem.message)},
        "locations": [{"physicalLocation": place}],
    }


def _artifact(file: str) -> dict[str, str]:
    if Path(file).is_absolute():
        return {"uri": Path(file).as_uri()}
    return {"uri": urllib.parse.quote(file), "uriBaseId": "%SRCROOT%"}


FORMATS: Mapping[str, Callable[[Sequence[Problem], Path], str]] = {
    "json": as_json,
    "github": as_github,
    "sarif": as_sarif,
}
