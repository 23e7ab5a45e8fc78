"""The tables: every gated metric over all cases, then by category; the other metrics; what was held out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluator.comparison.rows import ADVISORY, OTHER_CHUNKING
from evaluator.model.run import SummaryValue
from evaluator.report import numbers
from evaluator.report.inputs import Inputs, Key, split_rule
from evaluator.report.parts import BASELINE, CANDIDATE, CASES, DELTA, MEAN, MEDIAN, P95, Listing, Part, Table, TableRow
from evaluator.report.regressions import place

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evaluator.model.comparison import Row
    from evaluator.model.decision import RuleOutcome
    from evaluator.model.exam import SpreadRow

_SAID = {"min": "below its floor", "min_win": "too few wins", "drift": "drifted"}
_LEAST = ("min", "min_win")
STATUS = "Status"


def visible(inputs: Inputs) -> tuple[Part, ...]:
    """The tables of the metrics that rules decide on; of all metrics where no rule names one."""
    shown = gated(inputs) or list(inputs.head.summary.all)
    if inputs.comparison.baseline is None:
        return _means(inputs, shown)
    rows = [row for row in inputs.comparison.rows if row.metric in shown]
    overall = [row for row in rows if row.scope == "all"]
    tables = [Part("All cases", table=_compared("Metric", overall, inputs))]
    for metric in shown:
        parts = [row for row in rows if row.metric == metric and row.scope != "all" and _is_gated(inputs, row)]
        parts = sorted((row for row in parts if not _is_pooled(inputs, row)), key=_order)
        tables.append(Part(_title(metric), table=_compared("Category", parts, inputs)))
    return tuple(filter(None, tables))


def other_metrics(inputs: Inputs) -> Table | None:
    """Every row of a metric that no table above shows, metric by metric."""
    shown = gated(inputs)
    if not shown:
        return None
    if inputs.comparison.baseline is None:
        means = [(name, name, _overall(inputs, name)) for name in inputs.head.summary.all if name not in shown]
        return _mean_table("Metric", means) if means else None
    return _anywhere(
        inputs, [row for row in inputs.comparison.rows if row.metric not in shown or not _is_shown(inputs, row)]
    )


def small(inputs: Inputs) -> Table | None:
    """The rows of their own of gated categories that are too small for one: they are pooled above."""
    return _anywhere(inputs, [row for row in inputs.comparison.rows if _is_pooled(inputs, row)])


def _is_pooled(inputs: Inputs, row: Row) -> bool:
    """Whether a rule reads a category in a pool of small ones, or not apart from all cases."""
    few = row.n < inputs.head.config.get("gate", {}).get("min_cases", 0) or row.status == "too few cases"
    decided = row.status not in ("too few cases", "unchanged") or _failed(row, inputs)
    return row.scope == "category" and few and not decided and _is_gated(inputs, row)


def _anywhere(inputs: Inputs, rows: Sequence[Row]) -> Table | None:
    """Rows of any metric and scope, None of none."""
    head = ("Metric", "Where", CASES, BASELINE, CANDIDATE, DELTA, STATUS)
    cells = [
        TableRow(
            (inputs.named(row, row.metric), place(row.scope, row.category), *_cells(row, inputs)),
            _is_quiet(row, inputs),
        )
        for row in sorted(rows, key=lambda row: (row.metric, _order(row)))
    ]
    return Table(head, Listing.of(cells)) if cells else None


def spreads(inputs: Inputs) -> Table | None:
    """Mean and percentiles of what has no bounds, as ``before → after`` where there is a baseline."""
    rows = [
        TableRow((spread.metric, str(spread.n), *(_moved(spread, at) for at in ("mean", "p50", "p95"))))
        for spread in inputs.spreads
    ]
    return Table(("Metric", CASES, MEAN, MEDIAN, P95), Listing.of(rows)) if rows else None


def _moved(spread: SpreadRow, at: str) -> str:
    known = [getattr(side, at) for side in (spread.baseline, spread.candidate) if side is not None]
    return " → ".join(numbers.values(spread.metric, *known))


def holdout(inputs: Inputs) -> Table | None:
    """Means over the cases that are held out: aggregates only."""
    clock = inputs.head.timing.get("summary", {})
    means = {name: value for name, value in inputs.head.summary.holdout.items() if name not in clock}
    return _mean_table("Metric", [(name, name, value) for name, value in means.items()]) if means else None


def gated(inputs: Inputs) -> list[str]:
    """Metrics that some rule names, in the order of the rules."""
    metrics = (split_rule(outcome.rule)[0] for outcome in inputs.decision.rules if outcome.scope != "run")
    return [metric for metric in dict.fromkeys(metrics) if metric in inputs.head.summary.all]


def _is_gated(inputs: Inputs, row: Row) -> bool:
    return _key(row) in inputs.outcomes


def _is_shown(inputs: Inputs, row: Row) -> bool:
    return row.scope == "all" or _is_gated(inputs, row)


def _order(row: Row) -> tuple[int, str]:
    """Regressed rows first, then by name; the row over all first of all, the pooled one last."""
    if row.scope != "category":
        return (0 if row.scope == "all" else 3), ""
    return (1 if row.status == "regressed" else 2), row.category or ""


def _compared(first: str, rows: Sequence[Row], inputs: Inputs) -> Table:
    head = (first, CASES, BASELINE, CANDIDATE, DELTA, STATUS)
    names = [inputs.named(row, row.metric) if first == "Metric" else place(row.scope, row.category) for row in rows]
    cells = [
        TableRow((name, *_cells(row, inputs)), _is_quiet(row, inputs)) for name, row in zip(names, rows, strict=True)
    ]
    return Table(head, Listing.of(cells))


def _cells(row: Row, inputs: Inputs) -> tuple[str, ...]:
    floor = _least(row, inputs)
    before, after = numbers.values(row.metric, row.baseline, row.candidate, beside=floor.limit if floor else None)
    change = numbers.change(row.metric, row.delta, row.tolerance)
    if row.interval is not None and row.status != "unchanged":
        change = f"{change} ({' to '.join(numbers.change(row.metric, end) for end in row.interval)})"
    return str(row.n), before, after, change, _status(row, inputs)


def _key(row: Row) -> Key:
    return row.metric, row.scope, row.category


def _status(row: Row, inputs: Inputs) -> str:
    words = _words(row)
    failed = row.status == "regressed" and not row.advisory
    marks = [_SAID[kind] for kind in _failed(row, inputs) if kind in _LEAST or (kind == "drift" and not failed)]
    floor = _least(row, inputs)
    is_advisory = floor is not None and floor.outcome == "advisory"
    noted = [f"{_SAID[split_rule(floor.rule)[1]]} (advisory)"] if floor is not None and is_advisory else []
    return "; ".join([f"❌ {words}" if failed else words, *(f"❌ {mark}" for mark in marks), *noted])


def _least(row: Row, inputs: Inputs) -> RuleOutcome | None:
    """What became of the least value that a rule asks of a row: a floor, or a share of wins."""
    found = inputs.outcomes.get(_key(row), {})
    return next((found[kind] for kind in _LEAST if kind in found), None)


def _failed(row: Row, inputs: Inputs) -> list[str]:
    return [kind for kind, outcome in inputs.outcomes.get(_key(row), {}).items() if outcome.outcome == "failed"]


def _words(row: Row) -> str:
    said, mark, why = row.reason.rpartition(ADVISORY)
    if not row.advisory or (row.status == "not evaluated" and not mark):
        return _plain(row)
    if mark:
        words = _plain(row.but(reason=said.rstrip()))
        # Where no rule sets a limit, nothing would have been enforced; a judged row may have a floor.
        is_shown = row.tolerance is not None or f"{mark}{why}" != OTHER_CHUNKING
        return f"{words} {mark}{why}" if is_shown else words
    words = f"{row.status}: {row.reason}"
    return words if "advisory" in row.reason else f"advisory, {words}"


def _plain(row: Row) -> str:
    """The status in words, with its reason where the status does not say it all."""
    if row.status in ("unchanged", "improved", "regressed"):
        return row.status
    if row.status == "within noise":
        return _allowed(row)
    if row.reason.startswith(row.status) or (row.reason and row.status == "not evaluated"):
        return row.reason
    return f"{row.status}: {row.reason}" if row.reason else row.status


def _allowed(row: Row) -> str:
    """A change for the worse that no rule forbids: noise is what a single lost case may be, not half of a limit."""
    lost, _, allowed = row.reason.removeprefix("within noise: ").partition("; ")
    if row.tolerance is None or not allowed.endswith(" is allowed") or lost == "1 case lost":
        return row.reason or row.status
    return f"worse, within the allowed {numbers.limit(row.metric, row.tolerance)}: {lost}"


def _is_quiet(row: Row, inputs: Inputs) -> bool:
    return row.scope != "all" and row.status in ("unchanged", "improved") and not _failed(row, inputs)


def _means(inputs: Inputs, shown: Sequence[str]) -> tuple[Part, ...]:
    overall = _mean_table("Metric", [(name, name, _overall(inputs, name)) for name in shown])
    ruled = {metric for metric, scope, _ in inputs.outcomes if scope == "category"}
    tables = [Part("All cases", table=overall)]
    for metric in shown:
        if metric in ruled:
            means = [(metric, name, value) for name, value in _by_category(inputs, metric).items()]
            tables.append(Part(_title(metric), table=_mean_table("Category", means)))
    return tuple(filter(None, tables))


def _overall(inputs: Inputs, metric: str) -> SummaryValue:
    """A mean over all cases; the clock's stands in timing, with all that differs between equal runs."""
    timed = inputs.head.timing.get("summary", {}).get(metric)
    return SummaryValue(mean=timed["mean"], n=timed["n"], of=timed["of"]) if timed else inputs.head.summary.all[metric]


def _by_category(inputs: Inputs, metric: str) -> dict[str, SummaryValue]:
    """Means by category; those of the clock are in no summary, but in the rows."""
    if metric not in inputs.head.timing.get("summary", {}):
        return {name: found[metric] for name, found in inputs.head.summary.categories.items() if metric in found}
    rows = [row for row in inputs.comparison.rows if row.metric == metric and row.category is not None]
    return {str(row.category): SummaryValue(mean=row.candidate, n=row.n, of=row.n) for row in rows}


def _title(metric: str) -> str:
    return f"{metric} by category"


def _mean_table(first: str, means: Iterable[tuple[str, str, SummaryValue]]) -> Table:
    rows = [
        TableRow((name, *numbers.values(metric, value.mean), f"{value.n} of {value.of}"))
        for metric, name, value in means
    ]
    return Table((first, MEAN, "Scored"), Listing.of(rows))
