"""Factories for measured values, exams and rules: each takes only what a test is about."""

from __future__ import annotations

from typing import Any

from evaluator.comparison import rows, rules
from evaluator.comparison.sheet import CaseValues, Sheet
from evaluator.model.comparison import Exam
from evaluator.model.config import Gate, Rule
from evaluator.model.score import Metric, MetricId, NotApplicable


def metric(name: str = "recall", **declared: Any) -> Metric:
    """A declaration that scores nothing."""
    fields = {"title": "", "formula": "", "source": "", "reads": "ranking", "counts": "needs", **declared}
    return Metric(name=name, score=lambda _view, _k: NotApplicable("declared only"), **fields)


METRICS = {
    "recall": metric(),
    "ndcg": metric("ndcg", counts="chunks"),
    "precision": metric("precision", counts="chunks", precision_like=True),
    "judged": metric("judged", counts="chunks"),
    "latency_ms": metric("latency_ms", reads="clock", counts="other", higher_is_better=False, bounded=False),
}


def case(name: str, before: float | None, after: float | None, category: str = "a", **fields: Any) -> CaseValues:
    """A paired case with one value on each side (None: not applicable)."""
    return CaseValues(name, category, fields.pop("critical", False), (before,), (after,), **fields)


def cases(*values: tuple[float | None, float | None], category: str = "a", prefix: str = "") -> list[CaseValues]:
    """Paired cases of one category, named by their place."""
    return [
        case(f"{prefix or category}{place}", before, after, category) for place, (before, after) in enumerate(values)
    ]


def sheet(found: list[CaseValues], name: str = "recall@5", **fields: Any) -> Sheet:
    """A sheet of one metric."""
    return Sheet((MetricId.parse(name),), METRICS, found, **{"has_baseline": True, **fields})


def rule(name: str = "recall@5", **fields: Any) -> Rule:
    """A rule; a drop of 0.02 at most unless something else is asked."""
    parts = {"max_drop": 0.02} if not fields.keys() & {"max_drop", "min", "max_rise", "min_win"} else {}
    return Rule.model_validate({"metric": name, **parts, **fields})


def exam(values: Sheet, *written: Rule, gate: dict[str, Any] | None = None, **fields: Any) -> Exam:
    """An exam over a sheet; everything that is not about rows is in order unless a test says otherwise."""
    settings = Gate.model_validate(gate or {})
    expanded = rules.expand(written)
    paired = sum(entry.paired for entry in values.cases)
    base = {
        "gate": settings, "written": True, "rules": tuple(part.rule for part in expanded),
        "origins": tuple(part.origin for part in expanded), "critical": (), "failures": 0,
        "cases": len(values.cases), "all_failed": False, "pairable": paired, "paired": paired,
        "has_baseline": values.has_baseline,
    }  # fmt: skip
    found = rows.gated_rows(values, [part.rule for part in expanded], settings.min_cases)
    return Exam(**{**base, "rows": tuple(found), **fields})
