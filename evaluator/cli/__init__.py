"""The command line: the only place that reads the environment and the clock, asks git and builds the edges."""

from __future__ import annotations

import gc
import os
import signal
import sys
import types
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from evaluator.cli.session import Session

GARBAGE = 1_000_000
"""How many more objects than before there are when Python looks for cycles among the new ones."""

INTERRUPTED = 3
"""Exit code where a signal came before there was anything to keep."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and leave with its exit code: 0, 1 (failed), 2 (mistake), 3 (inconclusive) or 4 (internal)."""
    # Both by name: a shell that starts us in the background has SIGINT ignored, and we would never hear of a cancel.
    # Before anything is imported that takes time, so that no signal ends in a traceback.
    _on_signal(_interrupt)
    try:
        code = _invoke(sys.argv[1:] if arguments is None else list(arguments))
        # What was decided stands: a signal that comes now is too late.
        _on_signal(signal.SIG_IGN)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        code = INTERRUPTED
    # Before it ends, Python looks for cycles among all that is left, which would cost a tenth of a run.
    gc.freeze()
    sys.exit(code)


def _invoke(arguments: list[str]) -> int:
    # BLAS starts a thread per core as soon as numpy is imported; nothing here gains from them and each costs CPU.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _without_pydantic_plugins()
    # A run makes very many small values and hardly any cycles: looking for them as often as usual only costs CPU.
    gc.set_threshold(GARBAGE)
    from evaluator.cli.console import Console  # noqa: PLC0415 - main answers to signals before this is imported
    from evaluator.cli.session import Session  # noqa: PLC0415 - as above

    return outcome(arguments, Session(environment=dict(os.environ), console=Console(sys.stderr)))


def outcome(arguments: list[str], session: Session) -> int:
    """The exit code of one command line; whatever goes wrong is told on stderr and is never 0."""
    from evaluator.cli import failures, root  # noqa: PLC0415 - as in _invoke

    try:
        return root.invoke(arguments, session)
    except BaseException as error:  # noqa: BLE001 - an error that slipped through would look like a passed gate
        return failures.explain(error, session)
    finally:
        session.console.close()


def _without_pydantic_plugins() -> None:
    """Keep pydantic from looking for plug-ins: what else is installed may not change how our files are read.

    The variable is pydantic's own way to say so. Its loader is stood in for as well, because importing it reads what
    packages are read with (importlib.metadata, zipfile, email), for nothing.
    """
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    loader = types.ModuleType("pydantic.plugin._loader")
    loader.get_plugins = tuple  # type: ignore[attr-defined]
    sys.modules.setdefault(loader.__name__, loader)


def _on_signal(handler: Callable[[int, FrameType | None], object] | signal.Handlers) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handler)


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
