"""The files of promptfoo, as flat records: tests, results, and what their assertions say of a good answer."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any

from evaluator import errors
from evaluator.stores.importers._files import TABLES, records
from evaluator.stores.importers._json_files import Entry, csv_rows, entries, json_document
from evaluator.stores.importers._mapping import flattened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from evaluator.model.exchange import Intake
    from evaluator.model.golden import Case

REFERENCES = {
    "equals", "similar", "similar:cosine", "rouge-n", "bleu", "gleu", "meteor", "levenshtein", "factuality",
    "model-graded-factuality", "context-recall",
}  # fmt: skip
"""Assertions whose value is an answer as it should be."""

ALL = {"contains", "icontains", "contains-all", "icontains-all"}
ANY = {"contains-any", "icontains-any"}
LISTED = {"contains-all", "icontains-all", *ANY}
"""Assertions whose value may be a list that is written as one text."""

ASSERTION = re.compile(r"\s*(?P<kind>[a-z]+(?:-[a-z]+)*)\s*(?:\([\d.]+\))?\s*:(?P<value>.*)", re.DOTALL)
PART = re.compile(r'"[^"]*"|[^",]+')
VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
UNREAD = re.compile(r"\{\{|\{%|\Afile://")
"""What is left where a value is made by a template, or stands in a file."""

OUTPUT = re.compile(r"\[.+\] ", re.DOTALL)
"""How the heading of a column of outputs begins: with the provider."""

NUMBER = re.compile(r" \(\d+\)\Z")
"""What tells the columns of a second output from those of the first."""

ERROR = 2
"""The ``failureReason`` of a result that is an error, and not an answer that failed an assertion."""


def read_file(file: Path, column: str | None, intake: Intake) -> list[Entry]:
    """Flat records of a file, whichever kind it is."""
    suffix = file.suffix.lower()
    if suffix in TABLES:
        return _rows(list(csv_rows(file, intake, repeated=True)), file, column, intake)
    if suffix in {".yml", ".yaml"}:
        return [_test(entry, intake) for entry in _yaml(file, intake)]
    found = list(_json_entries(file, intake)) if suffix != ".jsonl" else list(records(file, intake))
    if any("testCase" in entry.value for entry in found):
        return _results(found, column, intake)
    return [_test(entry, intake) for entry in found]


def _json_entries(file: Path, intake: Intake) -> Iterable[Entry]:
    document = json_document(file, intake)
    if document is None:
        return ()
    if isinstance(document.value, list):
        return entries(document, (), file, intake)
    for keys in (("results", "results"), ("results",), ("tests",)):
        value = document.value
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, list):
            return entries(document, keys, file, intake)
    intake.problem(
        "wrong-value", "this file has no list of tests or results; name the file that its tests are in", file, 1
    )
    return ()


def _yaml(file: Path, intake: Intake) -> Iterator[Entry]:
    from evaluator.stores import located  # noqa: PLC0415 - what reads YAML is imported where it is used

    document = located.read_yaml(file, str(file), intake.problems)
    if document is None:
        return
    at = () if isinstance(document.value, list) else ("tests",)
    tests = document.value if not at else document.value.get("tests") if isinstance(document.value, dict) else None
    if not isinstance(tests, list):
        intake.problem("wrong-value", "this file has no list of tests; name the file that its tests are in", file, 1)
        return
    for index, test in enumerate(tests):
        if isinstance(test, dict):
            yield Entry(test, document.place((*at, index)).line)
        else:
            intake.problem("wrong-value", "this test is no mapping; name the file that it is in", file)


def _test(entry: Entry, intake: Intake) -> Entry:
    flat = flattened(entry.value, ("vars", "metadata"))
    return Entry({**flat, **_said_by(entry.value.get("assert"), flat, intake)}, entry.line)


def _said_by(assertions: Any, fields: Mapping[str, Any], intake: Intake) -> dict[str, Any]:
    """Reference and facts that assertions state, with the variables of ``fields``; those that state neither are named.

    ``fields`` are those of the test, variables as ``vars.NAME``.
    """
    found: dict[str, Any] = {}
    facts: list[dict[str, Any]] = []
    for each in assertions if isinstance(assertions, list) else ():
        kind, value = (each.get("type"), each.get("value")) if isinstance(each, dict) else (None, None)
        texts = _texts(kind, value, fields)
        if any(UNREAD.search(text) for text in texts):
            intake.remark(f"assertion '{kind}' takes its value from a file or a template, which is not read")
        elif kind in REFERENCES and len(texts) == 1 and not isinstance(value, list):
            found.setdefault("reference", texts[0])
        elif kind in ALL and texts:
            facts += [_fact(len(facts) + place, [text]) for place, text in enumerate(texts, 1)]
        elif kind in ANY and texts:
            facts.append(_fact(len(facts) + 1, texts))
        else:
            intake.remark(f"assertion '{kind}' is neither a reference nor a fact")
    return {**found, **({"facts": facts} if facts else {})}


def _texts(kind: Any, value: Any, fields: Mapping[str, Any]) -> list[str]:
    """The texts that an assertion asks for, with the test's own variables in them."""
    written = value if isinstance(value, list) else [value]
    filled = [VARIABLE.sub(partial(_variable, fields), each) for each in written if isinstance(each, str)]
    is_one_text = kind in LISTED and not isinstance(value, list)
    return [text for each in filled for text in (_split(each) if is_one_text else [each]) if text]


