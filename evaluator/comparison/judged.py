"""What the gate makes of the half that a judge decides: advisory rows, what is not evaluated, what stays open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.comparison.critical import JUDGED_RULES
from evaluator.comparison.rules import PARTS
from evaluator.model.counting import counted
from evaluator.model.decision import Reason, RuleOutcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluator.model.comparison import CriticalOutcome, Exam, GatedRow, RuledRow
    from evaluator.model.config import Rule

RETRIEVAL = "tier retrieval"
WAYS_OUT = "calibrate the judge (judge.calibration), or set judge.advisory: pass in a change of its own"
MIN_PAIRED_SHARE = 0.9
"""Fewer of the baseline's cases paired, or paired for the judge, and the comparison is about another exam."""


def place(scope: str, category: str | None) -> str:
    """Where a rule was read, as the end of a sentence."""
    where = {"all": "over all cases", "small": "in the small categories", "run": "in a critical case"}
    return f"in {category}" if scope == "category" else where[scope]


def has_baseline(exam: Exam, metric: str) -> bool:
    """Whether there is something to compare a metric with: the judged half may never have had a baseline."""
    is_judged = exam.judging is not None and metric in exam.judging.metrics
    return exam.has_baseline and (not is_judged or (exam.judging is not None and exam.judging.has_baseline))


def is_shown_only(exam: Exam, entry: RuledRow) -> bool:
    """Whether a row is one of a judge that is not enforced, which the configuration lets pass."""
    return entry.unenforced is not None and exam.judging is not None and exam.judging.terms.advisory == "pass"


def could_decide(exam: Exam, limiting: Sequence[Rule]) -> bool:
    """Whether a rule about a change might have been decided, or should have been there to be."""
    if not exam.rules:
        return not exam.unmeasured
    return any(has_baseline(exam, rule.metric) for rule in limiting)


def decides_nothing_enforced(exam: Exam) -> bool:
    """Whether rules about a drop were decided, and all of them by a judge that is not enforced."""
    limiting = [
        entry
        for entry in exam.rows
        if exam.rules[entry.rule].max_drop is not None or exam.rules[entry.rule].max_rise is not None
    ]
    decided = [entry for entry in limiting if entry.row.delta is not None and has_baseline(exam, entry.row.metric)]
    return any(entry.unenforced is not None for entry in decided) and all(
        entry.row.advisory and not is_shown_only(exam, entry) for entry in decided
    )


def unmeasured(exam: Exam) -> Iterator[RuleOutcome]:
    """Rules on what only tier full measures."""
    for rule in exam.unmeasured:
        for part in PARTS:
            if getattr(rule, part) is not None:
                yield RuleOutcome(
                    rule=f"{rule.metric} {part}", scope="all", category=None, outcome="not_evaluated", before=None,
                    after=None, limit=None, reason=RETRIEVAL,
                )  # fmt: skip


def unmeasured_critical(exam: Exam) -> Iterator[RuleOutcome]:
    """Rules on critical cases that only a judge decides, where none was asked."""
    for rule in JUDGED_RULES if exam.judging is None else ():
        yield RuleOutcome(
            rule=f"critical {rule}", scope="run", category=None, outcome="not_evaluated", before=None, after=None,
            limit=None, reason=RETRIEVAL,
        )  # fmt: skip


def is_open(exam: Exam, entry: CriticalOutcome) -> bool:
    """Whether a critical case might have failed, had the judge said enough of it."""
    limit = getattr(exam.gate.critical, entry.rule)
    if limit is None or (entry.lost is not None and entry.lost > limit):
        return False
    return entry.missing if entry.lost is None else entry.lost + entry.unconfirmed > limit


def reasons(exam: Exam, rows: Sequence[tuple[GatedRow, RuleOutcome]], rules: Sequence[RuleOutcome]) -> Iterator[Reason]:
    """What the judged half leaves open."""
    judging = exam.judging
    if judging is None:
        return
    if judging.stopped is not None:
        yield Reason(code="judge-stopped", text=f"judging stopped before it was done: {judging.stopped}")
    if judging.lost is not None and _decides(exam):
        yield Reason(code="baseline-lost", text=judging.lost)
    if judging.has_baseline and judging.paired < MIN_PAIRED_SHARE * judging.pairable:
        alike = (
            f"only {judging.paired} of {judging.pairable} cases have the facts, reference and expect of the baseline"
        )
        yield Reason(code="too-few-paired", text=f"{alike}, so what a judge says of the others cannot be compared")
    if judging.judged - judging.undrawn < MIN_PAIRED_SHARE * judging.judged:
        drawn = (
            f"only {judging.judged - judging.undrawn} of {judging.judged} cases that were judged in the baseline are "
            "drawn by judge.sample"
        )
        yield Reason(code="too-few-paired", text=f"{drawn}: score --against the baseline draws them first")
    yield from _unscored_before(exam)
    yield from _unconfirmed(exam)
    if judging.terms.advisory == "inconclusive":
        yield from _advisory_rows(exam, rows)
        yield from _advisory_cases(exam, rules)


