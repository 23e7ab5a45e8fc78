"""What every test starts from: an environment of nobody's, ears for interrupts, and hypothesis that has time."""

from __future__ import annotations

import os
import signal
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
SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the caller's changes what a test sees, here or in a process it starts."""
    for name in os.environ:
        if name.startswith(FOREIGN_PREFIXES):
            monkeypatch.delenv(name)


@pytest.fixture
def shared() -> Path:
    """The folder of real data beside the repository."""
    if not SHARED.is_dir():
        pytest.skip("the real data is not beside the repository")
    return SHARED
