"""``calibrate`` and ``agreement``: the judge against people, and people against one another."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from evaluator import errors
from evaluator.cli import console, edges
from evaluator.cli.options import FILE, add, examples

if TYPE_CHECKING:
    from evaluator.cli.session import Session

CALIBRATION = "calibration.json"


class Given(TypedDict):
    """What ``calibrate`` was given."""

    labels: tuple[Path, ...]
    run: Path
    out: Path | None
    seed: int
    skip_missing: bool
    format: str
    quiet: bool
    debug: bool


@click.command(
    epilog=examples(
        "rag-assay calibrate --labels eval/labels.jsonl --run .rag-assay/main/run.json",
        "rag-assay calibrate --labels anna.jsonl --labels bo.jsonl --run run.json --out eval/calibration.json",
        "rag-assay calibrate --labels eval/labels.jsonl --run run.json --format json",
    )
)
@click.option(
    "--labels", type=FILE, metavar="FILE", required=True, multiple=True,
    help="What people said, as labels.jsonl; may be repeated.",
)  # fmt: skip
@click.option("--run", type=FILE, metavar="FILE", required=True, help="The run.json whose judge is held to them.")
@click.option(
    "--out", type=FILE, metavar="FILE", help="Where to write. [default: calibration.json beside the first labels]"
)
@click.option(
    "--skip-missing", is_flag=True,
    help="Leave out labels of what the run does not hold or the judge gave no verdict on, instead of refusing them.",
)  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the bootstrap behind the intervals."
)
@add("format")
@click.pass_obj
def calibrate(session: Session, **given: Unpack[Given]) -> int:
    """Measure how far the judge of a run agrees with people, and write calibration.json.

    Says by metric and language how often judge and people agree, what chance would give (kappa), how sure that is, and
    whether rows of that metric would be enforced at judge.min_kappa. What the file says holds for this judge alone: one
    with another model, parameters or prompts needs its own. Nobody is asked anything.
    """
    edges.prepare(session, {"quiet": given["quiet"], "debug": given["debug"]})
    from evaluator.cli import agreeing  # noqa: PLC0415 - --help needs none of it
    from evaluator.human import calibration, labels  # noqa: PLC0415 - as above
    from evaluator.stores import runs, values  # noqa: PLC0415 - as above

    files, out = [Path.cwd() / file for file in given["labels"]], given["out"]
    source = Path.cwd() / given["run"]
    target = Path.cwd() / out if out is not None else files[0].parent / CALIBRATION
    if target.resolve() in {file.resolve() for file in (*files, source)}:
        raise errors.UsageError(f"{target} would replace what is read; give another --out")
    outcome = calibration.calibrate(
        labels.read(files), runs.read_run(source), seed=given["seed"], skip_missing=given["skip_missing"]
    )
    values.write_value(target, outcome.calibration)
    session.console.say(*agreeing.calibrated(outcome), f"wrote {target}")
    if given["format"] == "json":
        console.emit(sys.stdout, agreeing.calibrated_json(outcome))
    return 0


@click.command(
    epilog=examples(
        "rag-assay agreement anna.jsonl bo.jsonl",
        "rag-assay agreement eval/labels.jsonl --format json",
    )
)
@click.argument("files", type=FILE, metavar="LABELS...", nargs=-1, required=True)
@add("format")
@click.pass_obj
def agreement(session: Session, files: tuple[Path, ...], **given: Unpack[Given]) -> int:
    """Measure how far annotators agree with one another, and list where they do not.

    LABELS are files in the form of labels.jsonl; an annotator is a name in them, and one file may hold several. Two who
    labelled the same things are compared by Cohen's kappa, more by Fleiss', and where labels are missing by
    Krippendorff's alpha, for each kind of label by itself.
    """
    edges.prepare(session, {"quiet": given["quiet"], "debug": given["debug"]})
    from evaluator.cli import agreeing  # noqa: PLC0415 - as above
    from evaluator.human import annotators, labels  # noqa: PLC0415 - as above

    found = annotators.agreements(labels.read([Path.cwd() / file for file in files]))
    session.console.say(*agreeing.agreed(found))
    if given["format"] == "json":
        console.emit(sys.stdout, agreeing.agreed_json(found))
    return 0
