"""Rows: a metric's mean over the paired cases of one scope, and what its rule makes of the change."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison import drift, least, missing, noisy, numbers, sheet, statuses, together
from evaluator.comparison.sheet import EPSILON, CaseValues, PairValue, Sheet
from evaluator.comparison.statuses import Seen
from evaluator.model.comparison import GatedRow, Row, RuledRow, Scope
from evaluator.model.counting import counted
from evaluator.model.score import Metric, MetricId

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluator.comparison.noisy import Chance
    from evaluator.model.config import Rule

RECHUNKED_SHARE = 0.1
"""Above so large a share of re-chunked cases a row that counts chunks is advisory."""

ADVISORY = "(advisory: "
"""What the end of a reason begins with that says why a row is not enforced."""

OTHER_CHUNKING = f"{ADVISORY}other chunking)"

NO_ANSWERS = "no baseline to compare answers with"
"""Why a rule on wins says nothing."""

UNMATCHED = "the baseline has no value to compare with"
"""Why a row is new whose cases are not."""

REWORDED_SHARE = 0.1
"""Above so large a share of paraphrases that are asked in other words than before, what is left decides nothing."""

UNLABELLED = "unlabelled chunks"
"""What the reason of a row begins with that fell, perhaps, for want of labels only."""

UNLABELLED_FALL = 0.05
"""Beyond so large a fall of judged@k a precision may have fallen for want of labels only."""


class Group(NamedTuple):
    """The cases of one row, and those its floor reads: none where ``small`` marks a category with too few pairs."""

    scope: Scope
    category: str | None
    cases: Sequence[CaseValues]
    floor_cases: Sequence[CaseValues]
    small: bool = False


class _Ruled(NamedTuple):
    """A row with the rule that decides on it and the place of that, and how many cases it needs."""

    number: int
    rule: Rule
    group: Group
    fewest: int
    chance: Chance | None = None


def gated_rows(values: Sheet, rules: Sequence[Rule], min_cases: int) -> list[GatedRow]:
    """Every row that a rule decides on, in the order of the rules; one that lacks values also as it is at worst."""
    values = missing.charged(values, rules)
    found = _gated_rows(values, rules, min_cases)
    if not any(entry.unscored for entry in found):
        return found
    worst = {_key(entry): _ruled(entry) for entry in _gated_rows(missing.at_worst(values), rules, min_cases)}
    return [entry.but(at_worst=worst.get(_key(entry))) if entry.unscored else entry for entry in found]


def _ruled(entry: GatedRow) -> RuledRow:
    return RuledRow(**{name: getattr(entry, name) for name in RuledRow.model_fields})


def _key(entry: GatedRow) -> tuple[int, Scope, str | None]:
    return entry.rule, entry.row.scope, entry.row.category


def _gated_rows(values: Sheet, rules: Sequence[Rule], min_cases: int) -> list[GatedRow]:
    needed = noisy.fewest(values, rules, min_cases)
    found = [
        _Ruled(index, rule, group, needed[rule.metric])
        for index, rule in enumerate(rules)
        for group in groups(values, rule.metric, rule.per, needed[rule.metric])
    ]
    # What chance makes of one row depends on how many there are.
    places = [
        noisy.place(values, each.rule, each.group.category, () if each.group.small else each.group.cases)
        for each in found
    ]
    chances = noisy.chances(values, places)
    gated = [_gated(values, each._replace(chance=chance)) for each, chance in zip(found, chances, strict=True)]
    return together.with_doubts(values, rules, gated, needed)


def ungated_rows(values: Sheet, metrics: Sequence[str], gated: Sequence[GatedRow], min_cases: int) -> list[Row]:
    """Rows of the metrics, over all cases and per category, that no rule decides on."""
    taken = {(entry.row.metric, entry.row.scope, entry.row.category) for entry in gated}
    found = []
    for metric in metrics:
        for scope in ("all", "category"):
            for group in groups(values, metric, scope, min_cases):
                if group.scope != "small" and (metric, group.scope, group.category) not in taken:
                    row = _row(values, metric, group, None, Seen(min_cases))
                    found.extend([row] if row.n or row.status in ("new", "removed") else [])
    return found


def groups(values: Sheet, metric: str, per: str, min_cases: int) -> Iterator[Group]:
    """The row ``all``; or a row per category, small or not, and one that pools the small ones."""
    if per == "all":
        yield Group("all", None, values.cases, values.cases)
        return
    column = values.column[metric]
    pooled: list[CaseValues] = []
    everything_small = True
    for name, cases in values.by_category.items():
        if not _applies(cases, column):
            continue
        compared = values.has_baseline_of(metric) and not values.declaration(metric).compares
        count = len(sheet.pairs(cases, column)) if compared else len(sheet.scored_after(cases, column))
        small = count < min_cases
        pooled.extend(cases if small else [])
        everything_small = everything_small and small
        yield Group("category", name, cases, () if small else cases, small=small)
    if sheet.scored_after(pooled, column) and not everything_small:
        yield Group("small", None, pooled, pooled)


def _applies(cases: Sequence[CaseValues], column: int) -> bool:
    # A category in which nothing could be scored has a row that says so.
    lacks = any(column in case.unscored | case.relabelled for case in cases)
    return lacks or bool(sheet.scored_after(cases, column) or sheet.scored_before(cases, column))


def _gated(values: Sheet, ruled: _Ruled) -> GatedRow:
    rule, group = ruled.rule, ruled.group
    column, metric = values.column[rule.metric], rule.metric
    floor_values = sheet.scored_after(group.floor_cases, column)
    comparable = values.other_judge(metric) is None
    anchor = drift.anchored(values, metric, group.cases) if comparable and not group.small else []
    doubt = values.doubt(metric, group.cases)
    row = _row(values, metric, group, rule, Seen(ruled.fewest, ruled.chance))
    return GatedRow(
        rule=ruled.number,
        row=_unenforced(row, doubt),
        worse=_count_worse(values, metric, sheet.pairs(group.cases, column)),
        floor=numbers.mean(floor_values),
        floor_n=len(floor_values),
        floor_before=numbers.mean(sheet.scored_before(group.floor_cases, column)) if comparable else None,
        floor_noise=least.noise(row, ruled.chance),
        unscored=sum(column in case.unscored for case in group.cases),
        anchor=numbers.mean([pair.before for pair in anchor]),
        anchored=numbers.mean([pair.after for pair in anchor]),
        anchor_worse=_count_worse(values, metric, anchor),
        anchor_within=ruled.chance is not None and not ruled.chance.has_drifted,
        is_blind=ruled.chance is not None and ruled.chance.is_blind,
        unenforced=doubt,
        unscored_before=sum(column in case.unscored_before for case in group.cases) if comparable else 0,
        taken_over=values.is_taken_over(metric, group.cases),
    )


def _unenforced(row: Row, doubt: str | None) -> Row:
    """A row as advisory, with the reason where it was decided."""
    if doubt is None:
        return row
    said = row.status in ("unchanged", "within noise", "regressed", "improved")
    return row.but(advisory=True, reason=f"{row.reason} {ADVISORY}{doubt})" if said else row.reason)


def _count_worse(values: Sheet, metric: str, found: Sequence[PairValue]) -> int:
    better = values.better(metric)
    return sum(better * (pair.after - pair.before) < -EPSILON for pair in found)


def _row(values: Sheet, metric: str, group: Group, rule: Rule | None, seen: Seen) -> Row:
    column = values.column[metric]
    if values.declaration(metric).compares:
        return _side_by_side(values, metric, group)
    if not values.has_baseline_of(metric):
        reason = "no judged baseline" if values.has_baseline else "no baseline"
        return _without_baseline(metric, group, sheet.scored_after(group.cases, column), rule, reason)
    at = rule.at if rule else "mean"
    pairs = sheet.pairs(group.cases, column)
    before = numbers.aggregate([pair.before for pair in pairs], at)
    after = numbers.aggregate([pair.after for pair in pairs], at)
    delta = numbers.mean([pair.after - pair.before for pair in pairs])
    if at != "mean" and before is not None and after is not None:
        delta = after - before
    one_sided = _one_sided(values, metric, group) if not pairs else None
    seen = seen._replace(is_small=group.small, worse=_count_worse(values, metric, pairs))
    left_out = sum(column in case.relabelled for case in group.cases)
    row = Row(
        scope=group.scope, category=group.category, metric=metric, baseline=before, candidate=after, delta=delta,
        n=len(pairs), status="not evaluated", reason="", tolerance=statuses.tolerance(rule, before),
        noise=seen.chance.band if seen.chance is not None else None, interval=_interval(values, metric, seen.chance),
    )  # fmt: skip
    if one_sided is not None:
        return _with_caveats(values, statuses.without_relabelled(row.but(**one_sided), left_out, seen), group)
    other_judge = values.other_judge(metric)
    if other_judge is not None:
        return row.but(delta=None, status="not comparable", reason=other_judge)
    status, reason = statuses.status(values, row, rule, seen)
    row = statuses.without_relabelled(row.but(status=status, reason=reason), left_out, seen)
    return _with_caveats(values, row, group)


def _interval(values: Sheet, metric: str, chance: Chance | None) -> tuple[float, float] | None:
    """The interval of the change as it is shown, candidate less baseline."""
    if chance is None or chance.interval is None:
        return None
    low, high = chance.interval
    return (low, high) if values.better(metric) > 0 else (-high, -low)


def _without_baseline(metric: str, group: Group, mine: Sequence[float], rule: Rule | None, reason: str) -> Row:
    at = rule.at if rule else "mean"
    return Row(
        scope=group.scope, category=group.category, metric=metric, baseline=None,
        candidate=numbers.aggregate(mine, at), delta=None, n=len(mine), status="not evaluated",
        reason=reason if mine else "not applicable to any case",
    )  # fmt: skip


def _side_by_side(values: Sheet, metric: str, group: Group) -> Row:
    """A row without a before: each of its values is a comparison of its own."""
    mine = sheet.scored_after(group.cases, values.column[metric])
    reason = "compared answer by answer" if mine else "no answer was compared with the baseline's"
    return Row(
        scope=group.scope, category=group.category, metric=metric, baseline=None, candidate=numbers.mean(mine),
        delta=None, n=len(mine), status="not evaluated", reason=reason if values.has_baseline else NO_ANSWERS,
    )  # fmt: skip


def _one_sided(values: Sheet, metric: str, group: Group) -> dict[str, object]:
    column = values.column[metric]
    mine, theirs = sheet.scored_after(group.cases, column), sheet.scored_before(group.cases, column)
    means = {"candidate": numbers.mean(mine), "baseline": numbers.mean(theirs)}
    if mine and any(case.paraphrases.lost for case in group.cases) and values.declaration(metric).group:
        return {**means, "status": "too few cases", "reason": "every group is asked in other words than before"}
    if mine and not theirs:
        is_known = any(case.paired for case in group.cases)
        return {**means, "status": "new", "reason": UNMATCHED if is_known else "not in the baseline"}
    if theirs and not mine and missing.is_left_unanswered(group.cases, column):
        return {**means, "status": "not evaluated", "reason": "every case of it abstains now, as it should"}
    if theirs and not mine:
        gone = not any(case.after is not None for case in group.cases)
        reason = "no case of it is left" if gone else "applies to no case any more"
        return {**means, "status": "removed", "reason": reason}
    if mine:
        return {"status": "too few cases", "reason": "no case is the same in both runs"}
    return {"status": "not evaluated", "reason": "not applicable to any case"}


def _with_caveats(values: Sheet, row: Row, group: Group) -> Row:
    metric = values.declaration(row.metric)
    if row.metric in values.shallow:
        reason = f"the stored rankings reach {values.shallow[row.metric]} results only; run the baseline again"
        return row.but(status="not comparable", reason=reason)
    lost, total = values.paraphrases if metric.group else (0, 0)
    if lost > REWORDED_SHARE * total and row.status != "regressed":
        reason = (
            f"{lost} of {counted(total, 'paraphrase')} are not asked as in the baseline; accepted.yml can name them"
        )
        return row.but(status="not comparable", reason=reason)
    if metric.counts == "chunks" and _rechunked(values, row, group):
        return row.but(advisory=True, reason=f"{row.reason} {OTHER_CHUNKING}")
    fall = _judged_fall(values, row, group, metric) if row.status == "regressed" else 0.0
    if fall > UNLABELLED_FALL:
        reason = f"{UNLABELLED}: the share of labelled results fell by {fall:.3f}; label the new ones"
        return row.but(status="not comparable", reason=reason)
    return row


def _rechunked(values: Sheet, row: Row, group: Group) -> bool:
    pairs = sheet.pairs(group.cases, values.column[row.metric])
    return sum(pair.case.rechunked for pair in pairs) > RECHUNKED_SHARE * len(pairs)


def _judged_fall(values: Sheet, row: Row, group: Group, metric: Metric) -> float:
    judged = str(MetricId("judged", MetricId.parse(row.metric).k))
    if not metric.precision_like or judged not in values.column:
        return 0.0
    pairs = sheet.pairs(group.cases, values.column[judged])
    return numbers.mean([pair.before - pair.after for pair in pairs]) or 0.0
