"""The commit status of a suite: who may set it, and what it says where several jobs do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from evaluator import errors
from evaluator.github.marks import Mark, Stamp
from evaluator.github.publishing import StatusText
from evaluator.model.slugs import slug
from evaluator.stages import posting
from evaluator.templates import cut, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evaluator.github.event import Activity
    from evaluator.github.publishing import Publishing, State
    from evaluator.github.repository import Repository
    from evaluator.stages.posting import Pages, Verdict

STATES: Mapping[str, State] = {
    "pending": "pending", "passed": "success", "failed": "failure", "inconclusive": "failure", "error": "error",
}  # fmt: skip
OUTCOMES = {"success": "passed", "failure": "failed", "error": "error", "pending": "pending"}
MEASURING = posting.Verdict("pending", "Measuring", "")
AWAITED = posting.Verdict("pending", "Waiting for the pull request's own run, and for what measures its answers", "")
LOOKS = 3
"""How often a job looks for what others did while it wrote."""

MOST_ASKED = 10
"""Of how many other pull requests it is asked whether they are open; with all statuses to read, what a run may ask of
GitHub is used up by more, and then a green one would stand that was to be taken back."""

LONGEST_NAME = 200
"""Of a suite, as the configuration allows it."""

NOT_MEASURED = "Pull request #{} has the same head and was not measured"
NOT_READ = "This commit has more statuses than are read, and a worse one may be among them: push another commit"


class Told(NamedTuple):
    """A status and who set it."""

    stamp: Stamp
    description: str
    url: str | None


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
        pull = self.activity.pull.number if self.activity.pull is not None else 0
        return Stamp(around.run, around.attempt, self.leg, outcome, workflow, pull)


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
        return posting.context(f"rag-assay/{self.shown}")


def mark_of(hub: Hub, names: Names, verdict: Verdict) -> Mark:
    """The mark of what a run writes of a suite: which comment or issue it is, and who wrote it."""
    stamp = hub.stamp(verdict.outcome)
    variant = slug(names.variant) if names.variant else ""
    return Mark((slug(names.suite), stamp.workflow, variant), stamp, head=hub.activity.head_sha)


def set_status(hub: Hub, names: Names, verdict: Verdict) -> str:
    """Set the status, unless a newer run of this workflow has set it; a sentence where it shows what another one found.

    Raises:
        GitHubError: it could not be set.
    """
    ours = hub.stamp(verdict.outcome)
    there = _statuses(hub, names)
    newer = next(
        (each.stamp for each in there if each.stamp.thread == ours.thread and each.stamp.order > ours.order), None
    )
    if newer is not None:
        hub.log(f"the status stays as it is: run {newer.run}, attempt {newer.attempt}, is newer than this one")
        return ""
    url = f"{hub.pages.of(ours)}#{ours.workflow}/{ours.leg}{f'/{ours.pull}' if ours.pull else ''}"
    text = StatusText(STATES[verdict.outcome], names.context, posting.description(verdict), url)
    hub.publishing.set_status(hub.activity.head_sha, text)
    hub.log(f"the status {names.context} is {text.state}")
    if verdict.outcome == "pending" or not _rivals(there, ours):
        return ""
    return _keep_the_worst(hub, names, ours, text, there)


def _keep_the_worst(hub: Hub, names: Names, ours: Stamp, text: StatusText, there: Sequence[Told]) -> str:
    """Of those that set one status the one that ends last must not hide what others found, or have yet to find.

    By what was ``there`` at first, so that ours stands for no longer than it must, and not for ever if GitHub fails.
    """
    shown, asked = text, dict[int, bool]()
    for look in range(LOOKS + 1):
        # They may have ended between our reading and our writing.
        found = _statuses(hub, names) if look else there
        rivals = sorted(_rivals(found, ours), key=lambda each: each.stamp.severity, reverse=True)
        kept = next(
            (each for each in rivals if each.stamp.severity > ours.severity and _stands(hub, each.stamp, asked)), None
        )
        worst = text
        if kept is not None:
            worst = StatusText(STATES[kept.stamp.outcome], names.context, kept.description, kept.url)
        if worst != shown:
            hub.publishing.set_status(hub.activity.head_sha, worst)
        elif look:
            break
        shown = worst
        if kept is not None and kept.description == NOT_READ:
            return NOT_READ
    if any(each.stamp.pull == ours.pull for each in rivals):
        return (
            f"another job sets the status {names.context}, too, and the worse outcome stays; give each its own variant"
        )
    if kept is None:
        return ""
    return f"the status {names.context} stays as it is for pull request #{kept.stamp.pull}, which has the same head"


def _stands(hub: Hub, rival: Stamp, asked: dict[int, bool]) -> bool:
    """Whether what a job found still matters: another pull request may be closed or moved on by now.

    ``asked`` holds what is known of others; one that is not asked for may be open.
    """
    own, number = hub.activity.pull, rival.pull
    if number == (own.number if own is not None else 0):
        return True
    if number not in asked and len(asked) < MOST_ASKED:
        asked[number] = _is_open(hub, number)
    return asked.get(number, True)


def _is_open(hub: Hub, number: int) -> bool:
    try:
        pull = hub.repository.pull(number)
    except errors.GitHubError:
        # Who cannot be asked may be open.
        return True
    return pull.state == "open" and pull.head.sha == hub.activity.head_sha


def _rivals(there: Sequence[Told], ours: Stamp) -> list[Told]:
    """The newest of every other job of this run, and of the newest one of other workflows and pull requests.

    Attempts count together: a job that is not repeated with the others stands as its last attempt left it.
    """
    runs: dict[tuple[str, int], int] = {}
    for stamp, *_ in there:
        runs[stamp.thread] = max(runs.get(stamp.thread, 0), stamp.run)
    runs[ours.thread] = ours.run
    found: dict[tuple[tuple[str, int], str], Told] = {}
    # What others kept of a job, while it went on, is not the newest of it.
    for each in sorted(there, key=lambda each: (each.stamp.order, each.stamp.outcome != "pending"), reverse=True):
        stamp = each.stamp
        if stamp.run == runs[stamp.thread] and (stamp.thread, stamp.leg) != (ours.thread, ours.leg):
            found.setdefault((stamp.thread, stamp.leg), each)
    return list(found.values())


def _statuses(hub: Hub, names: Names) -> list[Told]:
    """What runs of workflows said under our name, newest first, and the pull requests that none was of.

    Where not all is read, that counts as one that did not pass.
    """
    root, found = re.escape(f"{hub.pages.root}/actions/runs/"), []
    own = hub.activity.pull.number if hub.activity.pull is not None else 0
    listing = hub.publishing.statuses(hub.activity.head_sha)
    for status in listing.items:
        place = re.fullmatch(
            rf"{root}(\d{{1,18}})/attempts/(\d{{1,9}})#([a-z0-9-]*)/([a-z0-9-]*)(?:/(\d{{1,18}}))?",
            status.target_url or "",
        )
        # GitHub takes names that differ in capitals alone for one.
        is_ours = status.context.casefold() == names.context.casefold()
        if is_ours and place is not None and status.state in OUTCOMES:
            stamp = Stamp(
                int(place[1]), int(place[2]), place[4], OUTCOMES[status.state], place[3], int(place[5] or own)
            )  # fmt: skip
            found.append(Told(stamp, status.description or "", status.target_url))
    if not listing.complete:
        found.append(Told(Stamp(0, 0, outcome="inconclusive", workflow="?", pull=own), NOT_READ, None))
    return found + [
        Told(
            Stamp(0, 0, outcome="pending", pull=number), NOT_MEASURED.format(number), f"{hub.pages.root}/pull/{number}"
        )
        for number in hub.activity.others
        if all(each.stamp.pull != number for each in found)
    ]