def _decides(exam: Exam) -> bool:
    """Whether anything would be decided by what a judge said before."""
    judged_metrics = exam.judging.metrics if exam.judging is not None else ()
    rows = [entry for entry in exam.rows if entry.row.metric in judged_metrics and not is_shown_only(exam, entry)]
    passes = exam.judging is not None and exam.judging.terms.advisory == "pass"
    cases = [entry for entry in exam.critical if entry.rule in JUDGED_RULES]
    return bool(rows) or any(entry.unenforced is None or not passes for entry in cases)


def _unscored_before(exam: Exam) -> Iterator[Reason]:
    """Rows that compare only what the baseline's judge could score: what fell may be among the rest."""
    for entry in exam.rows:
        missing, row = entry.unscored_before, entry.row
        allowed = exam.gate.max_unscored * (row.n + missing)
        if missing and missing > allowed and entry.accepted is None and not is_shown_only(exam, entry):
            text = f"{counted(missing, 'case')} not scored in the baseline: judge it again with rag-assay rescore"
            yield Reason(code="baseline-unscored", text=f"{row.metric} {place(row.scope, row.category)}: {text}")


def would_have_failed(
    exam: Exam, rows: Sequence[tuple[GatedRow, RuleOutcome]]
) -> Iterator[tuple[GatedRow, RuleOutcome]]:
    """What fails only because no judge is enforced; a fall says all that drift would."""
    fallen = set()
    for entry, outcome in rows:
        # Wins are counted against a baseline's answers, whether or not a judge has seen those before.
        was_compared = outcome.rule.endswith(" min_win") or has_baseline(exam, entry.row.metric)
        if outcome.outcome != "advisory" or entry.unenforced is None or not was_compared:
            continue
        key = (outcome.rule.split()[0], outcome.scope, outcome.category)
        if not (outcome.rule.endswith(" drift") and key in fallen):
            yield entry, outcome
        fallen.add(key)


def _advisory_rows(exam: Exam, rows: Sequence[tuple[GatedRow, RuleOutcome]]) -> Iterator[Reason]:
    for entry, outcome in would_have_failed(exam, rows):
        row = entry.row
        said = outcome.reason.removesuffix(f" (advisory: {entry.unenforced})")
        text = (
            f"{outcome.rule} {place(row.scope, row.category)} would have failed: {said}; "
            f"the judge is not enforced ({entry.unenforced})"
        )
        yield Reason(code="judge-advisory", text=f"{text}: {WAYS_OUT}")


def not_enforced(exam: Exam, rules: Sequence[RuleOutcome]) -> Iterator[Reason]:
    """That a run passes although a judge says it should not, because the configuration lets it."""
    if exam.judging is None or exam.judging.terms.advisory == "inconclusive":
        return
    named = {rule.metric for rule in exam.rules if rule.metric in exam.judging.metrics}
    critical = {f"critical {entry.rule}" for entry in exam.critical if entry.unenforced is not None}
    found = [
        outcome
        for outcome in rules
        if outcome.outcome == "advisory" and (outcome.rule.rpartition(" ")[0] in named or outcome.rule in critical)
    ]
    if found:
        rules_named = ", ".join(dict.fromkeys(outcome.rule for outcome in found))
        text = f"judged rows not enforced (judge.advisory: pass): {rules_named} would have failed"
        yield Reason(code="not-enforced", text=text)


def _advisory_cases(exam: Exam, rules: Sequence[RuleOutcome]) -> Iterator[Reason]:
    for outcome in rules:
        if outcome.outcome == "advisory" and outcome.scope == "run":
            doubts = {entry.unenforced for entry in exam.critical if f"critical {entry.rule}" == outcome.rule}
            doubt = ", ".join(sorted(filter(None, doubts)))
            text = f"{outcome.rule} would have failed: {outcome.reason}; the judge is not enforced ({doubt})"
            yield Reason(code="judge-advisory", text=f"{text}: {WAYS_OUT}")


def _unconfirmed(exam: Exam) -> Iterator[Reason]:
    """Critical cases that may have failed; where the judge decides nothing, it need not have said more."""
    passes = exam.judging is not None and exam.judging.terms.advisory == "pass"
    for rule in (*JUDGED_RULES, "wrong_abstention"):
        found = [entry for entry in exam.critical if entry.rule == rule and is_open(exam, entry)]
        found = [entry for entry in found if entry.unenforced is None or not passes]
        if found:
            names = ", ".join(entry.id for entry in found)
            cases = f"critical {rule} in {counted(len(found), 'case')} ({names})"
            yield Reason(code="critical-undecided", text=f"{cases}: {found[0].reason}")
