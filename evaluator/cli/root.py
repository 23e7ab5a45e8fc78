"""The command ``rag-assay``: which sub-commands there are, without importing any of them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, NamedTuple

import click

from evaluator import __version__, errors
from evaluator.model.later import LATER_COMMANDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluator.cli.session import Session


class Lazy(NamedTuple):
    """A command by the place it is defined in, and its line in ``--help``."""

    target: str
    help: str


COMMANDS: Mapping[str, Lazy] = {
    "check": Lazy("files:check", "Name every problem of configuration, golden set and fixture."),
    "freeze": Lazy("freeze:freeze", "Freeze an index: from documents, chunks or a vector store; or compare two."),
    "collect": Lazy("stages:collect", "Ask the pipeline every question and record its replies."),
    "score": Lazy("stages:score", "Compute the metrics of what was collected."),
    "compare": Lazy("stages:compare", "Compare a scored run with a baseline, case by case."),
    "gate": Lazy("stages:gate", "Decide by the rules; exits with the decision."),
    "report": Lazy("stages:report", "Write the pull-request comment and the summary."),
    "publish": Lazy("publishing:command", "Tell GitHub: a comment, a status to require, a check run."),
    "run": Lazy("run:run", "All of collect to report; exits with the decision."),
    "import": Lazy("exchange:import_", "Make a golden set of the files of another tool."),
    "export": Lazy("exchange:export", "Write a golden set for another tool."),
    "estimate": Lazy("judge:estimate", "Say what judging will cost, without a call."),
    "rescore": Lazy("judge:rescore", "Judge the answers of a stored run again."),
    "calibrate": Lazy("people:calibrate", "Measure how far the judge agrees with people."),
    "agreement": Lazy("people:agreement", "Measure how far annotators agree with one another."),
    "noise": Lazy("noise:noise", "Measure how much the suite varies by itself."),
    "cache": Lazy("cache:cache", "Look at the judge's replies that are kept, or remove some."),
    "baseline": Lazy("baseline:baseline", "Look for the baseline that GitHub keeps, fetch it, or have a run accepted."),
    "action": Lazy("action:action", "Run one zone of the GitHub Action; its scripts call this."),
    "demo": Lazy("demo:demo", "Show the comment of a change that made an example worse."),
}


class LazyGroup(click.Group):
    """A group that imports a command only when it is called or asked for its own help."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:  # noqa: ARG002 - click's signature
        """Import a command.

        Raises:
            NotYetSupported: a later version brings it.
            UsageError: there is none of that name; the nearest one is named.
        """
        if cmd_name in LATER_COMMANDS:
            raise errors.NotYetSupported(f"rag-assay {cmd_name} is not yet supported")
        if cmd_name not in COMMANDS:
            raise errors.UsageError(f"there is no command {cmd_name!r}; {_hint(cmd_name)}")
        module, _, attribute = COMMANDS[cmd_name].target.partition(":")
        command: click.Command = getattr(importlib.import_module(f"evaluator.cli.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """List the commands by their one-line help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.help) for name, command in COMMANDS.items()])


def _hint(name: str) -> str:
    near = errors.nearest(name, (*COMMANDS, *LATER_COMMANDS))
    if not near:
        return "rag-assay --help lists them"
    return f"did you mean {near!r}?" + (" It is not yet supported" if near in LATER_COMMANDS else "")


EPILOG = """\b
Examples:
  rag-assay demo
  rag-assay check
  rag-assay run --out .rag-assay/main
  rag-assay run --baseline .rag-assay/main/run.json

Exit codes: 0 passed, 1 failed, 2 wrong usage, configuration or input, 3 inconclusive or interrupted, 4 internal error.
"""


def _explain(ctx: click.Context, _option: click.Parameter, code: str | None) -> None:
    if code is None or ctx.resilient_parsing:
        return
    from evaluator.cli import problems  # noqa: PLC0415 - only who asks pays for it

    click.echo(problems.explained(code))
    ctx.exit()


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="rag-assay %(version)s")
@click.option(
    "--explain", metavar="CODE", is_eager=True, expose_value=False, callback=_explain,
    help="Say what a code means, such as the [unknown-chunk] at the end of a message, and what to do about it.",
)  # fmt: skip
def rag_assay() -> None:
    """Gate pull requests on the measured quality of a RAG system.

    Runs a retrieval-augmented pipeline on a golden set over a frozen index, compares every case and category with a
    baseline, and says whether the change may be merged.
    """


def invoke(arguments: list[str], session: Session, command: click.Command = rag_assay) -> int:
    """Run one command line and return its exit code; its errors are raised.

    click's own ``main`` is not used: it turns interruptions and broken pipes into exit codes that mean something else
    here.
    """
    try:
        with command.make_context("rag-assay", arguments, obj=session) as context:
            code = command.invoke(context)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    if not isinstance(code, int):
        raise TypeError(f"{arguments} returned {code!r} instead of an exit code")
    return code
