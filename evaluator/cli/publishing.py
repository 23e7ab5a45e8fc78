"""``publish``, and what it shares with the Action's zone of that name."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evaluator import errors
from evaluator.cli import edges, outputs
from evaluator.cli.options import add, examples
from evaluator.templates import log_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evaluator.cli.session import Session
    from evaluator.model.received import Received
    from evaluator.stages.posting import Verdict
    from evaluator.stages.publish import Wanted
    from evaluator.stages.standing import Hub
    from evaluator.stages.workspace import Workspace

# ruff: noqa: PLC0415 - what speaks with GitHub is imported where it does: --help needs none of it.

COMMENTS = ["always", "on-change", "on-failure", "off"]
PATIENCE = 20.0
"""Seconds that all waits for a pending status take at most: nothing hangs on it."""

LARGEST_SUMMARY = 1_000_000
"""Bytes: GitHub drops a step summary above 1 MiB whole."""


class Place(NamedTuple):
    """Where a run publishes from: the call, the event's payload, and what tells this job from others.

    ``received`` is the pull request that was looked for, after a run of another workflow.
    """

    session: Session
    payload: Any
    leg: str
    received: Received | None = None


def wanted(config: str, suite: str, given: Mapping[str, Any]) -> Wanted:
    """What options ask for."""
    from evaluator.stages.publish import Wanted

    return Wanted(config, suite, given["comment"], given["status"], given["check"], given["variant"], given["issue"])


def announce(place: Place, asked: Wanted) -> None:
    """Say that a run has begun. What could not be said is logged: the same is met again at the end, and warned of."""
    from evaluator.github.client import ORDINARY
    from evaluator.stages import publish as stage

    found = _told(place, lambda hub: stage.announce(hub, asked), ORDINARY._replace(waiting=PATIENCE))
    if found:
        place.session.console.log(found)


def publish(place: Place, asked: Wanted, verdict: Verdict) -> str:
    """Tell a verdict; what could not be told, in one line."""
    from evaluator.stages import publish as stage

    return _told(place, lambda hub: stage.publish(hub, asked, verdict))


def _told(place: Place, tell: Callable[[Hub], list[str]], budget: Any = None) -> str:
    """Whatever goes wrong with GitHub is no more than a warning."""
    from evaluator.cli import forge, hub
    from evaluator.stages.publish import warning

    try:
        about = hub.activity(place.session.environment, place.payload)
        client = forge.client(place.session, budget)
        seen = hub.hub(place.session, client, about, place.leg)
        found = warning(tell(seen if place.received is None else hub.about(seen, place.received)))
    except errors.AssayError as error:
        found = f"nothing is published on GitHub: {error}"
    return log_line(found)


@click.command(
    epilog=examples(
        "rag-assay publish --pending", "rag-assay publish", "rag-assay publish --comment on-failure --check"
    )
)
@add("config", "out")
@click.option("--comment", type=click.Choice(COMMENTS), default="always", show_default=True, help="When there is one.")
@click.option("--status/--no-status", default=True, show_default=True, help="Set the status rag-assay/SUITE.")
@click.option("--check/--no-check", default=False, show_default=True, help="Make a check run with annotations.")
@click.option("--issue/--no-issue", default=False, show_default=True, help="Open one where a schedule does not pass.")
@click.option("--variant", default="", metavar="TEXT", help="What tells runs of one suite in one workflow apart.")
@click.option("--pending", is_flag=True, help="Only say that a run has begun: a pending status.")
@click.pass_obj
def command(session: Session, /, **given: Any) -> int:
    """Tell GitHub what was decided: a comment on the pull request, a status to require, a check run, an issue.

    Runs in a workflow, with the job's token as GITHUB_TOKEN, and reads what gate and report wrote. The step summary,
    annotations and outputs are written, too. What GitHub refuses is a warning and never changes the exit code; without
    a decision the status is an error, and the exit code 2.
    """
    options = {name: given.pop(name) for name in ("comment", "status", "check", "issue", "variant", "pending")}
    workspace = edges.workspace(session, given)  # type: ignore[arg-type]
    from evaluator.cli import hub
    from evaluator.stages.posting import Verdict

    variables, root = session.environment, edges.root(session)
    place = Place(session, hub.payload(variables), _leg(variables))
    asked = wanted(os.path.relpath(workspace.config_file, root), workspace.config.suite, options)
    if options["pending"]:
        announce(place, asked)
        return 0
    try:
        outputs.require_before("publish", workspace.out)
        verdict = _verdict(session, workspace, root)
    except errors.AssayError as error:
        _warn(session, publish(place, asked, Verdict.none(str(error))))
        raise
    _warn(session, publish(place, asked, verdict))
    return 0


def _verdict(session: Session, workspace: Workspace, root: Path) -> Verdict:
    """What is told of the files of a run; what needs no token is told already."""
    from evaluator.stages.posting import Verdict
    from evaluator.stages.publication import commands, publication

    told = publication(workspace, root)
    if session.environment.get("GITHUB_ACTIONS") == "true":
        session.console.block(commands(told))
    summary = (workspace.out / "summary.md").read_bytes()
    if len(summary) <= LARGEST_SUMMARY:
        _append(session.environment.get("GITHUB_STEP_SUMMARY"), summary)
    _append(session.environment.get("GITHUB_OUTPUT"), f"outcome={told.outcome}\n".encode())
    return Verdict.of(told, (workspace.out / "comment.md").read_text(encoding="utf-8"))


def _append(file: str | None, data: bytes) -> None:
    """Add to a file that the runner reads, where there is one."""
    if not file:
        return
    try:
        with Path(file).open("ab") as stream:
            stream.write(data)
    except OSError as error:
        raise errors.FileProblem(f"{file} cannot be written: {error.strerror}") from None


def _leg(variables: Mapping[str, str]) -> str:
    job = f"{variables.get('GITHUB_JOB', '')}\n{variables.get('RUNNER_NAME', '')}"
    return hashlib.sha256(job.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _warn(session: Session, said: str) -> None:
    from evaluator.github.commands import command as workflow_command

    if said and session.environment.get("GITHUB_ACTIONS") == "true":
        session.console.block([workflow_command("warning", {"title": "RAG Assay"}, said)])
    elif said:
        session.console.say(f"warning: {said}")
