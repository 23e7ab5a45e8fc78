"""Options that several zones have, and those of a run that measures what a stranger's own run uploaded."""

from __future__ import annotations

import click

CONFIG = click.option("--config", metavar="PATH", required=True, help="The configuration in the repository.")
TIER = click.option(
    "--tier", type=click.Choice(["retrieval", "full"]), default="retrieval", show_default=True,
    help="What is measured, as prepare chose it.",
)  # fmt: skip
KEY = click.option("--key", "names", multiple=True, metavar="NAME", help="A variable granted to the pipeline; repeats.")
JUDGE_KEY = click.option(
    "--key", "names", multiple=True, metavar="NAME", help="A variable that holds a judge's key; repeats."
)
VARIANT = click.option("--variant", default="", metavar="TEXT", help="What tells jobs that measure one suite apart.")
HOST = click.option("--host", "hosts", multiple=True, metavar="HOST", help="A host the judge may be asked at; repeats.")
ANSWERS_NEED_KEYS = click.option(
    "--answers-need-keys", "answers_need", multiple=True, metavar="NAME",
    help="A variable that the pipeline has where it is trusted, and a stranger's run had not; repeats.",
)  # fmt: skip
UNTRUSTED = click.option(
    "--untrusted", is_flag=True, help="The records are a stranger's, and the repository is the base of his change."
)
NO_KEY_REASON = click.option(
    "--no-key-reason", "no_key", default="", metavar="TEXT", help="Why no judge is asked about a stranger's answers."
)
SELF_REPORTED = click.option(
    "--self-reported", is_flag=True, help="Decide on a run that was scored with --untrusted; it is never a baseline."
)
