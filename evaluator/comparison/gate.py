"""The verdict: every rule in every row, critical cases, and what leaves the outcome open (design section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison import decided, judged, least, numbers
from evaluator.comparison.critical import JUDGED_RULES, RULES
from evaluator.comparison.decided import limits_a_change
from evaluator.comparison.judged import place
from evaluator.comparison.sheet import EPSILON
from evaluator.comparison.statuses import allowed_rise
from evaluator.model.counting import counted
from evaluator.model.decision import CaseOutcome, CaseStatus, Outcome, Reason, RuleOutcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluator.model.comparison import CriticalOutcome, Exam, GatedRow, RuledRow
    from evaluator.model.config import Rule

UNDECIDABLE = ("not comparable", "removed")
"""Statuses of a row that leave the outcome open whatever rule names it."""


BY_BRANCH = "a maintainer has to run the change from a branch of the repository"
"""What remains where a stranger's own run cannot show enough."""

OTHER_FIXTURE = (
    f"the change's run searched another fixture than the base's, whose chunks and texts it is measured by: {BY_BRANCH}"
)


class Verdict(NamedTuple):
    """What one exam comes to."""

    outcome: Outcome
    reasons: tuple[Reason, ...]
    rules: tuple[RuleOutcome, ...]
    cases: tuple[CaseOutcome, ...]


def decide(exam: Exam) -> Verdict:
    """Failed before inconclusive before passed, each with its reasons."""
    if exam.self_reported is not None and exam.self_reported.other_fixture:
        return Verdict("inconclusive", (Reason(code="other-fixture", text=OTHER_FIXTURE),), (), ())
    rules = [*row_outcomes(exam), *critical_outcomes(exam)]
    failed = [_failure(outcome) for outcome in rules if outcome.outcome == "failed"]
    open_questions = list(_open_questions(exam, rules))
    outcome: Outcome = "failed" if failed else "inconclusive" if open_questions else "passed"
    return Verdict(outcome, (*failed, *open_questions), tuple(rules), tuple(critical_cases(exam)))


def _failure(outcome: RuleOutcome) -> Reason:
    code = outcome.rule.split()[1] if outcome.scope != "run" else "critical"
    text = f"{outcome.rule} {place(outcome.scope, outcome.category)}: {outcome.reason}"
    return Reason(code=code.replace("_", "-"), text=text)


def row_outcomes(exam: Exam) -> list[RuleOutcome]:
    """Every part of every rule in every row."""
    found = [outcome for entry in exam.rows for outcome in parts(exam, entry)]
    return [*found, *judged.unmeasured(exam)]


def parts(exam: Exam, entry: RuledRow) -> Iterator[RuleOutcome]:
    """What every part of a rule comes to in a row."""
    yield from _parts(exam, entry, exam.rules[entry.rule])


def _parts(exam: Exam, entry: RuledRow, rule: Rule) -> Iterator[RuleOutcome]:
    if rule.max_drop is not None:
        yield _change(exam, entry, "max_drop", rule.max_drop)
        yield from _drift(exam, entry, rule)
    if rule.max_rise is not None:
        yield _change(exam, entry, "max_rise", allowed_rise(rule, entry.row.baseline))
    if rule.min is not None:
        yield from least.floor(exam, entry, _outcome(entry, "min", rule.min))
    if rule.min_win is not None:
        yield from least.wins(exam, entry, _outcome(entry, "min_win", rule.min_win))


def _outcome(entry: RuledRow, part: str, limit: float | None) -> RuleOutcome:
    row = entry.row
    return RuleOutcome(
        rule=f"{row.metric} {part}", scope=row.scope, category=row.category, outcome="not_evaluated",
        before=row.baseline, after=row.candidate, limit=limit, reason=row.reason,
    )  # fmt: skip


def _change(exam: Exam, entry: RuledRow, part: str, limit: float | None) -> RuleOutcome:
    outcome, row = _outcome(entry, part, limit), entry.row
    if not exam.has_baseline:
        return outcome.but(reason="no baseline")
    if row.status == "regressed":
        return outcome.but(outcome="advisory" if row.advisory else "failed")
    return outcome.but(outcome="passed") if decided.is_decided(exam, entry) else outcome


