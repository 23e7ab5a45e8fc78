"""Text files of other tools, line by line; a line that is no UTF-8 is named and left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.stores import regular

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evaluator.model.exchange import Intake

BOM = b"\xef\xbb\xbf"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
MAX_LINE = 64 * 1024 * 1024
"""Longest line of a file of another tool, in bytes."""


def text_lines(path: Path, intake: Intake, *, whole: bool = False) -> Iterator[tuple[int, str]]:
    """Number (from 1) and text of every line that is not blank, without its line end; ``whole``: of all, with it.

    One line is in memory at a time.
    """
    try:
        with regular.open_regular(path) as file:
            for number, data in enumerate(iter(lambda: file.readline(MAX_LINE), b""), 1):
                if number == 1 and data.startswith(UTF_16):
                    intake.problem("encoding", "this is UTF-16; save it as UTF-8", path, 1)
                    return
                if len(data) == MAX_LINE:
                    intake.problem("line-too-long", f"this line is longer than {MAX_LINE >> 20} MB", path, number)
                    return
                text = _text(data.removeprefix(BOM) if number == 1 else data, path, number, intake)
                if text is not None and (whole or text.strip()):
                    yield number, text if whole else text.rstrip("\r\n")
    except OSError as error:
        unreadable(error, path, intake)


def _text(data: bytes, path: Path, number: int, intake: Intake) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        column = len(data[: error.start].decode(errors="replace")) + 1
        intake.problem("encoding", f"character {column} of this line is not UTF-8 text", path, number)
        return None


def unreadable(error: OSError, path: Path, intake: Intake) -> None:
    """Note that a file cannot be read."""
    if isinstance(error, FileNotFoundError):
        intake.problem("missing-file", "there is no such file", path)
    else:
        intake.problem("unreadable-file", f"it cannot be read: {error.strerror}", path)
