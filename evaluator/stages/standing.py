"""The commit status of a suite: who may set it, and what it says where several jobs do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from evaluator.github.marks import Stamp
from evaluator.github.publishing import StatusText
from evaluator.model.slugs import slug
from evaluator.stages import posting
from evaluator.templates import cut, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evaluator.github import values
    from evaluator.github.event import Activity
    from evaluator.github.publishing import Publishing, State
    from evaluator.github.repository import Repository
    from evaluator.stages.posting import Pages, Verdict

STATES: Mapping[str, State] = {
    "pending": "pending", "passed": "success", "failed": "failure", "inconclusive": "failure", "error": "error",
}  # fmt: skip
OUTCOMES = {"success": "passed", "failure": "failed", "error": "error", "pending": "pending"}
MEASURING = posting.Verdict("pending", "Measuring", "")
LONGEST_NAME = 200
"""Of a suite, as the configuration allows it."""

Told: TypeAlias = "tuple[Stamp, values.Status]"
"""A status and who set it."""


@dataclass(frozen=True)
class Hub:
    """GitHub as one run sees it.

    Attributes:
        repository, publishing: what is read and what is written.
        activity: what the run is about.
        pages: where runs are shown.
        leg: tells this job from others of the same attempt.
        author: asks which account writes; None for an app's.
        log: takes a line for people.
    """

    repository: Repository
    publishing: Publishing
    activity: Activity
    pages: Pages
    leg: str
    author: Callable[[], str | None]
    log: Callable[[str], None]

    def stamp(self, outcome: str) -> Stamp:
        """That of this job."""
        around = self.activity.around
        workflow = slug(around.workflow) if around.workflow else ""
        return Stamp(around.run, around.attempt, self.leg, outcome, workflow)


class Names(NamedTuple):
    """What the suite is called where it is published."""

    suite: str
    variant: str

    @property
    def shown(self) -> str:
        """For people."""
        variant = f" ({one_line(self.variant)})" if self.variant else ""
        return f"{one_line(cut(self.suite, LONGEST_NAME))}{variant}"

    @property
    def context(self) -> str:
        """Of the status."""
        return f"rag-assay/{self.shown}"


def set_status(hub: Hub, names: Names, verdict: Verdict) -> str:
    """Set the status, unless a newer run of this workflow has set it; a sentence where another job sets it, too.

    Raises:
        GitHubError: it could not be set.
    """
    ours = hub.stamp(verdict.outcome)
    there = _statuses(hub, names)
    newer = next((each for each, _ in there if each.workflow == ours.workflow and each.order > ours.order), None)
    if newer is not None:
        hub.log(f"the status stays as it is: run {newer.run}, attempt {newer.attempt}, is newer than this one")
        return ""
    url = f"{hub.pages.of(ours)}#{ours.workflow}/{ours.leg}"
    text = StatusText(STATES[verdict.outcome], names.context, posting.description(verdict), url)
    hub.publishing.set_status(hub.activity.head_sha, text)
    hub.log(f"the status {names.context} is {text.state}")
    return _keep_the_worst(hub, names, ours) if _rivals(there, ours) and verdict is not MEASURING else ""


def _keep_the_worst(hub: Hub, names: Names, ours: Stamp) -> str:
    """Of jobs that set one status the one that ends last must not hide what the others found, or have yet to find."""
    # Read once more: they may have ended between our reading and our writing.
    worst, status = max(_rivals(_statuses(hub, names), ours), key=lambda found: found[0].severity)
    if worst.severity > ours.severity:
        text = StatusText(STATES[worst.outcome], names.context, status.description or "", status.target_url)
        hub.publishing.set_status(hub.activity.head_sha, text)
    return f"another job sets the status {names.context}, too, and the worse outcome stays; give each its own variant"


def _rivals(there: Sequence[Told], ours: Stamp) -> list[Told]:
    """The newest of every other job: of this attempt, and of the newest attempt of every other workflow."""
    orders: dict[str, tuple[int, int]] = {}
    for stamp, _ in there:
        orders[stamp.workflow] = max(orders.get(stamp.workflow, stamp.order), stamp.order)
    orders[ours.workflow] = ours.order
    found: dict[tuple[str, str], Told] = {}
    for stamp, status in there:
        if stamp.order == orders[stamp.workflow] and (stamp.workflow, stamp.leg) != (ours.workflow, ours.leg):
            found.setdefault((stamp.workflow, stamp.leg), (stamp, status))
    return list(found.values())


def _statuses(hub: Hub, names: Names) -> list[Told]:
    """What runs of workflows said under our name, newest first."""
    root, found = re.escape(f"{hub.pages.root}/actions/runs/"), []
    for status in hub.publishing.statuses(hub.activity.head_sha):
        place = re.fullmatch(
            rf"{root}(\d{{1,18}})/attempts/(\d{{1,9}})#([a-z0-9-]*)/([a-z0-9-]*)", status.target_url or ""
        )
        if status.context == names.context and place is not None and status.state in OUTCOMES:
            stamp = Stamp(int(place[1]), int(place[2]), place[4], OUTCOMES[status.state], place[3])
            found.append((stamp, status))
    return found
