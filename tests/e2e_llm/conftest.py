"""Tests that need a real model: collected by ``make e2e-llm`` alone."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

PYTHON = os.environ.get("ASSAY_LLM_PYTHON")
collect_ignore_glob = [] if PYTHON else ["test_*.py"]

STARTING = 120
"""Seconds in which the model must be loaded."""
SERVER = os.environ.get("ASSAY_LLM_SERVER", "xllamacpp")
PROGRAM = Path(__file__).parent / f"serve_{SERVER.replace('-', '_')}.py"


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a language model of 135 million parameters."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    log = tmp_path_factory.mktemp("llm") / "log"
    with log.open("wb") as said:
        command = [str(PYTHON), str(PROGRAM), str(port)]
        with subprocess.Popen(command, stdout=said, stderr=said) as server:
            try:
                _await(f"http://127.0.0.1:{port}/v1/models", server, log)
                yield f"http://127.0.0.1:{port}/v1"
            finally:
                server.terminate()


def _await(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the server answers: there is no other sign of that than an answer."""
    end = time.monotonic() + STARTING
    while time.monotonic() < end and server.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=1):  # noqa: S310 - it is ours
            return
        time.sleep(0.2)
    pytest.fail(f"the model was not served: {log.read_text()[-2000:]}")
