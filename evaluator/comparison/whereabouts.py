"""Which keys of the configuration made the exam easier: what a reader has to look at first."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

from evaluator.comparison.critical import JUDGED_RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evaluator.model.base import Value
    from evaluator.model.comparison import Exam
    from evaluator.model.config import Rule

_SETTINGS = ("alpha", "min_cases", "max_unscored", "max_failures", "floor_policy")


class _Keyed(NamedTuple):
    key: str
    rule: Rule


def of_row(new: Exam, old: Exam, metric: str, scope: str | None = None) -> str | None:
    """The keys that differ for the rows of a metric (``scope`` None: in whatever scope); None where none does."""
    pers = ["all", "category"] if scope is None else ["all" if scope == "all" else "category"]
    rules = [change for per in pers for change in _rules(new, old, metric, per)]
    settings = [*_values("gate", old.gate, new.gate, _SETTINGS), *_values("gate.drift", old.gate.drift, new.gate.drift)]
    if new.noise != old.noise:
        settings.append(f"the contents of noise: {_shown(old.noise)} → {_shown(new.noise)}")
    return "; ".join(dict.fromkeys([*rules, *settings, *_terms(new, old, metric)])) or None


def _terms(new: Exam, old: Exam, metric: str) -> Iterator[str]:
    """The keys that say how far the judge is believed, for what it decides."""
    if new.judging is not None and old.judging is not None and metric in {*old.judging.metrics, *JUDGED_RULES}:
        yield from _values("judge", old.judging.terms, new.judging.terms)


def of_critical(new: Exam, old: Exam, rule: str) -> str | None:
    """The key of a rule on critical cases, if it differs."""
    found = [*_values("gate.critical", old.gate.critical, new.gate.critical, (rule,))]
    judged = "abstention" if rule == "wrong_abstention" else rule
    return "; ".join([*found, *_terms(new, old, judged)]) or None


def _rules(new: Exam, old: Exam, metric: str, per: str) -> Iterator[str]:
    for then, now in itertools.zip_longest(_keyed(old, metric, per), _keyed(new, metric, per)):
        if then is not None and now is None:
            yield f"{then.key} of the baseline is gone"
        elif then is not None and now is not None:
            yield from _values(now.key, then.rule, now.rule)


def _keyed(exam: Exam, metric: str, per: str) -> list[_Keyed]:
    found = zip(exam.rules, exam.origins, strict=True)
    named = "gate.rules[{}]" if exam.written else f"the default rule on {metric}"
    return [_Keyed(named.format(place), rule) for rule, place in found if (rule.metric, rule.per) == (metric, per)]


def _values(key: str, then: Value, now: Value, names: tuple[str, ...] | None = None) -> Iterator[str]:
    for name in names or type(then).model_fields:
        before, after = getattr(then, name), getattr(now, name)
        if before != after:
            yield f"{key}.{name}: {_shown(before)} → {_shown(after)}"


def _shown(value: object) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value).lower()
