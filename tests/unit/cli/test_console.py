from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluator import errors
from evaluator.cli import console

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("line", ["::set-output name=x::y", "##[error] no", "\x1b[31mred", "one\ntwo", "a\rb"])
def test_foreign_text_cannot_act_through_a_line(line: str) -> None:
    """A line that another program would obey is printed as one harmless line."""
    stream = io.StringIO()
    console.Console(stream).say(line)
    printed = stream.getvalue()

    assert printed.count("\n") == 1
    assert not printed.startswith(("::", "##["))
    assert "\x1b" not in printed
    assert "\r" not in printed


def test_a_reader_that_left_does_not_stop_the_command() -> None:
    """Writing lines to a closed pipe is not an error, then or later."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stream:
        lines = console.Console(stream)
        lines.block(["first"])
        lines.block(["second"])


def test_a_result_is_utf_8_in_any_locale() -> None:
    """Text of any script reaches a program that reads it, whatever the locale says."""
    code = r"import sys; from evaluator.cli import console; console.emit(sys.stdout, '\u4e94\u5473\u5b50')"
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True, cwd=ROOT)

    assert found.stdout == "五味子".encode()


def test_a_full_disk_is_an_error() -> None:
    """A result that could not be written is not passed over in silence."""
    with Path("/dev/full").open("w") as stream, pytest.raises(errors.FileProblem, match="No space left"):
        console.emit(stream, "result\n")
