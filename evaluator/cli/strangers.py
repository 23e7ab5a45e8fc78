"""Options of the zones that measure a stranger's pull request by what its own run uploaded."""

from __future__ import annotations

import click

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
