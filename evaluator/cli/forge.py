"""Builds a client of GitHub: the token, the address, the session and the time come from here and nowhere else."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from evaluator import errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluator.cli.session import Session
    from evaluator.github.client import Budget, Client

PUBLIC = "github.com"
PUBLIC_NAMES = {PUBLIC, "www.github.com", "ssh.github.com"}
GITHUBS_OWN = ".ghe.com"
HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+(?::\d{1,5})?")
TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
SERVER_TOKENS = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN")
"""By which ``gh`` knows the token of a server of one's own."""


def token(session: Session, names: Sequence[str] = TOKENS) -> str:
    """The token of the caller; empty where there is none."""
    return next((found for name in names if (found := session.environment.get(name, "").strip())), "")


def client(session: Session, budget: Budget | None = None, host: str = PUBLIC) -> Client:
    """A client that asks with the caller's token, within what a run may ask unless another budget is given.

    ``GITHUB_API_URL`` says where, and else ``host``, as it stands in the address of a repository. Another server than
    GitHub's own is never sent the token for GitHub: a remote can name any.

    Raises:
        UsageError: there is no token, or the host is no name of a server.
        MissingExtra: requests is not installed.
    """
    given = session.environment.get("GITHUB_API_URL")
    url, names = (given, TOKENS) if given else _of(host.lower())
    found = token(session, names)
    if not found:
        lacking = f"neither {' nor '.join(names)} is set; {_where(session, host)}"
        raise errors.UsageError(f"{url} is asked with a token, and {lacking}")
    try:
        import requests  # noqa: PLC0415 - only who asks GitHub needs it
    except ImportError:
        raise errors.MissingExtra("asking GitHub needs requests: pip install 'rag-assay[github]'") from None
    from evaluator.github.client import ORDINARY, Access, Client, Time  # noqa: PLC0415 - as above

    clock = Time(time.time, time.monotonic, time.sleep)
    return Client(requests.Session(), Access(url, found), clock, session.console.log, budget or ORDINARY)


def _of(host: str) -> tuple[str, Sequence[str]]:
    """The address of a server's API, and the variables that hold the token for it."""
    if host in PUBLIC_NAMES:
        return f"https://api.{PUBLIC}", TOKENS
    if not HOST.fullmatch(host):
        # Whatever ends a name in an address would let a remote name any server that seems to be GitHub's.
        raise errors.UsageError(
            f"'{host}' is no name of a server; name it with --repo HOST/OWNER/NAME, or its API in GITHUB_API_URL"
        )
    if host.endswith(GITHUBS_OWN):
        return f"https://api.{host}", TOKENS
    return f"https://{host}/api/v3", SERVER_TOKENS


def _where(session: Session, host: str) -> str:
    if "GITHUB_RUN_ID" in session.environment:
        return "in the Action the input github-token gives it"
    return f"`gh auth token{'' if host in PUBLIC_NAMES else f' --hostname {host}'}` prints one"
