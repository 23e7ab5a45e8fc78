"""``action collect`` and ``action egress``: the pipeline and its way out."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from evaluator.cli import streams
from evaluator.cli.zone_options import CONFIG, TIER

if TYPE_CHECKING:
    from evaluator.cli.room import Room
    from evaluator.config import Tier

# A zone imports what it runs when it runs: --help needs none of it.
# ruff: noqa: PLC0415


@click.command()
@click.option("--installed", is_flag=True, help="Run a Python pipeline by the interpreter that install made.")
@click.option("--deadline", type=float, default=float("inf"), metavar="SECONDS", help="Then nothing more is asked.")
@click.option("--grant", "granted", multiple=True, metavar="NAME", help="A variable to see, by its network; repeats.")
@CONFIG
@TIER
@click.pass_obj
def collect(room: Room, /, config: str, tier: Tier, granted: tuple[str, ...], **given: Any) -> int:
    """Run the pipeline: the only zone in which the user's code runs."""
    from evaluator.zones import collect as zone
    from evaluator.zones.install import INTERPRETER

    interpreter = room.volume / INTERPRETER if given["installed"] else None
    wanted = zone.Manner(interpreter, granted, given["deadline"])
    zone.collect(sys.stdin.buffer, streams.out(), room.site(config, tier), wanted)
    return 0


@click.command()
@click.option("--host", "hosts", multiple=True, metavar="HOST", help="A host that may be connected to; repeats.")
@click.pass_obj
def egress(room: Room, hosts: tuple[str, ...]) -> int:
    """Let connections out to the hosts that are named, and to no other, until standard input ends.

    The address to listen at comes as the first line of standard input.
    """
    import asyncio

    from evaluator.zones import egress as zone
    from evaluator.zones import outgoing
    from evaluator.zones.proxy import Proxy

    proxy = Proxy(zone.read_rules(hosts), outgoing.read(room.session.environment), room.session.console.say)
    asyncio.run(proxy.run(sys.stdin.buffer))
    return 0
