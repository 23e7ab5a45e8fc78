"""``action receive``: what a stranger's run of a workflow left is taken over by another one."""

from __future__ import annotations

import sys
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import click

from evaluator import errors
from evaluator.cli import streams
from evaluator.cli.zone_options import CONFIG, VARIANT

if TYPE_CHECKING:
    from evaluator.cli.room import Room

# ruff: noqa: PLC0415 - a zone imports what it runs when it runs: --help needs none of it.


@click.command()
@CONFIG
@click.option("--workflow", metavar="FILE", required=True, help="The workflow that the run before has to be of.")
@click.option("--cap", default="", metavar="USD", help="The most that judging may cost on one day.")
@click.option("--reservation", default="", metavar="NAME", help="The artifact by which runs count against it.")
@VARIANT
@click.pass_obj
def receive(room: Room, /, config: str, workflow: str, cap: str, **given: Any) -> int:
    """Look for what the run of a stranger's pull request left, and for the files of its base."""
    from evaluator.cli import forge
    from evaluator.zones import fetch
    from evaluator.zones import receive as zone
    from evaluator.zones.receiving import Asked

    session = room.session
    asked = Asked(config, workflow, _dollars(cap), given["reservation"], given["variant"])
    place = fetch.Workplace(room.folder("receiving"), session.environment, session.console.say)
    zone.receive(sys.stdin.buffer, streams.out(), asked, place, forge.client(session))
    return 0


def _dollars(written: str) -> Decimal | None:
    try:
        found = Decimal(written) if written else None
    except InvalidOperation:
        found = Decimal("NaN")
    if found is not None and not (found.is_finite() and found >= 0):
        raise errors.UsageError(f"max-cost-usd-per-day is '{written}'; it is a number of US dollars, as 20 or 7.50")
    return found
