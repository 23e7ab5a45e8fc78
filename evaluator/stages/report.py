"""report: the comment and the summary of a decided run, and the table for the terminal."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evaluator import report as formats
from evaluator.model.comparison import Comparison
from evaluator.model.decision import Decision
from evaluator.model.exam import ExamFile
from evaluator.report.causes import Causes
from evaluator.report.inputs import CaseText, Failed, Inferred, Inputs
from evaluator.report.judge import Disagreed, Unjudged
from evaluator.report.steps import Walks
from evaluator.report.view import build_view
from evaluator.stages import handing, judgements
from evaluator.stores import atomic
from evaluator.stores.runs import read_run

if TYPE_CHECKING:
    from evaluator.model.exam import Unsupported
    from evaluator.model.run import How
    from evaluator.report.inputs import Read
    from evaluator.stages.held import Run
    from evaluator.stages.workspace import Workspace
    from evaluator.stores.runs import StoredCase


def report(workspace: Workspace) -> str:
    """Write every format that has a file; return what is to be printed, the files' names last.

    Raises:
        FileProblem: run.json, comparison.json or decision.json is missing or not whole.
        TemplateError: a template does not render.
    """
    comparison = handing.take(workspace, "comparison.json", Comparison)
    exam = handing.take(workspace, "exam.json", ExamFile)
    decision = handing.take(workspace, "decision.json", Decision)
    run = workspace.handed.run or read_run(workspace.out / "run.json")
    mentioned = {change.id for change in comparison.cases} | {case.id for case in decision.cases}
    mentioned |= {case.id for case in exam.exhibits.critical}
    seen = _look_through(run, mentioned)
    view = build_view(
        Inputs(
            head=run.head, comparison=comparison, decision=decision, cases=seen.cases, total=len(run.ids),
            held_out=seen.held_out, failures=seen.failures, held_out_failures=seen.held_out_failures,
            facts=seen.facts, inferred=seen.inferred,
            alerts=(*run.head.timing.get("alerts", ()), *exam.alerts),
            warnings=(*run.head.timing.get("warnings", ()), *exam.warnings), spreads=exam.spreads,
            percentiles=_percentiles(exam), baseline_uncommitted=exam.uncommitted,
            max_examples=workspace.config.report.max_examples, agents=seen.walks.agents(),
            claims=_by_case(exam), doubts=exam.doubts, disagreed=seen.disagreed,
            unjudged=Unjudged(seen.unjudged.total(), seen.unjudged), causes=seen.causes,
            regressed={lost.id: lost for lost in exam.regressed}, exhibits=exam.exhibits,
        ),
    )  # fmt: skip
    printed, written = [], []
    for reporter in formats.load().values():
        text = reporter.render(view)
        if reporter.file_name is None:
            printed.append(text)
        else:
            atomic.write_text(workspace.out / reporter.file_name, text)
            written.append(f"wrote {workspace.out / reporter.file_name}")
    return "\n".join([*printed, *written])


def _by_case(exam: ExamFile) -> dict[str, list[Unsupported]]:
    found: dict[str, list[Unsupported]] = {}
    for claim in exam.claims:
        found.setdefault(claim.id, []).append(claim)
    return found


def _percentiles(exam: ExamFile) -> dict[Read, str]:
    """The rows that a rule reads at a percentile, each with that."""
    rules = exam.exam.rules
    return {
        (row.metric, row.scope, row.category, row.baseline, row.candidate): rules[entry.rule].at
        for entry in exam.exam.rows
        if rules[entry.rule].at != "mean" and (row := entry.row)
    }


@dataclass(eq=False, repr=False)
class _Seen:
    """What a report needs of the cases."""

    mentioned: set[str]
    walks: Walks
    cases: dict[str, CaseText] = field(default_factory=dict)
    failures: list[Failed] = field(default_factory=list)
    held_out: int = 0
    held_out_failures: int = 0
    facts: Counter[How | None] = field(default_factory=Counter)
    inferred: list[Inferred] = field(default_factory=list)
    disagreed: list[Disagreed] = field(default_factory=list)
    unjudged: Counter[str] = field(default_factory=Counter)
    causes: Causes = field(default_factory=Causes)

    def take(self, stored: StoredCase) -> None:
        """Look at the next case; of one that is held out only counts are kept."""
        case = stored.case
        if case.split == "holdout":
            self.held_out += 1
            self.held_out_failures += case.failure is not None
            return
        for fact in case.facts:
            self.facts[fact.how] += 1
            if fact.how in {"stems", "characters"}:
                self.inferred.append(Inferred(case.id, fact.fact, fact.chunks, fact.rank, fact.how))
        if case.failure is not None:
            self.failures.append(Failed(case.id, case.failure.kind, case.failure.message))
        self.unjudged.update(judgements.unscored(case.judgement)[:1])
        said = judgements.abstained(case.judgement)
        if case.abstained is not None and said is not None and said != case.abstained:
            self.disagreed.append(Disagreed(case.id, reported=case.abstained))
        self.walks.take(case)
        self.causes.take(case)
        if case.id in self.mentioned:
            self.cases[case.id] = CaseText(case.question, case.category, case.critical, len(stored.retrieved))


def _look_through(run: Run, mentioned: set[str]) -> _Seen:
    seen = _Seen(mentioned, Walks(mentioned), causes=Causes(has_fixture="chunks" in run.head.fingerprint))
    for stored in run.cases():
        seen.take(stored)
    return seen
