"""Documents as people keep them: Markdown and text files in a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evaluator import errors
from evaluator.errors import Problem
from evaluator.stores import located, regular

if TYPE_CHECKING:
    from collections.abc import Iterator

MARKDOWN = frozenset({".md", ".markdown"})
TEXT = frozenset({".txt", ".text"})

MAX_BYTES = 64 * 1024 * 1024
"""Largest document."""


class Document(NamedTuple):
    r"""One file.

    Attributes:
        name: its path below the folder, with slashes on every system.
        text: what it holds, with line ends as ``\n`` and without a byte order mark.
        is_markdown: whether headings and tables mean something in it.
    """

    name: str
    text: str
    is_markdown: bool


def read_documents(folder: Path) -> tuple[list[Document], list[str]]:
    """Every document below a folder, by name, and the names of files of other kinds, which are left alone.

    What begins with a dot is not looked at, and links to folders are not followed.

    Raises:
        InputError: every file that cannot be read; also where there is no document at all.
    """
    problems: list[Problem] = []
    documents, others = [], []
    for path in _files(folder):
        name, suffix = path.relative_to(folder).as_posix(), path.suffix.lower()
        if suffix not in MARKDOWN | TEXT:
            others.append(name)
            continue
        text = _read(path, problems)
        if text is not None:
            documents.append(Document(name, text, suffix in MARKDOWN))
    if not folder.is_dir():
        problems.append(Problem("missing-file", "there is no such folder", str(folder)))
    elif not documents and not problems:
        kinds = ", ".join(sorted(MARKDOWN | TEXT))
        problems.append(Problem("no-chunks", f"there is no document in this folder; {kinds} are read", str(folder)))
    if problems:
        raise errors.InputError(problems)
    return documents, others


def _files(folder: Path) -> Iterator[Path]:
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(place) / name for name in names if not name.startswith(".")]
    yield from sorted(found, key=lambda path: path.relative_to(folder).parts)


def _read(path: Path, problems: list[Problem]) -> str | None:
    try:
        with regular.open_regular(path) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        problems.append(located.unreadable(error, str(path)))
        return None
    if len(data) > MAX_BYTES:
        problems.append(Problem("file-too-large", f"this document is larger than {MAX_BYTES >> 20} MB", str(path)))
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problems.append(Problem("encoding", "this is not UTF-8 text", str(path), line))
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")
