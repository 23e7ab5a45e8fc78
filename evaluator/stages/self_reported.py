"""What of a comparison rests on a stranger's word alone, and what of it could not be measured (decision 0012)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator import config as configuration
from evaluator import metrics
from evaluator.comparison import numbers
from evaluator.comparison.critical import JUDGED_RULES
from evaluator.comparison.decided import DECIDED
from evaluator.comparison.enforcement import STANDS_FOR
from evaluator.model.comparison import Row
from evaluator.model.config import Config
from evaluator.stages.judged_half import is_judged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from evaluator.model.comparison import Comparison, Exam, GatedRow
    from evaluator.model.exam import ExamFile
    from evaluator.model.golden import Case
    from evaluator.model.run import RunHead, SelfReported
    from evaluator.model.score import Metric

NO_KEY = "no key"
"""Why a judged row is not comparable."""

OTHER_FIXTURE = "the change's run searched another fixture than the base's"

UNVOUCHED = "(self-reported)"
"""What the end of a reason says where a row holds by what nobody but the stranger knows."""

OF_CONTEXTS = frozenset({"faithfulness", "context_relevance_judged"})
"""Judged metrics that read the text of the context; what is believed as far as one of them does so, too."""

OF_TEXTS = frozenset({"fact_coverage", "grounded_values", "context_tokens"})


def unvouched(declared: Mapping[str, Metric], cases: Iterable[Case], *, has_fixture: bool) -> tuple[str, ...]:
    """Metrics that read what only the stranger knows: times, costs and, without a fixture, the text of results."""
    quotes = any(need.quote is not None for case in cases for need in case.relevant)

    def rests_on_text(metric: Metric) -> bool:
        if metric.reads == "judge":
            return STANDS_FOR.get(metric.name, metric.name) in OF_CONTEXTS
        return metric.name in OF_TEXTS or (quotes and metric.counts in {"needs", "chunks"})

    return tuple(
        name
        for name, metric in declared.items()
        if metric.reads in {"clock", "usage"} or (not has_fixture and rests_on_text(metric))
    )


def marked(
    comparison: Comparison, state: ExamFile, said: SelfReported, candidate: RunHead, baseline: RunHead | None
) -> tuple[Comparison, ExamFile]:
    """A comparison that says what of it is a stranger's word, and holds a row for what a judge was not asked about.

    A row that fell counts as it is: nobody makes himself worse than he is.
    """
    lacking = _not_judged(said, candidate, baseline)
    exam = state.exam.but(
        rows=tuple(_entry(entry, said) for entry in state.exam.rows), self_reported=said,
        unjudged=_ruled(state.exam, lacking, candidate) if lacking else (),
    )  # fmt: skip
    rows = (*(_row(row, said) for row in comparison.rows), *lacking)
    return comparison.but(rows=rows), state.but(exam=exam)


def _entry(entry: GatedRow, said: SelfReported) -> GatedRow:
    row = _row(entry.row, said)
    return entry.but(row=row, self_reported=row.reason.endswith(UNVOUCHED))


def _row(row: Row, said: SelfReported) -> Row:
    if said.other_fixture:
        return row.but(delta=None, interval=None, status="not comparable", reason=OTHER_FIXTURE)
    holds = row.status in DECIDED and row.status != "regressed"
    if holds and row.metric.partition("@")[0] in said.unvouched:
        return row.but(reason=f"{row.reason} {UNVOUCHED}")
    return row


def _not_judged(said: SelfReported, candidate: RunHead, baseline: RunHead | None) -> list[Row]:
    """The rows of the baseline that a judge decided, where none was asked now."""
    if said.not_judged is None or baseline is None:
        return []
    return [
        Row(
            scope="all" if category is None else "category", category=category, metric=metric, baseline=mean,
            candidate=None, delta=None, n=0, status="not comparable", reason=said.not_judged,
        )
        for metric in _judged_metrics(candidate)
        for category, mean in _means(metric, baseline)
    ]  # fmt: skip


def _judged_metrics(candidate: RunHead) -> list[str]:
    declared = metrics.load()
    ids = configuration.resolve_metrics(Config.model_validate(candidate.config), declared, tier="full")
    return [str(metric) for metric in ids if declared[metric.name].reads == "judge"]


def _means(metric: str, baseline: RunHead) -> Iterator[tuple[str | None, float]]:
    """What a metric came to in the baseline, over all cases (None) and by category."""
    if not is_judged(baseline):
        # What a judge said of an earlier run is handed on by those that none was asked about.
        mean = numbers.mean(list(baseline.history.anchor.get(metric, {}).values()))
        yield from [] if mean is None else [(None, mean)]
        return
    for category, summary in [(None, baseline.summary.all), *baseline.summary.categories.items()]:
        if metric in summary and (mean := summary[metric].mean) is not None:
            yield category, mean


def _ruled(exam: Exam, lacking: Iterable[Row], candidate: RunHead) -> tuple[str, ...]:
    """What of it would have decided something: metrics that a rule names, and rules on critical cases."""
    config = Config.model_validate(candidate.config)
    ids = configuration.resolve_metrics(config, metrics.load(), tier="full")
    named = {rule.metric for rule in configuration.effective_rules(config, ids, answers_exist=True)}
    critical = [rule for rule in JUDGED_RULES if getattr(exam.gate.critical, rule) is not None] if exam.critical else []
    return (*dict.fromkeys(row.metric for row in lacking if row.metric in named), *(f"critical {r}" for r in critical))
