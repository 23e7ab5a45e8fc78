"""CSV and TSV: a table with a row a question, whose columns are named ours or mapped to ours."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from evaluator import errors
from evaluator.model.exchange import Format, Option, path
from evaluator.stores.importers._json_files import csv_rows
from evaluator.stores.importers._leaving import fields_of
from evaluator.stores.importers._mapping import OPTIONS, OURS
from evaluator.stores.importers._records import Layout, read_records

if TYPE_CHECKING:
    from evaluator.model.exchange import Intake, Settings, Suite

KIND = "csv"
LAYOUT = Layout(
    kind=KIND, defaults={name: (name,) for name in OURS}, results=lambda *_: False, writes={name: name for name in OURS}
)
HELD = ("retrieved", "context", "answer", "abstained")


def _read(settings: Settings, intake: Intake) -> None:
    file = path(settings, "file")
    if file is None:
        raise TypeError("FILE is a required argument")
    separator = settings.get("list_separator") or LAYOUT.separator
    rows = list(csv_rows(file, intake, _delimiter(settings.get("delimiter"))))
    read_records(rows, LAYOUT._replace(separator=separator), file, settings, intake)


def _delimiter(written: str | None) -> str | None:
    found = {"tab": "\t", "\\t": "\t"}.get(written or "", written)
    if found is not None and len(found) != 1:
        raise errors.UsageError(f"--delimiter {written} is not one character, or tab")
    return found


def _write(suite: Suite, settings: Settings) -> dict[str, bytes]:
    rows = []
    for case in suite.cases:
        answer = suite.answers.get(case.id, {})
        held = {name: answer[name] for name in HELD if answer.get(name) is not None}
        failure = answer.get("failure")
        failed = {"failure": failure.get("message", "failed")} if isinstance(failure, dict) else {}
        rows.append({**fields_of(case), **(failed or held)})
    names = [name for name in OURS if any(name in row for row in rows)]
    text = io.StringIO(newline="")
    separator = _delimiter(settings.get("delimiter")) or ","
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_cell(row[name]) if name in row else "" for name in names] for row in rows)
    return {"golden.tsv" if separator == "\t" else "golden.csv": text.getvalue().encode()}


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


FORMAT = Format(
    name=KIND,
    title="a table, .csv or .tsv",
    options=(
        Option("FILE", "A table with a header. Columns named as a golden case's fields need no --map.", required=True),
        Option(
            "--delimiter", "Between cells: one character, or tab. [default: tab for .tsv, else a comma]", "text", "TEXT"
        ),
        Option(
            "--list-separator",
            "Between the items of a list in a cell, which may also be JSON. [default: |]",
            "text",
            "TEXT",
        ),
        *OPTIONS,
    ),
    examples=(
        "import csv questions.csv --out eval",
        "import csv fragen.csv --delimiter ';' --map question=Frage --map relevant=Absätze --out eval",
        "export csv --golden eval/golden.jsonl --answers eval/answers.jsonl --out table",
    ),
    read=_read,
    write=_write,
    export_options=(Option("--delimiter", "Between cells: one character, or tab. [default: a comma]", "text", "TEXT"),),
)
