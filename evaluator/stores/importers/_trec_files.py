"""The files of TREC: judgements, runs and topics, read and ordered as trec_eval does."""

from __future__ import annotations

import ctypes
import math
import re
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from evaluator.stores.importers._lines import text_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from evaluator.model.exchange import Intake

QRELS = ("topic", "iteration", "document", "grade")
RUN = ("topic", "Q0", "document", "rank", "score", "tag")
MAX_NAMED = 5
"""At most so many topics or ids are named in a sentence."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_TOPIC = re.compile(r"<top>(.*?)(?=<top>|\Z)", re.DOTALL | re.IGNORECASE)
_PART = re.compile(r"<(num|title)>([^<]*)", re.IGNORECASE)
_LABEL = re.compile(r"^\s*(number|topic|title)\s*:", re.IGNORECASE)


class Judged(NamedTuple):
    """One judgement and its line."""

    document: str
    grade: int
    line: int


class Ranked(NamedTuple):
    """One result of a run: its score in single precision and as written."""

    single: float
    document: str
    score: float


def single(score: float) -> float:
    """A score as trec_eval holds it: in single precision, infinite where that is too small for it."""
    return ctypes.c_float(score).value


def trec_order(results: Iterable[Ranked]) -> list[tuple[str, float]]:
    """Documents with their scores as trec_eval orders them: by score in single precision, then by id, both descending.

    Where scores differ in double precision only, all of them get the one score that they are ordered by, so that
    scores never rise down a ranking. Beyond single precision that is the one nearest to 0, as JSON has no Infinity.
    """
    ordered = sorted(results, reverse=True)
    found = []
    for _, group in groupby(ordered, key=lambda result: result.single):
        tied = list(group)
        scores = {result.score for result in tied}
        shared = min(scores, key=abs) if math.isinf(tied[0].single) else tied[0].single
        found += [(result.document, result.score if len(scores) == 1 else shared) for result in tied]
    return found


def read_qrels(path: Path, intake: Intake) -> dict[str, list[Judged]]:
    """Judgements by topic, in the order of the file; a judgement that is there twice, alike, counts once."""
    found: dict[str, dict[str, Judged]] = {}
    for number, (topic, _, document, written) in _rows(path, QRELS, intake):
        grade = _whole(written)
        if grade is None:
            intake.problem("wrong-value", f"the grade {written!r} is no whole number", path, number)
            continue
        judged = found.setdefault(topic, {})
        first = judged.setdefault(document, Judged(document, grade, number))
        if first.grade != grade:
            sentence = f"{document!r} is judged {grade} for topic {topic!r}, but {first.grade} on line {first.line}"
            intake.problem("wrong-value", sentence, path, number)
    return {topic: list(judged.values()) for topic, judged in found.items()}


def read_run(path: Path, intake: Intake) -> dict[str, list[tuple[str, float]]]:
    """Rankings by topic, topics in the order of the file; ranks that are written there are ignored, as by trec_eval."""
    found: dict[str, list[Ranked]] = {}
    seen: set[tuple[str, str]] = set()
    for number, (topic, _, document, _, written, _) in _rows(path, RUN, intake):
        score = _number(written)
        if score is None:
            intake.problem("wrong-value", f"the score {written!r} is no finite number", path, number)
            continue
        if (topic, document) in seen:
            intake.remark("document listed twice for one topic, which trec_eval refuses; the second counts for nothing")
        seen.add((topic, document))
        found.setdefault(topic, []).append(Ranked(single(score), document, score))
    return {topic: trec_order(results) for topic, results in found.items()}


def _rows(path: Path, columns: tuple[str, ...], intake: Intake) -> Iterator[tuple[int, list[str]]]:
    """Fields of every line; a line with another number of fields is a problem, one that begins with # a comment."""
    for number, text in text_lines(path, intake):
        fields = text.split("\t")
        # Only tabs let an id hold a space.
        if len(fields) != len(columns) or not all(map(str.strip, fields)):
            fields = text.split()
        if len(fields) == len(columns) and not any(map(_CONTROL.search, fields)):
            yield number, fields
        elif not text.lstrip().startswith("#"):
            sentence = f"this line has {len(fields)} columns, not {len(columns)}: {', '.join(columns)}"
            intake.problem("syntax", sentence, path, number)


def _whole(text: str) -> int | None:
    number = _number(text)
    return int(number) if number is not None and number.is_integer() else None


def _number(text: str) -> float | None:
    try:
        number = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def read_topics(path: Path, intake: Intake) -> dict[str, tuple[str, int]]:
    """Question and line of each topic: lines of id, tab (or space) and question, or the marked-up form of TREC."""
    lines = list(text_lines(path, intake))
    if lines and lines[0][1].lstrip().lower().startswith("<top>"):
        return _marked_up(lines, path, intake)
    found: dict[str, tuple[str, int]] = {}
    for number, text in lines:
        topic, _, question = (part.strip() for part in text.partition("\t" if "\t" in text else " "))
        if not question:
            intake.problem("syntax", "this line is no topic id, tab and question", path, number)
        else:
            _add(found, topic, (question, number), path, intake)
    return found


def _marked_up(lines: list[tuple[int, str]], path: Path, intake: Intake) -> dict[str, tuple[str, int]]:
    """Topics between ``<top>`` marks; their title is the question."""
    found: dict[str, tuple[str, int]] = {}
    text = "\n".join(text for _, text in lines)
    numbers = [number for number, _ in lines]
    for topic in _TOPIC.finditer(text):
        line = numbers[text.count("\n", 0, topic.start())]
        parts = {name.lower(): " ".join(_LABEL.sub("", value).split()) for name, value in _PART.findall(topic[1])}
        if not parts.get("num") or not parts.get("title"):
            intake.problem("missing-field", "this topic has no <num> or no <title>", path, line)
        else:
            _add(found, parts["num"], (parts["title"], line), path, intake)
    return found


def _add(found: dict[str, tuple[str, int]], topic: str, entry: tuple[str, int], path: Path, intake: Intake) -> None:
    first = found.setdefault(topic, entry)
    if first is not entry:
        intake.problem("duplicate-id", f"the topic {topic!r} is there already, on line {first[1]}", path, entry[1])


def named(names: Iterable[str]) -> str:
    """The first few of some names, for a sentence."""
    listed = list(names)
    return ", ".join([*listed[:MAX_NAMED], *(["…"] if len(listed) > MAX_NAMED else [])])
