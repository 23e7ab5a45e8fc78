"""promptfoo: tests (of a configuration, or in a file of their own) and results, as .json, .jsonl, .yaml or .csv."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evaluator.model.exchange import Format, Option, path
from evaluator.stores.importers._mapping import MAP, OPTIONS
from evaluator.stores.importers._promptfoo_files import asserted, read_file
from evaluator.stores.importers._records import Layout, read_records
from evaluator.stores.importers._returning import Returned, returned

if TYPE_CHECKING:
    from evaluator.model.exchange import Intake, Settings, Suite

KIND = "promptfoo"
RESULTS = ("response.", "success", "score", "namedscores", "status", "named scores", "metric: ", "grader ", "comment")
QUESTIONS = ("question", "query", "input", "prompt", "user_input", "message", "q")
LAYOUT = Layout(
    kind=KIND,
    defaults={
        "id": (*(f"metadata.{name}" for name in ("id", "qid", "case_id", "question_id")), "description"),
        "question": tuple(f"vars.{name}" for name in QUESTIONS),
        "category": ("metadata.category",),
        "reference": ("reference",),
        "facts": ("facts",),
        "retrieved": ("response.metadata.retrieved",),
        "retrieved_texts": ("response.metadata.context",),
        "answer": ("response.output",),
        "failure": ("response.error",),
        "latency_ms": ("latencyMs",),
        "cost_usd": ("cost",),
        "tokens": ("response.tokenUsage.total",),
    },
    results=lambda name, _: name.casefold().startswith(RESULTS),
    writes={"id": "metadata.id", "question": "vars.question", "category": "metadata.category"},
)


def _read(settings: Settings, intake: Intake) -> None:
    file = path(settings, "file")
    if file is None:
        raise TypeError("FILE is a required argument")
    found = read_file(file, settings.get("column"), intake)
    # A single variable is the question, whatever it is called.
    variables = {name for entry in found for name in entry.value if name.startswith("vars.")}
    layout = LAYOUT
    if len(variables) == 1:
        layout = layout._replace(defaults={**layout.defaults, "question": tuple(variables)})
    read_records(found, layout, file, settings, intake)
    for draft in intake.cases:
        if str(draft.value["question"]).startswith("file://"):
            sentence = "the question stands in another file, which is not read: write it here"
            intake.problem("wrong-value", sentence, file, draft.line)


def _write(suite: Suite, settings: Settings) -> dict[str, bytes]:
    tests = [_test(each, suite) for each in returned(suite, LAYOUT, settings)]
    return {"tests.json": f"{json.dumps(tests, ensure_ascii=False, indent=1)}\n".encode()}


def _test(one: Returned, suite: Suite) -> dict[str, Any]:
    test: dict[str, Any] = {}
    for name, value in {**one.fields, **one.kept}.items():
        container, dot, inner = name.partition(".")
        if dot and container in {"vars", "metadata"}:
            test.setdefault(container, {})[inner] = value
        else:
            test[name] = value
    if "assert" not in test:
        found = [*asserted(one.case)]
        test |= {"assert": found} if found else {}
    if one.case.relevant:
        suite.remark(f"needs of a case, which {KIND} has no assertion for")
    return test


FORMAT = Format(
    name=KIND,
    title="tests or results of promptfoo",
    options=(
        Option("FILE", "A configuration, tests or results: .json, .jsonl, .yaml or .csv.", required=True),
        Option("--column", "The output to take where each test has several, counted from 0.", "text", "N"),
        *OPTIONS,
    ),
    examples=(
        "import promptfoo results.json --out eval",
        "import promptfoo promptfooconfig.yaml --map question=vars.query --abstain category=unanswerable --out eval",
        "export promptfoo --golden eval/golden.jsonl --map question=vars.query --out promptfoo",
    ),
    read=_read,
    write=_write,
    export_options=(MAP,),
)
