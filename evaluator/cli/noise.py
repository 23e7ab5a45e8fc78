"""``noise``: how much a suite varies by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import click

from evaluator.cli import edges
from evaluator.cli.options import Given, add, examples
from evaluator.stores import alone

if TYPE_CHECKING:
    from evaluator.cli.session import Session
    from evaluator.model.noise import MetricNoise, Noise

REPEATS = 5
MOST = 10
"""So many flaky cases are named."""


@click.command(epilog=examples("rag-assay noise", "rag-assay noise --repeats 10", "rag-assay noise --tier retrieval"))
@click.option(
    "--repeats", type=click.IntRange(min=2), default=REPEATS, show_default=True, metavar="N",
    help="How often the suite is run.",
)  # fmt: skip
@add("config", "out")
@click.option(
    "--tier", type=click.Choice(["retrieval", "full", "auto"]), default="auto", show_default=True,
    help="Whether a judge is asked (full). auto is full where the configuration has one.",
)  # fmt: skip
@click.pass_obj
def noise(session: Session, repeats: int, **given: Unpack[Given]) -> int:
    """Run the suite several times as it is, and write down how much its values vary.

    Writes the file that noise: of the configuration names, or noise.json beside it: commit it. Each run asks a live
    pipeline again and the judge past its cache; the first answers are judged as often again, to tell the judge's noise
    from the pipeline's. What that will take is said first, and judge.max_cost_usd limits it. A measurement that is
    interrupted goes on from where it was.
    """
    asked = given["tier"]
    workspace = edges.workspace(session, {**given, "tier": "retrieval"})
    if asked == "full" or (asked == "auto" and workspace.config.judge is not None):
        workspace = edges.workspace(session, {**given, "tier": "full"})
    with alone.alone(workspace.out):
        from evaluator.stages.noise import measure  # noqa: PLC0415 - a stage is imported when it runs

        path, found = measure(workspace, repeats)
    session.console.say(*told(found), f"wrote {path}")
    if workspace.config.noise is None:
        session.console.say(f"name it in the configuration: noise: {path.name}")
    return 0


def told(found: Noise) -> list[str]:
    """What a person should see of it at once: how much each metric varies and why, and which cases do."""
    from evaluator.comparison.noise import flaky  # noqa: PLC0415 - as above

    named = flaky(found.cases)
    return [
        *(f"{metric}: {_told(each)}" for metric, each in found.metrics.items()),
        *(f"flaky: {each.case}, {each.metric}: two runs disagree {each.rate:.0%} of the time" for each in named[:MOST]),
        *([f"flaky: {len(named) - MOST} more, all in cases of the file"] if len(named) > MOST else []),
    ]


def _told(found: MetricNoise) -> str:
    if found.sd == 0:
        return "does not vary"
    parts = (("pipeline", found.pipeline), ("judge", found.judge))
    split = " and ".join(f"{part:.4f} by the {name}" for name, part in parts if part)
    return f"a case varies by {found.sd:.4f} from run to run" + (f" ({split})" if split else "")
