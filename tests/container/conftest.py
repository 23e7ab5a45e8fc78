"""Tests that need containers: collected by ``make e2e`` alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.container.world import Forge, copy_action

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

collect_ignore_glob = [] if os.environ.get("ASSAY_E2E") else ["test_*.py"]


@pytest.fixture(scope="session")
def action(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Action as it is published: the files of this repository that it consists of."""
    return copy_action(tmp_path_factory.mktemp("action"))


@pytest.fixture
def forge(tmp_path: Path, action: Path) -> Iterator[Forge]:
    """A place with one repository, which runs its workflow on pull requests; no run may leave anything behind."""
    forge = Forge(tmp_path, action)
    yield forge

    assert forge.left() == []
    assert [path for path in tmp_path.rglob("rag-assay.*") if path.suffix not in {".yml", ".md"}] == []
