"""What a module can say to people, read from its source, so that a table of cases can be held to be complete."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from types import ModuleType

FORMAT = re.compile(r"\.\d[a-z]")
"""How a number is written, within a text."""


def sentences(module: ModuleType) -> dict[str, re.Pattern[str]]:
    """Every text of more than one word that is no docstring: as it stands in the source, and as what it can become."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    inner = {id(part) for node in ast.walk(tree) for part in _parts(node)}
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.JoinedStr, ast.Constant)) and id(node) not in inner:
            pieces = [
                each.value if isinstance(each, ast.Constant) else None for each in getattr(node, "values", [node])
            ]
            text = "".join("{}" if piece is None else str(piece) for piece in pieces)
            if isinstance(pieces[0], str | None) and _is_said(text):
                pattern = ".*".join(re.escape(part) for part in text.split("{}"))
                found[text] = re.compile(pattern, re.DOTALL)
    return found


def unsaid(module: ModuleType, said: Collection[str]) -> set[str]:
    """The sentences of a module that are in none of some texts."""
    return {text for text, pattern in sentences(module).items() if not any(map(pattern.search, said))}


def _is_said(text: str) -> bool:
    return len(text.replace("{}", "").split()) > 1


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """What is said with something else, or by nobody."""
    if isinstance(node, ast.JoinedStr):
        yield from (part for value in node.values for part in ast.walk(value))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value
