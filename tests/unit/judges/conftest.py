"""A provider of models on the loopback interface, for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import llm
from tests.fakes.llm_server import LlmServer

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def server() -> Iterator[LlmServer]:
    """A server that answers properly until a test says otherwise."""
    with LlmServer() as found:
        yield found
        while llm.OPEN:
            llm.OPEN.pop().close()
