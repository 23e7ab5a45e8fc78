"""DeepEval: goldens as .json, .jsonl or .csv, and the test cases of a test run."""

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

KIND = "deepeval"
CONTAINERS = ("additional_metadata", "custom_column_key_values")
GOLDEN = (
    "input", "actual_output", "expected_output", "retrieval_context", "context", "name", "comments", "source_file",
    "tools_called", "expected_tools", "token_cost", "input_token_count", "output_token_count", "additional_metadata",
    "custom_column_key_values", "expectations",
)  # fmt: skip
"""Fields of a golden in the order in which DeepEval writes them."""

OF_RUN = {
    "actualOutput": "actual_output", "expectedOutput": "expected_output", "retrievalContext": "retrieval_context",
    "additionalMetadata": "additional_metadata", "toolsCalled": "tools_called", "expectedTools": "expected_tools",
    "metricsData": "metrics_data", "tokenCost": "token_cost",
}  # fmt: skip
"""Fields of a test run, which are written in another way."""

RESULTS = {
    "tools_called", "token_cost", "input_token_count", "output_token_count", "success", "metrics_data", "trace",
    "completion_time", "runDuration", "evaluationCost", "order",
}  # fmt: skip
LAYOUT = Layout(
    kind=KIND,
    defaults={
        "id": (*(f"additional_metadata.{name}" for name in ("id", "qid", "case_id", "question_id")), "name"),
        "question": ("input",),
        "reference": ("expected_output",),
        "category": ("additional_metadata.category",),
        "relevant_texts": ("context",),
        "retrieved_texts": ("retrieval_context",),
        "answer": ("actual_output",),
        "source": ("source_file",),
        "notes": ("comments",),
        "cost_usd": ("token_cost",),
    },
    results=lambda name, _: name in RESULTS,
    writes={
        "id": "additional_metadata.id",
        "question": "input",
        "reference": "expected_output",
        "category": "additional_metadata.category",
        "relevant_texts": "context",
        "retrieved_texts": "retrieval_context",
        "answer": "actual_output",
        "source": "source_file",
        "notes": "comments",
    },
)


def _read(settings: Settings, intake: Intake) -> None:
    file = path(settings, "file")
    if file is None:
        raise TypeError("FILE is a required argument")
    found = [_golden(entry, intake) for entry in records(file, intake, ("goldens", "testCases", "test_cases"))]
    read_records([entry for entry in found if entry is not None], LAYOUT, file, settings, intake)


def _golden(entry: Entry, intake: Intake) -> Entry | None:
    """A golden by the names it has in Python, its metadata as fields; None for a conversation without a question."""
    value = {OF_RUN.get(name, name): part for name, part in entry.value.items()}
    if "input" not in value and ("scenario" in value or "turns" in value):
        intake.remark("conversational golden, which has no question of its own: it is left out")
        return None
    for name in CONTAINERS:
        if isinstance(value.get(name), str) and value[name].startswith("{"):
            value[name] = _object(value[name])
    return Entry(flattened(value, CONTAINERS), entry.line)


def _object(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _write(suite: Suite, settings: Settings) -> dict[str, bytes]:
    goldens = [_record(each) for each in returned(suite, LAYOUT, settings)]
    return {"goldens.json": json.dumps(goldens, ensure_ascii=False, indent=4).encode()}


def _record(one: Returned) -> dict[str, Any]:
    flat = {**one.fields, **one.kept, **one.scores}
    # Retrieved results have no ids there, and cost is kept as it was.
    nested: dict[str, Any] = {}
    for name, value in flat.items():
        container, dot, inner = name.partition(".")
        if dot and container in CONTAINERS:
            nested.setdefault(container, {})[inner] = value
        else:
            nested[name] = value
    return {**dict.fromkeys(GOLDEN), **nested}


FORMAT = Format(
    name=KIND,
    title="goldens, or the test cases of a test run, of DeepEval",
    options=(Option("FILE", "A .json, .jsonl or .csv file.", required=True), *OPTIONS),
    examples=(
        "import deepeval goldens.json --out eval",
        "import deepeval goldens.csv --map id=name --abstain category=unanswerable --out eval",
        "export deepeval --golden eval/golden.jsonl --answers eval/answers.jsonl --out deepeval",
    ),
    read=_read,
    write=_write,
    export_options=(MAP,),
)
