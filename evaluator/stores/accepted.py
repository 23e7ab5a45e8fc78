"""accepted.yml: what a person accepted although it makes the exam easier (design section 8)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from evaluator import errors
from evaluator.model.accepted import Accepted, AcceptedCase, AcceptedRow
from evaluator.stores import located, words
from evaluator.stores.words import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from evaluator.errors import Problem
    from evaluator.model.base import Value
    from evaluator.model.score import Metric
    from evaluator.stores.yaml_text import YamlText

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def read_accepted(path: Path, *, known_metrics: Mapping[str, Metric], today: str) -> Accepted:
    """Everything that is accepted on the day ``today`` (ISO 8601); a file without entries accepts nothing.

    Raises:
        InputError: every problem of the file, expired entries and unknown metrics included.
    """
    problems: list[Problem] = []
    shown = str(path)
    entries: list[AcceptedRow | AcceptedCase] = []
    places: list[int] = []
    for place, item in enumerate(_items(path, problems), 1):
        entry = located.validate(_kind(item.value), item, shown, problems)
        entries.extend([entry] if entry is not None else [])
        places.extend([place] if isinstance(entry, AcceptedCase) else [])
        if isinstance(item.value, dict):
            found = _mistakes(item.value, entry, known_metrics, today)
            problems.extend(located.locate(item, finding, shown) for finding in found)
    if problems:
        raise errors.InputError(problems)
    return Accepted(
        rows=tuple(entry for entry in entries if isinstance(entry, AcceptedRow)),
        cases=tuple(entry for entry in entries if isinstance(entry, AcceptedCase)),
        places=tuple(places),
    )


def _items(path: Path, problems: list[Problem]) -> Iterator[YamlText]:
    document = located.read_yaml(path, str(path), problems)
    if document is None or document.value is None:
        return
    if isinstance(document.value, list):
        yield from document.items()
    else:
        finding = Finding("wrong-value", (), "value", "this file is a list of what is accepted")
        problems.append(located.locate(document, finding, str(path)))


def _kind(value: Any) -> type[AcceptedRow | AcceptedCase]:
    row = isinstance(value, dict) and "case" not in value and {"metric", "category", "floor"} & value.keys()
    return AcceptedRow if row else AcceptedCase


def _mistakes(value: dict[str, Any], entry: Value | None, known: Mapping[str, Metric], today: str) -> Iterator[Finding]:
    until, metric = value.get("until"), value.get("metric")
    if isinstance(until, str) and _DATE.fullmatch(until):
        if until < today:
            yield Finding("expired", ("until",), "value", f"this entry expired on {until}: remove it or renew it")
    elif entry is not None:
        sentence = f"until must be a date such as 2030-12-31, not {words.described(until)}"
        yield Finding("wrong-value", ("until",), "value", sentence)
    if isinstance(metric, str) and (mistake := words.metric_mistake(metric, known)) is not None:
        code, sentence = mistake
        yield Finding(code, ("metric",), "value", f"'{words.visible(metric)}' {sentence}")
