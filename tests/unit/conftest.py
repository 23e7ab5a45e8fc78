"""What tests of several modules start from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner import Runner


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A machine on which the Action's scripts run."""
    return Runner(tmp_path)
