"""``freeze``: makes the index that every run searches, and shows what differs between two."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import click

from evaluator import errors
from evaluator.cli import console, edges
from evaluator.cli.options import FILE, OPTIONS, add, examples
from evaluator.model.counting import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluator.cli.session import Session
    from evaluator.model.fixture import Manifest
    from evaluator.model.fixture_diff import FixtureDiff
    from evaluator.stages.freezing import Model, Order
    from evaluator.stores.splitting import Splitting

MAX_NAMED = 20
"""Documents or chunks of one kind that are named; --format json names all."""

SPLITS = ("headings", "sentences", "tokens")


class Given(TypedDict):
    """What the command was given."""

    folder: Path | None
    documents: Path | None
    chunks: Path | None
    out: Path | None
    split: str | None
    size: int | None
    overlap: int | None
    tokenizer: str | None
    language: str | None
    column: tuple[str, ...]
    vectors: Path | None
    embedder: str | None
    model: str | None
    base_url: str | None
    api_key_env: str | None
    golden: tuple[Path, ...]
    force: bool
    diff: tuple[Path, Path] | None
    config: Path | None
    format: str
    quiet: bool
    debug: bool


@click.command(
    epilog=examples(
        "rag-assay freeze eval/fixture",
        "rag-assay freeze --documents docs --split headings --out eval/fixture",
        "rag-assay freeze --chunks chunks.parquet --column id=doc_id --column text=contents --out eval/fixture",
        "rag-assay freeze eval/fixture --embedder my_app.models:embed --golden eval/golden.jsonl",
        "rag-assay freeze eval/fixture --embedder openai:text-embedding-3-small",
        "rag-assay freeze --diff eval/fixture /tmp/new-fixture",
    )
)
@click.argument("folder", type=FILE, required=False)
@click.option("--documents", type=FILE, metavar="DIR", help="Cut the Markdown and text files below this folder.")
@click.option("--chunks", type=FILE, metavar="FILE", help="Chunks: JSON Lines, JSON, CSV, TSV, Parquet or Lance.")
@click.option("--out", type=FILE, metavar="DIR", help="Where the new fixture goes.")
@click.option("--split", type=click.Choice(SPLITS), help="Where documents are cut. [default: headings]")
@click.option("--size", type=int, metavar="N", help="Sentences, or most tokens, of a chunk. [default: 3, 400, or 800]")
@click.option("--overlap", type=int, metavar="N", help="Sentences or tokens that neighbours share. [default: 0]")
@click.option("--tokenizer", metavar="NAME", help="Whose tokens: a model of tiktoken's or a tokenizer.json. [gpt-4o]")
@click.option("--language", metavar="TAG", help="Of the documents, for the ends of sentences. [default: en]")
@click.option("--column", multiple=True, metavar="FIELD=COLUMN", help="Where id, text, doc, meta.NAME or vector stand.")
@click.option(
    "--vectors", type=FILE, metavar="FILE", help="Vectors of the chunks, in their order: .npy or a FAISS index."
)
@click.option("--embedder", metavar="MODEL", help="MODULE:CALLABLE of yours, or openai:MODEL.")
@click.option("--model", metavar="NAME", help="What the manifest calls the model. [default: as --embedder]")
@click.option("--base-url", metavar="URL", help="Where openai:MODEL is served, if elsewhere.")
@click.option("--api-key-env", metavar="NAME", help="The variable with its key. [default: OPENAI_API_KEY]")
@click.option("--golden", type=FILE, multiple=True, metavar="FILE", help="Embed the questions of this golden file too.")
@click.option("--force", is_flag=True, help="Replace other chunks in the folder.")
@click.option("--diff", type=FILE, nargs=2, metavar="OLD NEW", help="Show what differs between two fixtures.")
@OPTIONS["config"]
@add("format")
@click.pass_obj
def freeze(session: Session, **given: Unpack[Given]) -> int:
    """Freeze an index, so that every run searches the same chunks and a change of them is seen.

    With FOLDER, writes its manifest.json. With --documents or --chunks, and --out, makes a new fixture. With
    --embedder, freezes vectors of its chunks and of the golden questions: those of --golden, or of the configuration
    whose fixture this is.
    """
    session.debug |= given["debug"]
    session.console.quiet = given["quiet"]
    if given["diff"] is not None:
        return _diff(session, given)
    order = _order(given)
    from evaluator.stages import freezing  # noqa: PLC0415 - a stage is imported when it runs

    around = freezing.Around(Path.cwd(), session.environment, session.console.progress, session.console.log)
    model = _model(given, order.out)
    manifest = freezing.freeze(order, model, around)
    session.console.say(*_frozen(given["folder"] or given["out"] or order.out, manifest, order.out))
    if given["folder"] is not None and manifest.chunker is not None:
        again = f"rag-assay freeze --documents DIR --out {given['folder']} --force"
        session.console.say(f"the documents behind it were not read again; if they changed: {again}")
    if model.embedder is not None and not model.golden and "queries.npy" not in manifest.files:
        session.console.say("no question was embedded: name the golden set with --golden")
    return 0


def _order(given: Given) -> Order:
    """What is to be made of what.

    Raises:
        UsageError: the options do not go together.
    """
    from evaluator.stages.freezing import Order  # noqa: PLC0415 - as above
    from evaluator.stores.tables import parse_columns  # noqa: PLC0415 - as above

    folder, chunks, documents, out = given["folder"], given["chunks"], given["documents"], given["out"]
    sources = [each for each in (folder, chunks, documents) if each is not None]
    if len(sources) != 1 or (folder is None) != (out is not None):
        raise errors.UsageError(
            "freeze takes either FOLDER, or --chunks FILE and --out DIR, or --documents DIR and --out DIR, or --diff"
        )
    cutting = {name: given.get(name) for name in ("split", "size", "overlap", "tokenizer", "language")}
    _refuse(documents is None, cutting, "--documents")
    _refuse(chunks is None, {"column": given["column"]}, "--chunks")
    _refuse(given["embedder"] is None, {name: given.get(name) for name in ("base_url", "api_key_env")}, "--embedder")
    return Order(
        out=Path.cwd() / (out or folder or ""), documents=documents, chunks=chunks, vectors=given["vectors"],
        splitting=_splitting(cutting) if documents is not None else None,
        columns=parse_columns(given["column"]), force=given["force"],
    )  # fmt: skip


def _refuse(pointless: bool, options: dict[str, Any], without: str) -> None:  # noqa: FBT001 - reads as a sentence
    for name, value in options.items():
        if pointless and value not in (None, ()):
            raise errors.UsageError(f"--{name.replace('_', '-')} says nothing without {without}")


def _splitting(written: dict[str, Any]) -> Splitting:
    from evaluator.stores.splitting import SIZES, Splitting  # noqa: PLC0415 - as above

    by: Any = written.pop("split") or SPLITS[0]
    return Splitting(
        by=by, **{"size": SIZES[by], **{key: value for key, value in written.items() if value is not None}}
    )


def _model(given: Given, out: Path) -> Model:
    from evaluator.stages.freezing import Model  # noqa: PLC0415 - as above

    golden = tuple(Path.cwd() / file for file in given["golden"])
    if given["embedder"] is not None and not golden:
        golden = _golden_of(given["config"], out)
    key = {"api_key_env": given["api_key_env"]} if given["api_key_env"] is not None else {}
    return Model(embedder=given["embedder"], name=given["model"], base_url=given["base_url"], golden=golden, **key)


def _golden_of(written: Path | None, out: Path) -> tuple[Path, ...]:
    """The golden files of the configuration, if this is the fixture that it searches."""
    from evaluator import config  # noqa: PLC0415 - as above

    try:
        file = edges.config_path(written)
    except errors.UsageError:
        return ()
    # Its mistakes are none of this command's: check names them.
    found, _ = config.look(file)
    if found is None or found.fixture is None or (file.parent / found.fixture).resolve() != out.resolve():
        return ()
    return tuple(file.parent / name for name in found.golden)


def _frozen(shown: Path, manifest: Manifest, out: Path) -> Iterator[str]:
    documents = "no documents named" if manifest.documents is None else f"{manifest.documents} documents"
    yield f"frozen {shown}: {manifest.chunks} chunks, {documents}"
    yield from (f"  {name}: {value}" for name, value in manifest.digests.model_dump().items() if value is not None)
    if manifest.chunker is not None:
        yield f"  chunker: {manifest.chunker}"
    if manifest.embedding is not None and "vectors.npy" in manifest.files:
        from evaluator.model.fixture import Questions  # noqa: PLC0415 - as above
        from evaluator.stores import values  # noqa: PLC0415 - as above

        has = "queries.json" in manifest.files
        questions = len(values.read_value(out / "queries.json", Questions).questions) if has else 0
        yield f"  vectors: {manifest.embedding.model}, {manifest.embedding.dimension} dimensions"
        yield f"  questions with a vector: {questions}"


def _diff(session: Session, given: Given) -> int:
    others = ("folder", "documents", "chunks", "out", "vectors", "embedder")
    if any(given.get(name) is not None for name in others):
        raise errors.UsageError("--diff compares two fixtures and makes none; leave the other options out")
    old, new = given["diff"] or (Path(), Path())
    from evaluator.stages.fixture_diff import diff  # noqa: PLC0415 - a stage is imported when it runs

    found = diff(Path.cwd() / old, Path.cwd() / new)
    if given["format"] == "json":
        console.emit(sys.stdout, found.model_dump_json(indent=1) + "\n")
    session.console.say(*_words(found))
    return 0


def _words(diff: FixtureDiff) -> Iterator[str]:
    if diff.documents is None:
        yield "documents: not compared, because a chunk names none"
    else:
        yield _counts("documents", diff.documents)
        for kind in ("changed", "added", "removed"):
            yield from _named(kind, getattr(diff.documents, kind))
    yield _counts("chunks", diff.chunks)
    for kind in ("changed", "added", "removed"):
        yield from _named(kind, getattr(diff.chunks, kind))
    yield from _named("moved", [f"{each.before.id} -> {each.after.id}" for each in diff.chunks.moved])
    before, after = (
        f"{each.model} ({each.dimension})" if each else "none" for each in (diff.vectors.before, diff.vectors.after)
    )
    if before != after:
        yield f"vectors: {before} -> {after}"
    if diff.vectors.changed is not None:
        yield f"vectors: {counted(diff.vectors.changed, 'text')} that stayed have another vector"


def _counts(what: str, part: Any) -> str:
    kinds = ("changed", "moved", "added", "removed")
    counts = [f"{len(getattr(part, kind))} {kind}" for kind in kinds if hasattr(part, kind)]
    return f"{what}: {', '.join(counts)}, {part.unchanged} unchanged"


def _named(kind: str, names: Sequence[str]) -> Iterator[str]:
    for name in names[:MAX_NAMED]:
        yield f"  {kind}: {name}"
    if len(names) > MAX_NAMED:
        yield f"  {kind}: and {len(names) - MAX_NAMED} more; --format json names all"
