"""What a run on the baseline's branch leaves for later ones: whether it was accepted, and what it came through."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple, Self

from evaluator import errors
from evaluator.model import baseline
from evaluator.model.baseline import Manifest, artifact_name
from evaluator.model.run import History
from evaluator.stores import values
from evaluator.stores.runs import read_run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from evaluator.model.config import Baseline
    from evaluator.model.decision import Decision
    from evaluator.stages.workspace import Workspace

EVENTS = frozenset({"push", "schedule", "workflow_dispatch"})
BY_GATE = "gate"
ALWAYS = "always"


class Keeping(NamedTuple):
    """The run of a workflow.

    Attributes:
        branch: what was pushed to, or run on a schedule or by hand.
        default_branch: of the repository.
        run, attempt, event: as GitHub has them.
        variant: what tells jobs that measure the suite apart.
    """

    branch: str
    default_branch: str
    run: int
    attempt: int
    event: str
    variant: str = ""

    @classmethod
    def of(cls, environment: Mapping[str, str], default_branch: str, variant: str) -> Self | None:
        """That of the variables that GitHub sets; None where they name no branch."""
        ref = environment.get("GITHUB_REF", "")
        branch = ref.removeprefix("refs/heads/")
        if branch == ref:
            return None
        run, attempt = (int(environment[f"GITHUB_{name}"]) for name in ("RUN_ID", "RUN_ATTEMPT"))
        return cls(branch, default_branch, run, attempt, environment["GITHUB_EVENT_NAME"], variant)

    def is_wanted(self, settings: Baseline) -> bool:
        """Whether later runs may be compared with this one."""
        return self.event in EVENTS and self.branch == (settings.branch or self.default_branch) != ""


def keep(workspace: Workspace, decision: Decision, kept: Keeping) -> bool:
    """Write baseline.json beside a run that later ones may be compared with; whether this is one."""
    settings = workspace.config.baseline
    run = read_run(workspace.out / baseline.RUN)
    head = run.head
    if not kept.is_wanted(settings) or head.commit is None:
        return False
    by = ALWAYS if settings.accept == ALWAYS and decision.outcome != "passed" else BY_GATE
    told = (by, None) if decision.accepted else (None, _why_not(workspace, decision))
    manifest = Manifest(
        suite=head.suite, tier=head.tier, branch=kept.branch, commit=head.commit, run_id=kept.run,
        attempt=kept.attempt, event=kept.event, accepted=decision.accepted,
        accepted_by=told[0], reason=told[1],
        created_at=head.timing.get("started_at") or workspace.clock.now(), kind="run", run_sha256=run.sha256,
        chain=head.history.chain,
    )  # fmt: skip
    values.write_value(workspace.out / baseline.MANIFEST, manifest)
    return True


def _why_not(workspace: Workspace, decision: Decision) -> str:
    if decision.outcome != "passed":
        return decision.outcome
    if workspace.config.baseline.accept == "manual":
        return "baseline.accept is manual: a person accepts it"
    return "something is below what the commit before it had lost already"


def told(workspace: Workspace, variant: str = "") -> dict[str, str]:
    """What the Action is told of a run that is kept: its artifact's name, and the files that belong into it."""
    said = values.read_value(workspace.out / baseline.MANIFEST, Manifest)
    has_records = read_run(workspace.out / baseline.RUN).head.records is not None
    return {"baseline-name": name(said, variant), "baseline-files": "3" if has_records else "2"}


class Person(NamedTuple):
    """Who accepts a run, and why."""

    login: str
    reason: str


def name(said: Manifest, variant: str = "") -> str:
    """What its artifact is called."""
    return artifact_name(said.suite, said.tier, said.branch, variant)


def copy(folder: Path, said: Manifest, to: Path, person: Person | None = None) -> Manifest:
    """Copy a baseline into a new folder, as it is or accepted by a person: then its drift is counted anew from it.

    Raises:
        UsageError: it is accepted already, or had no time for all cases.
    """
    if person is not None and said.accepted:
        raise errors.UsageError(f"the run of {said.commit[:12]} is accepted already, by {said.accepted_by}")
    if person is not None and any(stored.case.is_unasked for stored in read_run(folder / baseline.RUN).cases()):
        raise errors.UsageError(
            f"the run of {said.commit[:12]} had no time for all cases: what falls in them is not seen"
        )
    to.mkdir()
    for file in baseline.FILES:
        if (folder / file).is_file():
            shutil.copyfile(folder / file, to / file)
    made = said.but(kind="refresh")
    if person is not None:
        run = read_run(to / baseline.RUN)
        run.with_history(History(chain=run.head.history.chain))
        made = made.but(
            accepted=True, accepted_by=person.login, reason=person.reason,
            run_sha256=read_run(to / baseline.RUN).sha256,
        )  # fmt: skip
    values.write_value(to / baseline.MANIFEST, made)
    return made