def _drift(exam: Exam, entry: RuledRow, rule: Rule) -> Iterator[RuleOutcome]:
    if entry.anchor is None or entry.anchored is None or entry.row.status == "not comparable":
        return
    limit = exam.gate.drift.max_drop
    drop = entry.anchor - entry.anchored
    shown, shown_limit = numbers.apart(drop, limit)
    fallen = drop - limit > EPSILON and entry.anchor_worse >= (rule.min_lost or 1)
    outcome = ("advisory" if entry.row.advisory else "failed") if fallen and not entry.anchor_within else "passed"
    reason = f"{shown} below its anchor, {shown_limit} is allowed" if fallen else "within reach of its anchor"
    if fallen and entry.anchor_within:
        reason = f"{shown} below its anchor, which is within the noise"
    yield _outcome(entry, "drift", limit).but(outcome=outcome, before=entry.anchor, after=entry.anchored, reason=reason)


def critical_outcomes(exam: Exam) -> list[RuleOutcome]:
    """Every critical rule over all critical cases; none where no case is critical."""
    if not exam.critical:
        return []
    rules = [*RULES, *(JUDGED_RULES if exam.judging is not None else ())]
    return [*(_critical(exam, rule) for rule in rules), *judged.unmeasured_critical(exam)]


def _critical(exam: Exam, rule: str) -> RuleOutcome:
    limit = getattr(exam.gate.critical, rule)
    cases = [entry for entry in exam.critical if entry.rule == rule]
    decided = [entry for entry in cases if entry.lost is not None]
    over = [entry for entry in decided if limit is not None and (entry.lost or 0) > limit]
    outcome = RuleOutcome(
        rule=f"critical {rule}", scope="run", category=None, outcome="not_evaluated", before=None, after=None,
        limit=limit, reason="switched off" if limit is None else cases[0].reason,
    )  # fmt: skip
    if limit is None or not decided:
        return outcome
    # Where one of them is enforced, it is what fails.
    blamed = [entry for entry in over if entry.unenforced is None] or over
    if blamed:
        names = ", ".join(entry.id for entry in blamed)
        found = "failed" if blamed[0].unenforced is None else "advisory"
        return outcome.but(outcome=found, reason=f"{counted(len(blamed), 'case')} of {len(decided)}: {names}")
    if any(judged.is_open(exam, entry) for entry in cases):
        return outcome.but(reason="not decided in every case")
    return outcome.but(outcome="passed", reason="nothing was lost")


def critical_cases(exam: Exam) -> Iterator[CaseOutcome]:
    """The outcome of every critical case under every critical rule."""
    for entry in exam.critical:
        delta = None if entry.before is None or entry.after is None else entry.after - entry.before
        yield CaseOutcome(
            id=entry.id, rule=f"critical {entry.rule}", before=entry.before, after=entry.after, delta=delta,
            status=_case_status(entry, getattr(exam.gate.critical, entry.rule)),
        )  # fmt: skip


def _case_status(entry: CriticalOutcome, limit: int | None) -> CaseStatus:
    if entry.lost is None or limit is None:
        return "not_evaluated"
    if entry.lost > limit:
        return "failed" if entry.unenforced is None else "advisory"
    return "not_evaluated" if entry.lost + entry.unconfirmed > limit else "passed"


def _open_questions(exam: Exam, rules: Sequence[RuleOutcome]) -> Iterator[Reason]:
    yield from _about_the_run(exam)
    yield from judged.reasons(exam, [(entry, outcome) for entry in exam.rows for outcome in parts(exam, entry)], rules)
    yield from _unscored(exam)
    if exam.has_baseline:
        yield from _about_rows(exam)
        yield from _undecided(exam)
    yield from least.without_cases(exam, rules)


def _about_the_run(exam: Exam) -> Iterator[Reason]:
    if too_many_failed(exam):
        text = f"the pipeline failed for {exam.failures} of {exam.cases} cases, more than max_failures allows"
        yield Reason(code="too-many-failures", text=text)
    elif exam.all_failed and not exam.unasked:
        yield Reason(code="too-many-failures", text="the pipeline failed for every case")
    if exam.unasked:
        late = f"{counted(exam.unasked, 'case')} not answered before the deadline"
        yield Reason(code="deadline", text=f"{late}: the others decide nothing by themselves")
    if exam.unjudged and exam.self_reported is not None:
        lacking = f"nothing was judged ({exam.self_reported.not_judged})"
        text = f"{lacking}, so {', '.join(exam.unjudged)} cannot be compared; {BY_BRANCH}"
        yield Reason(code="no-key", text=text)
    if exam.partial is not None:
        yield Reason(code="partial-run", text=f"{exam.partial}: a part decides nothing")
    if exam.lost is not None:
        yield Reason(code="baseline-lost", text=exam.lost)
    elif exam.baseline_required and not exam.has_baseline:
        yield Reason(code="baseline-lost", text="baseline.required is set, and there is no baseline to compare with")
    if exam.has_baseline and exam.paired < judged.MIN_PAIRED_SHARE * exam.pairable:
        alike = f"only {exam.paired} of the baseline's {exam.pairable} cases are still asked alike"
        text = f"{alike}; accepted.yml can name the others"
        yield Reason(code="too-few-paired", text=text)