def _variable(fields: Mapping[str, Any], mark: re.Match[str]) -> str:
    value = fields.get(f"vars.{mark[1]}")
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else mark[0]


def _fact(number: int, texts: list[str]) -> dict[str, Any]:
    """A fact of any of some texts; what would be read as a pattern here is made one that finds the text."""
    ways = [f"/{re.escape(text)}/" if text[0] == text[-1] == "/" and text[1:-1] else text for text in texts]
    return {"id": f"f{number}", "text": texts[0], **({"any": ways} if ways != texts[:1] else {})}


def _results(found: list[Entry], column: str | None, intake: Intake) -> list[Entry]:
    """One record a test: its own fields and those of its result."""
    columns = sorted({entry.value.get("promptIdx") or 0 for entry in found})
    wanted = _column(column, len(columns))
    kept: dict[Any, Entry] = {}
    for entry in found:
        if (entry.value.get("promptIdx") or 0) != columns[wanted]:
            continue
        place = entry.value.get("testIdx", len(kept))
        if place in kept:
            intake.remark("repeated result of one test, left out")
        kept.setdefault(place, entry)
    return [_result(kept[place], intake) for place in sorted(kept)]


def _column(written: str | None, number: int) -> int:
    """The column of outputs to take.

    Raises:
        UsageError: there are several and none was chosen, or there is none of that number.
    """
    if written is None and number > 1:
        raise errors.UsageError(f"each test has {number} outputs; choose one with --column 0 to {number - 1}")
    if written is not None and not (written.isdecimal() and int(written) < number):
        raise errors.UsageError(f"--column {written}: the columns of outputs are 0 to {number - 1}")
    return int(written or 0)


def _result(entry: Entry, intake: Intake) -> Entry:
    value = entry.value
    test = _test(Entry(value["testCase"] if isinstance(value["testCase"], dict) else {}, entry.line), intake).value
    replied = value.get("response")
    response: dict[str, Any] = replied if isinstance(replied, dict) else {}
    flat = {f"response.{name}": part for name, part in flattened(response, ("metadata", "tokenUsage")).items()}
    flat |= {name: value[name] for name in ("latencyMs", "cost", "success", "score", "namedScores") if name in value}
    if value.get("failureReason") == ERROR or "output" not in response:
        flat["response.error"] = str(response.get("error") or value.get("error") or "no output")
    elif "response.error" in flat:
        del flat["response.error"]
    if not isinstance(flat.get("response.output", ""), str):
        flat["response.output"] = json.dumps(flat["response.output"], ensure_ascii=False)
    return Entry({**test, **{name: part for name, part in flat.items() if part is not None}}, entry.line)


def _rows(rows: list[Entry], file: Path, column: str | None, intake: Intake) -> list[Entry]:
    """Rows of a table of tests, or of results: there, a column of outputs begins with its provider in brackets."""
    header = list(rows[0].value) if rows else []
    outputs = [place for place, name in enumerate(header) if OUTPUT.match(name)]
    if not outputs:
        return [_tabled(row, intake) for row in rows]
    at = outputs[_column(column, len(outputs))]
    until = next((place for place in outputs if place > at), len(header))
    intake.remark(f"{file.name} is a table for people, which has no rankings; the .json of the same results has them")
    found = []
    for row in rows:
        cells = list(row.value.values())
        value = {("description" if name == "Description" else f"vars.{name}"): cell
                 for name, cell in zip(header[: outputs[0]], cells, strict=False)}  # fmt: skip
        after = {
            NUMBER.sub("", name): cell for name, cell in zip(header[at + 1 : until], cells[at + 1 : until], strict=True)
        }
        failed = after.get("Status") == "ERROR"
        value["response.error" if failed else "response.output"] = cells[at] or ("no output" if failed else "")
        found.append(Entry({**value, **after}, row.line))
    return found


def _tabled(row: Entry, intake: Intake) -> Entry:
    """A row of a table of tests: ``__description``, ``__metadata:NAME``, ``__expected``; others are variables."""
    value: dict[str, Any] = {}
    assertions: list[dict[str, Any]] = []
    for name, cell in row.value.items():
        if name.startswith("__metadata:"):
            value[f"metadata.{name.partition(':')[2].removesuffix('[]')}"] = cell
        elif name.startswith("__expected") and cell:
            value[name] = cell
            assertions.append(_expected(cell))
        elif name == "__description":
            value["description"] = cell
        else:
            value[name if name.startswith("__") else f"vars.{name}"] = cell
    return Entry({**value, **_said_by(assertions, value, intake)}, row.line)


def _expected(cell: str) -> dict[str, Any]:
    """An assertion as a cell states it: ``kind: value`` or ``kind(threshold): value``, or the answer itself."""
    found = ASSERTION.fullmatch(cell)
    return {"type": found["kind"], "value": found["value"].strip()} if found else {"type": "equals", "value": cell}


def _split(text: str) -> list[str]:
    """The texts of a list that is written as one, with commas between; quotation marks hold commas together."""
    return [part.strip().strip('"') for part in PART.findall(text)]


def asserted(case: Case) -> Iterator[dict[str, Any]]:
    """What a case says of a good answer, as assertions."""
    if case.reference is not None:
        yield {"type": "factuality", "value": case.reference}
    for fact in case.facts:
        yield {"type": "icontains-any", "value": list(fact.alternatives)}
