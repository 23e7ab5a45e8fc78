"""Standard output of a zone, which is its stream."""

from __future__ import annotations

import os
from typing import IO


def out() -> IO[bytes]:
    """Standard output, for this zone's stream alone: whatever else is printed there goes to the log."""
    stream = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return stream
