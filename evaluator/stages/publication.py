"""Makes of a decision what is published beside the comment: a verdict in one line, and remarks on golden cases."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import TYPE_CHECKING

from evaluator.github.commands import MOST_ANNOTATIONS, command
from evaluator.model.comparison import Comparison
from evaluator.model.counting import counted
from evaluator.model.decision import SELF_REPORTED, Decision
from evaluator.model.publication import Publication, Remark
from evaluator.report import numbers
from evaluator.report.regressions import CRITICAL_METRICS
from evaluator.stores import golden
from evaluator.stores.values import read_value
from evaluator.templates import cut, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from evaluator.model.comparison import CaseChange
    from evaluator.model.decision import CaseOutcome
    from evaluator.stages.workspace import Workspace
    from evaluator.stores.golden import GoldenSet

MOST_REMARKS = 500
"""Of one run: ten requests."""

MOST_LOST = 3
LONGEST_TITLE = 200
LONGEST_MESSAGE = 2_000
CHANGES = frozenset({"regressed", "improved", "new", "removed", "not comparable"})
"""Statuses of rows that tell of a change."""

_COMMANDS = {"failure": "error", "warning": "warning"}


def publication(workspace: Workspace, root: Path) -> Publication:
    """What is published of the decision in the output folder; ``root`` is the repository's, for paths.

    Raises:
        FileProblem: comparison.json or decision.json is missing or not whole.
        InputError: the golden set cannot be read.
    """
    comparison = read_value(workspace.out / "comparison.json", Comparison)
    decision = read_value(workspace.out / "decision.json", Decision)
    remarks = _remarks(workspace, comparison, decision, root)
    return Publication(
        outcome=decision.outcome, sentence=sentence(decision), changed=_is_changed(comparison, decision),
        remarks=tuple(remarks[:MOST_REMARKS]), more=max(len(remarks) - MOST_REMARKS, 0),
    )  # fmt: skip


def sentence(decision: Decision) -> str:
    """The verdict in one line: the first reason stands for the others."""
    reasons = [one_line(reason.text) for reason in decision.reasons if reason.code != SELF_REPORTED]
    first = f": {reasons[0]}" if reasons else ""
    more = f"; and {counted(len(reasons) - 1, 'more reason')}" if len(reasons) > 1 else ""
    whose = "self-reported by a fork: " if decision.is_self_reported else ""
    return f"{whose}{decision.outcome if whose else decision.outcome.capitalize()}{first}{more}"


def commands(publication: Publication) -> list[str]:
    """Workflow commands that put the remarks on the golden files' lines, and say in the last how many they leave out.

    They are as many as GitHub shows of a step.
    """
    remarks, most = publication.remarks, MOST_ANNOTATIONS
    total = len(remarks) + publication.more
    shown = remarks if total <= most else remarks[: most - 1]
    lines = [command(_COMMANDS[each.level], {**_at(each), "title": each.title}, each.message) for each in shown]
    left = total - len(shown)
    if left:
        lines.append(command("warning", {"title": "RAG Assay"}, f"{counted(left, 'more case')} in the report"))
    return lines


def _at(remark: Remark) -> Mapping[str, object]:
    """Where a command puts a remark: nowhere if the file's name has what no command may, as a tab."""
    return {"file": remark.path, "line": remark.line} if remark.path.isprintable() else {}


def _is_changed(comparison: Comparison, decision: Decision) -> bool:
    """Whether there is anything to tell that the baseline does not say."""
    exam = (*comparison.new, *comparison.removed, *comparison.changed, *comparison.loosened)
    return decision.outcome != "passed" or bool(exam) or any(row.status in CHANGES for row in comparison.rows)


def _remarks(workspace: Workspace, comparison: Comparison, decision: Decision, root: Path) -> list[Remark]:
    """One on each case that failed a rule, then on each that is worse in a row that regressed."""
    told = _told(comparison, decision)
    if not told:
        return []
    config = workspace.config
    cases = workspace.handed.golden or golden.read_golden([workspace.path(name) for name in config.golden])
    regressed = _regressed(comparison)
    categories = {case.id: case.category for case in cases.cases}
    found = []
    for case, outcomes in told.items():
        failed = [each for each in outcomes if each.status == "failed"]
        worse = [
            each for each in outcomes
            if each.status == "worse" and {None, categories.get(case)} & regressed[each.rule]
        ]  # fmt: skip
        place = _place(cases, case, root)
        if place is not None and (failed or worse):
            texts = [_text(each, comparison) for each in (*failed, *worse)]
            found.append(
                Remark(
                    path=place[0], line=place[1], level="failure" if failed else "warning",
                    title=cut(one_line(f"RAG Assay: {case}"), LONGEST_TITLE),
                    message=cut("; ".join(texts), LONGEST_MESSAGE),
                )
            )  # fmt: skip
    return sorted(found, key=lambda remark: remark.level != "failure")


def _told(comparison: Comparison, decision: Decision) -> Mapping[str, list[CaseOutcome]]:
    """What is said of each case of the golden set; a case that was removed has no line to remark on."""
    gone = set(comparison.removed)
    told: dict[str, list[CaseOutcome]] = {}
    for outcome in decision.cases:
        if outcome.status in {"failed", "worse"} and outcome.id not in gone:
            told.setdefault(outcome.id, []).append(outcome)
    return told


def _regressed(comparison: Comparison) -> Mapping[str, set[str | None]]:
    """The categories in which a metric regressed and that decide; None where all cases are meant, or small ones."""
    found: dict[str, set[str | None]] = defaultdict(set)
    for row in comparison.rows:
        if row.status == "regressed" and not row.advisory:
            found[row.metric].add(row.category)
    return found


def _place(cases: GoldenSet, case: str, root: Path) -> tuple[str, int] | None:
    """Where a case stands in the repository; None for one that is outside of it."""
    place = cases.places.get(case)
    if place is None or place.line < 1:
        return None
    path = os.path.relpath(os.path.realpath(place.file), os.path.realpath(root))
    return None if path.startswith("..") else (path, place.line)


def _text(outcome: CaseOutcome, comparison: Comparison) -> str:
    name = outcome.rule.removeprefix("critical ")
    shown = CRITICAL_METRICS.get(name, name)
    before, after = (
        map(_count, (outcome.before, outcome.after)) if name in CRITICAL_METRICS
        else numbers.values(name, outcome.before, outcome.after)
    )  # fmt: skip
    lost = list(_lost(comparison.cases, outcome)) if outcome.status == "worse" else []
    more = f" and {len(lost) - MOST_LOST} more" if len(lost) > MOST_LOST else ""
    tail = f" (lost {', '.join(lost[:MOST_LOST])}{more})" if lost else ""
    return one_line(f"{shown}: {before} before, {after} now{tail}")


def _count(value: float | None) -> str:
    return numbers.NOTHING if value is None else f"{value:g}"


def _lost(changes: Iterable[CaseChange], outcome: CaseOutcome) -> Iterator[str]:
    for change in changes:
        if change.id == outcome.id and change.metric == outcome.rule:
            for lost in change.lost:
                now = f"now {lost.rank_after}" if lost.rank_after is not None else "now not found"
                yield f"{lost.chunk}: rank {lost.rank_before}, {now}"
