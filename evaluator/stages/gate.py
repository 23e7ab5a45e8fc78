"""gate: the decision, and the history that the run hands on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator import metrics
from evaluator.comparison import drift, judged
from evaluator.comparison import gate as judging
from evaluator.model.comparison import Comparison
from evaluator.model.decision import EXIT_CODES, SELF_REPORTED, CaseOutcome, Decision, Outcome, Reason
from evaluator.model.exam import ExamFile
from evaluator.model.score import MetricId
from evaluator.stages import handing
from evaluator.stores.runs import read_run

EXIT_ORDER: tuple[Outcome, ...] = ("passed", "inconclusive", "failed")
"""The worst is last."""

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.comparison.gate import Verdict
    from evaluator.stages.workspace import Workspace


def gate(workspace: Workspace, nonce: str | None = None, nearer: tuple[Comparison, ExamFile] | None = None) -> Decision:
    """Write decision.json and fill the history of run.json; ``nonce`` is repeated in the decision.

    ``nearer`` is the deterministic half of a judged run beside a baseline of its own, and has to pass as well.
    """
    comparison = handing.take(workspace, "comparison.json", Comparison)
    state = handing.take(workspace, "exam.json", ExamFile)
    verdict = judging.decide(state.exam)
    outcome, beside, inherits = _outcome(verdict, comparison), tuple[Reason, ...](), state.exam.inherits
    if nearer is not None:
        other, beside = _beside(*nearer)
        outcome, inherits = max(outcome, other, key=EXIT_ORDER.index), inherits or nearer[1].exam.inherits
    # What is no worse than a base that was not accepted is not acceptable for that.
    is_kept = outcome == "passed" and not inherits
    accepted = {"on-pass": is_kept, "manual": False, "always": True}[workspace.config.baseline.accept]
    # Beside what nothing is known of, nothing would be seen to fall.
    accepted = accepted and state.exam.self_reported is None and judging.says_enough(state.exam)
    decision = Decision(
        outcome=outcome, exit_code=EXIT_CODES[outcome],
        reasons=(
            *_self_reported(state), *beside, *_no_judged_baseline(state),
            *_reasons(verdict, outcome, comparison, state), *judged.not_enforced(state.exam, verdict.rules),
        ),
        rules=verdict.rules, cases=(*verdict.cases, *_changed(comparison, state)),
        accepted=accepted, nonce=nonce,
    )  # fmt: skip
    _hand_on(workspace, comparison, state, accepted=decision.accepted)
    handing.leave(workspace, "decision.json", decision)
    return decision


def _beside(comparison: Comparison, state: ExamFile) -> tuple[Outcome, tuple[Reason, ...]]:
    """What a comparison with another baseline comes to, its reasons saying which one."""
    verdict = judging.decide(state.exam)
    outcome = _outcome(verdict, comparison)
    if outcome == "passed":
        return outcome, ()
    source = comparison.baseline.source if comparison.baseline is not None else ""
    texts = (reason.text for reason in _reasons(verdict, outcome, comparison, state))
    return outcome, tuple(Reason(code="nearer-baseline", text=f"beside {source}: {text}") for text in texts)


def _outcome(verdict: Verdict, comparison: Comparison) -> Outcome:
    loosened = any(entry.accepted is None for entry in comparison.loosened)
    return "inconclusive" if verdict.outcome == "passed" and loosened else verdict.outcome


def _self_reported(state: ExamFile) -> Iterator[Reason]:
    """That the records are a stranger's, and that half of what they show was not measured."""
    said = state.exam.self_reported
    if said is None:
        return
    yield Reason(code=SELF_REPORTED, text="answers and rankings come from the stranger's own run")
    if said.not_judged is not None and not state.exam.unjudged:
        yield Reason(code="unjudged", text=f"nothing was judged: {said.not_judged}")


def _no_judged_baseline(state: ExamFile) -> Iterator[Reason]:
    judging = state.exam.judging
    if judging is not None and state.exam.has_baseline and not judging.has_baseline and judging.lost is None:
        text = "no judged baseline: judged drops are not evaluated, floors and absolute rules decide"
        yield Reason(code="no-baseline", text=text)


def _reasons(verdict: Verdict, outcome: Outcome, comparison: Comparison, state: ExamFile) -> Iterator[Reason]:
    if comparison.baseline is None and state.exam.lost is None:
        yield Reason(code="no-baseline", text="no baseline: drops are not evaluated, floors and absolute rules decide")
    for entry in comparison.loosened:
        if entry.accepted is None:
            about = f"{entry.case}: " if entry.case is not None else ""
            acceptable = entry.case is not None or entry.metric is not None
            remedy = "; accepted.yml can accept it" if acceptable else ""
            yield Reason(code="loosened", text=f"{about}{entry.text}{remedy}")
    yield from verdict.reasons
    if outcome == "passed" and comparison.baseline is not None:
        yield Reason(code="passed", text="every rule that could be decided was kept")


def _changed(comparison: Comparison, state: ExamFile) -> Iterator[CaseOutcome]:
    """The cases that changed in a metric that a rule names."""
    declared = metrics.load()
    gated = {rule.metric for rule in state.exam.rules}
    for change in comparison.cases:
        if change.metric not in gated or change.before is None or change.after is None:
            continue
        delta = change.after - change.before
        better = (delta > 0) == declared[MetricId.parse(change.metric).name].higher_is_better
        yield CaseOutcome(
            id=change.id, rule=change.metric, before=change.before, after=change.after, delta=delta,
            status="better" if better else "worse",
        )  # fmt: skip


def _hand_on(workspace: Workspace, comparison: Comparison, state: ExamFile, *, accepted: bool) -> None:
    declared = metrics.load()
    directions = {metric: declared[MetricId.parse(metric).name].higher_is_better for metric in state.values}
    link = (comparison.baseline.commit or "no commit") if comparison.baseline else None
    history = drift.next_history(state, accepted=accepted, higher_is_better=directions, link=link)
    run = workspace.handed.run or read_run(workspace.out / "run.json")
    run.with_history(history)
