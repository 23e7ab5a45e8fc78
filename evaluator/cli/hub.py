"""Builds what is needed to speak with GitHub: a client, and what the run is about."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator import errors
from evaluator.github import event

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.cli.session import Session
    from evaluator.github.client import Budget, Client
    from evaluator.stages.standing import Hub

API = "https://api.github.com"
WEB = "https://github.com"
OF_APP = "ghs_"
"""How tokens of apps begin, those of workflows among them: they have no account that they could ask for."""


def client(session: Session, token: str, budget: Budget | None = None) -> Client:
    """A client of the API that the environment names.

    Raises:
        UsageError: there is no token.
        MissingExtra: the library for it is not installed.
    """
    if not token.strip():
        raise errors.UsageError("there is no token for GitHub: give it as GITHUB_TOKEN, in the action by github-token")
    try:
        import requests  # noqa: PLC0415 - only who speaks with GitHub has it

        from evaluator.github import client as github  # noqa: PLC0415 - as above
    except ImportError:
        raise errors.MissingExtra("GitHub is asked by requests: pip install 'rag-assay[github]'") from None
    access = github.Access(session.environment.get("GITHUB_API_URL") or API, token)
    clock = github.Time(time.time, time.monotonic, time.sleep)
    return github.Client(requests.Session(), access, clock, session.console.log, budget or github.ORDINARY)


def activity(environment: Mapping[str, str], payload: Any) -> event.Activity:
    """What this run is about.

    Raises:
        UsageError: it is no run of a workflow, or one that is refused.
        GitHubError: the payload lacks what such an event has.
    """
    return event.read(event.Surroundings.of(environment), payload)


def payload(environment: Mapping[str, str]) -> Any:
    """The event's payload; an empty one where there is none."""
    path = environment.get("GITHUB_EVENT_PATH")
    try:
        return json.loads(Path(path).read_bytes()) if path else {}
    except (OSError, ValueError):
        return {}


def hub(session: Session, asked: Client, about: event.Activity, token: str, leg: str) -> Hub:
    """GitHub as this run sees it."""
    from evaluator.github.publishing import Publishing  # noqa: PLC0415 - as in client
    from evaluator.github.repository import Repository  # noqa: PLC0415 - as in client
    from evaluator.stages.posting import Pages  # noqa: PLC0415 - as in client
    from evaluator.stages.standing import Hub  # noqa: PLC0415 - as in client

    name = about.around.repository
    publishing = Publishing(asked, name)
    web = (session.environment.get("GITHUB_SERVER_URL") or WEB).rstrip("/")
    return Hub(
        repository=Repository(asked, name), publishing=publishing, activity=about, pages=Pages(f"{web}/{name}"),
        leg=leg, author=lambda: None if token.startswith(OF_APP) else publishing.author(), log=session.console.log,
    )  # fmt: skip
