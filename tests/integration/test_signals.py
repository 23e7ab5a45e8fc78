"""A signal that comes while the command is still being imported is an interruption like any other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

STARTING = """
import os, signal, sys

class Sender:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            os.kill(os.getpid(), int(sys.argv.pop(1)))

sys.meta_path.insert(0, Sender())
from evaluator.cli import main
main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_start_is_an_interruption(number: signal.Signals) -> None:
    """One word instead of a traceback, and the exit code of an interruption."""
    done = subprocess.run(
        [sys.executable, "-c", STARTING, str(int(number)), "--version"], cwd=Path(__file__).parents[2],
        env={**os.environ}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stdout, done.stderr) == (3, "", "interrupted\n")
