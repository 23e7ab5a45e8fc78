"""Ragas: evaluation datasets, results with their scores, and test sets, as .jsonl, .json or .csv."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evaluator.model.exchange import Format, Option, path
from evaluator.stores.importers._files import records
from evaluator.stores.importers._json_files import Entry
from evaluator.stores.importers._mapping import MAP, OPTIONS, flattened
from evaluator.stores.importers._records import Layout, read_records
from evaluator.stores.importers._returning import Returned, returned

if TYPE_CHECKING:
    from evaluator.model.exchange import Intake, Settings, Suite

KIND = "ragas"


def _is_score(_: str, value: Any) -> bool:
    """Whether a column is one of the scores that an evaluation adds: they are numbers and have any name."""
    try:
        return not isinstance(value, bool) and bool(str(float(value)))
    except (TypeError, ValueError):
        return False


LAYOUT = Layout(
    kind=KIND,
    defaults={
        "id": ("id", "sample_id", "question_id", "qid"),
        "question": ("user_input", "question"),
        "reference": ("reference", "ground_truth"),
        "category": ("category",),
        "relevant": ("reference_context_ids",),
        "relevant_texts": ("reference_contexts",),
        "retrieved": ("retrieved_context_ids",),
        "retrieved_texts": ("retrieved_contexts", "contexts"),
        "answer": ("response", "answer"),
    },
    results=_is_score,
    writes={
        "question": "user_input",
        "reference": "reference",
        "relevant": "reference_context_ids",
        "relevant_texts": "reference_contexts",
        "retrieved": "retrieved_context_ids",
        "retrieved_texts": "retrieved_contexts",
        "answer": "response",
    },
)
ORDER = (
    "user_input", "retrieved_contexts", "reference_contexts", "retrieved_context_ids", "reference_context_ids",
    "response", "reference",
)  # fmt: skip


def _read(settings: Settings, intake: Intake) -> None:
    file = path(settings, "file")
    if file is None:
        raise TypeError("FILE is a required argument")
    found = [Entry(flattened(entry.value, ()), entry.line) for entry in records(file, intake, ("samples", "dataset"))]
    read_records(found, LAYOUT, file, settings, intake)


def _write(suite: Suite, settings: Settings) -> dict[str, bytes]:
    lines = [_record(each) for each in returned(suite, LAYOUT, settings)]
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    return {"evaluation_dataset.jsonl": text.encode()}


def _record(one: Returned) -> dict[str, Any]:
    found = {**one.fields, **one.kept, **one.scores}
    return {name: found[name] for name in (*ORDER, *found) if name in found}


FORMAT = Format(
    name=KIND,
    title="an evaluation dataset, a result or a test set of Ragas",
    options=(Option("FILE", "A .jsonl, .json or .csv file.", required=True), *OPTIONS),
    examples=(
        "import ragas evaluation_dataset.jsonl --out eval",
        "import ragas result.csv --chunks chunks.jsonl --abstain reference= --out eval",
        "export ragas --golden eval/golden.jsonl --answers eval/answers.jsonl --fixture eval/fixture --out ragas",
    ),
    read=_read,
    write=_write,
    export_options=(MAP,),
)
