"""A change may not loosen its own exam: what does, and what a person accepted (design section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison import gate, numbers
from evaluator.comparison.sheet import EPSILON
from evaluator.model.comparison import Exam, GatedRow, Loosened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evaluator.comparison.gate import Verdict
    from evaluator.model.accepted import Accepted
    from evaluator.model.decision import RuleOutcome


class Departure(NamedTuple):
    """A case that left the exam, and how."""

    case: str | None
    kind: str
    text: str


def departures(
    *, removed: Iterable[str], changed_critical: Iterable[str], flags: Iterable[str], holdout: int = 0
) -> Iterator[Departure]:
    """Removed cases (``holdout`` of them held out), changed critical ones (they count as removed), lost flags."""
    for case in removed:
        yield Departure(case, "removed", "the case was removed")
    for case in changed_critical:
        yield Departure(case, "removed", "the critical case asks something else now")
    for case in flags:
        yield Departure(case, "flag", "the case is no longer critical")
    if holdout:
        yield Departure(None, "removed", f"{numbers.counted(holdout, 'holdout case')} removed")


def find(new: Exam, old: Exam | None, leaving: Iterable[Departure], accepted: Accepted) -> tuple[Loosened, ...]:
    """Everything that loosened the exam, in the order a reader should meet it."""
    found = [*(_under_old_only(new, old) if old else ()), *(_leaving(departure) for departure in leaving)]
    return tuple(entry.model_copy(update={"accepted": _reason(entry, accepted)}) for entry in found)


def _leaving(departure: Departure) -> Loosened:
    return Loosened.model_validate({"kind": departure.kind, "text": departure.text, "case": departure.case})


def _under_old_only(new: Exam, old: Exam) -> Iterator[Loosened]:
    yield from _red(gate.decide(new), gate.decide(old))
    yield from _open(new, old)


def _red(new: Verdict, old: Verdict) -> Iterator[Loosened]:
    red = {_key(outcome) for outcome in new.rules if outcome.outcome == "failed"}
    for outcome in old.rules:
        if outcome.outcome == "failed" and outcome.scope != "run" and _key(outcome) not in red:
            yield Loosened(
                kind="rule", text=f"{outcome.rule} fails under the baseline's rules and labels: {outcome.reason}",
                metric=outcome.rule.split()[0], category=outcome.category, candidate=outcome.after,
            )  # fmt: skip
    red_cases = {(case.id, case.rule) for case in new.cases if case.status == "failed"}
    for case in old.cases:
        if case.status == "failed" and (case.id, case.rule) not in red_cases:
            yield Loosened(kind="rule", text=f"{case.rule} fails under the baseline's rules and labels", case=case.id)


def _open(new: Exam, old: Exam) -> Iterator[Loosened]:
    """What only the baseline's exam leaves undecided, because a rule of it was lowered or dropped."""
    open_rows = {_row_key(entry) for entry in new.rows}
    for entry in old.rows:
        if entry.row.status in gate.UNDECIDABLE and _row_key(entry) not in open_rows:
            where = f" in {entry.row.category}" if entry.row.category is not None else ""
            text = f"{entry.row.metric}{where} is {entry.row.status} under the baseline's rules: {entry.row.reason}"
            row = entry.row
            yield Loosened(
                kind="undecided", text=text, metric=row.metric, category=row.category, candidate=row.candidate
            )
    for metric in gate.undecided(old):
        if metric not in gate.undecided(new):
            text = f"the baseline's rule on {metric} could be decided in no row"
            yield Loosened(kind="undecided", text=text, metric=metric)
    if gate.too_many_failed(old) and not gate.too_many_failed(new):
        yield Loosened(
            kind="undecided", text="the pipeline failed for more cases than the baseline's max_failures allows"
        )


def _row_key(entry: GatedRow) -> tuple[str, str, str | None, str]:
    row = entry.row
    return row.metric, row.scope, row.category, row.status


def _key(outcome: RuleOutcome) -> tuple[str, str, str | None]:
    return outcome.rule, outcome.scope, outcome.category


def _reason(entry: Loosened, accepted: Accepted) -> str | None:
    if entry.case is not None:
        return next((item.reason for item in accepted.cases if entry.case in item.case), None)
    if entry.metric is None:
        return None
    return row_reason(entry.metric, entry.category, entry.candidate, accepted)


def row_reason(metric: str, category: str | None, candidate: float | None, accepted: Accepted) -> str | None:
    """Why accepted.yml accepts a row: an entry names it, and the candidate's mean, if any, reaches its floor."""
    for item in accepted.rows:
        named = item.metric == metric and item.category == category
        if named and (candidate is None or candidate + EPSILON >= item.floor):
            return item.reason
    return None


def accept_rows(exam: Exam, accepted: Accepted) -> Exam:
    """Mark the rows that are gone or not comparable and that accepted.yml names."""
    return exam.model_copy(update={"rows": tuple(_accept(entry, accepted) for entry in exam.rows)})


def _accept(entry: GatedRow, accepted: Accepted) -> GatedRow:
    row = entry.row
    if row.status not in ("not comparable", "removed"):
        return entry
    return entry.model_copy(update={"accepted": row_reason(row.metric, row.category, row.candidate, accepted)})


def unmatched(found: Sequence[Loosened], exam: Exam, named: Iterable[str], accepted: Accepted) -> Iterator[str]:
    """A sentence for each entry of accepted.yml that matches nothing; ``named`` are cases that left or changed."""
    rows = {(entry.metric, entry.category) for entry in found if entry.metric is not None}
    rows |= {(entry.row.metric, entry.row.category) for entry in exam.rows if entry.accepted is not None}
    for item in accepted.rows:
        if (item.metric, item.category) not in rows:
            place = f" in {item.category}" if item.category is not None else ""
            yield f"accepted.yml: the entry for {item.metric}{place} matches nothing; remove it"
    known = set(named)
    for entry in accepted.cases:
        missing = [case for case in entry.case if case not in known]
        if missing:
            yield f"accepted.yml: {', '.join(missing)} left or changed nothing; remove the entry"
