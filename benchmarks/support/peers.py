"""Peers in environments of their own: installed once, and run as a process that answers metric by metric."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from support.measure import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from support.asking import Work

ENVIRONMENTS = REPOSITORY / ".rag-assay" / "bench"
INSTALLING = 1800
"""Seconds that an installation may take."""
QUIET = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_NO_INSPECT_PROMPT": "1",
    "RAGAS_DO_NOT_TRACK": "true",
    "ERROR_REPORTING": "NO",
}
"""What keeps the peers from telling anybody that they are used."""
LEFT_OUT = ("OPENAI_", "ANTHROPIC_", "CONFIDENT_", "DEEPEVAL_", "RAGAS_", "LANGCHAIN_", "LANGSMITH_")
"""Settings of the user's that would change what is measured."""


class Peer(NamedTuple):
    """Another tool: its name, the packages to install, and the script that runs it."""

    name: str
    packages: Sequence[str]
    script: str

    def python(self) -> Path | None:
        """The interpreter of its environment, made the first time; None, said on the screen, if it cannot be had."""
        folder = ENVIRONMENTS / self.name.replace(" ", "-").lower()
        python, stamp = folder / "bin" / "python", folder / ".installed"
        if stamp.is_file():
            return python
        print(f"{self.name}: is being installed into {folder}", flush=True)
        try:
            venv.create(folder, clear=True, with_pip=True)
            install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *self.packages]
            subprocess.run(install, check=True, capture_output=True, text=True, timeout=INSTALLING)
        except (OSError, subprocess.SubprocessError) as error:
            said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()[-1:]
            print(f"{self.name}: skipped, it cannot be installed: {' '.join(said)}", flush=True)
            return None
        stamp.touch()
        return python


def environment(home: Path) -> Mapping[str, str]:
    """The variables of a peer: quiet, and without the user's own settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(LEFT_OUT)}
    return {**kept, **QUIET, "HOME": str(home)}


@contextmanager
def answering(peer: Peer, python: Path, work: Work, folder: Path) -> Iterator[Iterator[tuple[str, list[Any]]]]:
    """The peer's metrics with their values, one by one: each is computed when it is asked for."""
    command = [str(python), str(Path(__file__).parent / peer.script)]
    log = folder / "log"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with (
        log.open("a") as noise,
        subprocess.Popen(command, cwd=folder, env=environment(folder), stderr=noise, **pipes) as process,
    ):
        process.stdin.write(json.dumps(work._asdict()) + "\n")
        process.stdin.flush()
        try:
            yield _metrics(process)
        except BaseException:
            process.kill()
            raise
        process.stdin.close()
    if process.returncode != 0:
        sys.exit(f"{peer.name} exited with {process.returncode}:\n{log.read_text()[-3000:]}")


def _metrics(process: subprocess.Popen[str]) -> Iterator[tuple[str, list[Any]]]:
    for line in process.stdout:
        found = json.loads(line)
        yield found["metric"], found["values"]
        process.stdin.write("\n")
        process.stdin.flush()
