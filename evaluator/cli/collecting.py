"""``action collect``: what runs the pipeline in the GitHub Action, and what the commands of all zones share."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from evaluator.cli import streams

if TYPE_CHECKING:
    from evaluator.cli.room import Room
    from evaluator.config import Tier

# A zone imports what it runs when it runs: --help needs none of it.
# ruff: noqa: PLC0415

CONFIG = click.option("--config", metavar="PATH", required=True, help="The configuration in the repository.")
TIER = click.option(
    "--tier", type=click.Choice(["retrieval", "full"]), default="retrieval", show_default=True,
    help="What is measured, as prepare chose it.",
)  # fmt: skip


@click.command()
@click.option("--installed", is_flag=True, help="Run a Python pipeline by the interpreter that install made.")
@click.option("--deadline", type=float, default=float("inf"), metavar="SECONDS", help="Then nothing more is asked.")
@CONFIG
@TIER
@click.pass_obj
def collect(room: Room, config: str, tier: Tier, *, installed: bool, deadline: float) -> int:
    """Run the pipeline: the only zone in which the user's code runs."""
    from evaluator.zones import collect as zone
    from evaluator.zones.install import INTERPRETER

    interpreter = room.volume / INTERPRETER if installed else None
    zone.collect(sys.stdin.buffer, streams.out(), room.site(config, tier), interpreter=interpreter, deadline=deadline)
    return 0
