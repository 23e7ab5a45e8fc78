"""A change may not loosen its own exam: what does, and what a person accepted (design section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison import gate
from evaluator.comparison.sheet import EPSILON
from evaluator.model.comparison import Exam, GatedRow, Loosened
from evaluator.model.counting import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from evaluator.comparison.gate import Verdict
    from evaluator.model.accepted import Accepted
    from evaluator.model.decision import RuleOutcome


class Departure(NamedTuple):
    """What left the exam (a case, mostly), and how."""

    case: str | None
    kind: str
    text: str


def departures(
    *,
    removed: Iterable[str],
    changed_critical: Iterable[str],
    flags: Iterable[str],
    holdout: int = 0,
    other_list: bool = False,
) -> Iterator[Departure]:
    """Removed cases (``holdout`` of them held out), changed critical ones (they count as removed), lost flags.

    ``other_list``: what is accepted stands in another file than the baseline's, so whoever guards that was not asked.
    """
    if other_list:
        text = "the configuration names another list of what is accepted than the baseline's"
        yield Departure(None, "undecided", text)
    for case in removed:
        yield Departure(case, "removed", "the case was removed")
    for case in changed_critical:
        yield Departure(case, "removed", "the critical case asks something else now")
    for case in flags:
        yield Departure(case, "flag", "the case is no longer critical")
    if holdout:
        yield Departure(None, "removed", f"{counted(holdout, 'holdout case')} removed")


class Acceptance(NamedTuple):
    """accepted.yml, with the metrics of which less is better: there a floor is the most that is accepted."""

    accepted: Accepted
    lower_is_better: Collection[str] = ()

    def of_case(self, case: str) -> str | None:
        """Why a case may leave or change."""
        return next((item.reason for item in self.accepted.cases if case in item.case), None)

    def of_row(self, metric: str, category: str | None, candidate: float | None) -> str | None:
        """Why a row may: an entry names it, and the candidate's mean, if there is one, reaches its floor."""
        sign = -1 if metric in self.lower_is_better else 1
        for item in self.accepted.rows:
            named = item.metric == metric and item.category == category
            if named and (candidate is None or sign * (candidate - item.floor) >= -EPSILON):
                return item.reason
        return None


def find(new: Exam, old: Exam | None, leaving: Iterable[Departure], acceptance: Acceptance) -> tuple[Loosened, ...]:
    """Everything that loosened the exam, in the order a reader should meet it."""
    found = [*(_under_old_only(new, old) if old else ()), *(_leaving(departure) for departure in leaving)]
    return tuple(entry.model_copy(update={"accepted": _reason(entry, acceptance)}) for entry in found)


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
                kind="undecided",
                text=text,
                metric=row.metric,
                category=row.category,
                candidate=row.candidate,
            )
    for metric in gate.undecided(old):
        if metric not in gate.undecided(new):
            text = f"the baseline's rule on {metric} could be decided in no row"
            yield Loosened(kind="undecided", text=text, metric=metric)
    yield from _not_judged(new, old)
    if gate.too_many_failed(old) and not gate.too_many_failed(new):
        yield Loosened(
            kind="undecided",
            text="the pipeline failed for more cases than the baseline's max_failures allows",
        )


def _not_judged(new: Exam, old: Exam) -> Iterator[Loosened]:
    still = {_row_key(entry)[:3] for entry in gate.with_missing_values(new)}
    for entry in gate.with_missing_values(old):
        if _row_key(entry)[:3] not in still:
            row = entry.row
            text = f"{row.metric} lacks {counted(entry.unscored, 'value')} that the baseline's rules cannot do without"
            yield Loosened(
                kind="undecided",
                text=text,
                metric=row.metric,
                category=row.category,
                candidate=row.candidate,
            )


def _row_key(entry: GatedRow) -> tuple[str, str, str | None, str]:
    row = entry.row
    return row.metric, row.scope, row.category, row.status


def _key(outcome: RuleOutcome) -> tuple[str, str, str | None]:
    return outcome.rule, outcome.scope, outcome.category


def _reason(entry: Loosened, acceptance: Acceptance) -> str | None:
    if entry.case is not None:
        return acceptance.of_case(entry.case)
    return None if entry.metric is None else acceptance.of_row(entry.metric, entry.category, entry.candidate)


def accept_rows(exam: Exam, acceptance: Acceptance) -> Exam:
    """Mark the rows that are gone or not comparable and that accepted.yml names."""
    return exam.model_copy(update={"rows": tuple(_accept(entry, acceptance) for entry in exam.rows)})


def _accept(entry: GatedRow, acceptance: Acceptance) -> GatedRow:
    row = entry.row
    if row.status not in gate.UNDECIDABLE:
        return entry
    return entry.model_copy(update={"accepted": acceptance.of_row(row.metric, row.category, row.candidate)})


def unmatched(
    found: Sequence[Loosened],
    exam: Exam,
    named: Collection[str],
    hidden: Collection[str],
    accepted: Accepted,
) -> Iterator[str]:
    """A sentence for each entry of accepted.yml that matches nothing.

    ``named`` are cases that left or changed; ``hidden`` are held out, and never named in what is published.
    """
    rows = {(entry.metric, entry.category) for entry in found if entry.metric is not None}
    rows |= {(entry.row.metric, entry.row.category) for entry in exam.rows if entry.accepted is not None}
    for item in accepted.rows:
        if (item.metric, item.category) not in rows:
            place = f" in {item.category}" if item.category is not None else ""
            yield f"accepted.yml: the entry for {item.metric}{place} matches nothing; remove it"
    for entry in accepted.cases:
        missing = [case for case in entry.case if case not in named]
        if missing:
            shown = [case for case in missing if case not in hidden] or [counted(len(missing), "held-out case")]
            yield f"accepted.yml: {', '.join(shown)} left or changed nothing; remove the entry"
