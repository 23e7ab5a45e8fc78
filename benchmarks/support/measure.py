"""Runs a command as a child process and says what that one process, and whatever it started, cost."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

REPOSITORY = Path(__file__).parents[2]
PLAIN_PYTHON = (sys.executable, "-c", "pass")


class Cost(NamedTuple):
    """Seconds on the wall, seconds of CPU (user and system), and the largest resident set in MB (10^6 bytes)."""

    wall: float
    cpu: float
    peak_mb: float


def assay(*arguments: str | Path) -> tuple[str, ...]:
    """The command line of rag-assay with these arguments, for the interpreter that runs the benchmark."""
    return (sys.executable, "-m", "evaluator", *map(str, arguments))


def run(command: Sequence[str]) -> Cost:
    """The cost of one run of a command that exits with 0; otherwise ends the benchmark with what it printed."""
    # As after an installation: modules are compiled once, by the first run, and not by each.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile() as output:
        begin = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=REPOSITORY, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            output.seek(0)
            raise SystemExit(f"{' '.join(command)} exited with {process.returncode}:\n{output.read().decode()[-2000:]}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6)


def cpu_line(name: str, command: Sequence[str], times: int) -> str:
    """A line with the least and the median CPU of several runs. The least says most: noise only adds."""
    seconds = [run(command).cpu for _ in range(times)]
    return f"{name:<16}{min(seconds):8.3f}{statistics.median(seconds):8.3f}"


CPU_HEADING = f"{'CPU seconds':<16}{'least':>8}{'median':>8}"
