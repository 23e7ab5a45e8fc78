"""What tests of several modules start from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.court import Court


@pytest.fixture
def court(tmp_path: Path) -> Court:
    """A court with the default rules."""
    return Court(tmp_path)
