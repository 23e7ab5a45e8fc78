"""What every test starts from: an environment of nobody's, ears for interrupts, and hypothesis that has time."""

from __future__ import annotations

import os
import signal
import zlib
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.load_profile("default")

# Who starts the tests in the background has them, and every process they start, ignore interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)

FOREIGN_PREFIXES = (
    "RAG_ASSAY_",
    "GITHUB_",
    "ACTIONS_",
    "RUNNER_",
    "INPUT_",
    "GIT_",
    "COLUMNS",
    "OPENAI_",
    "ANTHROPIC_",
)
MEASURED = int(os.environ.get("ASSAY_MEASURED", "4"))
"""Of so many tests one has the processes measured that it starts: coverage doubles what they take of the machine.

Which one is settled by its name. Hundreds of tests run commands, so a line that commands reach is found all the same;
``ASSAY_MEASURED=1 make test`` measures every process.
"""

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """No variable of the caller's changes what a test sees, here or in a process it starts."""
    measured = zlib.crc32(request.node.nodeid.encode()) % MEASURED == 0
    for name in os.environ:
        if name.startswith(FOREIGN_PREFIXES) or (name.startswith("COVERAGE_PROCESS_") and not measured):
            monkeypatch.delenv(name)


@pytest.fixture
def shared() -> Path:
    """The folder of real data beside the repository."""
    if not SHARED.is_dir():
        pytest.skip("the real data is not beside the repository")
    return SHARED
