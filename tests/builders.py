"""Factories for what crosses a file: each takes only what a test is about."""

from __future__ import annotations

from typing import Any

from evaluator.model.comparison import BaselineInfo, CaseChange, Comparison, Lost, Row
from evaluator.model.decision import EXIT_CODES, CaseOutcome, Decision, Outcome, Reason, RuleOutcome
from evaluator.model.run import History, RunHead, RunSummary, SummaryValue
from evaluator.report.inputs import CaseText, Inputs

COMMIT = "a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8c9d0"


def build_row(category: str | None = None, before: float = 0.8, after: float = 0.8, **fields: Any) -> Row:
    """A row of recall@5 with a limit of 0.02; its status follows from the change unless it is given."""
    drop = before - after
    status = "unchanged" if not drop else "improved" if drop < 0 else "regressed" if drop > 0.02 else "within noise"
    base = {
        "scope": "all" if category is None else "category", "category": category, "metric": "recall@5",
        "baseline": before, "candidate": after, "delta": after - before, "n": 20, "status": status, "reason": "",
        "tolerance": 0.02,
    }  # fmt: skip
    return Row.model_validate(base | fields)


def build_rule(row: Row, kind: str = "max_drop", **fields: Any) -> RuleOutcome:
    """What a rule comes to in a row."""
    base = {
        "rule": f"{row.metric} {kind}", "scope": row.scope, "category": row.category,
        "outcome": "failed" if row.status == "regressed" and not row.advisory else "passed",
        "before": row.baseline, "after": row.candidate, "limit": row.tolerance, "reason": row.reason or "no change",
    }  # fmt: skip
    return RuleOutcome.model_validate(base | fields)


def build_change(case: str, before: float | None = 1.0, after: float | None = 0.0, **fields: Any) -> CaseChange:
    """A case whose recall@5 changed; ``lost`` takes (chunk, rank before, rank after)."""
    lost = [
        Lost(need=chunk, chunk=chunk, rank_before=then, rank_after=now) for chunk, then, now in fields.pop("lost", ())
    ]
    return CaseChange(id=case, metric=fields.pop("metric", "recall@5"), before=before, after=after, lost=tuple(lost))


def build_comparison(rows: tuple[Row, ...] = (), cases: tuple[CaseChange, ...] = (), **fields: Any) -> Comparison:
    """A comparison with a baseline of three days ago."""
    baseline = BaselineInfo(commit=COMMIT, created_at="2026-03-01T08:00:00Z", source="eval/baseline.json", suite="s")
    base: dict[str, Any] = {
        "baseline": baseline, "paired": 40, "new": (), "removed": (), "changed": (), "configuration": (),
        "loosened": (),
    }  # fmt: skip
    return Comparison(**{**base, "rows": rows, "cases": cases, **fields})


def build_decision(outcome: Outcome, rules: tuple[RuleOutcome, ...] = (), **fields: Any) -> Decision:
    """A decision; each failed rule gives its reason unless others are given."""
    reasons = tuple(
        Reason(code=rule.rule.split()[1].replace("_", "-"), text=f"{rule.rule} in {rule.category}: {rule.reason}")
        for rule in rules
        if rule.outcome == "failed"
    )
    base: dict[str, Any] = {"reasons": reasons, "cases": (), "accepted": outcome == "passed", "nonce": None}
    return Decision(outcome=outcome, exit_code=EXIT_CODES[outcome], rules=rules, **{**base, **fields})


def build_case_outcome(case: str, rule: str = "recall@5", status: str = "worse", **fields: Any) -> CaseOutcome:
    """What a case came to under a rule."""
    base = {"id": case, "rule": rule, "before": 1.0, "after": 0.0, "delta": -1.0, "status": status}
    return CaseOutcome.model_validate(base | fields)


def build_head(means: dict[str, float | None] | None = None, **fields: Any) -> RunHead:
    """The head of a run of the suite ``support`` with these means over all cases."""
    summary = {
        name: SummaryValue(mean=mean, n=40 if mean is not None else 0, of=40)
        for name, mean in (means or {"recall@5": 0.8}).items()
    }
    base: dict[str, Any] = {
        "tool": "rag-assay 0.1.0", "suite": "support", "tier": "retrieval", "commit": "f" * 40, "fingerprint": {},
        "config": {"gate": {"min_cases": 5}}, "summary": RunSummary(all=summary, categories={}, holdout={}),
        "timing": {"started_at": "2026-03-04T09:00:00Z"}, "history": History(),
    }  # fmt: skip
    return RunHead(**{**base, **fields})


def build_inputs(comparison: Comparison | None = None, decision: Decision | None = None, **fields: Any) -> Inputs:
    """What a report is made from: 40 cases; every changed case asks a question named after its id."""
    comparison = comparison or build_comparison()
    cases = {change.id: CaseText(f"What about {change.id}?", "billing", critical=False) for change in comparison.cases}
    base: dict[str, Any] = {"head": build_head(), "cases": cases, "total": 40}
    return Inputs(comparison=comparison, decision=decision or build_decision("passed"), **{**base, **fields})
