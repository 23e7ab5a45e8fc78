"""``action``: what runs inside the zones of the GitHub Action, one sub-command each."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli import certificates
from evaluator.cli.collecting import collect, egress
from evaluator.cli.options import FILE, OPTIONS, examples
from evaluator.cli.publishing import COMMENTS
from evaluator.cli.receiving import receive
from evaluator.cli.room import Room
from evaluator.cli.streams import out as _out
from evaluator.cli.zone_options import (
    ANSWERS_NEED_KEYS,
    CONFIG,
    HOST,
    JUDGE_KEY,
    KEY,
    NO_KEY_REASON,
    SELF_REPORTED,
    TIER,
    UNTRUSTED,
    VARIANT,
)

if TYPE_CHECKING:
    from pathlib import Path

    from evaluator.config import Tier

# A zone imports what it runs when it runs: --help needs none of it.
# ruff: noqa: PLC0415


@click.group(
    epilog=examples(
        "rag-assay action seal --help",
        "tar cf - tree.tar | rag-assay action --work /tmp/room prepare --for collect --config rag-assay.yml >out.tar",
    )
)
@click.option("--work", type=FILE, default="/work", show_default=True, metavar="DIR", help="An empty folder.")
@click.option("--seconds", type=int, default=0, envvar="RAG_ASSAY_SECONDS", metavar="N", help="End then by itself.")
@click.option("--volume", type=FILE, default="/deps", show_default=True, metavar="DIR", help="What install fills.")
@click.pass_context
def action(context: click.Context, work: Path, volume: Path, seconds: int) -> None:
    """Run one zone of the GitHub Action.

    A zone reads a tar stream on standard input and writes one on standard output. docs/decisions/0002-zones.md says
    what each may see. The Action's scripts call them; by hand they are of use only to look into a fault.
    """
    # Nobody has to be there to end a container whose runner died.
    signal.alarm(seconds)
    certificates.trust(context.obj)
    context.obj = Room(context.obj, work, volume)


@action.command()
@click.option("--for", "purpose", type=click.Choice(["collect", "install"]), required=True, help="Who gets the result.")
@click.option("--hide", "hidden", multiple=True, metavar="PATH", help="A further file that holds labels; repeats.")
@CONFIG
@OPTIONS["tier"]
@click.option("--event", default="", metavar="NAME", help="What started the run.")
@click.option("--actor", default="", metavar="NAME", help="Who started it.")
@JUDGE_KEY
@HOST
@ANSWERS_NEED_KEYS
@click.option("--granted", multiple=True, metavar="NAME", help="A variable granted to the pipeline; repeats.")
@click.option("--may-pass-by", is_flag=True, help="A change that the suite does not depend on need not be measured.")
@click.option("--needs", multiple=True, metavar="PATH", help="What the workflow gives the pipeline besides; repeats.")
@click.option("--installs", is_flag=True, help="The workflow gives the pipeline packages by a file.")
@click.pass_obj
def prepare(room: Room, /, purpose: Any, config: str, **given: Any) -> int:
    """Choose the tier, and take golden labels and earlier results out of a repository."""
    from evaluator.zones import judging
    from evaluator.zones import prepare as zone

    granted = judging.Granted(given["names"], given["hosts"])
    happened = judging.Happened(
        given["tier"], given["event"], given["actor"], granted=granted, answers_need=given["answers_need"]
    )
    passes = zone.Passing(given["needs"], given["installs"]) if given["may_pass_by"] else None
    wanted = zone.Preparation(purpose, given["hidden"], happened, passes, given["granted"])
    zone.prepare(sys.stdin.buffer, _out(), wanted, room.site(config, "retrieval"))
    return 0


@action.command()
@click.option("--requirements", default="", metavar="PATH", help="A requirements file in the repository.")
@click.option("--policy", type=click.Choice(["hashes", "wheels", "source"]), default="hashes", help="What is allowed.")
@click.option("--python", default="", metavar="VERSION", help="The version of Python. [default: the image's]")
@click.pass_obj
def install(room: Room, requirements: str, policy: Any, python: str) -> int:
    """Install what the pipeline needs into a volume."""
    from evaluator.zones import install as zone

    wanted = zone.Packages(requirements, policy, python)
    place = zone.Place(root=room.folder("tree"), volume=room.volume, environment=room.session.environment)
    zone.install(sys.stdin.buffer, wanted, place)
    return 0


@action.command()
@KEY
@click.pass_obj
def seal(room: Room, names: tuple[str, ...]) -> int:
    """Take out of collect what is valid, and no key with it."""
    from evaluator.zones import seal as zone

    keys = room.keys(names)
    for name in keys.ignored:
        room.session.console.say(f"{name} has too few characters to be looked for in what the pipeline returns")
    zone.seal(sys.stdin.buffer, _out(), keys, folder=room.folder("sealing"))
    return 0


@action.command()
@KEY
@click.pass_obj
def log(room: Room, names: tuple[str, ...]) -> int:
    """Pass on what a pipeline prints, and no key with it."""
    from evaluator.zones import log as zone

    zone.log(sys.stdin.buffer, room.keys(names), room.session.console.say)
    return 0


@action.command()
@CONFIG
@TIER
@click.option("--commit", metavar="SHA", help="The commit that is measured.")
@JUDGE_KEY
@HOST
@UNTRUSTED
@NO_KEY_REASON
@click.pass_obj
def score(room: Room, /, config: str, tier: Tier, commit: str | None, **given: Any) -> int:
    """Measure the sealed records by the whole golden set; in tier full have a judge judge the answers."""
    from evaluator.zones import judging
    from evaluator.zones import score as zone

    granted, keys = judging.Granted(given["names"], given["hosts"]), room.keys(given["names"])
    stranger = None
    if given["untrusted"]:
        from evaluator.zones.untrusted import Stranger

        stranger = Stranger(given["no_key"])
    zone.score(sys.stdin.buffer, _out(), room.site(config, tier, commit), granted, keys, stranger=stranger)
    return 0


@action.command()
@click.option("--nonce", required=True, metavar="TEXT", help="What this attempt's decision repeats.")
@click.option("--default-branch", default="", metavar="NAME", help="The repository's default branch.")
@SELF_REPORTED
@VARIANT
@CONFIG
@TIER
@click.option("--passed-by", is_flag=True, help="The suite does not depend on what changed, as prepare says.")
@click.pass_obj
def decide(room: Room, /, nonce: str, config: str, tier: Tier, **given: Any) -> int:
    """Compare, decide and report; exits 0 whatever was decided."""
    from evaluator.zones import decide as zone
    from evaluator.zones import passing
    from evaluator.zones.keeping import Keeping

    if given.pop("passed_by"):
        passing.decide(sys.stdin.buffer, _out(), room.site(config, tier), nonce=nonce)
        return 0
    self_reported = given.pop("self_reported")
    kept = Keeping.of(room.session.environment, **given)
    place = room.site(config, tier)
    zone.decide(sys.stdin.buffer, _out(), place, nonce=nonce, kept=kept, self_reported=self_reported)
    return 0


WORKFLOW = click.option(
    "--workflow", "workflows", multiple=True, metavar="FILE", help="A further workflow that keeps baselines; repeats."
)
TESTED = click.option("--tested", required=True, metavar="SHA", help="The commit that is checked out.")


@action.command()
@CONFIG
@TIER
@TESTED
@WORKFLOW
@click.option("--committed", default="", metavar="PATH", help="A run in the repository, for want of another.")
@click.option("--source", default="", metavar="TEXT", help="What that run is called where git has read it.")
@VARIANT
@click.pass_obj
def fetch(room: Room, /, **given: Any) -> int:
    """Look for what the run is compared with. Without GITHUB_TOKEN it is what git has read."""
    from evaluator.cli import forge
    from evaluator.zones import fetch as zone

    wanted, session = zone.Sought(**given), room.session
    place = zone.Workplace(room.folder("fetching"), session.environment, session.console.say)
    client = forge.client(session) if forge.token(session) else None
    zone.fetch(sys.stdin.buffer, _out(), wanted, place, client)
    return 0


@action.command()
@CONFIG
@TESTED
@WORKFLOW
@VARIANT
@click.option(
    "--accept", "run", type=int, metavar="RUN", help="A run to accept; without it what is accepted is copied."
)
@click.option("--reason", default="", metavar="TEXT", help="Why it is accepted.")
@click.pass_obj
def keep(room: Room, /, run: int | None, reason: str, **given: Any) -> int:
    """Copy the last accepted baselines, or what a run left that a person accepts."""
    from evaluator.cli import forge
    from evaluator.zones import fetch, keeping
    from evaluator.zones import keep as zone

    session, root = room.session, room.folder("keeping")
    client = forge.client(session)
    around, asked = fetch.asked_here(sys.stdin.buffer, fetch.Sought(tier="full", **given), session.environment, client)
    keeper = zone.Keeper(client, around.repository, asked, root, session.console.say)
    person = keeping.Person(around.actor, reason)
    made = keeper.refresh() if run is None else keeper.accept(zone.Accepting(run, person))
    for said in made:
        session.console.say(f"{keeping.name(said, given['variant'])}: the run of {said.commit[:12]}")
    zone.pack(made, root, _out(), given["variant"])
    return 0


@action.command()
@CONFIG
@click.option("--suite", default="", metavar="NAME", help="What the tested configuration calls the suite, if known.")
@click.option("--comment", type=click.Choice(COMMENTS), default="always", help="When there is a comment.")
@click.option("--status", is_flag=True, help="Whether there is a status.")
@click.option("--check", is_flag=True, help="Whether there is a check run.")
@click.option("--issue", is_flag=True, help="Whether a run on a schedule that does not pass opens an issue.")
@VARIANT
@click.option("--leg", default="", metavar="TEXT", help="What tells the jobs of one attempt apart.")
@click.option("--nonce", default="", metavar="TEXT", help="What this attempt's decision repeats.")
@click.option("--pending", is_flag=True, help="Say that the run has begun.")
@click.option("--failure", default="", metavar="TEXT", help="Why there is no verdict.")
@click.pass_obj
def publish(room: Room, /, **given: Any) -> int:
    """Tell GitHub what was decided: a status, a comment and a check run.

    What could not be told is written to standard output, in one line. The exit code is no part of any verdict.
    """
    from evaluator.cli import publishing
    from evaluator.stages.posting import Verdict
    from evaluator.zones import publish as zone

    out, folder = _out(), room.folder("publishing")
    payload = zone.take(sys.stdin.buffer, folder)
    wanted = publishing.wanted(given["config"], given["suite"], given)
    place = publishing.Place(room.session, payload, given["leg"], zone.received_in(folder))
    if given["pending"]:
        publishing.announce(place, wanted)
        return 0
    told = Verdict.none(given["failure"]) if given["failure"] else zone.verdict(folder, given["nonce"])
    out.write(publishing.publish(place, wanted, told).encode())
    out.close()
    return 0


for command in (collect, egress, receive):
    action.add_command(command)
