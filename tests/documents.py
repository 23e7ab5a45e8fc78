"""Reads the project's documents: their sections, tables and examples."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parents[1] / "docs"
HEADING = re.compile(r"^#+ (.+)$")
FENCE = re.compile(r"^```(\w+) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Example(NamedTuple):
    """A file that a document shows."""

    file: str
    text: str


def examples(document: str) -> list[Example]:
    """The files that a document shows, in its order."""
    return [Example(file, text) for _, file, text in FENCE.findall((DOCS / document).read_text(encoding="utf-8"))]


def sections(document: str) -> dict[str, str]:
    """The text below each heading, up to the next heading of any level."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (DOCS / document).read_text(encoding="utf-8").splitlines():
        heading = HEADING.match(line)
        if heading:
            lines = found.setdefault(heading[1], [])
        else:
            lines.append(line)
    return {heading: "\n".join(text) for heading, text in found.items()}


def tables(text: str) -> list[list[list[str]]]:
    """Every table of a text as rows of cells, without its head."""
    runs = re.findall(r"(?:^\|.*\|\n?)+", text, re.MULTILINE)
    return [[_cells(line) for line in run.splitlines()[2:]] for run in runs]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def bare(cell: str) -> str:
    """A cell's text without backticks or a link around it."""
    return re.sub(r"^\[(.+)\]\(.*\)$", r"\1", cell).strip("`")
