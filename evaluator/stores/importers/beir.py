"""BEIR: a folder with corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evaluator import errors
from evaluator.model.exchange import Draft, Format, Option, path
from evaluator.stores.importers._json_files import csv_rows, json_lines
from evaluator.stores.importers._leaving import graded, name_lost
from evaluator.stores.importers._trec_files import Judged, named, read_run
from evaluator.stores.importers.trec import answers, labels, name_unmeasured, run_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from evaluator.model.exchange import Intake, Settings, Suite

NAME = "BEIR"
SPLIT = "test"
HEADER = ("query-id", "corpus-id", "score")


def _read(settings: Settings, intake: Intake) -> None:
    folder, run = path(settings, "folder"), path(settings, "run")
    if folder is None:
        raise TypeError("FOLDER is a required argument")
    judged = _judged(folder, settings.get("split") or SPLIT, intake)
    file = folder / "queries.jsonl"
    unasked = []
    for entry in json_lines(file, intake):
        name, text = entry.value.get("_id"), entry.value.get("text")
        if not isinstance(name, str) or not isinstance(text, str):
            intake.problem("missing-field", "a query has an _id and a text", file, entry.line)
        elif name not in judged:
            unasked.append(name)
        else:
            _name_rest(entry.value, ("_id", "text"), "a query", intake)
            intake.cases.append(Draft({"id": name, "question": text, **labels(judged[name])}, str(file), entry.line))
    if unasked:
        intake.remark(f"query without judgements in this split, left out: {named(unasked)}", len(unasked))
    ids = [draft.value["id"] for draft in intake.cases]
    name_unmeasured({name: judged[name] for name in judged}, dict.fromkeys(ids), intake)
    intake.chunks = list(_chunks(folder / "corpus.jsonl", intake))
    if run is not None:
        intake.answers = answers(read_run(run, intake), ids, intake)


def _judged(folder: Path, split: str, intake: Intake) -> dict[str, list[Judged]]:
    file = folder / "qrels" / f"{split}.tsv"
    if not file.is_file():
        there = sorted(each.stem for each in (folder / "qrels").glob("*.tsv"))
        hint = f"--split may be {', '.join(there)}" if there else "there is no qrels/*.tsv either"
        raise errors.UsageError(f"{file} does not exist; {hint}")
    found: dict[str, dict[str, Judged]] = {}
    for row in csv_rows(file, intake):
        if not set(HEADER) <= row.value.keys():
            intake.problem("missing-field", f"the header is not {', '.join(HEADER)}", file, 1)
            break
        query, document, written = (row.value[name] for name in HEADER)
        try:
            grade = int(written)
        except ValueError:
            intake.problem("wrong-value", f"the score {written!r} is no whole number", file, row.line)
            continue
        first = found.setdefault(query, {}).setdefault(document, Judged(document, grade, row.line))
        if first.grade != grade:
            sentence = f"{document!r} is judged {grade} for {query!r}, but {first.grade} on line {first.line}"
            intake.problem("wrong-value", sentence, file, row.line)
    return {query: list(judged.values()) for query, judged in found.items()}


def _chunks(file: Path, intake: Intake) -> Iterator[Draft]:
    for entry in json_lines(file, intake):
        name, text, title = (entry.value.get(key) for key in ("_id", "text", "title"))
        if not isinstance(name, str) or not isinstance(text, str):
            intake.problem("missing-field", "a document has an _id and a text", file, entry.line)
            continue
        _name_rest(entry.value, ("_id", "text", "title", "metadata"), "a document", intake)
        meta = {"metadata": entry.value["metadata"]} if entry.value.get("metadata") else {}
        if isinstance(title, str) and title:
            # The title is searched as well, and kept apart so that an export can take it off again.
            text, meta = f"{title}\n{text}", {**meta, "title": title}
        yield Draft({"id": name, "text": text, "doc": name, **({"meta": meta} if meta else {})}, str(file), entry.line)


def _name_rest(value: Mapping[str, Any], known: Iterable[str], what: str, intake: Intake) -> None:
    for name in value.keys() - {*known}:
        if value[name]:
            intake.remark(f"field '{name}' of {what}, left out")


def _write(suite: Suite, settings: Settings) -> dict[str, bytes]:
    name_lost(suite, {"relevant", "irrelevant"}, NAME)
    files = {
        "queries.jsonl": _lines({"_id": case.id, "text": case.question, "metadata": {}} for case in suite.cases),
        f"qrels/{settings.get('split') or SPLIT}.tsv": "".join(_qrels(suite)),
    }
    if suite.chunks:
        files["corpus.jsonl"] = _lines(map(_document, suite.chunks))
    else:
        suite.remark("no corpus is written; --fixture names the one to write")
    if suite.answers:
        files["run.trec"] = "".join(f"{line}\n" for line in run_lines(suite, "rag-assay"))
    return {name: text.encode() for name, text in files.items()}


def _lines(values: Iterable[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(value, ensure_ascii=False)}\n" for value in values)


def _qrels(suite: Suite) -> Iterator[str]:
    yield "\t".join(HEADER) + "\n"
    for case in suite.cases:
        for chunk, grade in graded(case, suite, NAME):
            if any("\t" in name or '"' in name for name in (case.id, chunk)):
                raise errors.UsageError(f"{NAME} separates its columns by tabs, so {chunk!r} cannot be written")
            yield f"{case.id}\t{chunk}\t{grade}\n"


def _document(chunk: Mapping[str, Any]) -> dict[str, Any]:
    meta = chunk.get("meta") or {}
    title = meta.get("title", "")
    text = chunk["text"].removeprefix(f"{title}\n") if title else chunk["text"]
    return {"_id": chunk["id"], "title": title, "text": text, "metadata": meta.get("metadata", {})}


FORMAT = Format(
    name="beir",
    title="a data set in the form of BEIR",
    options=(
        Option("FOLDER", "With corpus.jsonl, queries.jsonl and qrels/; the corpus becomes a fixture.", required=True),
        Option("--split", "Which qrels: the name of a file there. [default: test]", "text", "NAME"),
        Option("--run", "A run in TREC's form, which becomes recorded answers."),
    ),
    examples=(
        "import beir scifact --out eval",
        "import beir scifact --split train --run bm25.run --out eval",
        "export beir --golden eval/golden.jsonl --fixture eval/fixture --out beir",
    ),
    read=_read,
    write=_write,
    export_options=(Option("--split", "The name of the file with judgements. [default: test]", "text", "NAME"),),
)
