"""What a run on GitHub is about, and GitHub as such a run sees it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.cli import forge
from evaluator.github import event
from evaluator.github.publishing import Publishing
from evaluator.github.repository import Repository
from evaluator.stages.posting import Pages
from evaluator.stages.standing import Hub

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.cli.session import Session
    from evaluator.github.client import Client
    from evaluator.model.received import Received

WEB = "https://github.com"
OF_APP = "ghs_"
"""How tokens of apps begin, those of workflows among them: they have no account that they could ask for."""


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


def hub(session: Session, client: Client, about: event.Activity, leg: str) -> Hub:
    """GitHub as this run sees it."""
    name, is_app = about.around.repository, forge.token(session).startswith(OF_APP)
    publishing = Publishing(client, name)
    web = (session.environment.get("GITHUB_SERVER_URL") or WEB).rstrip("/")
    return Hub(
        repository=Repository(client, name), publishing=publishing, activity=about, pages=Pages(f"{web}/{name}"),
        leg=leg, author=lambda: None if is_app else publishing.author(), log=session.console.log,
    )  # fmt: skip


def about(seen: Hub, told: Received) -> Hub:
    """The same about the pull request that the run before this one was of.

    Raises:
        GitHubError: it is not to be had, or of another commit.
    """
    pull = seen.repository.pull(told.number)
    return dataclasses.replace(seen, activity=seen.activity.about(told, pull))
