"""``import`` and ``export``: golden sets and answers of other tools, each format a plug-in with its own options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evaluator import errors
from evaluator.cli import edges
from evaluator.cli.options import FILE, Given, add, examples
from evaluator.model.counting import counted
from evaluator.stores import importers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from evaluator.cli.options import Decorator
    from evaluator.cli.session import Session
    from evaluator.model.exchange import Format, Intake, Option

OUT = click.option("--out", type=FILE, metavar="DIR", required=True, help="The folder that files are written to.")
FORCE = click.option("--force", is_flag=True, help="Replace files that are there already.")
EXPORTED = (
    click.option(
        "--golden", type=FILE, metavar="FILE", required=True, multiple=True, help="The golden set; may be repeated."
    ),
    click.option("--answers", type=FILE, metavar="FILE", help="Recorded answers, or the records.jsonl of a run."),
    click.option("--fixture", type=FILE, metavar="DIR", help="The fixture that texts of chunks are taken from."),
)


class Verb(NamedTuple):
    """What is done with a format: its name, which formats can be, the command's options, and the work itself."""

    name: str
    formats: Callable[[], Mapping[str, Format]]
    options: tuple[Decorator, ...]
    own: Callable[[Format], list[Option]]
    work: Callable[[Format, Session, dict[str, Any]], list[str]]


class Formats(click.Group):
    """A group with a command for each format."""

    def __init__(self, verb: Verb, **settings: Any) -> None:
        super().__init__(verb.name, **settings)
        self._verb = verb

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:  # noqa: ARG002 - click's signature
        """The command of a format.

        Raises:
            UsageError: there is none of that name; the nearest one is named.
        """
        known = self._verb.formats()
        if cmd_name not in known:
            near = errors.nearest(cmd_name, known)
            hint = f"did you mean {near!r}?" if near else f"known are {', '.join(known)}"
            raise errors.UsageError(f"{self.name} knows no format {cmd_name!r}; {hint}")
        return _command(self._verb, known[cmd_name])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as above
        """List the formats by their one-line titles."""
        with formatter.section("Formats"):
            formatter.write_dl([(name, kind.title) for name, kind in self._verb.formats().items()])


def _command(verb: Verb, kind: Format) -> click.Command:
    def callback(session: Session, **given: Any) -> int:
        edges.prepare(session, Given(debug=given.pop("debug"), quiet=given.pop("quiet")))
        session.console.say(*verb.work(kind, session, _here(given)))
        return 0

    own = verb.own(kind)
    arguments = [f"{option.flag}: {option.help}" for option in own if not option.flag.startswith("-")]
    lines = [f"rag-assay {line}" for line in kind.examples if line.startswith(f"{verb.name} ")]
    decorated: Any = add()(click.pass_obj(callback))
    for decorate in reversed([*map(_option, own), *verb.options, OUT, FORCE]):
        decorated = decorate(decorated)
    text = "\n\n".join([f"{verb.name.capitalize()} {kind.title}.", *arguments])
    return click.command(kind.name, help=text, epilog=examples(*lines))(decorated)


def _option(option: Option) -> Decorator:
    kind = FILE if option.kind == "file" else click.STRING
    if not option.flag.startswith("-"):
        return click.argument(option.name, type=kind, required=option.required, metavar=option.flag)
    return click.option(
        option.flag, option.name, type=kind, metavar=option.metavar, required=option.required,
        multiple=option.kind == "texts", help=option.help,
    )  # fmt: skip


def _here(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options with their paths taken from the working directory."""
    return {name: Path.cwd() / value if isinstance(value, Path) else value for name, value in given.items()}


def _import(kind: Format, session: Session, given: dict[str, Any]) -> list[str]:
    from evaluator.stages import importing  # noqa: PLC0415 - a stage is imported when it is used
    from evaluator.stores import exchanging  # noqa: PLC0415 - as above

    intake = importing.read(kind, given)
    _warn(session, intake.remarks)
    written = exchanging.write(intake, given["out"], force=given["force"])
    return [f"imported {', '.join(_counts(intake))}", *(f"wrote {file}" for file in written)]


def _counts(intake: Intake) -> Iterator[str]:
    yield counted(len(intake.cases), "case")
    if intake.answers is not None:
        yield counted(len(intake.answers), "answer")
    if intake.chunks is not None:
        yield counted(len(intake.chunks), "chunk")


def _export(kind: Format, session: Session, given: dict[str, Any]) -> list[str]:
    from evaluator.stores import exchanging  # noqa: PLC0415 - as in import

    golden = [Path.cwd() / file for file in given["golden"]]
    suite = exchanging.read_suite(golden, given["answers"], given["fixture"])
    files = exchanging.files_of(kind, suite, given)
    _warn(session, suite.remarks)
    written = exchanging.write_files(files, given["out"], force=given["force"])
    counts = f"{counted(len(suite.cases), 'case')}, {counted(len(suite.answers), 'answer')}"
    return [f"exported {counts}", *(f"wrote {file}" for file in written)]


def _warn(session: Session, remarks: Mapping[str, int]) -> None:
    for sentence, count in remarks.items():
        session.console.log(f"warning: {sentence}" + (f" ({count:,} times)" if count > 1 else ""))


def _writable() -> dict[str, Format]:
    return {name: kind for name, kind in importers.load().items() if kind.write is not None}


import_ = Formats(
    Verb("import", importers.load, (), lambda kind: [*kind.options], _import),
    help="Make a golden set, recorded answers and a fixture of the files of another tool.\n\n"
    "Writes golden.jsonl, and answers.jsonl and fixture/ where the files hold such. Problems are named all at once, "
    "with file and line, and then nothing is written. What has no place in a golden set is named, with how often it "
    "came up.",
    epilog=examples(
        "rag-assay import trec --qrels qrels.txt --run bm25.run --out eval",
        "rag-assay import trec --help",
    ),
)
export = Formats(
    Verb("export", _writable, EXPORTED, lambda kind: [*kind.export_options], _export),
    help="Write a golden set and recorded answers in the format of another tool.\n\n"
    "What the other format cannot hold is named, with how often it came up.",
    epilog=examples("rag-assay export trec --golden eval/golden.jsonl --out trec", "rag-assay export trec --help"),
)