def with_missing_values(exam: Exam) -> list[GatedRow]:
    """Rows in which so many values are missing, or such, that they could change the verdict."""
    return [
        entry
        for entry in exam.rows
        if entry.unscored
        and not judged.is_shown_only(exam, entry)
        and (_too_many_unscored(exam, entry) or _worst_matters(exam, entry))
    ]


def _too_many_unscored(exam: Exam, entry: GatedRow) -> bool:
    # Also without a baseline: a run in which next to nothing was scored must not become the next one.
    return entry.unscored - exam.gate.max_unscored * (entry.row.n + entry.unscored) > EPSILON


def _unscored(exam: Exam) -> Iterator[Reason]:
    for entry in with_missing_values(exam):
        missing = f"{counted(entry.unscored, 'case')} without a value: not judged, or no longer measured"
        yield Reason(
            code="unscored", text=f"{entry.row.metric} {place(entry.row.scope, entry.row.category)}: {missing}"
        )


def _about_rows(exam: Exam) -> Iterator[Reason]:
    for entry in exam.rows:
        row = entry.row
        if leaves_open(exam, entry) and entry.accepted is None:
            remedy = "; accepted.yml can name the row" if row.status == "removed" else ""
            code = row.status.replace(" ", "-")
            if row.status in decided.DECIDED:
                code, remedy = "blind-noise", "; that could make any fall: measure the noise again, or add cases"
            yield Reason(code=code, text=f"{row.metric} {place(row.scope, row.category)}: {row.reason}{remedy}")


def leaves_open(exam: Exam, entry: RuledRow) -> bool:
    """Whether a row leaves the outcome open that accepted.yml can close."""
    is_asked = not exam.rules[entry.rule].optional and not judged.is_shown_only(exam, entry)
    is_doubted = entry.is_doubted or decided.is_lost_in_noise(exam, entry)
    return entry.row.status in UNDECIDABLE or (is_doubted and is_asked)


def _worst_matters(exam: Exam, entry: GatedRow) -> bool:
    """Whether the worst value for each that is missing would turn the row red, or leave it open."""
    worst = entry.at_worst
    if worst is None:
        return False
    fails = any(
        each.outcome == "failed" or (each.outcome == "advisory" and worst.unenforced is not None)
        for each in parts(exam, worst)
    )
    return fails or (leaves_open(exam, worst) and not leaves_open(exam, entry))


def too_many_failed(exam: Exam) -> bool:
    """Whether the pipeline failed for a larger share of the cases than max_failures."""
    return exam.failures - exam.gate.max_failures * exam.cases > EPSILON


def says_enough(exam: Exam) -> bool:
    """Whether a run was measured: of what the pipeline failed for, or had no time for, nothing is known."""
    return not (exam.unasked or exam.all_failed or too_many_failed(exam))


def undecided(exam: Exam) -> list[str]:
    """Metrics whose written rule about a drop or a rise could be decided in no row; optional rules are left out."""
    if not exam.written or not exam.has_baseline:
        return []
    # By metric: where all categories are small, their pooled row is left out for being the row `all`, which another
    # rule on the metric may carry.
    settled = {exam.rules[entry.rule].metric for entry in decided.decided(exam)}
    # A person decided about a row that accepted.yml names.
    settled |= {entry.row.metric for entry in exam.rows if entry.accepted is not None}
    required = [
        rule.metric
        for rule in exam.rules
        if limits_a_change(rule) and not rule.optional and judged.has_baseline(exam, rule.metric)
    ]
    return [metric for metric in dict.fromkeys(required) if metric not in settled]


def _undecided(exam: Exam) -> Iterator[Reason]:
    for metric in undecided(exam):
        yield Reason(code="undecided-rule", text=f"the rule on {metric} could be decided in no row")
    # An advisory row leaves its rule no open question, but where there is nothing else, nobody has decided anything.
    enforced = [
        entry
        for entry in decided.decided(exam)
        if (not entry.row.advisory or entry.inherited or judged.is_shown_only(exam, entry)) and not entry.self_reported
    ]
    if judged.could_decide(exam, [rule for rule in exam.rules if limits_a_change(rule)]) and not enforced:
        yield Reason(code="nothing-decided", text="there is a baseline, and no rule about a drop could be decided")
