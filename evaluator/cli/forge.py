"""Builds a client of GitHub: the token, the address, the session and the time come from here and nowhere else."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from evaluator import errors

if TYPE_CHECKING:
    from evaluator.cli.session import Session
    from evaluator.github.client import Budget, Client

PUBLIC = "https://api.github.com"
TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")


def token(session: Session) -> str:
    """The token of the caller; empty where there is none."""
    return next((found for name in TOKENS if (found := session.environment.get(name, "").strip())), "")


def client(session: Session, budget: Budget | None = None) -> Client:
    """A client that asks with the caller's token, within what a run may ask unless another budget is given.

    Raises:
        UsageError: there is no token.
        MissingExtra: requests is not installed.
    """
    found = token(session)
    if not found:
        raise errors.UsageError(
            f"GitHub is asked with a token, and neither {' nor '.join(TOKENS)} is set; `gh auth token` prints one"
        )
    try:
        import requests  # noqa: PLC0415 - only who asks GitHub needs it
    except ImportError:
        raise errors.MissingExtra("asking GitHub needs requests: pip install 'rag-assay[github]'") from None
    from evaluator.github.client import ORDINARY, Access, Client, Time  # noqa: PLC0415 - as above

    clock = Time(time.time, time.monotonic, time.sleep)
    access = Access(session.environment.get("GITHUB_API_URL") or PUBLIC, found)
    return Client(requests.Session(), access, clock, session.console.log, budget or ORDINARY)
