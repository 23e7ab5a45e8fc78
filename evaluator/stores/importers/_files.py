"""Records of a file by its name: .jsonl, .json, .csv and .tsv."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.stores.importers._json_files import Entry, csv_rows, entries, json_document, json_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from evaluator.model.exchange import Intake

TABLES = {".csv", ".tsv", ".tab"}


def records(path: Path, intake: Intake, lists: Sequence[str] = ()) -> Iterable[Entry]:
    """The records of a file: a JSON document is a list of them, or has one under one of the keys ``lists``."""
    suffix = path.suffix.lower()
    if suffix in TABLES:
        return csv_rows(path, intake)
    if suffix == ".jsonl":
        return json_lines(path, intake)
    document = json_document(path, intake)
    if document is None:
        return ()
    if isinstance(document.value, list):
        return entries(document, (), path, intake)
    value = document.value if isinstance(document.value, dict) else {}
    for name in lists:
        if isinstance(value.get(name), list):
            return entries(document, (name,), path, intake)
    wanted = " or ".join(["a list", *(f"an object with {name!r}" for name in lists)])
    intake.problem("wrong-value", f"this file is neither {wanted}", path, 1)
    return ()
