"""fetch: looks for what a change is compared with; the only zone with a token that may read."""

from __future__ import annotations

import posixpath
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from evaluator import errors
from evaluator.github import event
from evaluator.github.base import base_of
from evaluator.github.repository import Repository
from evaluator.model import baseline, received
from evaluator.model.baseline import Found, Source
from evaluator.stores import values
from evaluator.zones import archive, fetched
from evaluator.zones.fetching import COMMITTED, Asked, Fetching
from evaluator.zones.opening import read_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from evaluator.github.client import Client
    from evaluator.github.event import Activity
    from evaluator.model.baseline import Tier

EVENT = "event.json"
FILE = "run.json"


class Sought(NamedTuple):
    """What a workflow asks for.

    Attributes:
        config: the configuration's path in the repository.
        tier: what prepare chose.
        tested: the commit that is checked out.
        workflows: files of further workflows that may keep baselines.
        committed: a run in the repository, from its root.
        source: how the report calls that run where it was read from git; empty where it was not.
        variant: what tells this job from others that measure the suite.
    """

    config: str
    tier: Tier
    tested: str
    workflows: tuple[str, ...] = ()
    committed: str = ""
    source: str = ""
    variant: str = ""


class Workplace(NamedTuple):
    """Where a zone works: an empty folder, the variables of the run of the workflow, and where to say something."""

    root: Path
    environment: Mapping[str, str]
    log: Callable[[str], None]


def fetch(stream: IO[bytes], out: IO[bytes], wanted: Sought, place: Workplace, client: Client | None) -> None:
    """Write what a run is compared with. Without a client GitHub is not asked: what git has is all there is.

    Raises:
        ZoneProblem: the stream is not what this zone takes.
        UsageError: this is no run of a workflow, or one that is refused.
        GitHubError: the event is none of GitHub's.
        BaselineError: the run that git has cannot be used.
    """
    payload: list[bytes] = []
    told: list[bytes] = []
    (place.root / COMMITTED).mkdir()
    archive.take_parts(
        stream, {EVENT: lambda part: payload.append(part.read(event.LARGEST))},
        {FILE: _saver(place.root / COMMITTED), received.NAME: lambda part: told.append(part.read(event.LARGEST))},
    )  # fmt: skip
    found = _search(event.decoded(payload[0]), told, wanted, place, client) if client else _offline(wanted, place.root)
    fetched.pack(found, place.root, out)


def _saver(folder: Path) -> Callable[[IO[bytes]], object]:
    return lambda part: (folder / baseline.RUN).write_bytes(part.read())


def _search(payload: Any, told: list[bytes], wanted: Sought, place: Workplace, client: Client) -> Found:
    around = event.Surroundings.of(place.environment)
    activity = event.read(around, payload)
    if told:
        activity = activity.about(values.decode(told[0], received.Received, received.NAME))
    repository = Repository(client, around.repository)
    try:
        asked = asked_by(activity, repository, wanted)
    except errors.GitHubError as error:
        reason = f"what to compare with is not known: {error}"
        return Found(suite=None, base=None, lost={"deterministic": reason, "judged": reason}, notes=(reason,))
    return Fetching(repository, asked, place.root, place.log).found()


def asked_here(
    stream: IO[bytes], wanted: Sought, environment: Mapping[str, str], client: Client
) -> tuple[event.Surroundings, Asked]:
    """What a run of a workflow that keeps baselines and measures none looks for; ``stream`` is the event's payload.

    Raises:
        UsageError: this is no run of a workflow, or one that is refused.
        GitHubError: the event is none of GitHub's, or GitHub does not say what there is.
    """
    around = event.Surroundings.of(environment)
    activity = event.read(around, event.decoded(stream.read(event.LARGEST)))
    return around, asked_by(activity, Repository(client, around.repository), wanted)


def asked_by(activity: Activity, repository: Repository, wanted: Sought) -> Asked:
    """What a run of a workflow looks for.

    Raises:
        GitHubError: GitHub does not say what it is compared with.
    """
    around, about = activity.around, repository.about()
    return Asked(
        base=base_of(activity, repository, wanted.tested), config=wanted.config, tier=wanted.tier, repository=about.id,
        default_branch=about.default_branch, workflows=tuple(filter(None, (around.workflow, *wanted.workflows))),
        committed=wanted.committed, own=around.run, variant=wanted.variant,
    )  # fmt: skip


def _offline(wanted: Sought, root: Path) -> Found:
    found, file = Found(suite=None, base=None), root / COMMITTED / baseline.RUN
    if not file.exists():
        return found
    held = read_whole(file, None)
    source = Source(
        folder=COMMITTED, tier=held.head.tier, commit=held.head.commit,
        how=wanted.source or posixpath.basename(wanted.committed),
    )  # fmt: skip
    judged = source if wanted.tier == held.head.tier == "full" else None
    return found.but(deterministic=source, judged=judged)
