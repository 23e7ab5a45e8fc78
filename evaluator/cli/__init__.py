"""The command line: the only place that reads the environment and the clock, asks git and builds the edges."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

from evaluator.cli import failures, root
from evaluator.cli.console import Console
from evaluator.cli.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

GARBAGE = 1_000_000
"""How many more objects than before there are when Python looks for cycles among the new ones."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and leave with its exit code: 0, 1 (failed), 2 (mistake), 3 (inconclusive) or 4 (internal)."""
    # Both by name: a shell that starts us in the background has SIGINT ignored, and we would never hear of a cancel.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    # BLAS starts a thread per core as soon as numpy is imported; nothing here gains from them and each costs CPU.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # What else is installed may not change how our files are read, and looking for it costs CPU.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # A run makes very many small values and hardly any cycles: looking for them as often as usual only costs CPU.
    gc.set_threshold(GARBAGE)
    session = Session(environment=dict(os.environ), console=Console(sys.stderr))
    code = outcome(sys.argv[1:] if arguments is None else list(arguments), session)
    # Before it ends, Python looks for cycles among all that is left, which would cost a tenth of a run.
    gc.freeze()
    sys.exit(code)


def outcome(arguments: list[str], session: Session) -> int:
    """The exit code of one command line; whatever goes wrong is told on stderr and is never 0."""
    try:
        return root.invoke(arguments, session)
    except BaseException as error:  # noqa: BLE001 - an error that slipped through would look like a passed gate
        return failures.explain(error, session)
    finally:
        session.console.close()


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
